#!/usr/bin/env python3
"""Intervals from the raw records of a recording, for comparison with intervals.csv and latency.csv.

pairs.py FILE LIST                     prints all intervals as CSV
pairs.py FILE LIST compare FOLDER      prints how readperf's intervals.csv and latency.csv differ; "" if they do not
pairs.py FILE LIST compare FOLDER KEY,...   the same, where latency.csv was written with --by=latency=KEY,...

LIST is that of --intervals, without kvm and wall; several are separated by blanks. Written from the rules alone, with no line of
readperf's. Pairs are looked for by going through all records with a list of what is open.
"""
import csv
import errno
import functools
import os
import re
import struct
import sys
from collections import defaultdict
from fnmatch import fnmatchcase

import rawrecords
import sched
from tracefields import formats_of, full_names, functions_of, kernel_symbols, syscall_names

THREAD, CPU, FIELDS = 'thread', 'cpu', 'fields'
REPLACES, FIRST, NESTS = 'replaces', 'first counts', 'nests'

# list, event, begins, ends, joined by, keys, second begin, what, result
RULES = [
    ('syscalls', 'syscall', ['raw_syscalls:sys_enter'], ['raw_syscalls:sys_exit'], THREAD, [], REPLACES,
     ('syscall', 'id'), 'ret'),
    ('syscalls', 'syscall', ['syscalls:sys_enter_*'], ['syscalls:sys_exit_*'], THREAD, [], REPLACES,
     ('syscall', '__syscall_nr'), 'ret'),
    ('locks', 'lock', ['lock:contention_begin'], ['lock:contention_end'], THREAD, ['lock_addr'], FIRST,
     ('lock', 'flags'), 'ret'),
    ('irq', 'irq', ['irq:irq_handler_entry'], ['irq:irq_handler_exit'], CPU, ['irq'], REPLACES, ('text', 'name'), 'ret'),
    ('irq', 'softirq', ['irq:softirq_entry'], ['irq:softirq_exit'], CPU, ['vec'], REPLACES, ('text', 'vec'), None),
    ('irq', 'softirq-wait', ['irq:softirq_raise'], ['irq:softirq_entry'], CPU, ['vec'], FIRST, ('text', 'vec'), None),
    ('work', 'work', ['workqueue:workqueue_execute_start'], ['workqueue:workqueue_execute_end'], THREAD, ['work'],
     REPLACES, ('function', 'function'), None),
    ('work', 'work-wait', ['workqueue:workqueue_queue_work'], ['workqueue:workqueue_execute_start'], FIELDS, ['work'],
     FIRST, ('function', 'function'), None),
    ('work', 'work-wait', ['workqueue:workqueue_activate_work'], ['workqueue:workqueue_execute_start'], FIELDS,
     ['work'], FIRST, ('function', 'function'), None),
    ('block', 'block', ['block:block_rq_issue'], ['block:block_rq_complete'], FIELDS, ['dev', 'sector'], REPLACES,
     ('text', 'rwbs'), 'error'),
    ('block', 'block-queue', ['block:block_rq_insert'], ['block:block_rq_issue'], FIELDS, ['dev', 'sector'], FIRST,
     ('text', 'rwbs'), None),
    ('block', 'block-io', ['block:block_io_start'], ['block:block_io_done'], FIELDS, ['dev', 'sector'], REPLACES,
     ('text', 'rwbs'), None),
    ('memory', 'alloc', ['kmem:kmalloc', 'kmem:kmalloc_node', 'kmem:kmem_cache_alloc', 'kmem:kmem_cache_alloc_node'],
     ['kmem:kfree', 'kmem:kmem_cache_free'], FIELDS, ['ptr'], REPLACES, ('caller', 'call_site'), None),
    ('memory', 'page', ['kmem:mm_page_alloc'], ['kmem:mm_page_free'], FIELDS, ['pfn'], REPLACES, ('order', 'order'),
     None),
]
USED = {glob for rule in RULES for globs in rule[2:4] for glob in globs} | {
    'sched:sched_switch', 'sched:sched_waking', 'sched:sched_wakeup', 'sched:sched_wakeup_new', 'kvm:kvm_exit',
    'kvm:kvm_entry'}
OTHER_THREAD = ['*:block_io_*', '*:clk_*', '*:dma_fence_*']
PARTNERS = [('_enter', ['_exit']), ('_entry', ['_exit']), ('_begin', ['_end']),
            ('_start', ['_end', '_done', '_complete']), ('', ['__return'])]
LOCKS = {1: 'spinlock', 3: 'rwlock:R', 5: 'rwlock:W', 2: 'rwsem:R', 4: 'rwsem:W', 8: 'rtmutex', 10: 'rtmutex:R',
         12: 'rtmutex:W', 18: 'percpu-rwsem:R', 20: 'percpu-rwsem:W', 32: 'mutex', 33: 'mutex'}
RESTARTS = {512: 'ERESTARTSYS', 513: 'ERESTARTNOINTR', 514: 'ERESTARTNOHAND', 516: 'ERESTART_RESTARTBLOCK'}
ERRORS = {**errno.errorcode, 11: 'EAGAIN', 35: 'EDEADLK', 95: 'EOPNOTSUPP'}  # as the kernel's headers call them
NEVER_RETURN = {'exit', 'exit_group', 'rt_sigreturn'}
MAKE_THREADS = {'clone', 'clone3', 'fork', 'vfork'}


class Pairing:
    def __init__(self, event, joined, keys, second, what, result):
        self.event, self.joined, self.second, self.what, self.result = event, joined, second, what, result
        self.own = False
        self.keys = keys  # (of the begin, of the end)


class Interval:
    def __init__(self, **values):
        self.event = self.what = self.result = self.thread_name = ''
        self.time = self.duration = self.thread = self.cpu = self.end_cpu = self.by = None
        self.nr = self.end_nr = None
        self.by_name = None
        self.error = False
        self.wild = ()  # texts that `what` may be, too
        self.__dict__.update(values)


def name_of(thread):
    return 'swapper' if thread in (None, 'idle') else thread.name


class Pairs(sched.World):
    def __init__(self, path, wanted):
        super().__init__(path)
        self.full, events = full_names(path)
        self.syscalls, self.kallsyms = syscall_names(), kernel_symbols()
        self.texts, self.fields = formats_of(path)
        self.roles = defaultdict(list)  # number of the tracepoint -> (ends, pairing)
        self.made, self.numbers = [], {}
        self.wrote_call = set()
        self.facts = {}
        complete = {c for c, a in events.items() if a and not a.freq and a.period == 1}
        self.has_sched = 'sched' in wanted or 'all' in wanted
        self.plan(wanted, complete)

    # which events

    def matching(self, globs, keys, complete):
        return [c for c, name in sorted(self.full.items()) if any(fnmatchcase(name, g) for g in globs) and
                all(k in self.fields[c] or k in ('tid', 'cpu') for k in keys)]

    def add(self, pairing, begins, ends, complete):
        if not begins or not ends or set(begins + ends) - complete:
            return False
        for number in ends:
            self.roles[number].append((True, pairing))
        for number in begins:
            self.roles[number].append((False, pairing))
        return True

    def plan(self, wanted, complete):
        met = set()
        for which, event, begins, ends, joined, keys, second, what, result in RULES:
            if event in met or which not in wanted and 'all' not in wanted:
                continue
            pairing = Pairing(event, joined, list(zip(keys, keys)), second, what, result)
            if self.add(pairing, self.matching(begins, keys, complete), self.matching(ends, keys, complete), complete):
                met.add(event)
        for own in wanted:
            if '=' in own:
                self.plan_own(own, complete)
        if 'pairs' in wanted or 'all' in wanted:
            self.plan_pairs(complete)
        for roles in self.roles.values():
            roles.sort(key=lambda role: not role[0])

    def plan_own(self, own, complete):
        name, rest = own.split('=', 1)
        begin, rest = rest.split('..', 1)
        match = re.fullmatch(r'([^/:]+(?::[^/:]+)?)(?:/([^:]*))?(?::(.*))?', rest)
        keys = [(k.split('=') * 2)[:2] if '=' in k else [k, k] for k in match[2].split(',')] if match[2] else []
        pairing = Pairing(name, FIELDS if keys else THREAD, keys, REPLACES if keys else NESTS,
                          ('field', match[3]) if match[3] else None, None)
        pairing.own = True
        self.add(pairing, self.matching([begin], [k[0] for k in keys], complete),
                 self.matching([match[1]], [k[1] for k in keys], complete), complete)

    def plan_pairs(self, complete):
        def left_out(name):
            return any(fnmatchcase(name, glob) for glob in USED) or any(fnmatchcase(name, glob) for glob in OTHER_THREAD)
        numbers = {name: c for c, name in self.full.items() if not left_out(name)}
        for name, number in numbers.items():
            for suffix, others in PARTNERS:
                stem = name[:len(name) - len(suffix)]
                if not name.endswith(suffix) or stem.endswith(':'):
                    continue
                end = next((stem + other for other in others if stem + other in numbers), None)
                if end:
                    self.add(Pairing(stem, THREAD, [], NESTS, None, None), [number], [numbers[end]], complete)
                    break

    # what the records say

    def value(self, rec, name):
        field = self.fields[rec.config].get(name)
        return field.value(rec.raw) if field else None

    def key(self, pairing, rec, by, end):
        who = ('idle', rec.cpu) if by == 'idle' else by
        key = [id(pairing)]
        if pairing.joined == THREAD:
            key.append(who)
        elif pairing.joined == CPU:
            key.append(rec.cpu)
        for names in pairing.keys:
            value = self.value(rec, names[end])
            if value is None:
                value = rec.cpu if names[end] == 'cpu' else who
            # pointers and numbers of the same value join, whatever their signs are
            key.append(value % (1 << 64) if isinstance(value, int) else value)
        return tuple(key)

    def what(self, pairing, rec):
        """The text, and all that it may be."""
        if not pairing.what or self.value(rec, pairing.what[1]) is None:
            return '', ()
        kind, name = pairing.what
        field = self.fields[rec.config][name]
        value = field.value(rec.raw)
        if kind == 'field':
            kind = 'function' if name in functions_of(self.texts[rec.config]) else 'text'
        if kind == 'syscall':
            return self.syscalls.get(value, str(value)), ()
        if kind == 'lock':
            known = '"MUTEX"' in self.texts[rec.config]
            return LOCKS.get(value, 'semaphore' if known and not value else 'mutex'), ()
        if kind == 'order':
            return 'order %d' % value, ()
        if kind in ('function', 'caller'):
            names = self.kallsyms.at(value - 1 if kind == 'caller' else value)
            return min(names) if names else '[unknown]', names
        return field.text(rec.raw), ()

    def result(self, pairing, rec, interval):
        value = self.value(rec, pairing.result) if pairing.result else None
        if value is None:
            return
        interval.result = str(value)
        if -4095 <= value < 0:
            word = ERRORS.get(-value) or RESTARTS.get(-value)
            interval.result += ' ' + word if word else ''
            interval.error = -value not in RESTARTS

    # pairing

    def carry(self, old, number, by):
        """exec by another thread than the first: what it has begun goes on under the first one's number."""
        thread = self.kernel.get(old)
        if old == number or not thread:
            return
        for key in [key for key in self.numbers if thread in key]:
            self.numbers[tuple(by if part is thread else part for part in key)] = self.numbers.pop(key)

    def writer(self, rec):
        known = self.kernel.get(self.get(rec, 'common_pid'))
        # a thread still writes records behind its EXIT; with switches its end is the last one
        if known and known.over and 'sched_switch' not in self.sources and (
                rec.tid is None or rec.tid <= 0 or known.tid in (None, rec.tid)):
            by = known
        else:
            by = super().writer(rec)
        if isinstance(by, sched.Thread) and not by.name and by.tid in self.names_of:
            by.name = self.names_of.pop(by.tid)[1]
        if rec.name == 'sched_process_exec':
            self.carry(self.value(rec, 'old_pid'), self.value(rec, 'pid'), by)
        for ends, pairing in self.roles.get(rec.config, ()):
            (self.end_one if ends else self.begin_one)(pairing, rec, by)
        return by

    def is_open(self, key):
        mine = self.numbers.get(key)
        return mine[-1] if mine else None

    def begin_one(self, pairing, rec, by):
        key = self.key(pairing, rec, by, False)
        known = self.is_open(key)
        if known and pairing.second == FIRST:
            return
        if known and pairing.second == REPLACES:
            self.numbers[key].remove(known)
        what, wild = self.what(pairing, rec)
        self.wrote_call.add(by) if pairing.event == 'syscall' else None
        if pairing.event == 'syscall' and what in NEVER_RETURN:
            return
        interval = Interval(event=pairing.event, time=rec.time, thread=by, thread_name=name_of(by), cpu=rec.cpu,
                            what=what, wild=wild, nr=rec.nr)
        interval.order, interval.number = self.order, self.value(rec, (pairing.what or (0, ''))[1])
        self.made.append(interval)
        self.numbers.setdefault(key, []).append(interval)

    def end_one(self, pairing, rec, by):
        key = self.key(pairing, rec, by, True)
        interval = self.is_open(key)
        first = by not in self.wrote_call
        if pairing.event == 'syscall':
            self.wrote_call.add(by)
        if interval:
            self.numbers[key].remove(interval)
            if pairing.event == 'syscall' and interval.number != self.value(rec, pairing.what[1]):
                interval = None
            elif self.was_lost(interval.order, interval.cpu, self.order, rec.cpu):
                return
        if interval:
            interval.duration, interval.end_cpu, interval.end_nr = rec.time - interval.time, rec.cpu, rec.nr
            if pairing.joined != THREAD:
                interval.by, interval.by_name = by, name_of(by)
            self.result(pairing, rec, interval)
            return
        what, wild = self.what(pairing, rec)
        if pairing.event == 'syscall' and (
                what in MAKE_THREADS and first or what in NEVER_RETURN or self.value(rec, pairing.what[1]) == -1):
            return
        if pairing.keys == [('ptr', 'ptr')] and not pairing.own and not self.value(rec, 'ptr'):
            return  # kfree(NULL): nothing was ever allocated
        interval = Interval(event=pairing.event, thread=by, thread_name=name_of(by), what=what, wild=wild,
                            end_nr=rec.nr, end_cpu=rec.cpu)
        if pairing.joined != THREAD:
            interval.by, interval.by_name = by, name_of(by)
        self.result(pairing, rec, interval)
        interval.error = False
        self.made.append(interval)

    # the scheduler's

    def join(self, thread, other):
        joined = super().join(thread, other)
        gone = other if joined is thread else thread
        for key in [key for key in self.facts if key[3] is gone]:
            self.facts[(*key[:3], joined)] = self.facts[key]
        return joined

    def start(self, thread, event, rec, what='', result='', by=None):
        super().start(thread, event, rec, what, result, by)
        self.facts[event, rec.time, rec.cpu, thread] = (thread.name, None if by is None else name_of(by))

    def every(self):
        self.tell()
        rows = list(self.made)
        switches = 'sched_switch' in self.sources or any(rec.kind in (rawrecords.SWITCH, rawrecords.WIDE) for rec in self.records)
        for event, time, end, thread, cpu, end_cpu, what, letters, by in self.intervals if (
                self.has_sched and switches) else ():
            name, _ = self.facts.get((event, time, cpu, thread), ('swapper', None))
            rows.append(Interval(event=event, time=time, duration=None if end is None else end - time,
                                 thread=thread or 'idle', thread_name=name, cpu=cpu, end_cpu=end_cpu, what=what,
                                 result=letters, by=by))
        return rows


# what readperf says

def shown(value):
    return '' if value is None else str(value)


def number_of(thread):
    return '' if thread is None else '0' if thread == 'idle' else str(sched.number_of(thread))


def process_of(thread):
    return '' if thread is None else '0' if thread == 'idle' else shown(thread.pid)


def cells(row):
    """What intervals.csv is to say of it, without what any name of an address can be."""
    return {'event': row.event, 'time': shown(row.time), 'duration': shown(row.duration),
            'pid': process_of(row.thread), 'tid': number_of(row.thread), 'thread': row.thread_name,
            'cpu': shown(row.cpu), 'end_cpu': shown(row.end_cpu), 'result': row.result, 'by_pid': process_of(row.by),
            'by_tid': number_of(row.by), 'by_thread': shown(row.by_name), 'nr': shown(row.nr),
            'end_nr': shown(row.end_nr), 'what': row.what}


SCHED_EVENTS = ('off-cpu', 'wait', 'on-cpu', 'idle')


def identity(row):
    return (row['event'], row['time'], row['tid'], row['cpu'], row['what']) if row['event'] in SCHED_EVENTS else \
        (row['event'], row['nr'], row['end_nr'])


def read_table(folder, name):
    with open('%s/%s.csv' % (folder, name), encoding='utf-8', newline='') as file:
        return list(csv.DictReader(file))


class Complaints:
    def __init__(self):
        self.counts, self.first = defaultdict(int), {}

    def add(self, kind, text):
        self.counts[kind] += 1
        self.first.setdefault(kind, text)

    def text(self):
        return ' '.join('%s (%d): %s;' % (kind, count, self.first[kind]) for kind, count in self.counts.items())


def told(world):
    """When the first record came that tells a thread's process, by tid: one of its own, or its FORK."""
    first = {}
    for rec in world.records:
        tid = struct.unpack_from('<4i', rec.payload)[2] if rec.kind == rawrecords.FORK else rec.tid
        first.setdefault(tid, rec.time)
    return first


def compare_rows(world, rows, ours, wrong):
    first = told(world)
    by_number = {rec.nr: rec for rec in world.records}
    left = defaultdict(list)
    for row in ours:
        left[identity(row)].append(row)
    for row in rows:
        expected = cells(row)
        found = left.get(identity(expected))
        if not found:
            wrong.add('no ' + row.event, ','.join(expected.values()))
            continue
        # records may be there twice
        mine = max(found, key=lambda one: sum(one[column] == value for column, value in expected.items()))
        found.remove(mine)
        for column, value in expected.items():
            if column in ('nr', 'end_nr', 'by_thread') and row.event in SCHED_EVENTS:
                continue
            # a thread that was made just before the recording may be switched in before anything tells its process
            if column == 'pid' and not mine[column] and row.time is not None and \
                    first.get(int(mine['tid'] or 0), 0) >= row.time:
                continue
            if mine[column] != value and not (column == 'what' and mine[column] in row.wild):
                wrong.add('%s of %s' % (column, row.event), '%s instead of %s: %s' % (
                    mine[column], value, ','.join(mine.values())))
        for number, time in ('nr', mine['time']), ('end_nr', mine['duration'] and
                                                   str(int(mine['time']) + int(mine['duration']))):
            if mine[number] and time and by_number[int(mine[number])].time != int(time):
                wrong.add('%s of %s is another time' % (number, row.event), ','.join(mine.values()))
        row.mine = mine
    for rest in left.values():
        for row in rest:
            wrong.add('only readperf has ' + row['event'], ','.join(row.values()))


KEYS = {
    'what': lambda row: row.mine['what'], 'tid': lambda row: number_of(row.thread),
    'pid': lambda row: process_of(row.thread), 'thread': lambda row: row.thread_name, 'cpu': lambda row: shown(row.cpu),
    'result': lambda row: row.result, 'event': lambda row: row.event, 'comm': lambda row: row.mine['comm'],
    'waker': lambda row: row.mine['by_thread'],
    'duration': lambda row: '' if row.duration is None else str(1 << row.duration.bit_length() >> 1),
    'function': lambda row: row.mine['function'], 'binary': lambda row: row.mine['binary'],
}


def compare_latency(rows, ours, keys, wrong):
    groups = defaultdict(list)
    for row in rows:
        if hasattr(row, 'mine'):
            groups[(row.event,) + tuple(KEYS[key](row) for key in keys)].append(row)
    last = {}
    for row in ours:
        key = tuple(row[name] for name in ['event'] + keys)
        mine = groups.pop(key, None)
        if mine is None:
            wrong.add('latency.csv: too much', ','.join(row.values()))
            continue
        done = sorted(one.duration for one in mine if one.duration is not None)
        longest = min((one for one in mine if one.duration is not None), default=None,
                      key=lambda one: (-one.duration, one.time))
        expected = {'count': len(done), 'unfinished': len(mine) - len(done),
                    'errors': sum(one.error for one in mine if one.duration is not None), 'total': sum(done),
                    'min': done[0] if done else '', 'max': done[-1] if done else ''}
        if longest:
            expected.update(max_time=longest.time)
            if sum(one.duration == longest.duration and one.time == longest.time for one in mine) == 1:
                expected.update(max_tid=number_of(longest.thread), max_pid=process_of(longest.thread),
                                max_thread=longest.thread_name, max_nr=longest.mine['nr'])
        for column, value in expected.items():
            if row[column] != str(value) and not (column == 'total' and not done and row[column] in ('', '0')):
                wrong.add('latency.csv: ' + column, '%s instead of %s: %s' % (row[column], value, ','.join(row.values())))
        if done and abs(float(row['mean']) - sum(done) / len(done)) > 1:
            wrong.add('latency.csv: mean', ','.join(row.values()))
        for percent in (50, 90, 95, 99) if done else ():
            exact = done[-(-len(done) * percent // 100) - 1]
            if not exact <= int(row['p%d' % percent]) <= exact * 1.016 + 1:
                wrong.add('latency.csv: p%d' % percent, 'exact %d: %s' % (exact, ','.join(row.values())))
        if int(row['total'] or 0) > last.get(row['event'], 1 << 64):
            wrong.add('latency.csv: order', ','.join(row.values()))
        last[row['event']] = int(row['total'] or 0)
    for key, rest in groups.items():
        wrong.add('latency.csv: no row', '%s, %d' % (','.join(key), len(rest)))


@functools.lru_cache(maxsize=4)
def made(path, lists):
    """The recording, and all intervals of the lists, which are separated by blanks."""
    wanted = []
    for one in lists.split():
        # a pairing with keys stands alone, because they are separated by commas, too
        wanted += [one] if '=' in one else one.split(',')
    world = Pairs(path, wanted)
    return world, world.every()


def compare(path, lists, folder, keys):
    """What is different in readperf's tables; "" if nothing is."""
    world, rows = made(path, lists)
    wrong = Complaints()
    compare_rows(world, rows, read_table(folder, 'intervals'), wrong)
    compare_latency(rows, read_table(folder, 'latency'), keys, wrong)
    if os.environ.get('PAIRS_COUNT'):
        print('%d intervals, %d unfinished' % (len(rows), sum(row.duration is None for row in rows)), file=sys.stderr)
    return wrong.text()


def main():
    if sys.argv[3:4] == ['compare']:
        print(compare(sys.argv[1], sys.argv[2], sys.argv[4], (sys.argv[5:] or ['what'])[0].split(',')))
        return
    _, rows = made(sys.argv[1], sys.argv[2])
    out = csv.writer(sys.stdout, lineterminator='\n')
    out.writerow(cells(rows[0]) if rows else [])
    for row in sorted(rows, key=lambda row: row.time or 0):
        out.writerow(cells(row).values())


if __name__ == '__main__':
    main()
