# Compares the tables of the slices of a stream with those of one run over the same stream as a file.
# usage: compare.py READPERF STREAM DIR whole|each
#   whole  results.csv of all slices added up, and stat.csv of kernel records, are those of the file
#   each   results.csv and processes.csv of each slice are those of the file with --time=@START-END
# Prints what differs.
import csv, glob, os, subprocess, sys, tempfile

readperf, stream, folder, what = sys.argv[1:5]


def rows(path):
    with open(path, newline='') as file:
        return list(csv.DictReader(file))


def results(path):
    sums = {}
    for row in rows(os.path.join(path, 'results.csv')):
        key = (row['event'], row['binary'], row['function'], row['source_file'], row['symbols'])
        old = sums.get(key, (0, 0))
        sums[key] = (old[0] + int(row['samples']), old[1] + int(row['period']))
    return sums


# Processes with samples: the others are those that ran in the slice, or in the whole file. Their last names may be of a
# later slice.
def processes(path):
    return sorted((row['pid'], row['event'], row['samples'], row['period'], row['ppid'])
                  for row in rows(os.path.join(path, 'processes.csv')) if int(row['samples']))


def stat(path):
    return {row['record']: (int(row['count']), int(row['bytes'])) for row in rows(os.path.join(path, 'stat.csv'))
            if not row['record'].startswith(('HEADER_', 'FINISHED_', 'AUXTRACE', 'EVENT_UPDATE', 'THREAD_MAP', 'CPU_MAP',
                                             'TIME_CONV', 'ID_INDEX', 'STAT', 'COMPRESSED'))}


def add(into, other):
    for key, (a, b) in other.items():
        old = into.get(key, (0, 0))
        into[key] = (old[0] + a, old[1] + b)


def of_file(*options):
    out = tempfile.mkdtemp(dir='.')
    done = subprocess.run([readperf, '-q', '--kallsyms=kernel', '-o', out, *options, stream], stderr=subprocess.PIPE)
    return out, done


def differences(name, one, other):
    for key in sorted(set(one) | set(other)):
        if one.get(key) != other.get(key):
            print(f'{name}: {key}: slices {one.get(key)}, file {other.get(key)}')


slices = sorted(glob.glob(os.path.join(folder, 'start=*')))
if not slices:
    print('no slices')
if what == 'whole':
    counted, records = {}, {}
    for path in slices:
        add(counted, results(path))
        add(records, stat(path))
    out, _ = of_file('-t', 'stat,results')
    differences('results', counted, results(out))
    differences('stat', records, stat(out))
else:
    for path in slices:
        about = {row['key']: row['value'] for row in rows(os.path.join(path, 'about.csv'))}
        out, done = of_file('-t', 'results,processes', f'--time=@{about["start"]}-{about["end"]}')
        if done.returncode == 1 and b'leaves no sample' in done.stderr:
            if results(path):
                print(f'{os.path.basename(path)}: samples, but none in the file')
            continue
        differences(os.path.basename(path), results(path), results(out))
        mine, theirs = processes(path), processes(out)
        for row in sorted(set(mine) ^ set(theirs)):
            print(f'{os.path.basename(path)}: processes: {row} only in {"slices" if row in mine else "file"}')
