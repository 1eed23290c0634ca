#!/usr/bin/env python3
"""Whether the tables of one run add up.

sums.py FILE             reads lines NAME, LIST, KEYS, FOLDER and CHECKS, separated by tabs, and prints a line for each
                         check: NAME, a tab, and what is wrong, if anything is. FOLDER has the tables of FILE with
                         --intervals=LIST --by=latency=KEYS. CHECKS are of: pairs, which compares with pairs.py, and:
sums                     intervals.csv, latency.csv, events.csv, results.csv, calltree.csv, groups.csv (of any keys) and
                         the folded stacks have the same sums for each event made of intervals, as far as they are there
chains                   the stacks of intervals in calltree.csv are those that perf script shows for the records
                         that began them, without the frames that the rules cut off
"""
import os
import re
import subprocess
import sys
from collections import defaultdict

import pairs
import rawrecords
import tracefields


def table(folder, name):
    return pairs.read_table(folder, name) if os.path.exists('%s/%s.csv' % (folder, name)) else None


def per_event(rows, count, total):
    sums = defaultdict(lambda: [0, 0])
    for row in rows:
        sums[row['event']][0] += int(row[count] or 0)
        sums[row['event']][1] += int(row[total] or 0)
    return sums


def check_sums(folder, wrong):
    intervals = table(folder, 'intervals')
    events = {row['event']: row for row in table(folder, 'events') if row['type'] == 'interval'}
    done = [row for row in intervals if row['duration']]
    sums = defaultdict(lambda: [0, 0])
    for row in done:
        sums[row['event']][0] += 1
        sums[row['event']][1] += int(row['duration'])
    for event, row in events.items():
        if event != 'wall' and [int(row['selected_samples']), int(row['selected_period'])] != sums[event]:
            wrong.add('events.csv', '%s: %s, but intervals.csv has %s' % (event, row, sums[event]))
        if int(row['samples']) < int(row['selected_samples']) or int(row['total_period']) < int(row['selected_period']):
            wrong.add('events.csv', '%s: more is selected than there is' % event)
    for name, count, total in (('latency', 'count', 'total'), ('results', 'samples', 'period'),
                               ('calltree', 'samples', 'period'), ('groups', 'samples', 'period')):
        rows = table(folder, name)
        if rows is None:
            continue
        found = per_event(rows, count, total)
        for event in events:
            if event != 'wall' and found[event] != sums[event]:
                wrong.add(name + '.csv', '%s: %s, but intervals.csv has %s' % (event, found[event], sums[event]))
    latency = table(folder, 'latency')
    if latency is not None:
        left = defaultdict(int)
        for row in intervals:
            left[row['event']] += not row['duration']
        for event in events:
            found = sum(int(row['unfinished']) for row in latency if row['event'] == event)
            if found != left[event]:
                wrong.add('latency.csv', '%s: %d unfinished, but intervals.csv has %d' % (event, found, left[event]))
    for event in events:
        path = '%s/folded-%s.txt' % (folder, event.replace(':', '_'))
        if os.path.exists(path):
            found = sum(int(line.rsplit(' ', 1)[1]) for line in open(path, encoding='utf-8', errors='replace'))
            if found != sums[event][1]:
                wrong.add('folded', '%s: %d, but intervals.csv has %d' % (event, found, sums[event][1]))
    check_places(folder, done, events, wrong)
    check_bounds(done, wrong)


def check_bounds(done, wrong):
    """No thread is in more than one syscall, state or CPU at a time, and no CPU does more than one thing."""
    if not done:
        return
    wall = max(int(row['time']) + int(row['duration']) for row in done) - min(int(row['time']) for row in done)
    sums = defaultdict(int)
    for row in done:
        if row['event'] in ('syscall', 'off-cpu', 'wait', 'on-cpu'):
            sums[row['event'], 'tid', row['tid']] += int(row['duration'])
        if row['event'] in ('on-cpu', 'idle') and row['cpu'] == row['end_cpu']:
            sums['on-cpu and idle', 'cpu', row['cpu']] += int(row['duration'])
        if row['event'] in ('irq', 'softirq'):
            sums[row['event'], row['what'], row['cpu']] += int(row['duration'])
    for key, value in sums.items():
        if value > wall:
            wrong.add('more than wall time', '%s: %d of %d ns' % (' '.join(key), value, wall))


def check_places(folder, done, events, wrong):
    places, frames = defaultdict(int), defaultdict(int)
    for row in done:
        places[row['event'], row['function'], row['binary']] += int(row['duration'])
        frames[row['event'], row['frame']] += int(row['duration'])
    results = table(folder, 'results')
    if results is not None:
        found = defaultdict(int)
        for row in results:
            if row['event'] in events and row['event'] != 'wall':
                found[row['event'], row['function'], row['binary']] += int(row['period'])
        for key in set(places) | {key for key in found if found[key]}:
            if places[key] != found[key]:
                wrong.add('results.csv by function', '%s: %d, but intervals.csv has %d' % (
                    key, found[key], places[key]))
    calls = table(folder, 'calltree')
    if calls is None:
        return
    for row in calls:
        key = row['event'], row['frame']
        if row['event'] in events and row['event'] != 'wall' and int(row['period']) != frames.pop(key, 0):
            wrong.add('calltree.csv by frame', '%s' % row)
    for key, value in frames.items():
        if value:
            wrong.add('calltree.csv by frame', '%s is not there' % (key,))


# stacks

def of_perf(path):
    """
    The chains that perf script shows of the programs recorded, innermost frame first, by event, time and CPU: the
    files of others may change meanwhile.
    """
    text = subprocess.run(['perf', 'script', '-i', path, '--ns', '--comms', 'load,dd,rm,ls,busy,true', '-F', 'cpu,time,event,ip,sym'],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.decode('utf-8', 'replace')
    chains = defaultdict(list)
    for block in text.split('\n\n'):
        lines = block.strip('\n').split('\n')
        head = re.match(r'\s*\[(\d+)\]\s+(\d+)\.(\d{9}):\s+(\S+):', lines[0])
        if head:
            frames = [re.match(r'\s*([0-9a-f]+) (.*?)(?: \(inlined\))?$', line) for line in lines[1:]]
            chains[int(head[2] + head[3]), int(head[1])].append((head[4], [
                (int(frame[1], 16), frame[2]) for frame in frames if frame]))
    return chains


def check_stacks(folder, path, wrong):
    world = rawrecords.read(path)[0]
    kallsyms, by_number, chains = tracefields.kernel_symbols(), {rec.nr: rec for rec in world}, of_perf(path)
    names, _ = tracefields.full_names(path)
    calls = {row['frame']: row for row in table(folder, 'calltree')}
    checked = defaultdict(int)
    for row in table(folder, 'intervals'):
        rec = by_number.get(int(row['nr'])) if row['nr'] else None
        if not rec or not row['frame'] or rec.kind != rawrecords.SAMPLE or not rec.chain:
            continue
        found, frame = [], calls[row['frame']]
        while frame:
            if frame['function'] != '[cut]':
                found.append(frame['function'])
            frame = calls.get(frame['parent'])
        chain = next((frames for event, frames in chains[rec.time, rec.cpu] if event == names[rec.config]), None)
        if chain is None:
            continue
        if len(found) != row_depth(calls[row['frame']], calls):
            wrong.add('calltree.csv', 'the depth of %s' % calls[row['frame']])
        checked[row['event']] += 1
        # perf does not show all outermost frames that are nowhere
        compare_stack(row, found, complete(chain, rec.chain), kallsyms, wrong)
    if not checked:
        wrong.add('stacks', 'none was compared')
    if os.environ.get('PAIRS_COUNT'):
        print('stacks compared:', dict(checked), file=sys.stderr)


def row_depth(row, calls):
    depth, cut = int(row['depth']) + 1, 0
    while row:
        cut += row['function'] == '[cut]'
        row = calls.get(row['parent'])
    return depth - cut


def complete(chain, recorded):
    """(in the kernel, address, perf's name) of all recorded addresses."""
    frames, kernel = [], False
    for address in recorded:
        if address >= (1 << 64) - 4096:
            kernel = address == (1 << 64) - 128
        else:
            frames.append((kernel, address, chain[len(frames)][1] if len(frames) < len(chain) else '[unknown]'))
    return frames


def compare_stack(row, found, chain, kallsyms, wrong):
    if row['event'] in ('on-cpu', 'idle'):
        if len(found) != 1:
            wrong.add('stack of ' + row['event'], '%s' % found)
        return
    expected = list(chain)
    if row['event'] == 'syscall':
        expected = [frame for frame in expected if not frame[0]]
        if not expected:
            expected = [(False, 0, '[unknown]')]
    else:
        while expected and expected[0][0] and kallsyms.waits(expected[0][1]):
            expected.pop(0)
    if row['event'] in ('work', 'work-wait', 'alloc') and row['what'] not in ('', '[unknown]'):
        # the place is the function that the record names; the frames from there outwards follow
        if not found or found[0] != row['what']:
            wrong.add('place of ' + row['event'], '%s is not %s' % (found[:1], row['what']))
            return
        rest = found if row['event'] == 'alloc' else found[1:]
        expected = expected[len(expected) - len(rest):] if rest else []
        found = rest
    if len(found) != len(expected):
        wrong.add('stack of %s: %d frames instead of %d' % (row['event'], len(found), len(expected)),
                  '%s; perf: %s' % (found, expected))
        return
    for mine, (kernel, address, theirs) in zip(found, expected):
        names = {theirs}
        if kernel:
            # a call may be the last instruction of a function
            names |= kallsyms.at(address) | kallsyms.at(address - 1)
        # perf names some jumps into other files by the function before them
        elif (theirs == '[unknown]' or mine in ('[unknown]', '.plt') or mine.endswith('@plt')
              or mine.startswith('[function at')):
            continue
        if mine not in names and (kernel or not alike(mine, names)):
            wrong.add('frame of ' + row['event'], '%s instead of %s' % (mine, names))


def alike(mine, names):
    """Whether two names can be those of one function of the C library, which has many for some."""
    def bare(name):
        return re.sub(r'^(__GI_|__libc_|_)*|64$|_nocancel$|[@(].*', '', name)
    return any(bare(mine) in bare(name) or bare(name) in bare(mine) for name in names)


def main():
    path = sys.argv[1]
    for line in sys.stdin:
        name, lists, keys, folder, checks = line.rstrip('\n').split('\t')
        for check in checks.split():
            wrong = pairs.Complaints()
            if check == 'pairs':
                text = pairs.compare(path, lists, folder, keys.split(','))
            else:
                check_sums(folder, wrong) if check == 'sums' else check_stacks(folder, path, wrong)
                text = wrong.text()
            print('%s%s\t%s' % (name, '' if check == 'pairs' else '/' + check, text))


main()
