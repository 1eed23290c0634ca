#!/usr/bin/env python3
"""Checks the page of --report against tables of the same selection, and its HTML. Prints what is wrong.

check.py tables PAGE FOLDER    every sample, function, frame and pair against samples.csv, results.csv, calltree.csv, callers.csv
check.py lines PAGE FOLDER     source lines and addresses against lines.csv and addresses.csv
check.py code PAGE FOLDER      instructions against instructions.csv
check.py html PAGE             tags that match, no address of anything to load, no hostile name as it stands
check.py slices PAGE FOLDER    sums of functions, if rows are slices of time, of which there are many
check.py intervals PAGE FOLDER every interval against intervals.csv
check.py threads PAGE          names of threads, in a page of what exports/recording.py makes of that name
check.py woken PAGE FOLDER     the thread cat of an unknown process has its name
check.py compared PAGE FOLDER  costs of both sides against diff.csv and the flame graph of a comparison
"""
import base64
import collections
import csv
import html.parser
import json
import os
import re
import sys
import zlib

csv.field_size_limit(1 << 30)
REMARK = 7


def numbers(data):
    found, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.append(value)
            value = shift = 0
    assert shift == 0, "a column ends inside of a number"
    return found


def signed(values):
    return [-(v + 1) // 2 if v & 1 else v // 2 for v in values]


class Page:
    """What is in the data, decoded without any of the page's script."""

    def __init__(self, path):
        text = open(path, encoding="utf-8", newline="").read()
        self.pieces = {}
        for name, packed, data in re.findall(r'<script type="text/plain" id="([^"]*)" data-packed="([^"]*)">([^<]*)</script>', text):
            raw = base64.b64decode(data, validate=True)
            self.pieces[name] = zlib.decompress(raw) if packed == "zlib" else raw
        self.about = json.loads(self.pieces["about"])
        self.texts = self.pieces["texts"].decode("utf-8").split("\n")[:-1]
        self.functions = list(zip(*(self.column("functions." + part) for part in ("name", "binary", "file"))))
        self.functions = [tuple(self.texts[t] for t in function) for function in self.functions]
        self.nodes = []
        opened = []
        for depth, label in zip(self.column("nodes.depth"), self.column("nodes.function")):
            del opened[depth:]
            self.nodes.append((opened[-1] if opened else None, label // 8, label % 8))
            opened.append(len(self.nodes) - 1)
        self.intervals = [event["name"] for event in self.about["events"] if event.get("interval")]
        self.base = self.planes("base") if "samples.base.0" in self.pieces else None
        threads = list(zip(signed(self.column("threads.pid")), signed(self.column("threads.tid")),
                           [self.texts[t] for t in self.column("threads.comm")]))
        events = [event["name"] for event in self.about["events"]]
        tasks = [threads[t] + (cpu, events[e], e) for t, cpu, e in
                 zip(self.column("tasks.thread"), signed(self.column("tasks.cpu")), self.column("tasks.event"))]
        times, last = [None] * self.about["untimed"], 0
        for delta in signed(self.planes("time")):
            last += delta
            times.append(last)
        counts = self.planes("count") if self.about["sliced"] else [1] * self.about["rows"]
        in_node = self.column("nodes.rows")
        ranked = sorted(range(len(in_node)), key=lambda node: -in_node[node])
        nodes = [ranked[rank] for rank in self.planes("node")]
        assert collections.Counter(nodes) == collections.Counter(dict(enumerate(in_node))), "rows of nodes"
        recent, taken = [], []
        for place in self.planes("task"):
            recent.insert(0, recent.pop(place) if place < 16 else place - 16)
            del recent[16:]
            taken.append(tasks[recent[0]])
        self.samples = list(zip(times, taken, nodes, self.planes("weight"), counts))
        assert len(self.samples) == len(times) == self.about["rows"], "rows"

    def column(self, name):
        return numbers(self.pieces[name])

    def planes(self, part):
        """A column of samples: a plane has one byte of all numbers, the first one the lowest."""
        found = []
        while "samples.%s.%d" % (part, len(found)) in self.pieces:
            found.append(self.pieces["samples.%s.%d" % (part, len(found))])
        return [int.from_bytes(number, "little") for number in zip(*found)]

    def path(self, node):
        """Functions from the outermost to the node."""
        path = []
        while node is not None:
            path.append(self.functions[self.nodes[node][1]])
            node = self.nodes[node][0]
        return tuple(reversed(path))


def rows(folder, name):
    path = os.path.join(folder, name + ".csv")
    return list(csv.DictReader(open(path, encoding="utf-8", newline=""))) if os.path.exists(path) else []


def same(what, found, expected):
    if found == expected:
        return
    for key in list(found) + list(expected):
        if found.get(key) != expected.get(key):
            sys.exit("%s: %r is %r, the table has %r" % (what, key, found.get(key), expected.get(key)))


def add(sums, key, weight, count):
    old = sums.get(key, (0, 0))
    sums[key] = ((old[0] + weight) % (1 << 64), old[1] + count)


def sum_functions(page):
    own, total = {}, {}
    for _, task, node, weight, count in page.samples:
        event, path = task[4], page.path(node)
        add(own, (event,) + path[-1], weight, count)
        for function in set(path):
            add(total, (event,) + function, weight, count)
    return own, total


def check_functions(page, folder):
    own, total = sum_functions(page)
    table = rows(folder, "results")
    key = lambda row: (row["event"], row["function"], row["binary"], row["source_file"])
    same("self", own, {key(row): (int(row["period"]), int(row["samples"])) for row in table if row["samples"] != "0"})
    if not page.about["chains"]:
        return
    marks = {page.functions[function][:2] for _, function, kind in page.nodes if kind == REMARK}
    same("total", {key: sum for key, sum in total.items() if key[1:3] not in marks},
         {key(row): (int(row["total_period"]), int(row["total_samples"])) for row in table if row["total_samples"] != "0"})


def check_samples(page, folder):
    unit, first = page.about["unit"], int(page.about["first"])
    found, expected = collections.Counter(), collections.Counter()
    for time, (pid, tid, comm, cpu, event, _), node, weight, _ in page.samples:
        if event in page.intervals:
            continue
        name, binary, _ = page.functions[page.nodes[node][1]]
        found[time, event, pid, tid, comm, cpu, weight, name, binary] += 1
    for row in rows(folder, "samples"):
        number = lambda key: int(row[key]) if row[key] else -1
        time = (max(int(row["time"]), first) - first) // unit if row["time"] else None
        expected[time, row["event"], number("pid"), number("tid"), row["comm"], number("cpu"), int(row["period"]),
                 row["function"], row["binary"]] += 1
    same("samples", found, expected)


def check_intervals(page, folder):
    unit, first = page.about["unit"], int(page.about["first"])
    whats = [""] + [page.texts[text] for text in page.column("whats.text")]
    found, expected = collections.Counter(), collections.Counter()
    for (time, (pid, tid, comm, cpu, event, _), node, weight, _), what in zip(page.samples, page.planes("what")):
        if event in page.intervals and event != "wall":  # of which intervals.csv has the parts
            name, binary, _ = page.functions[page.nodes[node][1]]
            found[event, time, weight, pid, tid, comm, cpu, whats[what], name, binary] += 1
    for row in rows(folder, "intervals"):
        number = lambda key: int(row[key]) if row[key] else -1
        if row["duration"]:
            begin = max(int(row["time"]) - first, 0)  # a FORK may be older than the first sample
            expected[row["event"], begin // unit, int(row["duration"]), number("pid"), number("tid"), row["comm"],
                     number("cpu"), row["what"], row["function"], row["binary"]] += 1
    if not expected:
        sys.exit("no intervals")
    same("intervals", found, expected)
    # a thread that others only switched to has the name that they give
    names = zip(signed(page.column("threads.pid")), signed(page.column("threads.tid")), page.column("threads.name"))
    same("names", collections.Counter((tid, page.texts[name]) for pid, tid, name in names if pid < 0),
         collections.Counter({(int(row["tid"]), row["thread"]): 1 for row in rows(folder, "intervals") if row["duration"] and row["tid"] and not row["pid"]}))


def check_tree(page, folder):
    found, expected, opened = {}, {}, []
    for _, task, node, weight, count in page.samples:
        if task[4] in page.chained:
            add(found, (task[4],) + page.path(node), weight, count)
    for row in rows(folder, "calltree"):
        del opened[int(row["depth"]):]
        opened.append((row["function"], row["binary"], row["source_file"]))
        if row["samples"] != "0" and row["event"] in page.chained:
            add(expected, (row["event"],) + tuple(opened), int(row["period"]), int(row["samples"]))
    same("calltree", found, expected)


def check_callers(page, folder):
    found, expected = {}, {}
    for _, task, node, weight, count in page.samples:
        path = [function[:2] for function in page.path(node)]
        if task[4] in page.chained:
            for pair in set(zip([("", "")] + path, path)):
                add(found, (task[4],) + pair, weight, count)
    for row in rows(folder, "callers"):
        if row["event"] in page.chained:
            add(expected, (row["event"], (row["caller"], row["caller_binary"]), (row["callee"], row["callee_binary"])),
                int(row["period"]), int(row["samples"]))
    same("callers", found, expected)


def check_lines(page, folder):
    places = list(zip([high << 32 | low for high, low in zip(page.column("places.high"), page.column("places.low"))], page.column("places.file"), page.column("places.line"), page.column("places.function")))
    for table, head in (("lines", ()), ("addresses", ("address",))):
        found, expected = {}, {}
        for (_, task, _, weight, count), place in zip(page.samples, page.planes("place")):
            address, file, line, function = places[place]
            name, binary, _ = page.functions[function]
            key = (task[4], binary, name, page.texts[file], str(line) if line else "")
            add(found, key + (("0x%x" % address,) if head else ()), weight, count)
        for row in rows(folder, table):
            key = (row["event"], row["binary"], row["function"], row["source_file"], row["line"]) + tuple(row[h] for h in head)
            add(expected, key, int(row["period"]), int(row["samples"]))
        same(table, found, expected)


def check_code(page, folder):
    """The instructions of each function that is sampled, whatever its samples."""
    found, row, lines = set(), 0, page.column("code.line")
    steps, texts = page.column("code.step"), [page.column("code." + part) for part in ("text", "target", "file")]
    for function, high, low, count in zip(*(page.column("blocks." + part) for part in ("function", "high", "low", "rows"))):
        address = high << 32 | low
        for row in range(row, row + count):
            address += steps[row]
            found.add((page.functions[function][1], "0x%x" % address) + tuple(page.texts[part[row]] for part in texts) +
                      (lines[row],))
        row += 1
    expected = {(r["binary"], r["address"], r["instruction"], r["target"], r["source_file"], int(r["line"] or 0)) for r in rows(folder, "instructions") if r["instruction"]}
    if found != expected:
        sys.exit("instructions: %r" % sorted(found ^ expected)[0:1])


def check_diff(page, folder):
    """Functions cost what diff.csv says, but for rounding; events exactly the rounded sum."""
    if page.pieces["diff"] != open(os.path.join(folder, "diff.csv"), "rb").read():
        sys.exit("diff.csv is another one")
    costs = collections.defaultdict(lambda: [0, 0, 0])
    for (_, task, node, weight, _), base in zip(page.samples, page.base):
        for key in ((task[4],) + page.functions[page.nodes[node][1]], (task[4], "[total]", "", "")):
            costs[key] = [a + b for a, b in zip(costs[key], (base, weight, 1))]
    whole = (0, 0)
    for row in sorted(rows(folder, "diff"), key=lambda row: row["function"] != "[total]"):
        key = (row["event"], row["function"], row["binary"], row["source_file"])
        base, new, rounded = costs.pop(key)
        expected = [float(row["base_cost"]), float(row["new_cost"])]
        if page.about["share"]:  # of the size of periods
            whole = whole if row["function"] != "[total]" else (base, new)
            expected = [cost * total / 100 for cost, total in zip(expected, whole)]
        most = 0.51 if row["function"] == "[total]" else rounded
        if any(abs(a - b) > most for a, b in zip((base, new), expected)):
            sys.exit("%s: %r, diff.csv has %r" % (key, (base, new), expected))
    if costs:
        sys.exit("not in diff.csv: %r" % list(costs)[0:1])


def check_flame(page, folder):
    """Every frame of flame.svg, which is of the first event, has both costs."""
    script = open(os.path.join(folder, "flame.svg"), encoding="utf-8").read()
    column = lambda name: json.loads(re.search("[ ,\n]%s=(\\[.*?\\])[,;]\n" % name, script, re.S)[1])
    expected, found, opened = {}, {}, []
    for depth, name, period, change in zip(column("D"), column("I"), column("V"), column("E")):
        del opened[depth:]
        opened.append(column("N")[name].split("\t")[0])
        add(expected, tuple(opened), period, period - change)
    for (_, task, node, weight, _), base in zip(page.samples, page.base):
        path = ("all",) + tuple(function[0] for function in page.path(node))
        for end in range(len(path) if task[4] == page.about["events"][0]["name"] else 0):
            add(found, path[:end + 1], weight, base)
    same("flame.svg", {path: sums for path, sums in found.items() if sums != (0, 0)},
         {path: sums for path, sums in expected.items() if sums != (0, 0)})


class Html(html.parser.HTMLParser):
    VOID = {"meta", "br", "input", "link", "img", "hr"}
    OPEN = {"td", "th", "tr", "dd", "dt", "li", "p", "tbody", "thead"}  # that need no end

    def __init__(self):
        super().__init__()
        self.opened, self.ids = [], set()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name.startswith("on") or name in ("src", "href", "action", "data", "style"):
                sys.exit("<%s> has %s=%s" % (tag, name, value))
            if name == "id":
                if value in self.ids:
                    sys.exit("two elements are %s" % value)
                self.ids.add(value)
        if tag in ("link", "img", "iframe", "object", "embed", "base"):
            sys.exit("there is a <%s>" % tag)
        if tag not in self.VOID:
            self.opened.append(tag)

    def handle_endtag(self, tag):
        while self.opened and self.opened[-1] != tag and self.opened[-1] in self.OPEN:
            self.opened.pop()
        if not self.opened or self.opened.pop() != tag:
            sys.exit("line %d: </%s> ends nothing" % (self.getpos()[0], tag))


def check_html(path):
    text = open(path, encoding="utf-8", newline="").read()
    parser = Html()
    parser.feed(text)
    parser.close()
    if parser.opened:
        sys.exit("<%s> has no end" % parser.opened[-1])
    bad = re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    if bad:
        sys.exit("there is %r: %r" % (bad[0], text[max(0, bad.start() - 30):bad.end()]))
    return parser


def check_threads(page):
    tids = signed(page.column("threads.tid"))
    names = [page.texts[t] for t in page.column("threads.name")]
    same("threads", dict(zip(tids, names)), {100 + i * i % 300: "t%d" % (i * i % 300) for i in range(300)})


def main():
    what, path = sys.argv[1:3]
    if what == "html":
        check_html(path)
        return
    page = Page(path)
    if what == "threads":
        check_threads(page)
        return
    if what == "woken":
        names = {page.texts[text] for pid, text in zip(signed(page.column("threads.pid")), page.column("threads.name")) if pid < 0}
        if "cat" not in names:
            sys.exit("no thread cat in %s" % names)
        return
    if what == "compared":
        check_diff(page, sys.argv[3])
        if page.about["chains"]:
            check_flame(page, sys.argv[3])
        return
    # events with call chains: only there the tables of stacks have every sample
    page.chained = {row["event"] for row in rows(sys.argv[3], "chains") if row["end"] != "none"}
    if what == "intervals":
        check_intervals(page, sys.argv[3])
        check_functions(page, sys.argv[3])
        check_samples(page, sys.argv[3])
    elif what == "tables":
        check_samples(page, sys.argv[3])
        check_functions(page, sys.argv[3])
        check_tree(page, sys.argv[3])
        check_callers(page, sys.argv[3])
    elif what == "lines":
        check_lines(page, sys.argv[3])
    elif what == "code":
        check_code(page, sys.argv[3])
    elif what == "slices":
        if not page.about["sliced"]:
            sys.exit("rows are samples")
        if page.about["duration"] / page.about["unit"] < 20000:
            sys.exit("slices of %.6f s in %.3f s" % (page.about["unit"] / 1e9, page.about["duration"] / 1e9))
        check_functions(page, sys.argv[3])


main()
