"""How many threads ran at each sample of a clock, from the raw SWITCH and EXIT records alone, against groups.csv.

usage: parallel.py RECORDING PERIOD FOLDER FOLDER-WEIGHED    PERIOD: of each sample
The folders have groups.csv of --by=parallelism,tid, the second with --weight=wall. Prints what differs.
"""
import collections
import csv
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rawrecords

EXIT, FORK, SAMPLE, SWITCH, SWITCH_CPU_WIDE, OUT = 4, 7, 9, 14, 15, 0x2000


def counts(path, period):
    samples, wall, running, ended = collections.Counter(), collections.Counter(), {}, set()
    for record in rawrecords.read(path)[0]:
        if record.kind in (SWITCH, SWITCH_CPU_WIDE):
            if record.misc & OUT:
                running.pop(record.tid, None)
            else:  # of a thread that has ended the switch out tells no number
                running = {tid: cpu for tid, cpu in running.items() if cpu != record.cpu or cpu < 0}
                if record.tid > 0 and record.tid not in ended:
                    running[record.tid] = record.cpu
        elif record.kind == EXIT:
            ended.add(struct.unpack_from("<4i", record.payload)[2])
            running.pop(struct.unpack_from("<4i", record.payload)[2], None)
        elif record.kind == FORK:
            ended.discard(struct.unpack_from("<4i", record.payload)[2])
        elif record.kind == SAMPLE and record.raw == b"":
            now = len(running.keys() | ({record.tid} if record.tid > 0 else set()))
            key = (str(now) if now else "", str(record.tid))
            samples[key] += 1
            wall[key] += period // max(now, 1)
    return samples, wall


def rows(folder, column):
    with open(os.path.join(folder, "groups.csv"), newline="") as file:
        return {(row["parallelism"], row["tid"]): int(row[column]) for row in csv.DictReader(file) if row["event"].startswith("cpu-clock")}


def main():
    samples, wall = counts(sys.argv[1], int(sys.argv[2]))
    for name, expected, found in (("samples", samples, rows(sys.argv[3], "samples")), ("wall", wall, rows(sys.argv[4], "period"))):
        for key in sorted(expected.keys() | found.keys()):
            if expected.get(key) != found.get(key):
                print("%s of parallelism %s, tid %s: %s, expected %s" % (name, *key, found.get(key), expected.get(key)))
    if len(samples) < 2:
        print("only %d rows" % len(samples))


main()
