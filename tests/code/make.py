#!/usr/bin/python3
"""Makes a recording with samples in every function of an ELF file, at its first byte and some at others.

usage: make.py ELF FILE [PATH [LIST]]
PATH: the file is a kernel module that was loaded from there, with its sections of code one behind the other.
LIST: the kernel's list of its symbols is written there, and the sections lie elsewhere, the last one first. It has what is only
for the start of the module, too, as long as that is running."""

import os
import struct
import sys

SAMPLE_TYPE = 1 | 2 | 4 | 1 << 8  # IP, TID, TIME, PERIOD
KERNEL_AT = 0xFFFFFFFF81000000
MODULE_AT = 0xFFFFFFFFC0400000


class Elf:
    def __init__(self, path):
        self.data = open(path, "rb").read()
        self.wide = self.data[4] == 2
        self.order = "<" if self.data[5] == 1 else ">"
        self.kind, self.machine = self.get("HH", 16)
        if self.wide:
            phoff, shoff = self.get("QQ", 32)
            _, phsize, phnum, shsize, shnum, self.names = self.get("6H", 52)
        else:
            phoff, shoff = self.get("II", 28)
            _, phsize, phnum, shsize, shnum, self.names = self.get("6H", 40)
        self.segments = [self.segment(phoff + i * phsize) for i in range(phnum)]
        self.sections = [self.section(shoff + i * shsize) for i in range(shnum)]

    def get(self, what, at):
        return struct.unpack_from(self.order + what, self.data, at)

    def segment(self, at):
        if self.wide:
            kind, flags, offset, addr, _, size, memory = self.get("IIQQQQQ", at)
        else:
            kind, offset, addr, _, size, memory, flags = self.get("IIIIIII", at)
        return {"load": kind == 1, "code": flags & 1, "offset": offset, "addr": addr, "size": size}

    def section(self, at):
        names = ("name", "type", "flags", "addr", "offset", "size", "link", "info", "align", "entry")
        return dict(zip(names, self.get("IIQQQQIIQQ" if self.wide else "10I", at)))

    def name(self, section):
        start = self.sections[self.names]["offset"] + section["name"]
        return self.data[start:self.data.index(b"\0", start)]

    def functions(self):
        """(section, value, size, name) of each function with a size."""
        for table in self.sections:
            if table["type"] != 2:
                continue
            names = self.sections[table["link"]]["offset"]
            for at in range(table["offset"], table["offset"] + table["size"], table["entry"]):
                if self.wide:
                    name, info, _, section, value, size = self.get("IBBHQQ", at)
                else:
                    name, value, size, info, _, section = self.get("IIIBBH", at)
                if info & 15 != 2 or not size or not 0 < section < len(self.sections):
                    continue
                if self.machine == 21 and self.name(self.sections[section]) == b".opd":
                    # a descriptor, whose first word is the address of the code
                    descriptors = self.sections[section]
                    value, = self.get("Q", descriptors["offset"] + value - descriptors["addr"])
                    section = next(i for i, s in enumerate(self.sections)
                                   if s["flags"] & 4 and s["addr"] <= value < s["addr"] + s["size"])
                yield section, value, size, self.data[names + name:self.data.index(b"\0", names + name)].decode()

    def module_places(self, init=False):
        """Where readperf lays the sections of code: in their order, each aligned, and those of .init, if they are wanted, far away."""
        places, ends = {}, {False: 0, True: 1 << 32}
        for number, section in enumerate(self.sections):
            far = self.name(section).startswith(b".init")
            if section["flags"] & 6 == 6 and section["type"] == 1 and (init or not far):
                places[number] = -(-ends[far] // max(section["align"], 1)) * max(section["align"], 1)
                ends[far] = places[number] + section["size"]
        return places, ends[False]


def raw(kind, misc, payload):
    return struct.pack("<IHH", kind, misc, 8 + len(payload)) + payload


def text(value):
    value = value.encode() + b"\0"
    return value + b"\0" * (-len(value) % 8)


def trailer(time):
    return struct.pack("<IIQ", 7, 7, time)


def main():
    path, out = sys.argv[1:3]
    module = sys.argv[3] if sys.argv[3:] else None
    listed = sys.argv[4] if sys.argv[4:] else None
    elf = Elf(path)
    data = raw(3, 0, struct.pack("<II", 7, 7) + text("made") + trailer(0))
    if module:
        places, end = elf.module_places(listed)
        if listed:
            data += raw(1, 1, struct.pack("<IIQQQ", 0xFFFFFFFF, 0, KERNEL_AT, 0x1000000, KERNEL_AT) +
                        text("[kernel.kallsyms]_text") + trailer(0))
            places = {number: 0x800000 * i + 0x40 for i, number in enumerate(reversed(sorted(places)))}
            end = 0x800000 * (len(places) + 1)
        bases = {number: MODULE_AT + place for number, place in places.items()}
        name = "[" + os.path.basename(module).split(".")[0] + "]"
        data += raw(1, 1, struct.pack("<IIQQQ", 0xFFFFFFFF, 0, MODULE_AT, -(-end // 4096) * 4096, 0) +
                    text(module) + trailer(0))
        place = lambda section, value: bases[section] + value if section in bases else None
        print(name)
        if listed:
            with open(listed, "w") as file:
                print(f"{KERNEL_AT:x} T _text", file=file)
                print(f"{KERNEL_AT + 0x100:x} T do_work", file=file)
                for section, value, _, function in elf.functions():
                    print(f"{bases[section] + value:x} t {function}\t{name}", file=file)
    else:
        load = 0x10000000 if elf.kind == 3 else 0
        for segment in elf.segments:
            if segment["load"] and segment["code"]:
                start = segment["addr"] & ~0xFFF
                cut = segment["addr"] - start
                size = -(-(segment["size"] + cut) // 4096) * 4096
                data += raw(10, 2, struct.pack("<IIQQQIIQQII", 7, 7, load + start, size, segment["offset"] - cut, 0, 0,
                                               0, 0, 5, 2) + text(os.path.abspath(path)) + trailer(0))
        place = lambda section, value: load + value
        print(os.path.abspath(path))
    time = 1000
    samples = []
    for section, value, size, _ in elf.functions():
        if not elf.sections[section]["flags"] & 4 or elf.sections[section]["type"] != 1:
            continue
        value &= ~(elf.machine == 40)  # a bit says that it is Thumb
        for at in {0, size // 2 & ~3}:
            time += 10
            ip = place(section, value + at)
            if ip is None:
                continue
            samples.append(raw(9, 1 if module else 2, struct.pack("<QIIQQ", ip, 7, 7, time, 100 + at)))
    data += b"".join(samples)
    attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000, SAMPLE_TYPE, 0, 1 << 18 | 1 << 8 | 1 << 9 | 1 << 23).ljust(128, b"\0")
    attrs = attr + struct.pack("<QQ", 104, 0)
    head = b"PERFILE2" + struct.pack("<QQ6Q", 104, 144, 104, len(attrs), 104 + len(attrs), len(data), 0, 0)
    with open(out, "wb") as file:
        file.write(head + struct.pack("<4Q", 0, 0, 0, 0) + attrs + data)


if __name__ == "__main__":
    main()
