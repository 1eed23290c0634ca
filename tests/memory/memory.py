#!/usr/bin/env python3
"""Made-up accesses to memory in a real recording, and the tables of them against perf's.

memory.py fill IN OUT bits|numbers   replaces addresses, data sources and weights of the samples of IN, a recording of `perf
                                     record -d -W`. bits: the level is in mem_lvl, as Intel's processors tell it; numbers: in
                                     mem_lvl_num, with hops and peers, as AMD's and Arm's do (linux/perf_event.h)
memory.py check FOLDER STATS REPORT bits|numbers
                                     compares cachelines.csv with `perf c2c report --stats`, and memory.csv with `perf report
                                     --mem-mode -t; -n --sort=snoop,tlb,locked,blocked`, of bits `--sort=mem,...`; "" if they
                                     agree. perf 6.1 has no words for most of the numbers of levels
"""
import collections
import csv
import random
import re
import struct
import sys

# sample types in the order of their fields: identifier, ip, tid, time, addr, id, stream, cpu, period, weights, data source
ORDER = 16, 0, 1, 2, 3, 6, 9, 7, 8, 14, 24, 15
ADDR, WEIGHT, WEIGHT_STRUCT, DATA_SRC = 3, 14, 24, 15
LOAD, STORE, PREFETCH, EXEC, NO_OPERATION = 2, 4, 8, 16, 1
HIT, MISS = 2, 4
# of mem_lvl: L1 LFB L2 L3 local RAM, remote RAM by 1 and 2 hops, remote caches by 1 and 2, IO, uncached
LEVELS = [HIT | 8 << i for i in range(11)] + [MISS | 8, MISS | 0x40, HIT | 0x20 | 0x80, 1]
NUMBERS = 0xf, 0, 1, 2, 3, 4, 0xa, 0xb, 0xc, 0xd, 0xe


def source(numbers):
    operation = random.choices([LOAD, STORE, PREFETCH, EXEC, NO_OPERATION, LOAD | STORE], [20, 12, 2, 1, 1, 1])[0]
    level = random.choice(LEVELS if operation & (LOAD | PREFETCH) else [HIT | 8, MISS | 8, 1, HIT, HIT | 0x1000, HIT | 0x2000])
    fields = [(0, operation), (5, level), (19, random.choice([0, 1, 2, 4, 8, 16, 16])), (24, random.choice([1, 1, 2])),
              (26, random.choice([0, 1, 0x0a, 0x12, 0x1a, 0x24, 0x2a, 0x44, 0x0c])), (40, random.choice([0, 1, 1, 2, 4]))]
    if numbers:
        fields += [(33, random.choice(NUMBERS)), (37, random.choice([0, 0, 1])), (38, random.choice([0, 0, 1, 2])),
                   (43, random.choice([0, 0, 1, 2, 3]))]
    return sum(value << bit for bit, value in fields)


def places(kinds):
    """Where the fields of a sample with these sample types are."""
    found, at = {}, 8
    for bit in ORDER:
        if kinds >> bit & 1:
            found[bit] = at
            at += 8
    return found


def fill(path, out, how):
    data = bytearray(open(path, "rb").read())
    attrs, _, start, size = struct.unpack_from("<4Q", data, 24)
    field = places(struct.unpack_from("<Q", data, attrs + 24)[0])
    records, at = [], start
    while at < start + size:
        records.append((at, *struct.unpack_from("<IHH", data, at)))
        at += records[-1][3]
    mapped = [struct.unpack_from("<Q", data, at + 16)[0] for at, kind, _, length in records
              if kind == 10 and data[at + 72:at + length].split(b"\0")[0].endswith((b"/lines", b"[stack]", b"//anon"))]
    # 6 lines of each mapping, of the kernel, and 0, where nothing is mapped
    addresses = [base + 8 * i for base in mapped + [0xffff888000001000] for i in range(48)] + [0] * 8
    for at, kind, *_ in records:
        if kind != 9:
            continue
        struct.pack_into("<Q", data, at + field[ADDR], random.choice(addresses))
        struct.pack_into("<Q", data, at + field[DATA_SRC], source(how == "numbers"))
        struct.pack_into("<IHH", data, at + field.get(WEIGHT_STRUCT, field.get(WEIGHT)), random.randrange(1, 400), random.randrange(9),
                         random.randrange(50) if WEIGHT_STRUCT in field else 0)
    open(out, "wb").write(data)


def compare_lines(folder, stats, wrong):
    rows = list(csv.DictReader(open(folder + "/cachelines.csv")))
    ours = collections.Counter()
    for row in rows:
        ours.update({name: int(row[name] or 0) for name in row if row[name].isdigit()})
    perf = {m[1].strip(): int(m[2]) for m in re.finditer(r"^  ([^:\n]+?) +: +(\d+)$", stats.split("Global Shared")[0], re.M)}
    expected = {
        "loads": perf["Load Operations"] - perf["Loads - no mapping"],
        "stores": perf["Store Operations"] - perf["Store - no mapping"],
        "l1": perf["Load L1D hit"],
        "lfb": perf["Load Fill Buffer Hit"],
        "l2": perf["Load L2D hit"],
        "llc": perf["Load LLC hit"] - perf["Load Local HITM"],
        "local_hitm": perf["Load Local HITM"],
        "remote_hitm": perf["Load Remote HITM"],
        "local_peer": perf["Load HIT Local Peer"],
        "remote_peer": perf["Load HIT Remote Peer"],
        "local_dram": perf["Load Local DRAM"],
        "remote_dram": perf["Load Remote DRAM"],
    }
    wrong += ["%s: %d, perf %d" % (name, ours[name], count) for name, count in expected.items() if ours[name] != count]
    if not all(expected[name] for name in ("loads", "stores", "l1", "local_hitm", "remote_hitm")):
        wrong.append("too few kinds of accesses: %s" % expected)


def our_word(column, word):
    """perf's word as the column has it."""
    word = word.replace("N/A or ", "").replace("N/A", "").removesuffix(" hit")
    word = re.sub(r" \(\d hops?\)", "", word).replace("Local RAM", "RAM").replace("LFB/MAB", "LFB").replace("I/O", "IO")
    if column == "level":
        return {"Uncached": "uncached", " hit": "", "hit": ""}.get(word, word.replace("Remote RAM", "remote RAM").replace(
            "Remote Cache", "remote cache"))
    if column == "tlb":
        return word.replace("Walker", "walker").replace("Fault", "fault")
    return {"Addr": "address"}.get(word, word.lower())


def without_extension(column, word):
    """perf counts accesses together that differ in mem_snoopx alone, and shows that of the first one."""
    first = word.split(" or ")[0]
    return "" if first in ("fwd", "peer") else first if column == "snoop" else word


def compare_words(folder, report, columns, wrong):
    rows = list(csv.DictReader(open(folder + "/memory.csv")))
    lines = [[cell.strip() for cell in line.split(";")] for line in report.split("\n") if line.strip() and line[0] != "#"]
    for i, column in enumerate(columns):
        ours, perf = collections.Counter(), collections.Counter()
        for row in rows:
            ours[without_extension(column, row[column])] += int(row["samples"])
        for line in lines:
            perf[without_extension(column, our_word(column, line[2 + i]))] += int(line[1])
        wrong += ["%s '%s': %d, perf %d" % (column, word, ours[word], perf[word]) for word in sorted(ours | perf)
                  if ours[word] != perf[word]]


def check(folder, stats, report, how):
    wrong = []
    compare_lines(folder, open(stats).read(), wrong)
    columns = ("level",) if how == "bits" else ()
    compare_words(folder, open(report).read(), columns + ("snoop", "tlb", "locked", "blocked"), wrong)
    print("; ".join(wrong[:6]))


if __name__ == "__main__":
    random.seed(1)
    {"fill": fill, "check": check}[sys.argv[1]](*sys.argv[2:])
