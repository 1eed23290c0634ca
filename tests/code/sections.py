#!/usr/bin/python3
"""Compares tables of a kernel module that has several sections of code with its file.

usage: sections.py ELF OUT OBJDUMP [LISTED]: with LISTED, a list has said where the sections of .init are
Each section begins, in readperf's tables, where the kernel lays it by the order in the file. OUT/instructions.csv has
every instruction that objdump prints of the section's functions, OUT/addresses.csv the lines that addr2line prints.
Calls and jumps lead where relocations say. Prints what differs, and at the end how many instructions of how many sections
are equal."""

import csv
import re
import subprocess
import sys

from make import Elf


def lines_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def plain(text):
    return re.sub(r"0x|<.*>| ", "", text.replace("\t", " "))


def called(elf, number, function, text, slot):
    """The target of a call or jump in a section: by its relocation, or by its operand; "" within the function."""
    found = re.match(r"(?:call|j\w+) +([0-9a-f]+)(?: <.*>)?$", text)
    if not found:
        return ""
    section, place = number, int(found[1], 16) - function["base"]
    slot = re.match(r"[0-9a-f]+: R_\w+\t(\S+?)([-+]0x[0-9a-f]+)?$", slot)
    if slot:
        offset = int(slot[2] or "0", 16) + 4
        named = [(s, value) for s, value, _, name in elf.functions() if name == slot[1]]
        inside = [i for i, each in enumerate(elf.sections) if elf.name(each).decode() == slot[1]]
        if not named and not inside:
            return slot[1]
        section, place = (named[0][0], named[0][1] + offset) if named else (inside[0], offset)
    name, start = next(((name, value) for s, value, size, name in elf.functions() if s == section and value <= place < value + size), ("", 0))
    if name == function["name"] and section == number:
        return ""
    return name + (f"+{place - start:#x}" if place > start else "")


def main():
    path, out, objdump, *listed = sys.argv[1:]
    elf = Elf(path)
    places, _ = elf.module_places(listed)
    rows = {}
    for row in csv.DictReader(open(out + "/instructions.csv")):
        if row["binary"] == "[made]":
            rows[int(row["address"], 16)] = row
    equal, targets, sections = 0, 0, set()
    for number, place in places.items():
        name = elf.name(elf.sections[number]).decode()
        ranges = [(place + value, place + value + size) for section, value, size, _ in elf.functions()
                  if section == number]
        for line in lines_of(objdump, "-dr", "-w", "--no-show-raw-insn", "-j", name, f"--adjust-vma={place}", path):
            found = re.match(r" *([0-9a-f]+):\t([^\t]*)\t?(.*)", line)
            if not found or not any(a <= int(found[1], 16) < b for a, b in ranges):
                continue
            addr = int(found[1], 16)
            row = rows.pop(addr, None)
            if not row or plain(row["instruction"]) != plain(found[2]):
                print(f" {name} {addr:#x}: {row and row['instruction']}, objdump: {found[2]}")
            elif row["target"] != called(elf, number, {"name": row["function"], "base": place}, found[2], found[3]):
                print(f" {name} {addr:#x}: target {row['target']}, objdump: {line}")
            targets += row is not None and row["target"] != ""
            equal += 1
            sections.add(name)
    for addr, row in rows.items():
        if row["instruction"]:
            print(f" {addr:#x} {row['function']}: {row['instruction']} is in no function of the file")
    count = 0
    for row in csv.DictReader(open(out + "/addresses.csv")):
        addr = int(row["address"], 16)
        for number, place in places.items():
            section = elf.sections[number]
            if row["binary"] == "[made]" and place <= addr < place + section["size"]:
                truth = lines_of("addr2line", "-e", path, "-j", elf.name(section).decode(), f"{addr - place:#x}")[0]
                if truth.split(" ")[0] != row["source_file"] + ":" + row["line"]:
                    print(f" {addr:#x}: {row['source_file']}:{row['line']}, addr2line: {truth}")
                count += 1
    print(f"{equal} of {len(sections)}, {count} lines, {targets} targets")


main()
