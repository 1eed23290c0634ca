"""Compares samples.csv with what perf script prints: compare.py SAMPLES RECORDING SYMFS. Prints the first difference."""
import csv
import re
import subprocess
import sys

LINE = re.compile(r"^\s*(?P<comm>.*?)\s+(?P<pid>-?\d+)/(?P<tid>-?\d+)\s+(?:\[(?P<cpu>\d+)\]\s+)?"
                  r"(?:(?P<s>\d+)\.(?P<ns>\d+):\s+)?(?:(?P<period>\d+)\s+)?(?P<event>\S.*?):\s+"
                  r"(?P<ip>[0-9a-f]+)\s+(?P<symbol>.*?)(?: \((?P<dso>.*)\))?$")


def perf_lines(recording, symfs):
    """The lines of perf script, with as many fields as the recording has."""
    fields = ["comm", "pid", "tid", "cpu", "time", "event", "period", "ip", "sym", "dso"]
    for missing in [], ["cpu"], ["period"], ["cpu", "period"], ["time"]:
        perf = subprocess.run(["perf", "script", "--ns", "-G", "--no-demangle", "--symfs", symfs, "-i", recording,
                               "-F", ",".join(field for field in fields if field not in missing)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        if b"Cannot print" not in perf.stderr:
            break
    if b"incompatible file format" in perf.stderr:
        print("skip: this perf cannot read it")
        sys.exit(0)
    return [line for line in perf.stdout.decode(errors="replace").splitlines() if line.strip()]


def recorded(text):
    """A name as it was recorded: readperf writes odd bytes as \\xNN."""
    plain = re.sub(rb"\\x([0-9a-f]{2})", lambda byte: bytes([int(byte[1], 16)]), text.encode())
    return plain.decode(errors="replace")


def difference(line, row):
    """What they say of one sample."""
    match = LINE.match(line)
    if not match:
        return "perf: " + line
    perf = match.groupdict()
    theirs = {"pid": perf["pid"], "tid": perf["tid"], "ip": hex(int(perf["ip"], 16))}
    if perf["cpu"]:
        theirs["cpu"] = str(int(perf["cpu"]))
    if perf["s"]:
        theirs["time"] = str(int(perf["s"]) * 10 ** 9 + int(perf["ns"]))
    if perf["period"]:
        theirs["period"] = perf["period"]
    # perf prints the thread's name, readperf the process's; without a name both print a number
    if row["pid"] == row["tid"] and row["comm"] != "[unknown]":
        theirs["comm"] = perf["comm"].strip()
    # where both have a name
    if perf["symbol"] != "[unknown]" and not row["function"].startswith("["):
        theirs["function"] = perf["symbol"]
    ours = {key: recorded(row[key]) for key in theirs}
    return "" if ours == theirs else f"perf {theirs}, readperf {ours}"


with open(sys.argv[1], encoding="utf-8", errors="replace", newline="") as file:
    ROWS = list(csv.DictReader(file))
LINES = perf_lines(sys.argv[2], sys.argv[3])
# of a group read perf prints a line, and samples.csv has a row for each member
RECORDS = list({row["nr"]: row for row in reversed(ROWS)}.values())[::-1] if len(LINES) != len(ROWS) else ROWS
if len(LINES) != len(RECORDS):
    print(f"perf has {len(LINES)} samples, readperf {len(ROWS)}")
for pair in zip(LINES, RECORDS):
    wrong = difference(*pair)
    if wrong:
        print(wrong[:400])
        break
