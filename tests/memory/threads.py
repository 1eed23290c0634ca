#!/usr/bin/env python3
"""Thread-local variables in memory.csv against what the program itself prints, readelf and objdump.

threads.py fill IN OUT EXPECTED TRUTH PROGRAM LIBRARY
                        replaces addresses, instructions and data sources of the samples of IN, a recording of `perf record -d -W`
                        of threads.c, and writes to EXPECTED what memory.csv must say of them. The level says which thread it is, RAM that it
                        is memory of its own that lies right behind a file.
                        If the program has run itself again, it has other threads and thread pointers from then on
threads.py check FOLDER EXPECTED
                        compares memory.csv; "" if they agree
threads.py operands PROGRAM BINARY...
                        compares what PROGRAM, operands.c, says of each instruction of the binaries with objdump's text; prints
                        how many have a displacement, and what differs
"""
import collections
import csv
import json
import random
import re
import struct
import subprocess
import sys

from memory import ADDR, DATA_SRC, HIT, LOAD, places

OWN = "counter", "table", "buffer", "small", "of_library", "plain", "other", "zeroed"
LEVELS = {"L1": HIT | 8, "LFB": HIT | 16, "L2": HIT | 32, "L3": HIT | 64, "RAM": HIT | 128}
OPERAND = re.compile(r"%fs:(0x[0-9a-f]+)(?![0-9a-f(])")
# these do more than access their operand, or nothing
OTHER = re.compile(r"\b(lea|nop|push|pop\s|call|jmp|bt[src]?\s+%|(?<!%)f[a-z]|xsave|prefetch)")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def signed(text):
    value = int(text, 16)
    return value - (1 << 64) if value >> 63 else value


def segments(path):
    """Type, offset, address, size in the file and in memory of each."""
    return [(m[1], *(int(m[i], 16) for i in (2, 3, 4, 5))) for m in
            re.finditer(r"^  (LOAD|TLS) +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x(\w+)", run("readelf", "-lW", path), re.M)]


def image(path):
    """Name, size and address of variables that the file is mapped for: thread-local ones of which it has bytes, and others."""
    parts, found = segments(path), set()
    text = run("readelf", "-sW", path)
    for value, length, kind, name in re.findall(r"^ *\d+: (\w+) +(\d+) (TLS|OBJECT) .* (?!UND)\S+ (\w+)$", text, re.M):
        if name in OWN and int(length):
            at = int(value, 16)
            found |= {(name, int(length), at + (address if kind == "TLS" else 0)) for part, _, address, size, _ in parts
                      if part == "TLS" and (kind != "TLS" or at < size)}
    return sorted(found)


def operands(path):
    """Address and displacement of instructions with %fs."""
    found = []
    for m in re.finditer(r"^ *([0-9a-f]+):\t(.*)$", run("objdump", "-dw", "--no-show-raw-insn", path), re.M):
        text = OPERAND.search(m[2])
        if text and not OTHER.search(m[2]):
            found.append((int(m[1], 16), signed(text[1])))
    return found


class Recording:
    def __init__(self, path):
        self.data = data = bytearray(open(path, "rb").read())
        attrs, _, start, size = struct.unpack_from("<4Q", data, 24)
        self.kinds, = struct.unpack_from("<Q", data, attrs + 24)
        self.field = places(self.kinds)
        self.records, at = [], start
        while at < start + size:
            self.records.append((at, *struct.unpack_from("<IHH", data, at)))
            at += self.records[-1][3]
        self.execs = sorted(self.time(*record) for record in self.records if record[1] == 3 and record[2] & 0x2000)

    def time(self, at, kind, misc, length):
        if kind == 9:
            return struct.unpack_from("<Q", self.data, at + self.field[2])[0]
        # behind a record: thread, time, and what else of id, stream, CPU and identifier there is
        trailer = 8 * sum(self.kinds >> bit & 1 for bit in (1, 2, 6, 9, 7, 16))
        return struct.unpack_from("<Q", self.data, at + length - trailer + 8)[0]

    def run_of(self, record):
        """Which run of the program it belongs to, from 0."""
        return sum(time <= self.time(*record) for time in self.execs) - 1

    def behind(self, run):
        """Anonymous memory that lies right behind a file and does not belong to it."""
        maps = [(*struct.unpack_from("<3Q", self.data, record[0] + 16), self.data[record[0] + 72:record[0] + record[3]].split(b"\0")[0].decode())
                for record in self.records if record[1] == 10 and self.run_of(record) == run]
        found = []
        for start, size, _, name in maps:
            # what was mapped last counts
            here, left = [next((m for m in reversed(maps) if m[0] <= at < m[0] + m[1]), None) for at in (start, start - 1)]
            if name != "//anon" or here[:2] != (start, size) or not left or left[3][0] != "/" or left[3] == "//anon":
                continue
            elf = open(left[3], "rb").read(4) == b"\x7fELF"
            offset = left[2] + start - left[0]
            if not elf or all(offset >= (part[1] + part[4] + 4095) & ~4095 for part in segments(left[3])):
                found.append((start, size))
        return found

    def bias(self, run, path):
        """How far from its addresses the file is mapped."""
        starts = []
        for record in self.records:
            at, kind, _, length = record
            if kind == 10 and self.data[at + 72:at + length].split(b"\0")[0].decode().endswith("/" + path) and self.run_of(record) == run:
                start, _, first = struct.unpack_from("<3Q", self.data, at + 16)
                starts += [start] if first == 0 else []
        return min(starts) - next(address for part, offset, address, *_ in segments(path) if part == "LOAD" and offset == 0)


class Run:
    """What threads of a run of the program said about themselves, and where its code and images are."""

    def __init__(self):
        self.pointers, self.variables = {}, collections.defaultdict(list)

    def find(self, recording, number, program, library):
        bias = {path: recording.bias(number, path) for path in (program, library) if path != "none"}
        self.code = [(at + bias[program], displacement) for at, displacement in operands(program)]
        self.images = [(path, name, size, at + bias[path]) for path in bias for name, size, at in image(path)]
        self.behind = recording.behind(number)
        # before that not all of this is mapped
        self.ready = max(recording.time(*record) for record in recording.records if record[1] == 10 and recording.run_of(record) == number)


def runs_of(truth):
    runs = [Run()]
    for tid, name, address, size in map(str.split, open(truth)):
        if name == "pointer" and int(tid) in runs[-1].pointers:
            runs.append(Run())
        if name == "pointer":
            runs[-1].pointers[int(tid)] = int(address, 16)
        else:
            runs[-1].variables[int(tid)].append((name, int(address, 16), int(size)))
    return runs


def access(run, tid, number, library):
    """A made-up access: instruction, if it matters, address, whether it is said to be exact, and the variable and its file, if they can be known."""
    place = random.choice(["operand", "variable", "image", "outside"] + ["behind"] * bool(run.behind))
    pointer, variables, ip, exact = run.pointers[tid], run.variables[tid], None, False
    if place == "behind":
        start, size = random.choice(run.behind)
        return ip, start + random.randrange(size), exact, "[anon]", "anon"
    if place == "image":
        where, name, size, address = random.choice(run.images)
        return ip, address + random.randrange(size), exact, name, where
    if place == "outside":
        address = pointer + random.choice([0, 8, 0x28, -0x4000])
    elif place == "variable":
        _, address, size = random.choice(variables)
        address += random.randrange(size)
    else:
        # thread 1 runs no instruction below the thread pointer, the processor says of thread 2 that its addresses are not exact,
        # and what it says of thread 3 contradicts itself
        ip, displacement = random.choice([pair for pair in run.code if pair[1] >= 0 or number != 1 and
                                          any(a <= pointer + pair[1] < a + s for _, a, s in variables)])
        address, exact = pointer + displacement, number != 2
        if number == 3 and random.random() < .5:
            address += 64
    name = next((n for n, a, s in variables if a <= address < a + s and (n != "of_library" or library == "none")), "") if number < 2 else ""
    return ip, address, exact, name, "program" if name else ""


def fill(path, out, expected, truth, program, library):
    recording, runs = Recording(path), runs_of(truth)
    data, field, counts = recording.data, recording.field, collections.Counter()
    if len(runs) != len(recording.execs):
        raise SystemExit("%d runs, %d execs" % (len(runs), len(recording.execs)))
    for number, run in enumerate(runs):
        run.find(recording, number, program, library)
    for record in recording.records:
        at, kind, _, _ = record
        tid = struct.unpack_from("<I", data, at + field[1] + 4)[0] if kind == 9 else 0
        run = runs[max(recording.run_of(record), 0)] if kind == 9 else None
        if kind != 9 or tid not in run.pointers or recording.time(*record) < run.ready:
            continue
        number = sorted(run.pointers).index(tid)
        ip, address, exact, name, where = access(run, tid, number, library)
        struct.pack_into("<H", data, at + 4, 2 | (0x4000 if exact else 0))
        if ip is not None:
            struct.pack_into("<Q", data, at + field[0], ip)
        struct.pack_into("<Q", data, at + field[ADDR], address)
        level = "RAM" if name == "[anon]" else list(LEVELS)[number]
        struct.pack_into("<Q", data, at + field[DATA_SRC], LOAD | LEVELS[level] << 5)
        counts[level, name, where] += 1
    open(out, "wb").write(data)
    json.dump(list(counts.items()), open(expected, "w"))


def check(folder, expected):
    theirs = collections.Counter({tuple(key): count for key, count in json.load(open(expected))})
    ours = collections.Counter()
    for row in csv.DictReader(open(folder + "/memory.csv")):
        if row["level"]:
            known = row["level"] == "RAM" or not row["data_symbol"].startswith("[")
            ours[row["level"], row["data_symbol"] if known else "", row["data_binary"].split("/")[-1] if known else ""] += int(row["samples"])
    wrong = ["%s: %d, expected %d" % (" ".join(key), ours[key], theirs[key]) for key in sorted(ours | theirs) if ours[key] != theirs[key]]
    for level in ("L1", "LFB"):
        for name in ("counter", "table", "buffer", "small"):
            if sum(count for key, count in theirs.items() if key[:2] == (level, name)) < 5:
                wrong.append("%s: few accesses to %s" % (level, name))
    print("; ".join(wrong[:6]))


def compare_operands(program, *binaries):
    instructions, texts = [], []
    for binary in binaries:
        for m in re.finditer(r"^ *[0-9a-f]+:\t((?:[0-9a-f]{2} )+) *\t(.*)$", run("objdump", "-dw", binary), re.M):
            instructions.append(m[1].replace(" ", ""))
            texts.append(m[2])
    answers = subprocess.run([program], input="\n".join(instructions) + "\n", check=True, capture_output=True, text=True).stdout.split("\n")
    count, wrong = 0, []
    for instruction, text, answer in zip(instructions, texts, answers):
        m = OPERAND.search(text)
        right = m[1][2:] if m and not OTHER.search(text) else "-"
        count += answer != "-"
        if answer != right:
            wrong.append("%s %s: %s" % (instruction, text, answer))
    print(count, len(wrong), "; ".join(wrong[:5]))


if __name__ == "__main__":
    random.seed(1)
    {"fill": fill, "check": check, "operands": compare_operands}[sys.argv[1]](*sys.argv[2:])
