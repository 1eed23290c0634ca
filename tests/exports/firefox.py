"""Checks profile*.json.gz of -t firefox.

firefox.py FOLDER [RECORDING]: the profiles are well-formed (processed profile format, version 60) and hold what
results.csv, calltree.csv, groups.csv (--by=pid,tid), samples.csv, overview.csv and, if there is one, intervals.csv in the
same folder hold. With a recording, a file of one byte order that is not packed, its records are read here, too, and counted.
"""
import csv
import glob
import gzip
import io
import json
import os
import re
import struct
import sys
from collections import Counter, defaultdict
from decimal import Decimal

folder = sys.argv[1]


def fail(text):
    print(text)
    sys.exit(1)


def shown(match):
    return "".join("\\x%02x" % byte for byte in match[0].encode())


def rows(name):
    """Of a table, with characters that turn the direction of text as the profile has them."""
    text = open(os.path.join(folder, name), newline="", encoding="utf-8").read()
    return list(csv.DictReader(io.StringIO(re.sub("[\u202a-\u202e\u2066-\u2069]", shown, text), newline="")))


def same(what, found, wanted):
    if found != wanted:
        both = set(found) | set(wanted)
        wrong = [k for k in sorted(both, key=str) if found.get(k) != wanted.get(k)][:2]
        fail(f"{what}: {[(k, found.get(k), wanted.get(k)) for k in wrong]}")


def check_table(name, table, limits):
    """All lists have the table's length; indices are below their limits."""
    for key, column in table.items():
        if key in ("length", "weightType"):
            continue
        if len(column) != table["length"]:
            fail(f"{name}.{key}: {len(column)} items, not {table['length']}")
        for value in column if key in limits else ():
            if value is not None and not 0 <= value < limits[key]:
                fail(f"{name}.{key}: {value}")


def check_shared(profile):
    shared = profile["shared"]
    texts = len(shared["stringArray"])
    check_table("stackTable", shared["stackTable"], {"frame": shared["frameTable"]["length"]})
    for i, prefix in enumerate(shared["stackTable"]["prefix"]):
        if prefix is not None and not 0 <= prefix < i:
            fail(f"stackTable: {i} is called by {prefix}")
    check_table("frameTable", shared["frameTable"], {"func": shared["funcTable"]["length"],
                                                     "category": len(profile["meta"]["categories"])})
    check_table("funcTable", shared["funcTable"], {"name": texts, "source": shared["sources"]["length"]})
    check_table("resourceTable", shared["resourceTable"], {"name": texts, "lib": len(profile["libs"])})
    check_table("sources", shared["sources"], {"filename": texts})
    check_table("nativeSymbols", shared["nativeSymbols"], {})
    schemas = {schema["name"]: {field["key"] for field in schema["fields"]} for schema in profile["meta"]["markerSchema"]}
    for thread in profile["threads"]:
        check_table("samples", thread["samples"], {"stack": shared["stackTable"]["length"]})
        check_table("markers", thread["markers"], {"name": texts, "category": len(profile["meta"]["categories"])})
        times = thread["samples"]["time"]
        if times != sorted(times) or any(time < 0 for time in times):
            fail("samples: time goes back")
        for data in thread["markers"]["data"]:
            fields = set(data) - {"type"}
            if data["type"] == "interval":  # what is not known is left out
                if not {"what", "function"} <= fields <= schemas["interval"]:
                    fail(f"interval {data}")
            elif fields != schemas[data["type"]]:
                fail(f"marker {data}")
    if not any(category["color"] == "grey" for category in profile["meta"]["categories"]):
        fail("no category is grey")


class Profile:
    def __init__(self, file):
        self.profile = json.loads(gzip.open(file).read().decode("utf-8"), parse_float=Decimal)
        meta = self.profile["meta"]
        if meta["preprocessedProfileVersion"] != 60 or meta["importedFrom"] != "readperf":
            fail(f"meta: {meta}")
        check_shared(self.profile)
        self.shared = self.profile["shared"]
        self.event = meta["extra"][0]["entries"][0]["value"]
        self.texts = self.shared["stringArray"]

    def function(self, stack):
        funcs = self.shared["funcTable"]
        func = self.shared["frameTable"]["func"][self.shared["stackTable"]["frame"][stack]]
        resource, source = funcs["resource"][func], funcs["source"][func]
        library = self.profile["libs"][self.shared["resourceTable"]["lib"][resource]]["path"] if resource >= 0 else ""
        file = self.texts[self.shared["sources"]["filename"][source]] if source is not None else ""
        return self.texts[funcs["name"][func]], library, file

    def samples(self):
        """thread, ns since the beginning, stack, period of each."""
        for thread in self.profile["threads"]:
            samples = thread["samples"]
            scale = 1000000 if samples["weightType"] == "tracing-ms" else 1
            for i in range(samples["length"]):
                weight = samples["weight"][i] * scale
                if "threadCPUDelta" in samples and samples["threadCPUDelta"][i] != weight:
                    fail(f"CPU time {samples['threadCPUDelta'][i]}, weight {weight}")
                yield (thread["pid"], str(thread["tid"])), int(samples["time"][i] * 1000000), samples["stack"][i], int(weight)

    def intervals(self):
        """thread, ns since the beginning, length, category, event, what, function, result, other thread and CPU of each."""
        categories = [category["name"] for category in self.profile["meta"]["categories"]]
        for thread in self.profile["threads"]:
            markers = thread["markers"]
            for i, data in enumerate(markers["data"]):
                if (markers["phase"][i] == 1) != (data["type"] == "interval") or \
                        (markers["endTime"][i] is None) != (markers["phase"][i] == 0):
                    fail(f"phase of {data}")
                if data["type"] == "interval":
                    start, end = int(markers["startTime"][i] * 1000000), int(markers["endTime"][i] * 1000000)
                    text = lambda key: self.texts[data[key]] if key in data else ""
                    yield ((thread["pid"], str(thread["tid"])), start, end - start, categories[markers["category"][i]],
                           self.texts[markers["name"][i]], text("what"), text("function"), text("result"), text("by"), data.get("cpu", -1))

    def markers(self):
        """kind, thread and ns since the beginning of each moment."""
        for thread in self.profile["threads"]:
            markers = thread["markers"]
            for i in range(markers["length"]):
                if markers["data"][i]["type"] == "interval":
                    continue
                if self.texts[markers["name"][i]] != markers["data"][i]["type"]:
                    fail("a marker is not named like its type")
                yield (markers["data"][i]["type"], thread["pid"], str(thread["tid"]), int(markers["startTime"][i] * 1000000))


def check_costs(profile):
    """Per thread and per function, own and with all that it calls, and per path of the call tree."""
    prefixes = profile.shared["stackTable"]["prefix"]
    threads, own, totals, paths = Counter(), Counter(), Counter(), Counter()
    for thread, _, stack, weight in profile.samples():
        threads[thread] += weight
        own[profile.function(stack)] += weight
        path, inside = [], set()
        while stack is not None:
            path.append(profile.function(stack)[0])
            inside.add(profile.function(stack))
            stack = prefixes[stack]
        paths[tuple(reversed(path))] += weight
        for function in inside:
            totals[function] += weight
    wanted = Counter()
    for row in rows("groups.csv"):
        if row["event"] == profile.event:
            wanted[row["pid"] or "-1", row["tid"] or "-1"] += int(row["period"])
    same("threads, groups.csv", +threads, +wanted)
    wanted, wanted_totals = Counter(), Counter()
    for row in rows("results.csv"):
        binary = "" if row["binary"] == "[unknown]" else row["binary"]
        if row["event"] == profile.event:
            wanted[row["function"], binary, row["source_file"]] += int(row["period"])
            wanted_totals[row["function"], binary, row["source_file"]] += int(row["total_period"] or row["period"])
    same("functions, results.csv", +own, +wanted)
    remarks = {key: totals[key] for key in totals if key[0] in ("[cut]", "[lost]", "[folded]")}
    same("totals, results.csv", +(totals - Counter(remarks)), +wanted_totals)
    wanted, frames = Counter(), {}
    for row in rows("calltree.csv"):
        frames[row["frame"]] = frames.get(row["parent"], ()) + (row["function"],)
        if row["event"] == profile.event:
            wanted[frames[row["frame"]]] += int(row["period"])
    same("call tree, calltree.csv", +paths, +wanted)


WAITING = {"off-cpu", "wait", "lock", "softirq-wait", "work-wait", "block-queue", "offcpu-time"}


def check_categories(profile):
    """Where threads wait, and nowhere else, it says so."""
    names = [category["name"] for category in profile.profile["meta"]["categories"]]
    funcs = profile.shared["funcTable"]["name"]
    for func, category in zip(profile.shared["frameTable"]["func"], profile.shared["frameTable"]["category"]):
        name = profile.texts[funcs[func]]
        waits = profile.event in WAITING or (profile.event == "wall" and name in ("[sleeping]", "[blocked]", "[stopped]", "[preempted]", "[off]"))
        if (names[category] == "Waiting") != waits:
            fail(f"{name} of {profile.event} is of the category {names[category]}")


def check_intervals(profile, wanted, first):
    expected = Counter()
    for row in wanted:
        by = f"{row['by_thread']}, thread {row['by_tid'] or -1}" if row["by_thread"] or row["by_tid"] else ""
        name = row["event"] + (f", CPU {row['cpu']}" if row["tid"] == "0" and row["cpu"] else "")
        expected[(row["pid"] or "-1", row["tid"] or "-1"), int(row["time"]) - first, int(row["duration"]),
                 "Waiting" if row["event"] in WAITING else "Other", name, row["what"], row["function"], row["result"], by,
                 int(row["cpu"] or -1)] += 1
    same("intervals, intervals.csv", Counter(profile.intervals()), expected)


def check_times(profile):
    """Samples and markers lie as far from each other as in the tables, and all of them are there."""
    recorded = {row["event"] for row in rows("events.csv") if row["type"] != "interval"}
    ended = [row for row in rows("intervals.csv") if row["duration"]] if os.path.exists(os.path.join(folder, "intervals.csv")) else []
    samples, moments = defaultdict(list), Counter()
    lost = {"LOST", "LOST_SAMPLES"}
    kinds = {"FORK": "fork", "EXIT": "exit", "COMM": "comm"}
    overview = [row for row in rows("overview.csv") if row["time"] not in ("", "0")]
    timed = {int(row["time"]) for row in overview if row["type"] in kinds or row["type"] in lost}
    timed |= {int(row["time"]) for row in ended if profile.event in (row["event"], *recorded)}
    if profile.event == "wall":  # is made of samples of clocks, and of off-cpu
        timed |= {int(row["time"]) for row in rows("samples.csv") if "clock" in row["event"]}
        timed |= {int(row["time"]) for row in ended if row["event"] == "off-cpu"}
    for row in rows("samples.csv"):
        if row["event"] == profile.event:
            samples[row["pid"] or "-1", row["tid"] or "-1"].append(int(row["time"] or 0))
            timed |= {int(row["time"])} if row["time"] else set()
    first = min(timed) if timed else 0
    check_intervals(profile, [row for row in ended if profile.event in (row["event"], *recorded)], first)
    for row in overview:
        kind = kinds.get(row["type"]) or ("lost" if row["type"] in lost else None)
        if not kind:
            continue
        # the marker of a fork is the parent's, whose thread overview.csv does not have
        moments[(kind, "" if kind == "fork" else row["pid"], "" if kind == "fork" else row["tid"], int(row["time"]) - first)] += 1
    found = defaultdict(list)
    for thread, time, _, _ in profile.samples():
        found[thread].append(time)
    for row in ended if profile.event not in recorded else ():
        if row["event"] == profile.event or (profile.event == "wall" and row["event"] == "off-cpu"):
            samples[row["pid"] or "-1", row["tid"] or "-1"].append(int(row["time"]))
    for row in rows("samples.csv") if profile.event == "wall" else ():
        if "clock" in row["event"]:
            samples[row["pid"] or "-1", row["tid"] or "-1"].append(int(row["time"]))
    same("times, samples.csv", dict(found), {t: sorted(max(0, time - first) for time in times) for t, times in samples.items()})
    markers = Counter()
    for kind, pid, tid, time in profile.markers():
        kind = "comm" if kind == "exec" else kind
        markers[kind, "" if kind == "fork" else pid, "" if kind == "fork" else tid, time] += 1
    same("markers, overview.csv", markers, moments)


def records_of(path):
    """The type, misc and bytes of each record of a file, and its first attr's sample_type."""
    data = open(path, "rb").read()
    if data[:8] != b"PERFILE2":
        return None
    attrs, _, start, size = struct.unpack_from("<QQQQ", data, 24)
    records = []
    at = start
    while at < start + size:
        kind, misc, length = struct.unpack_from("<IHH", data, at)
        records.append((kind, misc, data[at:at + length]))
        at += length
    return records, struct.unpack_from("<Q", data, attrs + 24)[0]


def check_raw(profile, path):
    """Of a recording of one event: samples per thread, execs and forks as its bytes have them."""
    records, sample_type = records_of(path)
    before_tid = 8 + 8 * sum(sample_type >> bit & 1 for bit in (16, 0))  # IDENTIFIER, IP
    from_time = 8 * sum(sample_type >> bit & 1 for bit in (2, 6, 9, 7, 16))  # TIME, ID, STREAM_ID, CPU, IDENTIFIER
    samples, moments, children = Counter(), Counter(), Counter()
    for kind, misc, raw in records:
        if kind == 9:
            samples[tuple(map(str, struct.unpack_from("<ii", raw, before_tid)))] += 1
        elif kind in (3, 4, 7) and struct.unpack_from("<Q", raw, len(raw) - from_time)[0]:
            pid, ppid, tid, ptid = struct.unpack_from("<iiii", raw, 8) if kind != 3 else (0, 0, 0, 0)
            if kind == 3:
                pid, tid = struct.unpack_from("<ii", raw, 8)
            children.update([str(tid)] if kind == 7 else [])
            name = {3: "exec" if misc & 1 << 13 else "comm", 4: "exit", 7: "fork"}[kind]
            moments[(name, str(ppid), str(ptid)) if kind == 7 else (name, str(pid), str(tid))] += 1
    same("samples, raw", Counter(thread for thread, _, _, _ in profile.samples()), samples)
    same("new threads, raw", Counter(data["thread"] for thread in profile.profile["threads"] for data in thread["markers"]["data"] if data["type"] == "fork"), children)
    formats = {(schema["name"], field["key"]): field["format"] for schema in profile.profile["meta"]["markerSchema"] for field in schema["fields"]}
    same("how the number of a thread is shown", {"format": formats["fork", "thread"]}, {"format": "string"})  # an integer is shown as a count: 24,173
    same("moments, raw", Counter(m[:3] for m in profile.markers() if m[0] != "lost"), moments)


found = Counter()
for name in sorted(glob.glob(os.path.join(glob.escape(folder), "profile*.json.gz"))):
    profile = Profile(name)
    check_costs(profile)
    check_times(profile)
    check_categories(profile)
    if not profile.profile["threads"]:
        fail("no threads, which the page cannot open")
    if len(sys.argv) > 2:
        check_raw(profile, sys.argv[2])
    found[profile.event] += sum(weight for _, _, _, weight in profile.samples())
wanted = Counter()
for row in rows("results.csv"):
    wanted[row["event"]] += int(row["period"])
same("events, results.csv", found, wanted)
