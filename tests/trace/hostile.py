#!/usr/bin/env python3
"""Made-up recordings of tracepoints whose formats are hostile: hostile.py FOLDER writes FOLDER/NAME.data for each of CASES.

A recording has one event for each format that samples ask for, and tracing data with the formats of the case.
"""
import struct, sys, os

COMMON = ("\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
          "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
          "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
          "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n")
VALUE = "\tfield:int value;\toffset:8;\tsize:4;\tsigned:1;\n"


def format_of(name, number, fields=VALUE, printed='"value=%d", REC->value'):
    return "name: %s\nID: %d\nformat:\n%s%s\nprint fmt: %s\n" % (name, number, COMMON, fields, printed)


def tracing(formats):
    """formats: [(system, text)], as perf writes them."""
    out = b"\x17\x08\x44tracing0.6\0" + b"\0" + b"\x08" + struct.pack("<I", 4096)
    out += b"header_page\0" + struct.pack("<Q", 0) + b"header_event\0" + struct.pack("<Q", 0)
    out += struct.pack("<I", 0) + struct.pack("<I", len(formats))
    for system, text in formats:
        body = text.encode("latin-1")
        out += system.encode("latin-1") + b"\0" + struct.pack("<I", 1) + struct.pack("<Q", len(body)) + body
    return out + struct.pack("<I", 0) + struct.pack("<I", 0) + struct.pack("<Q", 0)


def recording(formats, samples):
    """samples: [(id of the tracepoint, raw data)]"""
    kinds = sorted({number for number, _ in samples})
    sample_type = 1 << 16 | 1 << 1 | 1 << 2 | 1 << 7 | 1 << 10  # IDENTIFIER TID TIME CPU RAW
    attr_size, header = 112, 104
    ids = b"".join(struct.pack("<Q", 100 + i) for i in range(len(kinds)))
    attrs_at = header + len(ids)
    attrs = b"".join(
        struct.pack("<IIQQQQQ", 2, attr_size, number, 1, sample_type, 0, 1 << 18).ljust(attr_size, b"\0") +
        struct.pack("<QQ", header + 8 * i, 8) for i, number in enumerate(kinds))
    data = b""
    for i, (number, raw) in enumerate(samples):
        raw += b"\0" * (-(len(raw) + 4) % 8)
        body = struct.pack("<QiiQII", 100 + kinds.index(number), 7, 7, 1000 + i, 0, 0) + struct.pack("<I", len(raw)) + raw
        data += struct.pack("<IHH", 9, 1, 8 + len(body)) + body
    data_at = attrs_at + len(attrs)
    section = data_at + len(data)
    trace = tracing(formats)
    flags = 1 << 1
    return (b"PERFILE2" + struct.pack("<QQQQQQQQQ", header, attr_size + 16, attrs_at, len(attrs), data_at, len(data), 0, 0,
                                      flags) + b"\0" * 24 + ids + attrs + data +
            struct.pack("<QQ", section + 16, len(trace)) + trace)


def raw(number, value, more=b""):
    return struct.pack("<HBBii", number, 0, 0, 7, value) + more


def field(declaration, offset, size, signed=0):
    return "\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n" % (declaration, offset, size, signed)


def nested(opening, closing, depth):
    return '"%%d", %s REC->value %s' % (opening * depth, closing * depth)


CASES = {
    "plain": recording([("my", format_of("event", 5))], [(5, raw(5, 42))]),
    "two-formats": recording([("one", format_of("event", 5)), ("two", format_of("event", 5, field("int other", 8, 4)))],
                             [(5, raw(5, 42))]),
    "no-format": recording([("my", format_of("event", 6))], [(5, raw(5, 42)), (6, raw(6, 43))]),
    "long-print": recording([("my", format_of("event", 5, VALUE, '"value=%d", REC->value, __print_flags(REC->value, "|", ' +
                                              ", ".join('{ 0x%x, "NAME%d" }' % (1 << i % 32, i) for i in range(60000)) + ")"))],
                            [(5, raw(5, 42))]),
    "deep-parentheses": recording([("my", format_of("event", 5, VALUE, nested("(", ")", 200000)))], [(5, raw(5, 42))]),
    "deep-choices": recording([("my", format_of("event", 5, VALUE, nested("REC->value ? 1 : ", "", 50000)))], [(5, raw(5, 42))]),
    "deep-signs": recording([("my", format_of("event", 5, VALUE, nested("-~!", "", 200000)))], [(5, raw(5, 42))]),
    "deep-calls": recording([("my", format_of("event", 5, VALUE, nested("__print_flags(", ', "|", { 1, "A" })', 30000)))],
                            [(5, raw(5, 42))]),
    "huge-sizes": recording([("my", format_of("event", 5, VALUE + field("char text[2147483648]", 12, 2147483648) +
                                              field("int far", 2147483648, 4) + field("int wide[536870912]", 12, 2147483648) +
                                              field("char minus[-1]", 4294967295, 4294967295)))], [(5, raw(5, 42))]),
    "many-fields": recording([("my", format_of("event", 5, "".join(field("int f%d" % i, 8, 4, 1) for i in range(5000))))],
                             [(5, raw(5, 42))]),
    "same-names": recording([("my", format_of("event", 5, "".join(field("int nr", 8, 4, 1) for i in range(300))))],
                            [(5, raw(5, 42))]),
    "paths": recording([("../../up", format_of("../../../tmp/out", 5)), ("/etc", format_of("passwd", 6)),
                        (".", format_of(".", 7))], [(5, raw(5, 42)), (6, raw(6, 43)), (7, raw(7, 44))]),
    "quotes": recording([("my", format_of('a,"b"\t{"c":1}', 5, field('int x,"y\'=1+2', 8, 4, 1) + field("int =cmd|' /C calc'!A0", 8, 4)))],
                        [(5, raw(5, 42))]),
    "same-file": recording([("a:b", format_of("c", 5)), ("a", format_of("b:c", 6)), ("a-b", format_of("c", 7))],
                           [(5, raw(5, 42)), (6, raw(6, 43)), (7, raw(7, 44))]),
    "long-name": recording([("s" * 5000, format_of("n" * 5000, 5, field("int " + "f" * 20000, 8, 4)))], [(5, raw(5, 42))]),
    "far-text": recording([("my", format_of("event", 5, VALUE + field("__data_loc char[] text", 12, 4)))],
                          [(5, raw(5, 42, struct.pack("<I", 0xffffffff))), (5, raw(5, 43, struct.pack("<I", 3 << 16 | 16) + b"ab\0\0"))]),
    "short": recording([("my", format_of("event", 5, VALUE + field("u64 later", 40, 8)))], [(5, raw(5, 42)), (5, raw(5, 43, b"\1" * 40))]),
    "control": recording([("my", format_of("event", 5, VALUE + field("char text[16]", 12, 16)))],
                         [(5, raw(5, 42, b"a\nb\x1b[2J\xff,\"\\x"))]),
}

if __name__ == "__main__":
    for name, content in CASES.items():
        with open(os.path.join(sys.argv[1], name + ".data"), "wb") as out:
            out.write(content)
