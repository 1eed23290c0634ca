"""Checks timeline*.svg of -t timeline: timeline.py FOLDER.

The rows are the busiest threads and CPUs of samples.csv in the same folder, and each cell has the colour that follows
from the samples of its stretch of time.
"""
import csv
import glob
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter, defaultdict

LEFT, PLOT = 260, 928
SPACE = "{http://www.w3.org/2000/svg}"
folder = sys.argv[1]


def fail(text):
    print(text)
    sys.exit(1)


def cells_of(group, columns):
    """By column: class of the paths over it."""
    found = {}
    for path in group.iter(SPACE + "path"):
        kind = path.get("class")
        for x, width in re.findall(r"M(\d+) [\d.]+h(\d+)", path.get("d")) if kind != "row" else ():
            first, end = (int(x) - LEFT) * columns / PLOT, (int(x) + int(width) - LEFT) * columns / PLOT
            for column in range(int(first), int(end)):
                if column in found:
                    fail("two colours in a cell")
                found[column] = kind
    return found


def wanted_cells(samples, first, last, columns, full):
    costs = defaultdict(Counter)
    for sample in samples:
        column = (int(sample["time"]) - first) * columns // (last - first + 1)
        costs[column]["u" if sample["mode"] in ("user", "guest-user") else "k"] += int(sample["period"])
    return {column: ("u" if cost["u"] >= cost["k"] else "k") + str(min(4, int((cost["u"] + cost["k"]) / full * 5)))
            for column, cost in costs.items() if cost["u"] + cost["k"]}


def check(file, samples):
    text = open(file, encoding="utf-8").read()
    root = ElementTree.fromstring(text)
    if {element.tag.replace(SPACE, "") for element in root.iter()} - {"svg", "title", "desc", "style", "rect", "g", "path", "text"}:
        fail(f"{file}: other elements")
    if re.search(r"href|url\(|@import|\son\w+=|<script", text) or len(text) > 300000:
        fail(f"{file}: refers to something, or has {len(text)} bytes")
    groups = [group for group in root.iter(SPACE + "g") if group.find(SPACE + "title") is not None]
    timed = [sample for sample in samples if sample["time"]]
    if not timed:
        return len(groups) and fail(f"{file}: rows without times")
    first, last = int(timed[0]["time"]), int(timed[-1]["time"])
    threads, cpus, periods = defaultdict(list), defaultdict(list), Counter()
    for sample in timed:
        key = sample["pid"], sample["tid"]
        threads[key].append(sample)
        periods[key] += int(sample["period"])
        if sample["cpu"]:
            cpus[int(sample["cpu"])].append(sample)
            periods[int(sample["cpu"])] += int(sample["period"])
    busiest = lambda lanes, most: sorted(lanes, key=lambda lane: (-periods[lane], tuple(map(int, lane)) if isinstance(lane, tuple) else lane))[:most]
    shown, shown_cpus = busiest(threads, 40), sorted(busiest(cpus, 16))
    # threads of a process stand together, where the first of them is
    processes = [lane[0] for lane in shown]
    shown.sort(key=lambda lane: processes.index(lane[0]))
    rest = [s for lane in threads if lane not in shown for s in threads[lane]]
    rest_cpus = [s for lane in cpus if lane not in shown_cpus for s in cpus[lane]]
    rows = [("CPU %d" % cpu, cpus[cpu]) for cpu in shown_cpus] + ([("other CPUs", rest_cpus)] if rest_cpus else [])
    rows += [(lane[1], threads[lane]) for lane in shown] + ([("other threads", rest)] if rest else [])
    columns = 232
    most = max(map(len, threads.values()))
    while columns > 29 and most // columns < 6:
        columns //= 2
    width = [re.fullmatch(r"a column: ([\d.]+) (us|ms|s)(;.*)?", text.text or "") for text in ElementTree.parse(file).getroot().iter(SPACE + "text")]
    width = [float(found.group(1)) * {"us": 1e3, "ms": 1e6, "s": 1e9}[found.group(2)] for found in width if found]
    if last > first and (len(width) != 1 or abs(width[0] * columns / (last - first) - 1) > 1e-3):
        fail(f"{file}: a column has {width} ns, expected {(last - first) / columns}")
    clock = timed[0]["event"].startswith(("cpu-clock", "task-clock"))
    if clock and last > first:
        full = (last - first) / columns
    else:
        costs = Counter()
        for i, (name, of) in enumerate(rows):
            for sample in of if not name.startswith("other") else ():
                costs[i, int((int(sample["time"]) - first) / (last - first + 1) * columns)] += int(sample["period"])
        full = max(costs.values())
    if len(groups) != len(rows):
        fail(f"{file}: {len(groups)} rows, expected {len(rows)}")
    for group, (name, of) in zip(groups, rows):
        title = group.find(SPACE + "title").text
        if name not in title.rpartition(": ")[0]:
            fail(f"{file}: row {title!r}, expected {name!r}")
        amount = re.search(r": ([\d.]+)( s)?, [\d.]+ %", title)
        period = sum(int(sample["period"]) for sample in of)
        if abs(float(amount.group(1)) * (1e9 if amount.group(2) else 1) - period) > 1000:
            fail(f"{file}: row {title!r}, expected {period}")
        found, wanted = cells_of(group, columns), wanted_cells(of, first, last, columns, full)
        if found != wanted:
            wrong = [c for c in sorted(set(found) | set(wanted)) if found.get(c) != wanted.get(c)]
            fail(f"{file}: row {title!r}, column {wrong[0]}: {found.get(wrong[0])}, expected {wanted.get(wrong[0])}")
    return None


by_event = defaultdict(list)
for row in csv.DictReader(open(os.path.join(folder, "samples.csv"), newline="", encoding="utf-8")):
    by_event[row["event"]].append(row)
files = glob.glob(os.path.join(glob.escape(folder), "timeline*.svg"))
if len(files) != max(1, len(by_event)):
    fail(f"{len(files)} files for {len(by_event)} events")
for file in files:
    title = ElementTree.parse(file).getroot().find(SPACE + "title").text
    names = [event for event in by_event if title == event + " by time"]
    check(file, by_event[names[0]] if names else [])
