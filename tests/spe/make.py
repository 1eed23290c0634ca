#!/usr/bin/python3
"""Makes recordings of Arm SPE, as perf record -e arm_spe_0// writes them, from packets that are put together here.

usage: make.py KIND FILE [PIPE]
PIPE gets the same as it comes through a pipe.
KIND: sources (a Neoverse N1, whose numbers of data sources are known), events (another processor, whose are not),
models (a list of processors in AUXTRACE_INFO, as since perf 6.13), broken (bytes that are no packets), timeless
(without TIME_CONV)."""

import random
import struct
import sys

# IP, TID, TIME, ADDR, CPU, WEIGHT, DATA_SRC, IDENTIFIER, PHYS_ADDR: what perf shows of the samples that it makes
SAMPLE_TYPE = 1 | 2 | 4 | 8 | 1 << 7 | 1 << 14 | 1 << 15 | 1 << 16 | 1 << 19
SHIFT, MULT, ZERO = 20, 41943040, 1000000  # 40 ns a tick, as a timer of 25 MHz has it
NEOVERSE_N1, OTHER = 0x413FD0C1, 0x481FD010


def packet(header, payload, size):
    return bytes([header | {1: 0, 2: 0x10, 4: 0x20, 8: 0x30}[size]]) + payload.to_bytes(size, "little")


def address(index, value):
    return bytes([0xB0 | index]) + value.to_bytes(8, "little")


def counter(index, value):
    return bytes([0x98 | index]) + value.to_bytes(2, "little")


def code(ip):
    """The address of code with its exception level, not secure."""
    level = 2 if ip >> 63 else 0
    return ip & (1 << 56) - 1 | level << 61 | 1 << 63


def record(rng, tick, tid, kind, ip, events, source):
    """The packets of one operation."""
    out = address(0, code(ip)) + counter(0, rng.randrange(1, 2000)) + counter(1, rng.randrange(1, 20))
    if tid is not None:
        out += packet(0x44, tid, 4)
    if kind in ("load", "store"):
        data = rng.choice([0x440040, 0xFFFF8000 << 24, 0xAB00000000441000]) + 8 * rng.randrange(64)
        out += address(2, data) + counter(2, rng.randrange(1, 20))
        if rng.random() < 0.5:
            out += address(3, 0x80000000 + 8 * rng.randrange(1000) | 1 << 63)
        out += packet(0x49, rng.choice([0, 4, 0x10]) | (kind == "store"), 1)
    elif kind == "branch":
        out += address(1, code(ip + 4 * rng.randrange(1, 32)))
        out += packet(0x4A, rng.choice([0, 1, 2]), 1)
    else:
        out += packet(0x48, rng.choice([0, 1]), 1)
    if rng.random() < 0.2:
        out += b"\0" * rng.randrange(1, 5)
    out += packet(0x42, events, rng.choice([2, 4, 8]))
    if source is not None:
        out += packet(0x43, source, rng.choice([1, 2]))
    return out + (b"\x71" + tick.to_bytes(8, "little") if tick is not None else b"\x01")


def trace(rng, kind, cpu, count):
    out = b""
    tick = 1000 + cpu
    for i in range(count):
        what = rng.choice(["load", "load", "store", "branch", "other"])
        ip = rng.choice([0x400000 + 4 * rng.randrange(1000), 0xFFFF800008000000 + 4 * rng.randrange(1000)])
        source = rng.choice([0, 8, 9, 10, 11, 12, 13, 14, 5]) if what == "load" else None
        events = rng.randrange(1 << 11) | 2
        tick += rng.randrange(50, 500)
        tid = 0x1000 + rng.randrange(2)
        if kind == "broken" and i % 10 == 5:
            out += rng.choice([b"\xff\xfe", b"\xd7", b"\x20"])
        out += record(rng, tick, tid, what, ip, events, source)
        if rng.random() < 0.1:  # to the next 64 bytes
            left = 64 - (len(out) + 2) % 64
            out += b"\0" * (left + 2)
    return out


def raw(kind, misc, payload):
    return struct.pack("<IHH", kind, misc, 8 + len(payload)) + payload


def text(value):
    value = value.encode() + b"\0"
    return value + b"\0" * (-len(value) % 8)


def sample_id(pid, tid, time, cpu, event):
    return struct.pack("<IIQIIQ", pid, tid, time, cpu, 0, event)


def attr(kind, config, flags):
    return struct.pack("<IIQQQQQIIQQQQIiQII", kind, 128, config, 1024, SAMPLE_TYPE, 4, flags, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                       0).ljust(128, b"\0")


def feature_text(value):
    value = value.encode() + b"\0"
    value += b"\0" * (-len(value) % 64)
    return struct.pack("<I", len(value)) + value


def main():
    kind, path = sys.argv[1:3]
    rng = random.Random(kind)
    midr = OTHER if kind == "events" else NEOVERSE_N1
    ids = [101, 102]
    data = b""
    if kind != "timeless":
        data += raw(79, 0, struct.pack("<QQQQQBB6x", SHIFT, MULT, ZERO, 0, 0, 1, 0))
    if kind == "models":
        values = [2, 4, 9, 2]
        for cpu, model in enumerate([NEOVERSE_N1, OTHER]):
            values += [0x1010101010101010, cpu, 4, model, 9, 1024, 1]
    else:
        values = [9, 1]
    data += raw(70, 0, struct.pack(f"<II{len(values)}Q", 4, 0, *values))
    data += raw(1, 1, struct.pack("<IIQQQ", 0xFFFFFFFF, 0, 0xFFFF800008000000, 0x1000000, 0xFFFF800008000000) +
                text("[kernel.kallsyms]_text") + sample_id(0, 0, 0, 0, ids[1]))
    for tid in 0x1000, 0x1001:
        data += raw(3, 0, struct.pack("<II", 0x1000, tid) + text("words" if tid == 0x1000 else "helper") +
                    sample_id(0x1000, tid, 0, 0, ids[1]))
    data += raw(10, 2, struct.pack("<IIQQQIIQQII", 0x1000, 0x1000, 0x400000, 0x10000, 0, 8, 1, 77, 0, 5, 2) +
                text("/usr/bin/words") + sample_id(0x1000, 0x1000, 0, 0, ids[1]))
    for cpu in 0, 1:
        bytes_ = trace(rng, kind, cpu, 200)
        bytes_ += b"\0" * (-len(bytes_) % 8)
        data += raw(71, 0, struct.pack("<QQQIIII", len(bytes_), 0, 0, cpu, 0xFFFFFFFF, cpu, 0)) + bytes_
        data += raw(11, 0, struct.pack("<QQQ", 0, len(bytes_), 0) + sample_id(0x1000, 0x1000, 9000000000, cpu, ids[0]))
    data += raw(68, 0, b"")
    data += raw(4, 0, struct.pack("<IIIIQ", 0x1000, 1, 0x1000, 1, 9000000001) +
                sample_id(0x1000, 0x1000, 9000000001, 0, ids[1]))
    # the header, ids, attrs, records, features
    header = 104
    ids_at = header
    attrs_at = ids_at + 16
    attrs = b""
    flags = 1 << 18  # sample_id_all
    for i, (type_, config, more) in enumerate([(9, 0x700010001, 0), (1, 9, 1 << 8 | 1 << 9 | 1 << 23)]):
        attrs += attr(type_, config, flags | more) + struct.pack("<QQ", ids_at + 8 * i, 8)
    data_at = attrs_at + len(attrs)
    piped = b"PERFILE2" + struct.pack("<Q", 16)
    description = struct.pack("<II", 2, 128)
    for i, (type_, config, more) in enumerate([(9, 0x700010001, 0), (1, 9, 1 << 8 | 1 << 9 | 1 << 23)]):
        description += attr(type_, config, flags | more) + struct.pack("<I", 1) + feature_text(["arm_spe_0//", "dummy:u"][i])
        description += struct.pack("<Q", ids[i])
        piped += raw(64, 0, attr(type_, config, flags | more) + struct.pack("<Q", ids[i]))
    features = {
        4: feature_text("5.19.0"),
        6: feature_text("aarch64"),
        7: struct.pack("<II", 2, 2),
        9: feature_text(f"0x{midr:016x}"),
        12: description,
    }
    table_at = data_at + len(data)
    at = table_at + 16 * len(features)
    table, sections = b"", b""
    for number in sorted(features):
        table += struct.pack("<QQ", at + len(sections), len(features[number]))
        sections += features[number]
    bits = sum(1 << number for number in features)
    head = b"PERFILE2" + struct.pack("<QQ6Q", header, 144, attrs_at, len(attrs), data_at, len(data), 0, 0)
    head += struct.pack("<4Q", bits, 0, 0, 0)
    with open(path, "wb") as out:
        out.write(head + struct.pack("<2Q", *ids) + attrs + data + table + sections)
    for number in sorted(features):
        piped += raw(80, 0, struct.pack("<Q", number) + features[number])
    for path in sys.argv[3:]:
        with open(path, "wb") as out:
            out.write(piped + data)


main()
