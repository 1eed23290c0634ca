#!/usr/bin/python3
"""Compares instructions.csv of a whole program, named without demangling, with objdump and with its symbol table.

usage: targets.py OUT BINARY PROGRAM   BINARY: as the table names it; PROGRAM: the same file, with all symbols
Each instruction is objdump's; where none is, objdump has none. A direct call or jump has a target, unless it stays in its
function: a symbol that is there by the symbol table, or a stub; of a static program the stub of the function that the
relocation of its slot names. Prints what differs, and at the end how many instructions, targets and stubs are right."""

import collections
import csv
import re
import subprocess
import sys

JUMP = re.compile(r"(?:bnd |notrack |data16 |cs |addr32 |rex\.W )*(?:j\w+|call|loop\w*) +([0-9a-f]+)(?: <(.*)>)?$")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def plain(text):
    return re.sub(r" <.*>|0x|\s+", "", text)


def static_stubs(path, listing, names_at):
    """Names of what stubs without a symbol jump to: through a slot, whose relocation has the address of the function that chooses."""
    slots = {int(m[1], 16): int(m[2], 16) for m in re.finditer(r"^([0-9a-f]+) +\w+ R_X86_64_IRELATIV\w* +([0-9a-f]+)$", run("readelf", "-rW", path), re.M)}
    stubs = {}
    for addr, text in listing.items():
        m = re.match(r"(?:bnd )?jmp +\*.*# ([0-9a-f]+)", text)
        if m and int(m[1], 16) in slots:
            stubs[addr] = names_at[slots[int(m[1], 16)]]
    return stubs


def main():
    out, binary, path = sys.argv[1:4]
    listing = {int(m[1], 16): m[2] for m in re.finditer(r"^ *([0-9a-f]+):\t(.*)$", run("objdump", "-dw", "--no-show-raw-insn", path), re.M)}
    symbols, names_at = collections.defaultdict(set), collections.defaultdict(set)
    for m in re.finditer(r"^ *\d+: (\w+) +(\w+) (?:FUNC|IFUNC|NOTYPE) +\w+ +\w+ +(?!UND)\w+ (\S.*)$", run("readelf", "-sW", path), re.M):
        name = m[3].split("@@")[0]
        symbols[name].add((int(m[1], 16), int(m[2], 0)))
        names_at[int(m[1], 16)].add(name)
    stubs = static_stubs(path, listing, names_at)
    right, wrong = collections.Counter(instructions=0, targets=0, stubs=0), []
    for row in csv.DictReader(open(out + "/instructions.csv")):
        if row["binary"] != binary:
            continue
        addr, text, target = int(row["address"], 16), listing.get(int(row["address"], 16), ""), row["target"]
        if plain(row["instruction"]) != plain(text):
            wrong.append("%s: %s, objdump: %s" % (row["address"], row["instruction"], text))
            continue
        right["instructions"] += bool(text)
        m = JUMP.match(text)
        to = int(m[1], 16) if m else 0
        inside = any(start <= to < start + size and start <= addr < start + size for start, size in symbols[row["function"]])
        if not to or inside:
            kind, ok = "", not target
        elif target.endswith("@plt"):
            kind, ok = "stubs", target == m[2] or target[:-4] in stubs.get(to, ())
        else:
            found = re.match(r"(.*?)(?:\+0x([0-9a-f]+))?$", target)
            kind, ok = "targets", any(start + int(found[2] or "0", 16) == to for start, _ in symbols[found[1]])
        right[kind] += ok
        if not ok:
            wrong.append("%s: target %s, objdump: %s" % (row["address"], target, text))
    print(*wrong[:3], "%d instructions, %d targets, %d stubs" % (right["instructions"], right["targets"], right["stubs"]), sep="\n")


main()
