#!/usr/bin/env python3
"""Patterns that --function and the text field of the page must understand alike.

usage: names.py READPERF RECORDING LIST   RECORDING is recording.py's "names". Writes into ./root a map that gives its code
names with bytes that tables spell as \\xNN, with globs, brackets and characters that turn the direction of text, and into
LIST a line of JSON for each pattern: the text of the page, and the functions that --function selects, as tables spell them.
"""
import csv
import io
import json
import os
import random
import re
import subprocess
import sys

readperf, recording, target = sys.argv[1:]
NAMES = [b"sort", b"qsort", b"sorted", b"a\x01b", b"a\\x01b", b"a\x01", b"\x01", b"\\", b"a\\b", b"\\x", b"a\xffb", b"a\x80b", b"\x80b", b"\xc3",
         "\u00e9t\u00e9".encode(), "caf\u00e9".encode(), "caf\u00e8".encode(), "a\u202eb".encode(), "\u2069x".encode(), b"a\xc2\x85b",
         "\U0001f4a9b".encode(), b"op*", b"op?", b"op[a]", b"[unknown]", b"a]b", b"!x", b"f<a,b>", b"operator<", b"operator->", b"g(int, char)",
         b"{lambda#1}", b'operator"" _s', b'"q"', b"a-b", b"a^b", b"~d", b"x\x7f", "\ufffex".encode(), "\ufeffbom".encode()]
PIECES = ["a", "b", "s", "o", "x", "*", "*", "?", "?", "[", "]", "!", "^", "-", "\\", "\\x01", "\\xff", "\\x80", "\\xc3", "\\xc3\\xa9", "\\xe2\\x80\\xae",
          "\\x2a", "\\x5c", "\u00e9", "\u202e", "\U0001f4a9", "(", ">", "<", "op", "sort", "caf", "\\x"]
# lists, where the page looks for parts of names without globs: what it is given, and the option for it
LISTS = [("operator<,sort", "*operator<*,*sort*"), ("f<a,b>,!f*", "*f<a,b>*,!f*"), ("!*o*", "!*o*"), ("operator(,op*", "*operator(*,op*"),
         ("{a,b}*", "{a,b}*"), ("[a,b]*", "[a,b]*"), ("a\\x01, b*", "*a\\x01*,b*"), ('"f<a,b>"', "f<a,b>"), ('"op*"', "op\\x2a"),
         ('!"op*",op*', "!op\\x2a,op*"), ('"sort",x', "sort,*x*"), ('"""q"""', '"q"'), ("g(int,*,a", "g(int,*,*a*")]

assert len(NAMES) == 40
os.makedirs("root/tmp", exist_ok=True)
with open("root/tmp/perf-5.map", "wb") as names:
    for i, name in enumerate(NAMES):
        names.write(b"%x 100 %s\n" % (0x400000 + i * 256, name))


def selected(option):
    """The functions of --function=OPTION; None: it is wrong usage."""
    run = subprocess.run([readperf, "-q", "--symfs=root", "-t", "results", "-o", "-", "--function=" + option, recording], capture_output=True)
    if run.returncode == 2:
        return None
    rows = csv.DictReader(io.StringIO(run.stdout.decode(), newline=""))
    return sorted(row["function"] for row in rows) if run.returncode in (0, 3) else []


everything = selected("*")
if len(set(everything)) != 40:
    sys.exit("not 40 names: %s" % everything)
random.seed(5)
patterns = everything + ["[%s]*" % c for c in ("\\x01-\\xff", "!\\x01", "\u00e8\u00e9", "a-", "z-a", "!z-a", "]a", "^]a")]
patterns += ["caf[\u00e8-\u00ea]", "*[*]*", "a\\x01*", "?\\x01?", "*\\xe2\\x80\\xae*"]
patterns += ["".join(random.choice(PIECES) for _ in range(random.randint(1, 5))) for _ in range(350)]
pairs = list(LISTS)
for name in everything:
    pairs.append(('"%s"' % name.replace('"', '""'), name.replace("*", "\\x2a").replace("?", "\\x3f") if name[0] != "!" else "\\x21" + name[1:]))
for pattern in dict.fromkeys(patterns):
    if pattern == pattern.strip() and not re.match('!?"', pattern) and pattern not in ("!", "") and not ("," in pattern and "<" not in pattern and "(" not in pattern):
        pairs.append((pattern, pattern if re.search("[*?[]", pattern) else re.sub("^(!?)(.*)$", r"\1*\2*", pattern)))
with open(target, "w") as out:
    for text, option in pairs:
        functions = selected(option)
        if functions is not None:
            out.write(json.dumps([text, functions]) + "\n")
