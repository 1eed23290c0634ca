#!/usr/bin/python3
"""Compares the samples of ARM SPE with what perf script makes of the same recording.

usage: check.py SAMPLES.CSV PERF-INSTRUCTIONS PERF-MEMORY
The second is perf script --itrace=i1i, a line for each operation; the third --itrace=M, which has data addresses. Both with
-F tid,cpu,time,ip,addr,weight,phys_addr,data_src. perf 6.1 gives no level to data of another socket, which later ones
call a remote cache, as readperf does. Of a trace with damage perf makes a sample of each part of a record in addition."""

import csv
import re
import sys

LINE = re.compile(r"^\s*(-?\d+)\s+\[(\d+)\]\s+(\d+)\.(\d+):\s+([0-9a-f]+)\s+([0-9a-f]+)\s+(\|.*?)\s+(\d+)\s+([0-9a-f]+)\s+([0-9a-f]+)\s*$")


def words(source):
    source = source.strip("| ").replace("BLK  N/A", "BLK N/A")
    source = source.replace("LVL N/A or N/A", "LVL N/A")
    return re.sub(r"LVL (Remote |[^|]*Remote Cache)[^|]*", "LVL Remote", source)


def of_perf(path, address):
    rows = []
    for line in open(path):
        match = LINE.match(line)
        if not match:
            sys.exit(f"{path}: not understood: {line.strip()}")
        tid, cpu, seconds, rest, addr, bits, source, weight, ip, _ = match.groups()
        row = (int(seconds) * 10**9 + int(rest.ljust(9, "0")), int(cpu), int(tid), int(ip, 16), int(weight))
        row += (words(source) if int(bits, 16) else "",)
        rows.append(row + (int(addr, 16),) if address else row)
    return sorted(rows)


def of_readperf(path, address):
    rows = []
    for line in csv.DictReader(open(path)):
        row = (int(line["time"]), int(line["cpu"]), int(line["tid"]), int(line["ip"], 16), int(line["weight"]))
        row += (words(line["data_source"]),)
        if address and not line["data_address"]:
            continue
        rows.append(row + (int(line["data_address"], 16),) if address else row)
    return sorted(rows)


def main():
    samples, instructions, memory = sys.argv[1:]
    for path, address in (instructions, False), (memory, True):
        perf, ours = of_perf(path, address), of_readperf(samples, address)
        if "broken" in samples:
            perf = [row for row in perf if row in set(ours)]
        if perf != ours:
            odd = [f"perf {a}, readperf {b}" for a, b in zip(perf, ours) if a != b]
            sys.exit(f"{len(perf)} and {len(ours)} samples; {odd[0] if odd else ''}")
        if len(perf) < 100:
            sys.exit(f"only {len(perf)} samples in {path}")


main()
