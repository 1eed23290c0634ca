#!/usr/bin/python3
"""Writes a made-up recording with branch stacks (perf record -b) to standard output.

usage: branches.py ENTRIES BINARY
Stacks of 32 entries between 8,000 blocks in the first 64 MB of the binary; nothing there is decoded."""

import random
import struct
import sys

FIELDS = 1 | 2 | 4 | 1 << 8 | 1 << 11  # IP, TID, TIME, PERIOD, BRANCH_STACK
BASE, LENGTH, BLOCKS, DEPTH = 0x7F0000000000, 0x4000000, 8000, 32


def text(value):
    value = value.encode() + b"\0"
    return value + b"\0" * (-len(value) % 8)


def raw(kind, misc, payload):
    return struct.pack("<IHH", kind, misc, 8 + len(payload)) + payload


def main():
    entries, binary = int(sys.argv[1]), sys.argv[2]
    rng = random.Random(1)
    attr = struct.pack("<IIQQQQQIIQQQQIiQII", 0, 128, 0, 1000, FIELDS, 0, 1 << 18, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0).ljust(128, b"\0")
    trailer = struct.pack("<IIQ", 4096, 4096, 0)
    records = [raw(3, 0, struct.pack("<II", 4096, 4096) + text("program") + trailer)]
    records.append(raw(10, 2, struct.pack("<IIQQQIIQQII", 4096, 4096, BASE, LENGTH, 0, 8, 1, 77, 0, 5, 2) + text(binary) + trailer))
    blocks = [(BASE + rng.randrange(LENGTH - 64), rng.randrange(4, 60)) for _ in range(BLOCKS)]
    block = 0
    for number in range(entries // DEPTH):
        stack = b""
        for _ in range(DEPTH):  # the newest first: each leads from the end of the next one to the start of this one
            to, block = blocks[block][0], (block * 7 + rng.randrange(3)) % BLOCKS
            stack += struct.pack("<QQQ", sum(blocks[block]), to, 2 | rng.randrange(1, 50) << 4)
        sample = struct.pack("<QIIQQQ", BASE + rng.randrange(LENGTH), 4096, 4096, 1000 + number, 1000, DEPTH)
        records.append(raw(9, 2, sample + stack))
    data = b"".join(records)
    attrs = attr + struct.pack("<QQ", 0, 0)
    head = b"PERFILE2" + struct.pack("<QQ6Q", 104, 144, 104, len(attrs), 104 + len(attrs), len(data), 0, 0) + b"\0" * 32
    sys.stdout.buffer.write(head + attrs + data)


main()
