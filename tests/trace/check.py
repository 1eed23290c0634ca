#!/usr/bin/env python3
"""Tables of tracepoints against the raw records and perf's text: check.py RECORDING FOLDER [PERF-SCRIPT-OUTPUT [made]].

Decodes the recording itself (a plain little-endian file): formats from its tracing data, raw data of its samples; each
cell of trace-*.csv in FOLDER that is a number, a text, an array or bytes is compared with them. Names of values and texts
at addresses are looked up in the lines that `perf script --ns -F cpu,time,event,trace` prints. made: many addresses are of
no function.
"""
import csv, re, struct, sys, collections, glob, os

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM, RAW = (1 << i for i in range(11))
IDENTIFIER = 1 << 16


def formats_of(data):
    """config -> (system, name, [(declaration, offset, size, signed)], print format)"""
    at = 10
    end = data.index(b"\0", at)
    version = float(data[at:end])
    at = end + 1
    assert data[at] == 0, "big endian"
    at += 1 + 1 + 4
    found = {}

    def text(at):
        end = data.index(b"\0", at)
        return data[at:end].decode(), end + 1

    def sized(at, code, size):
        length = struct.unpack_from(code, data, at)[0]
        return data[at + size:at + size + length], at + size + length

    for _ in range(2):
        _, at = text(at)
        _, at = sized(at, "<Q", 8)

    def group(system, at):
        count = struct.unpack_from("<I", data, at)[0]
        at += 4
        for _ in range(count):
            body, at = sized(at, "<Q", 8)
            body = body.decode(errors="replace")
            head = re.search(r"name: (\S+)\nID: (\d+)", body)
            fields = [(m[1], int(m[2]), int(m[3]), int(m[4]))
                      for m in re.finditer(r"field:([^;]*);\s*offset:(\d+);\s*size:(\d+);\s*signed:(\d);", body)]
            if head:
                found[int(head[2])] = (system, head[1], fields, body.partition("print fmt:")[2])
        return at

    at = group("ftrace", at)
    count = struct.unpack_from("<I", data, at)[0]
    at += 4
    for _ in range(count):
        system, at = text(at)
        at = group(system, at)
    return found


def width_of(kind):
    kind = re.sub(r"\b(const|volatile)\b", "", kind).strip()
    if "*" in kind or "long" in kind or kind in ("size_t", "ssize_t"):
        return 8
    known = {1: "char unsigned char u8 __u8 s8 __s8 bool uint8_t", 2: "short unsigned short u16 __u16 s16 uint16_t",
             8: "u64 __u64 s64 __s64 uint64_t int64_t loff_t sector_t"}
    return next((w for w, names in known.items() if kind in re.split(" (?!char|short)", names)), 4)


def cells_of(field, raw, printed):
    """What a field's cell may be; None: this program does not say."""
    declaration, offset, size, signed = field
    part = raw[offset:offset + size]
    if len(part) < size:
        return {""}
    place = re.match(r"__(data|rel)_loc (.*)", declaration)
    kind = place[2] if place else declaration
    array = "[" in kind
    name = re.search(r"(\w+)\s*(\[[^\]]*\])?$", kind)[1]
    base = re.sub(r"\[[^\]]*\]", "", kind)
    base = re.sub(r"\b%s\s*$" % name, "", base).strip()
    if place:
        word = struct.unpack_from("<I", part)[0]
        start = (word & 0xffff) + (offset + 4 if place[1] == "rel" else 0)
        part = raw[start:start + (word >> 16)]
    if not array and not place:
        if size not in (1, 2, 4, 8):
            return {part.hex()}
        value = int.from_bytes(part, "little")
        number = int.from_bytes(part, "little", signed=bool(signed))
        return {str(number), "0x%x" % value} if "*" not in base else {"0x%x" % value, None}
    if re.fullmatch(r"(const )?char", base):
        return {escaped(part.partition(b"\0")[0])}
    if "mask" in base or re.search(r"__get_(rel_)?(bitmask|cpumask)\(%s\)" % name, printed):
        return {None}
    length = re.search(r"\[(\d+)\]", kind)
    width = size // int(length[1]) if length and not place and int(length[1]) else width_of(base)
    return {" ".join(str(int.from_bytes(part[i:i + width], "little", signed=s)) for i in range(0, len(part) - width + 1, width))
            for s in (False, True)}


def escaped(part):
    out, at = "", 0
    for piece in re.split(rb"([\x00-\x1f\x7f])", part):
        try:
            piece.decode()
        except UnicodeDecodeError:
            return None
        out += "\\x%02x" % piece[0] if re.fullmatch(rb"[\x00-\x1f\x7f]", piece) else piece.decode()
    return out


def samples_of(path):
    """nr -> (config, raw); and the formats."""
    data = open(path, "rb").read()
    assert data[:8] == b"PERFILE2"
    attr_size, attrs_at, attrs_size, data_at, data_size = struct.unpack_from("<5Q", data, 16)
    flags = struct.unpack_from("<4Q", data, 72)
    bits = [i for i in range(256) if flags[i // 64] >> (i % 64) & 1]
    section = data_at + data_size + 16 * bits.index(1)
    at, size = struct.unpack_from("<2Q", data, section)
    formats = formats_of(data[at:at + size])
    by_id, attrs = {}, []
    for at in range(attrs_at, attrs_at + attrs_size, attr_size):
        kind, _, config, _, sample_type = struct.unpack_from("<IIQQQ", data, at)
        ids_at, ids_size = struct.unpack_from("<2Q", data, at + attr_size - 16)
        attrs.append((kind, config, sample_type))
        for i in range(ids_at, ids_at + ids_size, 8):
            by_id[struct.unpack_from("<Q", data, i)[0]] = attrs[-1]
    found, nr, at = {}, 0, data_at
    while at < data_at + data_size:
        kind, _, size = struct.unpack_from("<IHH", data, at)
        if kind == 9:
            common = attrs[0][2]
            if common & IDENTIFIER:
                number = struct.unpack_from("<Q", data, at + 8)[0]
            else:
                number = struct.unpack_from("<Q", data, at + 8 + 8 * bin(common & (IP | TID | TIME | ADDR)).count("1"))[0]
            attr = by_id.get(number, attrs[0]) if len(attrs) > 1 else attrs[0]
            p = at + 8 + 8 * bin(attr[2] & (IDENTIFIER | IP | TID | TIME | ADDR | ID | STREAM | CPU | PERIOD)).count("1")
            if attr[2] & CALLCHAIN:
                p += 8 + 8 * struct.unpack_from("<Q", data, p)[0]
            if attr[0] == 2 and attr[2] & RAW:
                length = struct.unpack_from("<I", data, p)[0]
                found[nr] = (attr[1], data[p + 4:p + 4 + length])
        nr += 1
        at += size
    return found, formats


def names_of_bits(field, raw, printed):
    """__print_flags of masked bits, which perf 6.1 evaluates wrongly: it prints all names of the mask (timer_start)."""
    m = re.search(r'__print_flags\(REC->%s & \([^()]*\), "\|", ((?:\{ 0x[0-9a-f]+, "\w+" \}(?:, )?)+)\)' % field[0].split()[-1], printed)
    if not m:
        return None
    value = int.from_bytes(raw[field[1]:field[1] + field[2]], "little")
    bits = re.findall(r'(0x[0-9a-f]+), "(\w+)"', m[1])
    return "|".join(name for bit, name in bits if value & int(bit, 16))


def main():
    recording, folder = sys.argv[1:3]
    samples, formats = samples_of(recording)
    lines = collections.defaultdict(list)
    for line in open(sys.argv[3], errors="surrogateescape") if len(sys.argv) > 3 else ():
        m = re.match(r"\s*\[(\d+)\]\s+(\d+)\.(\d{9}):\s+([^\s:]+):([^\s:]+):\s?(.*)", line)
        if m and "[FAILED TO PARSE]" not in m[6]:
            lines[int(m[2] + m[3]), int(m[1]), m[4], m[5]].append(m[6])
    seen, bad, names, cells, functions, unknown = set(), 0, 0, 0, 0, 0

    def wrong(*what):
        nonlocal bad
        bad += 1
        if bad <= 10:
            print("FAIL", *what)

    for path in glob.glob(os.path.join(folder, "trace-*.csv")):
        for row in csv.reader(open(path, errors="surrogateescape")):
            if row[0] == "nr":
                header = row
                continue
            nr = int(row[0])
            config, raw = samples[nr]
            system, event, fields, printed = formats[config]
            its = [f for f in fields if not re.search(r"\bcommon_\w+$", f[0])]
            if os.path.basename(path) != "trace-%s-%s.csv" % (system, event) or nr in seen:
                wrong(path, nr, "is of", event)
            seen.add(nr)
            at = 7
            for field in its:
                name = re.sub(r"\[[^\]]*\]$", "", re.search(r"(\S+)$", field[0])[1])
                if header[at].rstrip("_") != name.rstrip("_").lstrip("*"):
                    wrong(path, "column", header[at], "instead of", name)
                expected = cells_of(field, raw, printed)
                cells += 1
                if row[at] not in expected and None not in expected:
                    wrong(path, nr, header[at], "is", row[at], "instead of", expected)
                at += 1
                if at < len(header) and header[at] in (name + "_text",):
                    texts = lines.get((int(row[1]), int(row[2]), system, event))
                    names += 1
                    own = names_of_bits(field, raw, printed)
                    if own is not None and own != row[at]:
                        wrong(path, nr, header[at], "is", row[at], "instead of", own)
                    # of names that a print format has in several places, each is there
                    if own is None and texts and not any(row[at] in text or all(
                            part in text for part in row[at].split(" ")) for text in texts):
                        wrong(path, nr, header[at], "is", row[at], "perf:", texts[0])
                    at += 1
                if at < len(header) and header[at] in (name + "_function",):
                    texts = lines.get((int(row[1]), int(row[2]), system, event))
                    functions += 1
                    if row[at] == "" and int(row[at - 1], 0) == 0:
                        pass # perf shows 0x0
                    elif texts is not None and row[at] != "[unknown]" and not any(
                            re.search(r"(^|[=\s(])%s(\+0x|[\s,)]|$)" % re.escape(row[at]), text) for text in texts):
                        wrong(path, nr, header[at], "is", row[at], "perf:", texts[0])
                    unknown += row[at] == "[unknown]"
                    at += 1
            if at != len(row) or len(row) != len(header):
                wrong(path, nr, "has", len(row), "cells")
    if seen != set(samples):
        wrong("rows of", len(seen), "samples instead of", len(samples))
    if unknown * 10 > functions and "made" not in sys.argv[4:]:
        wrong(unknown, "of", functions, "functions are unknown")
    print("%d rows, %d fields, %d names, %d functions, %d wrong" % (len(seen), cells, names, functions, bad))
    return 1 if bad or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
