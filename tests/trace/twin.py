#!/usr/bin/env python3
"""The same recording of tracepoints as a big-endian machine would have written it: twin.py RECORDING >TWIN

RECORDING is a plain little-endian file. Each number of its header, attributes, records and tracing data is turned round by
its type, raw data by the fields of their formats; texts stay. Some features go with it.
"""
import re, struct, sys
from check import IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM, RAW, IDENTIFIER, formats_of, width_of

MMAP, LOST, COMM, EXIT, THROTTLE, UNTHROTTLE, FORK, SAMPLE, MMAP2, LOST_SAMPLES = 1, 2, 3, 4, 5, 6, 7, 9, 10, 13
SWITCH, SWITCH_CPU_WIDE, NAMESPACES, KSYMBOL, BPF_EVENT, CGROUP = 14, 15, 16, 17, 18, 19
# the numbers that each record begins with, behind its header; then comes a text, where it has one
BODIES = {MMAP: "IIQQQ", MMAP2: "IIQQQIIQQII", COMM: "II", EXIT: "IIIIQ", FORK: "IIIIQ", LOST: "QQ", LOST_SAMPLES: "Q", THROTTLE: "QQQ",
          UNTHROTTLE: "QQQ", SWITCH: "", SWITCH_CPU_WIDE: "II", KSYMBOL: "QIHH", BPF_EVENT: "HHI8s", CGROUP: "Q"}


class Turned:
    """Bytes that are turned round in place."""
    def __init__(self, data):
        self.data = bytearray(data)

    def turn(self, at, code):
        """Numbers of these sizes, one behind the other; returns the place behind them."""
        values = struct.unpack_from("<" + code, self.data, at)
        struct.pack_into(">" + code, self.data, at, *values)
        return at + struct.calcsize("<" + code)

    def u(self, at, code):
        return struct.unpack_from("<" + code, self.data, at)[0]


def turn_raw(out, at, size, fields):
    raw = bytes(out.data[at:at + size])
    for declaration, offset, length, _ in fields:
        place = re.match(r"__(data|rel)_loc (.*)", declaration)
        kind = place[2] if place else declaration
        base = re.sub(r"\[[^\]]*\]", "", kind).rsplit(None, 1)[0]
        base = re.sub(r"\s*\b\w+$", "", kind.split("[")[0]).strip() if not place or "]" not in kind else base
        if place:
            word = struct.unpack_from("<I", raw, offset)[0]
            out.turn(at + offset, "I")
            offset, length = (word & 0xffff) + (offset + 4 if place[1] == "rel" else 0), word >> 16
        if re.fullmatch(r"(const )?char", base) and (place or "[" in kind):
            continue
        if "mask" in base:
            width = 8
        elif "[" in kind and not place:
            width = length // int(re.search(r"\[(\d+)\]", kind)[1])
        else:
            width = width_of(base) if place else length
        if width in (2, 4, 8):
            out.turn(at + offset, {2: "H", 4: "I", 8: "Q"}[width] * (length // width))


def turn_tracing(data):
    out = Turned(data)
    at = data.index(b"\0", 10) + 1
    out.data[at] = 1
    at = out.turn(at + 2, "I")

    def text(at):
        return data.index(b"\0", at) + 1

    def sized(at, code):
        size = out.u(at, code)
        return out.turn(at, code) + size

    def group(at):
        count = out.u(at, "I")
        at = out.turn(at, "I")
        for _ in range(count):
            at = sized(at, "Q")
        return at

    for _ in range(2):
        at = sized(text(at), "Q")
    at = group(at)
    count = out.u(at, "I")
    at = out.turn(at, "I")
    for _ in range(count):
        at = group(text(at))
    at = sized(at, "I")  # addresses of functions
    at = sized(at, "I")  # formats of printk
    if float(data[10:data.index(b"\0", 10)]) >= 0.6:
        sized(at, "Q")  # names of threads
    return bytes(out.data)


def turn_build_ids(data):
    out, at = Turned(data), 0
    while at < len(data):
        size = out.u(at + 6, "H")
        out.turn(at, "IHHi")
        at += size
    return bytes(out.data)


def turn_text(data):
    return struct.pack(">I", struct.unpack_from("<I", data)[0]) + data[4:]


# features that go with it: also the names of the host, its kernel, perf and the processor's architecture
TRACING = 1
TURNED = {TRACING: turn_tracing, 2: turn_build_ids, 3: turn_text, 4: turn_text, 5: turn_text, 6: turn_text}


def turn_attr(out, at):
    out.turn(at, "IIQQQQ")
    for i in range(at + 40, at + 48):  # flags: the first bit is now the highest of its byte
        out.data[i] = int("{:08b}".format(out.data[i])[::-1], 2)
    out.turn(at + 48, "IIQQQQIiQIHHII")
    if out.u(at + 4, "I") != 0 and len(out.data) >= at + 128:
        out.turn(at + 112, "QQ")


def turn_sample(out, at, attr, formats):
    mask = attr[2]
    for bit, code in ((IDENTIFIER, "Q"), (IP, "Q"), (TID, "II"), (TIME, "Q"), (ADDR, "Q"), (ID, "Q"), (STREAM, "Q"), (CPU, "II"),
                      (PERIOD, "Q")):
        if mask & bit:
            at = out.turn(at, code)
    assert not mask & READ
    if mask & CALLCHAIN:
        count = out.u(at, "Q")
        at = out.turn(at, "Q" * (count + 1))
    if mask & RAW:
        size = out.u(at, "I")
        out.turn(at, "I")
        if attr[0] == 2:
            turn_raw(out, at + 4, size, formats[attr[1]][2])


def main():
    data = open(sys.argv[1], "rb").read()
    attr_size, attrs_at, attrs_size, data_at, data_size = struct.unpack_from("<5Q", data, 16)
    flags = struct.unpack_from("<4Q", data, 72)
    bits = [i for i in range(256) if flags[i // 64] >> (i % 64) & 1]
    places = {bit: struct.unpack_from("<2Q", data, data_at + data_size + 16 * i) for i, bit in enumerate(bits)}
    features = {bit: data[at:at + size] for bit, (at, size) in places.items() if bit in TURNED}
    formats = formats_of(features[TRACING])
    out = Turned(data[:data_at + data_size])
    attrs, by_id = [], {}
    for at in range(attrs_at, attrs_at + attrs_size, attr_size):
        kind, _, config, _, sample_type = struct.unpack_from("<IIQQQ", data, at)
        ids_at, ids_size = struct.unpack_from("<2Q", data, at + attr_size - 16)
        attrs.append((kind, config, sample_type))
        for i in range(ids_at, ids_at + ids_size, 8):
            by_id[struct.unpack_from("<Q", data, i)[0]] = attrs[-1]
            out.turn(i, "Q")
        turn_attr(out, at)
        out.turn(at + attr_size - 16, "QQ")
    common = attrs[0][2]
    at = data_at
    while at < data_at + data_size:
        kind, _, size = struct.unpack_from("<IHH", data, at)
        end = at + size
        body = out.turn(at, "IHH")
        if kind == SAMPLE:
            number = struct.unpack_from("<Q", data, body if common & IDENTIFIER else
                                        body + 8 * bin(common & (IP | TID | TIME | ADDR)).count("1"))[0]
            turn_sample(out, body, by_id.get(number, attrs[0]) if len(attrs) > 1 else attrs[0], formats)
        elif kind in BODIES:
            code = BODIES[kind]
            if kind == MMAP2 and struct.unpack_from("<H", data, at + 4)[0] & 1 << 14:
                code = "IIQQQ24sII"
            out.turn(body, code)
            trailer = end - 8 * bin(common & (TID | TIME | ID | STREAM | CPU | IDENTIFIER)).count("1")
            for bit, code in (TID, "II"), (TIME, "Q"), (ID, "Q"), (STREAM, "Q"), (CPU, "II"), (IDENTIFIER, "Q"):
                if common & bit:
                    trailer = out.turn(trailer, code)
        elif kind >= 64:  # of perf itself, none of which the tables of tracepoints need: a record without a meaning
            struct.pack_into(">I", out.data, at, 68)
            out.data[body:end] = bytes(end - body)
        else:
            sys.exit("record type %d at %#x is not known here" % (kind, at))
        at = end
    out.turn(0, "Q")
    struct.pack_into("<4Q", out.data, 72, sum(1 << bit for bit in features), 0, 0, 0)
    out.turn(72, "4Q")
    out.turn(8, "8Q")
    at = len(out.data) + 16 * len(features)
    for bit in sorted(features):
        features[bit] = TURNED[bit](features[bit])
        out.data += struct.pack(">2Q", at, len(features[bit]))
        at += len(features[bit])
    sys.stdout.buffer.write(out.data + b"".join(features[bit] for bit in sorted(features)))


main()
