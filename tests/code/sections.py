#!/usr/bin/python3
"""Compares tables of a kernel module that has several sections of code with its file.

usage: sections.py ELF OUT OBJDUMP [LISTED]: with LISTED, a list has said where the sections of .init are
Each section begins, in readperf's tables, where the kernel lays it by the order in the file. OUT/instructions.csv has
every instruction that objdump prints of the section's functions, OUT/addresses.csv the lines that addr2line prints.
Prints what differs, and at the end how many instructions of how many sections are equal."""

import csv
import re
import subprocess
import sys

from make import Elf


def lines_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def plain(text):
    return re.sub(r"0x|<.*>| ", "", text.replace("\t", " "))


def main():
    path, out, objdump, *listed = sys.argv[1:]
    elf = Elf(path)
    places, _ = elf.module_places(listed)
    rows = {}
    for row in csv.DictReader(open(out + "/instructions.csv")):
        if row["binary"] == "[made]":
            rows[int(row["address"], 16)] = row
    equal, sections = 0, set()
    for number, place in places.items():
        name = elf.name(elf.sections[number]).decode()
        ranges = [(place + value, place + value + size) for section, value, size, _ in elf.functions()
                  if section == number]
        for line in lines_of(objdump, "-d", "-w", "--no-show-raw-insn", "-j", name, f"--adjust-vma={place}", path):
            found = re.match(r" *([0-9a-f]+):\t(.*)", line)
            if not found or not any(a <= int(found[1], 16) < b for a, b in ranges):
                continue
            addr = int(found[1], 16)
            row = rows.pop(addr, None)
            if not row or plain(row["instruction"]) != plain(found[2]):
                print(f" {name} {addr:#x}: {row and row['instruction']}, objdump: {found[2]}")
            equal += 1
            sections.add(name)
    for addr, row in rows.items():
        if row["instruction"]:
            print(f" {addr:#x} {row['function']}: {row['instruction']} is in no function of the file")
    lines = 0
    for row in csv.DictReader(open(out + "/addresses.csv")):
        addr = int(row["address"], 16)
        for number, place in places.items():
            section = elf.sections[number]
            if row["binary"] == "[made]" and place <= addr < place + section["size"]:
                truth = lines_of("addr2line", "-e", path, "-j", elf.name(section).decode(), f"{addr - place:#x}")[0]
                if truth.split(" ")[0] != row["source_file"] + ":" + row["line"]:
                    print(f" {addr:#x}: {row['source_file']}:{row['line']}, addr2line: {truth}")
                lines += 1
    print(f"{equal} of {len(sections)}, {lines} lines")


main()
