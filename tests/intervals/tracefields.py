"""Fields of tracepoints, by the formats in a recording, and names of syscalls and of the kernel's functions, for pairs.py."""
import functools
import os
import re
import struct
from bisect import bisect_right

import rawrecords


def syscall_names():
    names = {}
    for path in ('/usr/include/x86_64-linux-gnu/asm/unistd_64.h', '/usr/include/asm/unistd_64.h',
                 '/usr/include/asm-generic/unistd.h'):
        if os.path.exists(path):
            for name, number in re.findall(r'#define __NR_(\w+)\s+(\d+)', open(path).read()):
                names.setdefault(int(number), name)
            break
    return names


class Kallsyms:
    """The kernel's functions: lines of 16 hex digits, kind and name, so that they are sorted as texts."""

    def __init__(self):
        lines = open('/proc/kallsyms').read().split('\n')
        self.lines = sorted(line for line in lines if line[17:18] in ('t', 'T', 'w', 'W'))
        self.bounds = {line[19:]: int(line[:16], 16) for line in lines
                       if line.endswith(('_text_start', '_text_end'))}

    def at(self, address):
        """The names of the function at the address."""
        last = bisect_right(self.lines, '%016x~' % address) - 1
        start, names = self.lines[last][:16] if last >= 0 else '', set()
        while last >= 0 and self.lines[last].startswith(start):
            names.add(self.lines[last][19:].split('\t')[0])
            last -= 1
        return names

    def waits(self, address):
        """Whether the code at the address is the scheduler's or a lock's."""
        return any(self.bounds[a] <= address < self.bounds[b] for a, b in (
            ('__sched_text_start', '__sched_text_end'), ('__lock_text_start', '__lock_text_end')))


@functools.lru_cache(maxsize=1)
def full_names(path):
    """SYSTEM:EVENT by the number of the tracepoint, and the attr of each, from the header's EVENT_DESC."""
    data = open(path, 'rb').read()
    attrs, (at, size), _ = rawrecords.sections(data)
    by_id = {i: a for a in attrs for i in a.ids}
    bits = struct.unpack_from('<4Q', data, 72)
    at += size
    names, events = {}, {}
    for number in range(256):
        if not bits[number // 64] >> number % 64 & 1:
            continue
        pos = struct.unpack_from('<Q', data, at)[0]
        at += 16
        if number != 12:
            continue
        count, attr_size = struct.unpack_from('<II', data, pos)
        pos += 8
        for _ in range(count):
            kind, _, config = struct.unpack_from('<IIQ', data, pos)
            ids, length = struct.unpack_from('<II', data, pos + attr_size)
            pos += attr_size + 8
            name = data[pos:pos + length].split(b'\0')[0].decode()
            pos += length
            if kind == 2:
                names[config] = name
                events[config] = next((by_id[i] for i in struct.unpack_from('<%dQ' % ids, data, pos)
                                       if i in by_id), None)
            pos += 8 * ids
    return names, events


class Field:
    def __init__(self, declaration, at, size, signed, text):
        self.at, self.size, self.signed, self.declaration = at, size, signed, declaration
        self.name = re.search(r'(\w+)(?:\[[^]]*\])?$', declaration)[1]
        self.located = '__data_loc' in declaration
        self.array = declaration.endswith(']') or self.located
        self.symbols = {}
        words = re.search(r'__print_symbolic\(REC->%s, (.*?)\)' % self.name, text)
        if words:
            self.symbols = {int(a, 0): b for a, b in re.findall(r'\{ ?(\w+), "([^"]*)" ?\}', words[1])
                            if re.fullmatch(r'\d+|0x[0-9a-fA-F]+', a)}

    def value(self, raw):
        """A number, or bytes without what is behind their NUL."""
        if self.located:
            where = int.from_bytes(raw[self.at:self.at + 4], 'little')
            return raw[where & 0xffff:(where & 0xffff) + (where >> 16)].split(b'\0')[0]
        part = raw[self.at:self.at + self.size]
        return part.split(b'\0')[0] if self.array else int.from_bytes(part, 'little', signed=self.signed)

    def text(self, raw):
        value = self.value(raw)
        return value.decode('utf-8', 'replace') if isinstance(value, bytes) else \
            self.symbols.get(value, str(value))


@functools.lru_cache(maxsize=1)
def kernel_symbols():
    return Kallsyms()


@functools.lru_cache(maxsize=1)
def formats_of(path):
    """The text of each tracepoint's format, and its fields."""
    _, _, tracing = rawrecords.sections(open(path, 'rb').read())
    texts = {number: text for number, (_, _, text) in rawrecords.formats(tracing).items()}
    return texts, {number: fields_of(text) for number, text in texts.items()}


def fields_of(text):
    return {f.name: f for f in (
        Field(m[1], int(m[2]), int(m[3]), m[4] == '1', text) for m in re.finditer(
            r'field:([^;]*);\toffset:(\d+);\tsize:(\d+);\tsigned:(\d)', text))}


def functions_of(text):
    """Fields that the print format shows as functions."""
    shown, rest = re.search(r'print fmt: "((?:[^"\\]|\\.)*)"(.*)', text, re.S).groups()
    arguments, depth, quoted = [''], 0, False
    for letter in rest.lstrip(' ,'):
        quoted ^= letter == '"'
        depth += 0 if quoted else (letter in '({') - (letter in ')}')
        if letter == ',' and not depth and not quoted:
            arguments.append('')
        else:
            arguments[-1] += letter
    found = re.findall(r'%[-+ #0-9.*hlzjt]*(p[sSB]|[a-zA-Z])', shown.replace('%%', ''))
    return {name for kind, argument in zip(found, arguments) if kind in ('ps', 'pS', 'pB')
            for name in re.findall(r'REC->(\w+)', argument)}
