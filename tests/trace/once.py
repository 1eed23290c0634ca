#!/usr/bin/env python3
"""A recording that is read once as far as the order of its rounds goes, and twice where that breaks.

once.py READPERF FOLDER: makes recordings of two ring buffers and FINISHED_ROUND records, and compares -t trace,samples with the rows
that it has put in order itself. Prints "ok once/NAME" or "FAIL once/NAME: why" for each.
"""
import csv, os, shutil, struct, subprocess, sys

from hostile import format_of, tracing

FIRST, ROUNDS, OF_A_RING, ROUND_TIME = 10**12, 100, 500, 10**6
SAMPLE_TYPE = 1 << 16 | 1 << 1 | 1 << 2 | 1 << 7 | 1 << 10  # IDENTIFIER TID TIME CPU RAW


def sample(time, cpu, value):
    raw = struct.pack("<HBBii", 5, 0, 0, 7, value) + b"\0" * 24  # longer than its format, which is no damage
    body = struct.pack("<QiiQII", 100, 7, 7, time, cpu, 0) + struct.pack("<I", len(raw)) + raw
    return struct.pack("<IHH", 9, 1, 8 + len(body)) + body


def comm(time, name):
    body = struct.pack("<ii16s", 7, 7, name) + struct.pack("<iiQIIQ", 7, 7, time, 0, 0, 100)
    return struct.pack("<IHH", 3, 0, 8 + len(body)) + body


def recording(records, last):
    """records: bytes. last: what SAMPLE_TIME says; 0: it is missing."""
    attr_size, header = 112, 104
    ids = struct.pack("<Q", 100)
    attr = struct.pack("<IIQQQQQ", 2, attr_size, 5, 1, SAMPLE_TYPE, 0, 1 << 18).ljust(attr_size, b"\0") + struct.pack("<QQ", header, 8)
    data_at = header + 8 + len(attr)
    features = {1: tracing([("my", format_of("event", 5))])}
    if last:
        features[21] = struct.pack("<QQ", FIRST, last)
    at = data_at + len(records) + 16 * len(features)
    sections = b""
    for number in sorted(features):
        sections += struct.pack("<QQ", at, len(features[number]))
        at += len(features[number])
    return (b"PERFILE2" + struct.pack("<QQQQQQQQQ", header, attr_size + 16, header + 8, len(attr), data_at, len(records), 0, 0,
                                      sum(1 << number for number in features)) + b"\0" * 24 + ids + attr + records + sections +
            b"".join(features[number] for number in sorted(features)))


def rings(odd):
    """Records, and their (time, position, cpu, value); odd: what stands behind the samples of a round near the end."""
    out, rows, nr = [comm(0, b"prog")], [], 1
    for round in range(ROUNDS):
        for i in range(2 * OF_A_RING):
            cpu = i // OF_A_RING
            time = FIRST + round * ROUND_TIME + i % OF_A_RING * (ROUND_TIME // OF_A_RING) + cpu * 7000
            rows.append((time, nr, cpu, nr))
            out.append(sample(time, cpu, nr))
            nr += 1
        if round == ROUNDS - 2 and odd == "late":
            rows.append((FIRST + 5, nr, 1, nr))
            out.append(sample(FIRST + 5, 1, nr))
            nr += 1
        elif round == ROUNDS - 2 and odd == "comm":
            out.append(comm(0, b"other"))
            nr += 1
        elif round == ROUNDS - 2 and odd == "loss":
            out.append(struct.pack("<IHHQiiQIIQ", 13, 0, 48, 99, 7, 7, 0, 0, 0, 100))
            nr += 1
        elif round == ROUNDS - 2 and odd == "short":
            # a sample that is cut off within its fields, and then one that is late
            out.append(struct.pack("<IHHQiiQ", 9, 1, 32, 100, 7, 7, FIRST + 9))
            nr += 1
        out.append(struct.pack("<IHH", 68, 0, 8))
        nr += 1
    return b"".join(out), sorted(rows)


def expected_order(records):
    """The positions of the kernel's records: first those without a time, then by time."""
    keys, at, nr = [], 0, 0
    while at < len(records):
        kind, _, size = struct.unpack_from("<IHH", records, at)
        if kind < 64:
            time_at = at + 24 if kind == 9 else at + size - 24
            keys.append((struct.unpack_from("<Q", records, time_at)[0], nr))
        at, nr = at + size, nr + 1
    return [nr for _, nr in sorted(keys)]


def check(readperf, name, odd, last, options):
    records, rows = rings(odd)
    open(name + ".data", "wb").write(recording(records, last))
    shutil.rmtree("out", ignore_errors=True)
    run = subprocess.run([readperf, "-q", "-t", "trace,samples", "-o", "out", *options, name + ".data"], capture_output=True, text=True,
                         errors="replace")
    if run.returncode != (3 if odd == "short" else 0):
        return "status %d: %s" % (run.returncode, run.stderr)
    if odd == "short" and run.stderr.count("at 0x") != 1:
        return "the damage is not said once: " + run.stderr
    if sorted(os.listdir("out")) != ["about.csv", "samples.csv", "trace-my-event.csv"]:
        return "files: %s" % os.listdir("out")
    traced = [(int(row["time"]), int(row["cpu"]), int(row["value"])) for row in csv.DictReader(open("out/trace-my-event.csv"))]
    sampled = [(int(row["time"]), int(row["nr"]), int(row["cpu"])) for row in csv.DictReader(open("out/samples.csv"))
               if row["binary"] != "[damaged]"]
    if traced != [(time, cpu, value) for time, _, cpu, value in rows]:
        return "%d rows of the trace, expected %d, first difference at %s" % (
            len(traced), len(rows), next((i for i, (a, b) in enumerate(zip(traced, rows)) if a[2] != b[3]), "the end"))
    if sampled != [(time, nr, cpu) for time, nr, cpu, _ in rows]:
        return "samples.csv differs"
    comms = {row["comm"] for row in csv.DictReader(open("out/samples.csv")) if row["tid"]}
    if comms != {"other" if odd == "comm" else "prog"}:
        return "names %s: what has no time comes first" % comms
    line = subprocess.run([readperf, "-q", "-t", "trace", "-o", "-", *options, name + ".data"], capture_output=True, text=True).stdout
    if line != open("out/trace-my-event.csv").read():
        return "-o - differs"
    run = subprocess.run([readperf, "-q", "-t", "overview", "-o", "-", *options, name + ".data"], capture_output=True, text=True)
    shown = [int(row["nr"]) for row in csv.DictReader(run.stdout.splitlines())]
    with open(name + ".data", "rb") as file:
        given = subprocess.run([readperf, "-q", "-t", "overview", "-o", "-", *options, "-"], stdin=file, capture_output=True, text=True)
    if given.stdout != run.stdout:
        return "as standard input: status %d, %s" % (given.returncode, given.stderr)
    again = "read again" in subprocess.run([readperf, "-qv", "-t", "results", "-o", "out", *options, name + ".data"], capture_output=True, text=True).stderr
    if again != (last > 0 and odd in ("late", "comm", "short")):
        return "it was %sread again" % ("" if again else "not ")
    return "" if shown == expected_order(records) else "overview.csv: %d rows in another order" % len(shown)


def main():
    readperf, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    for name, odd, last in (("ordered", "", FIRST + ROUNDS * ROUND_TIME), ("late", "late", FIRST + ROUNDS * ROUND_TIME),
                            ("untimed", "comm", FIRST + ROUNDS * ROUND_TIME), ("loss", "loss", FIRST + ROUNDS * ROUND_TIME), ("damaged", "short", FIRST + ROUNDS * ROUND_TIME),
                            ("no-times", "late", 0)):
        for options in ([], ["-j1"]):
            why = check(readperf, name, odd, last, options)
            print("FAIL once/%s%s: %s" % (name, "".join(options), why) if why else "ok once/%s%s" % (name, "".join(options)))


if __name__ == "__main__":
    main()
