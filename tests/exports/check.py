"""Checks files of other programs' formats, without those programs.

check.py svg FILE [SCRIPT]: well-formed, refers to nothing elsewhere, holds every frame. The script goes to SCRIPT.
check.py sums FOLDER: folded and flame files hold the samples of results.csv.
check.py pprof FOLDER: so does what `go tool pprof -raw` prints, on standard input.
check.py top FOLDER: `go tool pprof -top` of one event's samples, on standard input, has the functions of calltree.csv.
"""
import csv
import os
import re
import sys
import xml.etree.ElementTree as ElementTree


def fail(text):
    print(text)
    sys.exit(1)


def script_of(file):
    """The script of a flame graph, after checks of all around it."""
    text = open(file, "rb").read().decode("utf-8")
    root = ElementTree.fromstring(text)
    for element in root.iter():
        if element.tag.split("}")[1] not in ("svg", "title", "style", "rect", "text", "g", "script"):
            fail(f"{file}: element {element.tag}")
        for name in element.attrib:
            if "href" in name or name.startswith("on") or name == "src":
                fail(f"{file}: attribute {name}")
    for reference in re.findall(r"https?:|url\(|@import|<!(?!\[CDATA)", re.sub(r'var N=\[.*?\],\nD=', "", text, flags=re.S)):
        if reference != "http:":
            fail(f"{file}: refers to something elsewhere: {reference}")
    if text.count("http://") - text.count("http://www.w3.org/2000/svg"):
        fail(f"{file}: refers to something elsewhere")
    script = root.find("{http://www.w3.org/2000/svg}script")
    return script.text if script is not None else None


def columns_of(script):
    """The columns of the script's table."""
    found = {}
    for name in "DIV":
        found[name] = [int(v) for v in re.search(r"\b%s=\[([0-9,]*)\]" % name, script).group(1).split(",")]
    return found


def check_legend(file, script, indices):
    """The legend has the colours of the kinds that are there; of a comparison, none."""
    words = ["C and others", "C++", "kernel", "JIT", "inlined", "no name", "not running"]
    names = re.findall(r'"((?:[^"\\]|\\.)*)"', re.search(r"\bN=\[(.*?)\],\nD=", script, re.S).group(1))
    kinds = {int(names[i].split("\\t")[2]) for i in indices[1:]} if "\nE=null" in script else set()
    space = "{http://www.w3.org/2000/svg}"
    legend = ElementTree.parse(file).find(f".//{space}g[@id='legend']")
    if [text.text for text in legend.findall(space + "text")] != [words[kind] for kind in sorted(kinds)]:
        fail(f"{file}: the legend is not of the kinds {kinds}")


def check_shapes(file, depths, periods):
    """What needs no script: each frame of 1.5 pixels or more lies at its place above its caller, beside its siblings."""
    space = "{http://www.w3.org/2000/svg}"
    rects = ElementTree.parse(file).find(f".//{space}g[@id='plot']").iter(space + "rect")
    ends = [0]  # by depth: where the next frame begins
    for depth, period in zip(depths, periods):
        width = 1200 * period / periods[0] if periods[0] else 0
        del ends[depth + 1:]
        x = ends[depth]
        ends[depth] += width
        ends.append(x)
        if width < 1.5 or depth >= 4096:
            continue
        rect = next(rects, None)
        found = rect is not None and [float(rect.get(name)) for name in ("x", "y", "width")]
        if not found or any(abs(a - b) > 0.06 for a, b in zip(found, (x, 98 + 18 * depth, width - 0.4))):
            fail(f"{file}: a frame is at {found}, expected at {x}, depth {depth}, width {width}")
    if next(rects, None) is not None:
        fail(f"{file}: more frames are drawn than are wide enough")


def check_svg(file):
    script = script_of(file)
    if script is None:
        fail(f"{file}: no script")
    columns = columns_of(script)
    depths, periods = columns["D"], columns["V"]
    if not len(depths) == len(periods) == len(columns["I"]):
        fail(f"{file}: columns differ in length")
    if depths[0] != 0 or any(d < 1 or d > before + 1 for before, d in zip(depths, depths[1:])):
        fail(f"{file}: depths are no tree")
    below = {}
    for depth, period in reversed(list(zip(depths, periods))):
        if below.pop(depth + 1, 0) > period:
            fail(f"{file}: children have more than their parent")
        below[depth] = below.get(depth, 0) + period
    check_legend(file, script, columns["I"])
    check_shapes(file, depths, periods)
    return script, periods[0]


def check_sums(folder):
    totals = {}
    for row in csv.DictReader(open(os.path.join(folder, "results.csv"), newline="")):
        totals[row["event"]] = totals.get(row["event"], 0) + int(row["period"])
    wanted = sorted(totals.values())
    folded = []
    for name in sorted(os.listdir(folder)):
        if not name.startswith("folded"):
            continue
        lines = open(os.path.join(folder, name), "rb").read().decode("utf-8").split("\n")
        if lines.pop() != "":
            fail(f"{name}: does not end with a line")
        stacks = []
        total = 0
        for line in lines:
            # as flamegraph.pl and speedscope read it
            perl = re.match(r"^(.*)\s+?(\d+(?:\.\d*)?)$", line)
            speedscope = re.match(r"^(.*) (\d+)$", line)
            if not perl or not speedscope or perl.groups() != speedscope.groups():
                fail(f"{name}: {line!r}")
            stacks.append(perl.group(1))
            total += int(perl.group(2))
        if len(set(stacks)) != len(stacks):
            fail(f"{name}: a stack has two lines")
        if [s.split(";") for s in stacks] != sorted((s.split(";") for s in stacks), key=lambda s: [f.encode() for f in s]):
            fail(f"{name}: is not sorted")
        folded.append(total)
    if sorted(folded) != wanted:
        fail(f"folded: {sorted(folded)}, results.csv: {wanted}")
    flames = sorted(check_svg(os.path.join(folder, n))[1] for n in os.listdir(folder) if n.startswith("flame"))
    if flames != wanted:
        fail(f"flame: {flames}, results.csv: {wanted}")


def check_pprof(folder):
    wanted = {}
    for row in csv.DictReader(open(os.path.join(folder, "results.csv"), newline="")):
        samples, period = wanted.get(row["event"], (0, 0))
        wanted[row["event"]] = samples + int(row["samples"]), period + int(row["period"])
    lines = iter(sys.stdin)
    head = []
    while not head or head[-1] != "Samples:":
        head.append(next(lines).strip())
    period = re.match(r"PeriodType: (.+) (nanoseconds|count)$", head[0])
    if not period or period.group(1) not in wanted:
        fail(f"pprof: {head[0]}")
    types = next(lines).split()
    sums = [0] * len(types)
    labels = set()
    for line in lines:
        labels |= set(re.findall(r"(\w+):\[", line))
        values = re.match(r"^\s*([0-9 ]+): [0-9 ]*$", line)
        if values:
            sums = [a + int(b) for a, b in zip(sums, values.group(1).split())]
        if line.strip() == "Locations":
            break
    if not {"comm", "pid", "tid"} <= labels:
        fail(f"pprof: labels {labels}")
    mapped = [line.split()[2] for line in lines if re.match(r"^\d+: 0x", line)]
    if any(name.startswith("/") for name in mapped) and not mapped[0].startswith("/"):
        fail(f"pprof: the first mapping is {mapped[0]}")
    found = sorted(s for s in sums[1:] if s)
    if found != sorted(p for _, p in wanted.values()) or sums[0] != sum(s for s, _ in wanted.values()):
        fail(f"pprof: {dict(zip(types, sums))}, results.csv: {wanted}")


def check_top(folder):
    """Samples of a function itself, and of all stacks that it is in."""
    frames, own, total = {}, {}, {}
    for row in csv.DictReader(open(os.path.join(folder, "calltree.csv"), newline="")):
        frames[row["frame"]] = {row["function"]} | frames.get(row["parent"], set())
        own[row["function"]] = own.get(row["function"], 0) + int(row["samples"])
        for function in frames[row["frame"]]:
            total[function] = total.get(function, 0) + int(row["samples"])
    wanted = sorted((f, own.get(f, 0), total[f]) for f in total if total[f])
    found = []
    for line in sys.stdin:
        row = re.match(r"\s*(\d+)\s+\S+%\s+\S+%\s+(\d+)\s+\S+%  (.*?)( \((partial-)?inline\))?$", line)
        if row:
            found.append((row.group(3), int(row.group(1)), int(row.group(2))))
    if sorted(found) != wanted:
        fail(f"pprof: {sorted(set(found) ^ set(wanted))[:2]}")


if sys.argv[1] == "svg":
    script = check_svg(sys.argv[2])[0]
    if len(sys.argv) > 3:
        open(sys.argv[3], "w", encoding="utf-8").write(script)
elif sys.argv[1] == "sums":
    check_sums(sys.argv[2])
elif sys.argv[1] == "top":
    check_top(sys.argv[2])
else:
    check_pprof(sys.argv[2])
