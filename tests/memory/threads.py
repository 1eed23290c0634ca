#!/usr/bin/env python3
"""Thread-local variables in memory.csv against what the program itself prints, readelf and objdump.

threads.py fill IN OUT EXPECTED TRUTH PROGRAM LIBRARY
                        replaces addresses, instructions and data sources of the samples of IN, a recording of `perf record -d -W`
                        of threads.c, and writes to EXPECTED what memory.csv must say of them. The level says which thread it is
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

OWN = "counter", "table", "buffer", "small", "of_library", "plain", "other"
LEVELS = {"L1": HIT | 8, "LFB": HIT | 16, "L2": HIT | 32, "L3": HIT | 64}
OPERAND = re.compile(r"%fs:(0x[0-9a-f]+)(?![0-9a-f(])")
# these do more than access their operand, or nothing
OTHER = re.compile(r"\b(lea|nop|push|pop\s|call|jmp|bt[src]?\s+%|(?<!%)f[a-z]|xsave|prefetch)")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def signed(text):
    value = int(text, 16)
    return value - (1 << 64) if value >> 63 else value


def segments(path):
    """Type, offset, address and size in the file of each."""
    return [(m[1], int(m[2], 16), int(m[3], 16), int(m[4], 16)) for m in
            re.finditer(r"^  (LOAD|TLS) +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)", run("readelf", "-lW", path), re.M)]


def image(path):
    """Name, size and file offset of variables of which there are bytes, thread-local ones and others."""
    parts, found = segments(path), set()
    text = run("readelf", "-sW", path)
    for value, length, kind, name in re.findall(r"^ *\d+: (\w+) +(\d+) (TLS|OBJECT) .* (?!UND)\S+ (\w+)$", text, re.M):
        for part, offset, address, size in parts:
            at = int(value, 16) - (0 if kind == "TLS" else address)
            if name in OWN and int(length) and part == {"TLS": "TLS"}.get(kind, "LOAD") and 0 <= at < size:
                found.add((name, int(length), offset + at))
    return sorted(found)


def operands(path):
    """File offset and displacement of instructions with %fs."""
    loads, found = [segment for segment in segments(path) if segment[0] == "LOAD"], []
    for m in re.finditer(r"^ *([0-9a-f]+):\t(.*)$", run("objdump", "-dw", "--no-show-raw-insn", path), re.M):
        text = OPERAND.search(m[2])
        if text and not OTHER.search(m[2]):
            at = int(m[1], 16)
            found += [(at - address + offset, signed(text[1])) for _, offset, address, size in loads if 0 <= at - address < size]
    return found


def read(path):
    data = bytearray(open(path, "rb").read())
    attrs, _, start, size = struct.unpack_from("<4Q", data, 24)
    records, at = [], start
    while at < start + size:
        records.append((at, *struct.unpack_from("<IHH", data, at)))
        at += records[-1][3]
    return data, places(struct.unpack_from("<Q", data, attrs + 24)[0]), records


def mapped(data, records, path, offset):
    """Where the process has this byte of the file."""
    for at, kind, _, length in reversed(records):
        if kind == 10 and data[at + 72:at + length].split(b"\0")[0].decode().endswith("/" + path):
            start, size, first = struct.unpack_from("<3Q", data, at + 16)
            if first <= offset < first + size:
                return start + offset - first
    raise SystemExit("no mapping of %s has 0x%x" % (path, offset))


def fill(path, out, expected, truth, program, library):
    data, field, records = read(path)
    pointers, variables = {}, collections.defaultdict(list)
    for tid, name, address, size in map(str.split, open(truth)):
        if name == "pointer":
            pointers[int(tid)] = int(address, 16)
        else:
            variables[int(tid)].append((name, int(address, 16), int(size)))
    # thread 1 runs no instruction below the thread pointer, the processor says of thread 2 that its addresses are not exact, and
    # what it says of thread 3 contradicts itself
    threads = sorted(pointers)
    code = [(mapped(data, records, program, offset), displacement) for offset, displacement in operands(program)]
    images = [(program, name, size, mapped(data, records, program, offset)) for name, size, offset in image(program)]
    if library != "none":
        images += [(library, name, size, mapped(data, records, library, offset)) for name, size, offset in image(library)]
    counts = collections.Counter()
    for at, kind, _, _ in records:
        tid = struct.unpack_from("<I", data, at + field[1] + 4)[0]
        if kind != 9 or tid not in pointers:
            continue
        number, misc, place = threads.index(tid), 2, random.choice(["operand", "variable", "image", "outside"])
        ip = struct.unpack_from("<Q", data, at + field[0])[0]
        name, where = "", ""
        if place == "image":
            where, name, size, address = random.choice(images)
            address += random.randrange(size)
        elif place == "outside":
            address = pointers[tid] + random.choice([0, 8, 0x28, -0x4000])
        else:
            chosen, address, size = random.choice(variables[tid])
            address += random.randrange(size)
        if place == "operand":
            ip, displacement = random.choice([pair for pair in code if pair[1] >= 0 or number != 1 and
                                              any(a <= pointers[tid] + pair[1] < a + s for _, a, s in variables[tid])])
            address, misc = pointers[tid] + displacement, misc | (0x4000 if number != 2 else 0)
            if number == 3 and random.random() < .5:
                address += 64
        if place != "image" and number < 2:
            name = next((n for n, a, s in variables[tid] if a <= address < a + s and (n != "of_library" or library == "none")), "")
            where = program if name else ""
        struct.pack_into("<H", data, at + 4, misc)
        struct.pack_into("<Q", data, at + field[0], ip)
        struct.pack_into("<Q", data, at + field[ADDR], address)
        struct.pack_into("<Q", data, at + field[DATA_SRC], LOAD | list(LEVELS.values())[number] << 5)
        counts[list(LEVELS)[number], name, where] += 1
    open(out, "wb").write(data)
    json.dump(list(counts.items()), open(expected, "w"))


def check(folder, expected):
    theirs = collections.Counter({tuple(key): count for key, count in json.load(open(expected))})
    ours = collections.Counter()
    for row in csv.DictReader(open(folder + "/memory.csv")):
        if row["level"]:
            known = not row["data_symbol"].startswith("[")
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
