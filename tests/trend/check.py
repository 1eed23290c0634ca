#!/usr/bin/env python3
"""Series drawn at random: every cut of --trend is that of reference.py, and every scale.

usage: tests/trend/check.py READPERF [SERIES [SEED]]

Versions of one to three runs, some of them gaps; functions whose costs step up and down, begin, or end; outliers.
Prints what differs.
"""
import csv, math, os, random, subprocess, sys, tempfile
sys.dont_write_bytecode = True
import reference

PERIOD = 1000

def draw(chance):
    """Versions, which are lists of runs: function -> samples."""
    versions = chance.randint(4, 30)
    per = chance.choice((0, 0, 1, 2, 3))
    noise = chance.choice((0.0, 0.03, 0.1))
    ending = chance.random() < 0.5
    levels = {}
    for number in range(chance.choice((4, 12, 25, 45))):
        level, course = math.exp(chance.gauss(4, 1.3)), []
        for _ in range(versions):
            if chance.random() < 0.03:
                level *= chance.choice((0.3, 0.6, 0.8, 1.06, 1.3, 1.5, 2.5))
            course.append(level)
        if chance.random() < 0.06:
            at = chance.randrange(versions)
            # only one of both, so that none looks renamed
            course[at:] = [0] * (versions - at) if ending else course[at:]
            course[:at] = course[:at] if ending else [0] * at
        levels[f"f{number}", "app"] = course
    drawn = []
    for version in range(versions):
        runs = []
        for _ in range(per or chance.randint(1, 3)):
            speed, run = math.exp(chance.gauss(0, 0.1)), {}
            for name, course in levels.items():
                mean = course[version] * speed * math.exp(chance.gauss(0, noise))
                mean *= chance.choice((3, 0.2)) if chance.random() < 0.004 else 1
                count = max(0, round(chance.gauss(mean, math.sqrt(mean))))
                if count:
                    run[name] = count
            runs.append(run)
        drawn.append(runs if chance.random() > 0.03 and all(runs) else [])
    return drawn

def write_run(folder, run):
    os.makedirs(folder)
    total = sum(run.values())
    with open(folder + "/results.csv", "w") as table:
        table.write("period,samples,source_file,function,binary,event,percent,symbols\n")
        for (function, binary), samples in sorted(run.items(), key=lambda item: -item[1]):
            table.write(f"{samples * PERIOD},{samples},,{function},/bin/{binary},cpu-clock,"
                        f"{100 * samples / total:.4f},symtab\n")
    with open(folder + "/events.csv", "w") as table:
        table.write("event,type,config,period,frequency,sample_type,ids,samples,total_period,lost\n"
                    f"cpu-clock,software,0x0,{PERIOD},,IP|TID|TIME,1,{total},{total * PERIOD},0\n")

def read(path):
    with open(path, newline="") as table:
        return list(csv.DictReader(table))

def compare(readperf, versions):
    """What differs between readperf's cuts and scales and those of the reference."""
    with tempfile.TemporaryDirectory() as folder:
        names = [f"{folder}/v{number:02}" for number in range(len(versions))]
        for name, runs in zip(names, versions):
            os.mkdir(name)
            for i, run in enumerate(runs):
                write_run(f"{name}/{i}", run)
        status = subprocess.run([readperf, "-q", "-o", folder + "/out", "--trend", *names],
                                stderr=subprocess.PIPE, text=True)
        if status.returncode not in (0, 3):
            return f"status {status.returncode}: {status.stderr}"
        cuts = {}
        for row in read(folder + "/out/trend.csv"):
            cuts.setdefault(row["function"], []).append(names.index(row["run"]))
        cuts = {name: sorted(places) for name, places in cuts.items()}
        scales = {row["file"]: float(row["scale"]) for row in read(folder + "/out/series.csv")}
        # gaps have no number in the reference
        there = [number for number, runs in enumerate(versions) if runs]
        trend = reference.Trend([versions[number] for number in there])
        expected = {name if name == "[total]" else name[0]: [there[at] for at in places]
                    for name, places in trend.all_cuts().items()}
        if cuts != expected:
            return f"cuts {cuts}, expected {expected}"
        for i, number in enumerate(trend.version_of):
            first = trend.version_of.index(number)
            scale = scales[f"{names[there[number]]}/{i - first}"]
            wanted = math.exp(trend.logs["[total]"][i]) / (trend.counts["[total]"][i] + 0.5)
            if abs(scale / wanted - 1) > 1e-7:
                return f"scale {scale} of run {i}, expected {wanted}"
    return len(sum(cuts.values(), []))

def main():
    readperf = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    found = 0
    for seed in range(first, first + count):
        versions = draw(random.Random(seed))
        if sum(map(bool, versions)) < 2:
            continue
        result = compare(readperf, versions)
        if isinstance(result, str):
            sys.exit(f"series {seed}: {result[:600]}")
        found += result
    if not found:
        sys.exit("no series had a cut")
    print(f"{count} series with {found} cuts", file=sys.stderr)

main()
