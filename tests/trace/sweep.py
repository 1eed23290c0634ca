#!/usr/bin/env python3
"""Made-up records of this kernel's tracepoints, most of which never come on a machine that runs tests.

sweep.py list N          prints every Nth tracepoint, 60 on a line, as -e options of perf record
sweep.py fill IN OUT     writes a recording of such tracepoints with records put in: numbers that the print formats name,
                         small ones, and powers of two; texts and arrays
"""
import glob, random, re, struct, sys

import check

FORMATS = "/sys/kernel/tracing/events"
RECORDS = 8  # of each tracepoint
# not to be recorded so: events of ftrace itself, of the boot, and those that perf refuses
LEFT_OUT = "ftrace", "initcall", "irq_vectors"
TIME = 10**15  # ns, far behind all real records


def listed(step):
    names = [path.split("/")[-3:-1] for path in sorted(glob.glob(FORMATS + "/*/*/format"))]
    names = [":".join(name) for name in names if name[0] not in LEFT_OUT][::step]
    for at in range(0, len(names), 60):
        print(" ".join("-e " + name for name in names[at:at + 60]))


def number(size, named):
    choice = random.random()
    if choice < .55 and named:
        value = random.choice(named)
    elif choice < .7:
        value = random.randrange(12)
    elif choice < .85:
        value = 1 << random.randrange(min(8 * size, 31))
    else:
        value = random.choice(named or [1]) | random.choice(named or [2])
    return (value & (1 << 8 * size) - 1).to_bytes(size, "little")


def raw_of(config, fields, printed):
    """Raw data with something in each field."""
    named = [int(text, 0) for text in re.findall(r"\{\s*(0x[0-9a-fA-F]+|[1-9]\d*|0)U?L*\s*,", printed)]
    end = max(at + size for _, at, size, _ in fields)
    raw, behind = bytearray(end), b""
    for declared, at, size, _ in fields:
        if declared.endswith("common_type"):
            value = struct.pack("<H", config)
        elif declared.endswith("common_pid"):
            value = struct.pack("<i", 77)
        elif "__data_loc" in declared or "__rel_loc" in declared:
            content = random.choice([b"abc\0", b"x\0", b"hello world\0"]) if "char" in declared else bytes(
                random.choices(range(3), k=8))
            place = end + len(behind) - (at + 4 if "__rel_loc" in declared else 0)
            value, behind = struct.pack("<I", len(content) << 16 | place), behind + content
        elif "[" in declared and "char" in declared:
            value = random.choice([b"comm", b"a"]).ljust(size, b"\0")[:size]
        elif "[" in declared or size not in (1, 2, 4, 8):
            value = bytes(random.choices(range(3), k=size))
        elif "common_" in declared:
            value = bytes(size)
        else:
            value = number(size, named)
        raw[at:at + size] = value
    raw += behind
    return bytes(raw) + bytes(-(len(raw) + 4) % 8)


def record(kinds, identifier, time, raw):
    """A SAMPLE record of an event with these sample types: perf gives tracepoints no others."""
    body = b""
    for bit, part in ((check.IDENTIFIER, struct.pack("<Q", identifier)), (check.IP, bytes(8)), (check.TID, struct.pack("<ii", 77, 77)),
                      (check.TIME, struct.pack("<Q", time)), (check.ID, struct.pack("<Q", identifier)), (check.CPU, bytes(8)),
                      (check.PERIOD, struct.pack("<Q", 1)), (check.RAW, struct.pack("<I", len(raw)) + raw)):
        body += part if kinds & bit else b""
    assert not kinds & (check.ADDR | check.READ | check.CALLCHAIN | check.STREAM)
    return struct.pack("<IHH", 9, 2, 8 + len(body)) + body


def fill(path, out):
    data = bytearray(open(path, "rb").read())
    attr_size, attrs, attrs_size, start, size = struct.unpack_from("<5Q", data, 16)
    features = bin(int.from_bytes(data[72:104], "little")).count("1")
    end = start + size
    place, length = struct.unpack_from("<QQ", data, end)  # TRACING_DATA is the first of the features that perf writes
    formats = check.formats_of(bytes(data[place:place + length]))
    records = b""
    for i, at in enumerate(range(attrs, attrs + attrs_size, attr_size)):
        config, = struct.unpack_from("<Q", data, at + 8)
        kinds, = struct.unpack_from("<Q", data, at + 24)
        ids, = struct.unpack_from("<Q", data, at + attr_size - 16)
        identifier, = struct.unpack_from("<Q", data, ids)
        for k in range(RECORDS):
            records += record(kinds, identifier, TIME + 1000 * (RECORDS * i + k), raw_of(config, *formats[config][2:]))
    for at in range(end, end + 16 * features, 16):
        struct.pack_into("<Q", data, at, struct.unpack_from("<Q", data, at)[0] + len(records))
    struct.pack_into("<Q", data, 48, size + len(records))
    with open(out, "wb") as file:
        file.write(data[:end] + records + data[end:])


if __name__ == "__main__":
    if sys.argv[1] == "list":
        listed(int(sys.argv[2]))
    else:
        random.seed(1)
        fill(*sys.argv[2:])
