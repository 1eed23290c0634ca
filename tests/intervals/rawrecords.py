"""The raw records of a little-endian perf.data file (not a pipe, not compressed), for the rules in sched.py and pairs.py."""
import functools
import re
import struct

SAMPLE, LOST, COMM, EXIT, FORK, SWITCH, WIDE = 9, 2, 3, 4, 7, 14, 15
BITS = dict(IP=0, TID=1, TIME=2, ADDR=3, READ=4, CALLCHAIN=5, ID=6, CPU=7, PERIOD=8, STREAM=9,
            RAW=10, IDENT=16)


def bit(value, name):
    return value >> BITS[name] & 1


class Attr:
    def __init__(self, data, ids):
        self.type, self.size, self.config, self.period, self.sample, self.read, self.flags = \
            struct.unpack_from('<IIQQQQQ', data)
        self.ids = ids
        self.freq = self.flags >> 10 & 1
        # what a sample begins with, and where in it the values are
        order = [n for n in ('IDENT', 'IP', 'TID', 'TIME', 'ADDR', 'ID', 'STREAM', 'CPU', 'PERIOD') if bit(self.sample, n)]
        self.layout = struct.Struct('<' + ''.join('ii' if n in ('TID', 'CPU') else 'Q' for n in order))
        self.at, number = dict.fromkeys(BITS), 0
        for name in order:
            self.at[name] = number
            number += 2 if name in ('TID', 'CPU') else 1


def sections(data):
    head = struct.unpack_from('<8sQQ6Q', data)
    attr_size, at, size = head[2], head[3], head[4]
    attrs = []
    for i in range(size // attr_size):
        pos = at + i * attr_size
        ids_at, ids_size = struct.unpack_from('<QQ', data, pos + attr_size - 16)
        attrs.append(Attr(data[pos:pos + attr_size - 16],
                          struct.unpack_from('<%dQ' % (ids_size // 8), data, ids_at)))
    body = (head[5], head[6])
    features = struct.unpack_from('<4Q', data, 72)
    at, tracing = sum(body), b''
    for number in range(256):
        if features[number // 64] >> number % 64 & 1:
            start, size = struct.unpack_from('<QQ', data, at)
            if number == 1:
                tracing = data[start:start + size]
            at += 16
    return attrs, body, tracing


def formats(tracing):
    """The text of each tracepoint's format, by its number."""
    found = {}
    for part in re.split(rb'(?=name: \w+\nID: \d+\nformat:\n)', tracing)[1:]:
        text = part.decode('latin1')
        number = int(re.search(r'ID: (\d+)', text)[1])
        name = re.match(r'name: (\w+)', text)[1]
        fields = {m[1]: (int(m[2]), int(m[3]), m[4] == '1') for m in re.finditer(
            r'field:[^;]*?(\w+)(?:\[\w*\])?;\toffset:(\d+);\tsize:(\d+);\tsigned:(\d)', text)}
        found[number] = (name, fields, text)
    return found


def field(raw, fields, name):
    at, size, signed = fields[name]
    part = raw[at:at + size]
    if size in (1, 2, 4, 8):
        return int.from_bytes(part, 'little', signed=signed)
    return part.split(b'\0')[0].decode('latin1')


def letters_of(text):
    flags = re.search(r'__print_flags\(REC->prev_state.*?"\|",(.*?)\) : "R"', text, re.S)
    names = [(int(a, 0), b) for a, b in re.findall(r'\{ (\w+), "(\w+)" \}', flags[1])]
    plus = re.search(r'REC->prev_state & (\S.*?) \? "\+"', text[flags.end():], re.S)
    return names, eval(plus[1]) if plus else 0  # numbers and operators of C that are Python's


class Record:
    __slots__ = 'time nr kind cpu pid tid payload name raw chain misc config ip'.split()


def sample_of(rec, body, attr, names):
    values, at, where = attr.layout.unpack_from(body), attr.layout.size, attr.at
    if where['TID'] is not None:
        rec.pid, rec.tid = values[where['TID']:where['TID'] + 2]
    if where['TIME'] is not None:
        rec.time = values[where['TIME']]
    if where['CPU'] is not None:
        rec.cpu = values[where['CPU']]
    if where['IP'] is not None:
        rec.ip = values[where['IP']]
    if bit(attr.sample, 'CALLCHAIN'):
        count = struct.unpack_from('<Q', body, at)[0]
        rec.chain = struct.unpack_from('<%dQ' % count, body, at + 8)
        at += 8 + 8 * count
    if attr.type == 2 and bit(attr.sample, 'RAW'):
        size = struct.unpack_from('<I', body, at)[0]
        rec.raw = body[at + 4:at + 4 + size]
        rec.config = attr.config
        rec.name = names.get(attr.config, ('?',))[0]


def trailer_of(rec, body, attr):
    have = [n for n in ('TID', 'TIME', 'ID', 'STREAM', 'CPU', 'IDENT') if bit(attr.sample, n)]
    at = len(body) - 8 * len(have)
    for name in have:
        if name == 'TID':
            rec.pid, rec.tid = struct.unpack_from('<ii', body, at)
        elif name == 'TIME':
            rec.time = struct.unpack_from('<Q', body, at)[0]
        elif name == 'CPU':
            rec.cpu = struct.unpack_from('<i', body, at)[0]
        at += 8


@functools.lru_cache(maxsize=1)
def read(path):
    data = open(path, 'rb').read()
    attrs, (at, size), tracing = sections(data)
    names = formats(tracing)
    by_id = {i: a for a in attrs for i in a.ids}
    records, end, nr = [], at + size, 0
    first = attrs[0]
    # the id stands first in samples with IDENTIFIER, and last in trailers
    while at < end:
        kind, misc, length = struct.unpack_from('<IHH', data, at)
        body = data[at + 8:at + length]
        rec = Record()
        rec.nr, rec.kind, rec.misc, rec.cpu, rec.tid, rec.pid = nr, kind, misc, -1, None, None
        rec.time, rec.raw, rec.name, rec.payload = 0, b'', None, body
        rec.chain, rec.config, rec.ip = (), None, 0
        nr += 1
        at += length
        if kind >= 64:
            continue
        attr = first
        if kind == SAMPLE:
            if len(attrs) > 1 and bit(first.sample, 'IDENT'):
                attr = by_id.get(struct.unpack_from('<Q', body)[0], first)
            elif len(attrs) > 1 and bit(first.sample, 'ID'):
                skip = 8 * sum(bit(first.sample, n) for n in ('IP', 'TID', 'TIME', 'ADDR'))
                attr = by_id.get(struct.unpack_from('<Q', body, skip)[0], first)
            sample_of(rec, body, attr, names)
        else:
            trailer_of(rec, body, attr)
        records.append(rec)
    records.sort(key=lambda r: (r.time, r.nr))
    sources = {names[a.config][0] for a in attrs if a.type == 2 and a.config in names}
    return records, names, sources
