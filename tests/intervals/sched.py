#!/usr/bin/env python3
"""Scheduling from the raw records of a recording, for comparison with threads.csv and cpus.csv.

sched.py FILE threads|cpus|intervals   prints the table as CSV, sorted
sched.py FILE compare FOLDER           prints how readperf's tables in the folder differ; "" if they do not
sched.py FILE damage OUT SEED          a copy with bursts of lost records, with records that are missing without a
                                       word, doubled ones, and ones whose times are swapped

Written from the rules alone, with no line of readperf's: it reads a little-endian perf.data file
(not a pipe, not compressed), sorts all records by time and position, and notes for every thread
what it did when. Slow, and simple.
"""
import csv
import struct
import sys
from collections import defaultdict

from damage import damage
from rawrecords import COMM, EXIT, field, FORK, letters_of, LOST, read, SAMPLE, SWITCH, WIDE


class Thread:
    def __init__(self, kernel=None, tid=None):
        self.kernel, self.tid, self.pid, self.name = kernel, tid, None, ''
        self.turns = []     # (time, order, cpu, new state)
        self.records = []   # (time, order, cpu)
        self.open = {}      # event -> interval
        self.void = set()   # numbers of turns behind which the time is unknown
        self.late = set()   # the same, as was found after EXIT
        self.state, self.ran, self.exit, self.over = 'unknown', None, None, False
        self.counts = defaultdict(int)
        self.waker = None
        self.fresh = False
        self.waits = []
        self.child = None
        self.exit_open = None


class Running(dict):
    """Who runs on a CPU by record; nobody on one that is not recorded."""

    def __setitem__(self, cpu, who):
        if cpu >= 0:
            super().__setitem__(cpu, who)


class World:
    def __init__(self, path):
        self.records, names, self.sources = read(path)
        self.by_name = {n: (f, t) for n, f, t in names.values()}
        self.kernel, self.sample, self.all = {}, {}, []
        self.zero_is_shared = False
        self.told = False  # a sample has told two numbers of a thread
        # common_pid stands at byte 4 of every payload
        self.pairs = any(r.raw and r.tid and r.tid > 0 and int.from_bytes(r.raw[4:8], 'little') not in (0, r.tid)
                         for r in self.records)
        self.run = Running()  # cpu -> Thread, 'idle' or nothing
        self.cpu_turns = defaultdict(list)
        self.cpu_records = defaultdict(list)
        self.cpu_void = defaultdict(set)
        self.cpu_count = defaultdict(lambda: [0, set()])
        self.idle_open = {}
        self.lost = defaultdict(list)
        self.lost_all = []
        self.order = 0
        self.intervals = []
        self.missed = 0
        self.names_of = {}
        if 'sched_switch' in self.by_name:
            self.letters, self.plus = letters_of(self.by_name['sched_switch'][1])

    def get(self, rec, name):
        return field(rec.raw, self.by_name[rec.name][0], name)

    # whose record

    def fresh_thread(self, kernel=None, tid=None):
        thread = Thread(kernel, tid)
        if not self.pairs:
            thread.kernel = thread.tid = kernel if kernel is not None else tid
        if thread.kernel is not None:
            self.kernel[thread.kernel] = thread
        if thread.tid is not None:
            self.sample[thread.tid] = thread
        self.all.append(thread)
        thread.pid, thread.name = self.names_of.pop(thread.tid, (None, ''))
        return thread

    def of_kernel(self, number):
        if number == 0:
            return 'idle'
        thread = self.kernel.get(number)
        return self.fresh_thread(kernel=number) if thread is None or thread.over else thread

    def of_sample(self, number):
        if number is None or number < 0:
            return None
        if number == 0:
            return 'idle'
        thread = self.sample.get(number)
        return self.fresh_thread(tid=number) if thread is None or thread.over else thread

    def writer(self, rec):
        number = self.get(rec, 'common_pid')
        if number == 0:
            return 'idle'
        thread = self.of_kernel(number)
        if rec.tid and rec.tid > 0:
            self.told |= rec.tid != number
            if self.pairs and thread.tid is None:
                other = self.sample.get(rec.tid)
                if other and not other.over and other.kernel is None:
                    thread = self.join(thread, other)
                thread.tid = rec.tid
                self.sample[rec.tid] = thread
            thread.pid = rec.pid
        return thread

    def meet(self, rec):
        """A thread that is new by its number in the container runs where one runs that is new by the kernel's."""
        made, runs = self.sample.get(rec.tid), self.run.get(rec.cpu)
        if not self.told or not isinstance(runs, Thread) or runs.kernel is None or runs.tid is not None:
            return
        if made is None and self.names_of.get(rec.tid, (None, None))[1] == runs.name:
            runs.tid, self.sample[rec.tid] = rec.tid, runs
            runs.pid, _ = self.names_of.pop(rec.tid)
            return
        if not made or made.over or made.kernel is not None or made.name != runs.name:
            return
        if made.records and not (made.fresh and runs.turns[0][1] == runs.records[0][1]):
            return
        thread = self.join(runs, made)
        thread.tid = rec.tid
        self.sample[rec.tid] = thread

    def has_run(self, thread):
        """A record tells that it has run: a FORK may be recorded before switches are."""
        if isinstance(thread, Thread) and thread.fresh:
            self.forget(thread)

    def join(self, thread, other):
        """other is known by its number in the container alone."""
        if not thread.records:
            other.kernel = thread.kernel
            self.kernel[thread.kernel] = other
            self.all.remove(thread)
            return other
        if not other.turns:
            thread.records = sorted(thread.records + other.records, key=lambda r: r[1])
            self.all.remove(other)
            return thread
        if not other.fresh:
            raise SystemExit('%d, %d: a thread is known by two numbers before a sample tells both' % (other.tid, thread.kernel))
        begin, first = other.open['wait'], thread.turns[0] if thread.turns else thread.records[0]
        if first[-1] == 'on_cpu':
            self.intervals.append(('wait', begin[1], first[0] - begin[1], thread, begin[3],
                                   first[2], 'new', '', begin[7]))
            self.intervals[-1] = self.intervals[-1][:2] + (first[0],) + self.intervals[-1][3:]
            thread.waits.append((first[0] - begin[1], begin[1]))
        thread.void = {i + 1 for i in thread.void}
        if first[-1] != 'on_cpu':
            thread.void.add(0)
        thread.turns.insert(0, other.turns[0])
        thread.records[:0] = other.records
        self.all.remove(other)
        return thread

    # what happened

    def seen(self, thread, rec):
        if isinstance(thread, Thread):
            thread.records.append((rec.time, self.order, rec.cpu))
        if rec.cpu >= 0 and (not self.cpu_records[rec.cpu] or
                             self.cpu_records[rec.cpu][-1][1] != self.order):
            self.cpu_records[rec.cpu].append((rec.time, self.order, rec.cpu))

    def was_lost(self, begin, begin_cpu, end, end_cpu):
        """Whether a record of one of the two CPUs was lost after one fact and before another."""
        return any(begin < at < end for at in
                   self.lost[begin_cpu] + self.lost[end_cpu] + self.lost_all)

    def turn(self, thread, rec, state):
        thread.turns.append((rec.time, self.order, rec.cpu, state))
        thread.state = state

    def start(self, thread, event, rec, what='', result='', by=None):
        thread.open[event] = [event, rec.time, self.order, rec.cpu, thread, what, result, by]

    def stop(self, thread, event, rec=None, result=None, by=None):
        row = thread.open.pop(event, None)
        if row is None:
            return
        event, time, order, cpu, _, what, letter, who = row
        end = rec.time if rec else None
        if rec and self.was_lost(order, cpu, self.order, rec.cpu):
            end = None
        if result is not None and end is not None:
            letter = result
        if by is not None and end is not None:
            who = by
        self.intervals.append((event, time, end, thread, cpu, rec.cpu if end else None, what,
                               letter, who))
        if event == 'wait' and end is not None:
            thread.waits.append((end - time, time))

    def at_exit(self, thread):
        """EXIT was written while it ran: on-cpu ends there if no switch out is recorded."""
        if thread.exit and 'on-cpu' in thread.open and \
                thread.exit_open is thread.open['on-cpu']:
            row = thread.open.pop('on-cpu')
            self.intervals.append(('on-cpu', row[1], thread.exit[0], thread, row[3], thread.ran,
                                   row[5], row[6], row[7]))

    def forget(self, thread):
        """Its time since its last turn is not known."""
        self.at_exit(thread)
        for event in list(thread.open):
            self.stop(thread, event)
        if thread.turns:
            (thread.late if thread.exit else thread.void).add(len(thread.turns) - 1)
        thread.state, thread.fresh = 'unknown', False

    def forget_cpu(self, cpu):
        row = self.idle_open.pop(cpu, None)
        if row:
            self.intervals.append(('idle', row[0], None, None, cpu, None, '', '', None))
        self.cpu_void[cpu].add(len(self.cpu_turns[cpu]) - 1)
        self.run.pop(cpu, None)

    def turn_cpu(self, rec, state, known=True):
        cpu = rec.cpu
        if not known:
            self.forget_cpu(cpu)
        row = self.idle_open.pop(cpu, None)
        if row:
            lost = self.was_lost(row[1], cpu, self.order, cpu)
            self.intervals.append(('idle', row[0], None if lost else rec.time, None, cpu,
                                   None if lost else cpu, '', '', None))
        self.cpu_turns[cpu].append((rec.time, self.order, cpu, state))
        if state == 'idle':
            self.idle_open[cpu] = (rec.time, self.order)

    def enter(self, thread, rec):
        self.seen(thread, rec)
        if thread.state == 'wait':
            self.stop(thread, 'wait', rec)
        self.stop(thread, 'off-cpu', rec, by=thread.waker)
        if thread.ran not in (None, rec.cpu):
            thread.counts['migrations'] += 1
        thread.ran = rec.cpu
        self.run[rec.cpu] = thread
        self.cpu_count[rec.cpu][1].add(thread)
        self.turn(thread, rec, 'on_cpu')
        self.start(thread, 'on-cpu', rec)
        thread.fresh, thread.waker = False, None

    def leave(self, thread, rec, state, letters, ends):
        self.seen(thread, rec)
        if thread.ran not in (None, rec.cpu):
            thread.counts['migrations'] += 1
        thread.ran = rec.cpu
        self.cpu_count[rec.cpu][1].add(thread)
        self.stop(thread, 'on-cpu', rec, result=letters)
        thread.counts['switches'] += 1
        thread.waker = None
        if ends:
            self.turn(thread, rec, 'over')
            thread.over = True
            return
        self.turn(thread, rec, state)
        what = {'wait': 'preempted', 'off': 'off'}.get(state, state)
        self.start(thread, 'off-cpu', rec, what, letters)
        if state == 'wait':
            thread.counts['preempted'] += 1
            self.start(thread, 'wait', rec, 'preempted', letters)

    def letters_text(self, number):
        names = [b for a, b in self.letters if number & a == a]
        return '|'.join(names or ['R']) + ('+' if self.plus and number & self.plus else '')

    def on_switch(self, rec):
        prev, next_ = self.of_kernel(self.get(rec, 'prev_pid')), None
        letters = self.letters_text(self.get(rec, 'prev_state'))
        state, ends = 'wait', False
        if '+' not in letters and letters != 'R':
            if 'D' in letters:
                state = 'blocked'
            elif set(letters) & set('SIN'):
                state = 'sleeping'
            elif set(letters) & set('KW'):
                state = 'blocked'
            elif set(letters) & set('TtP'):
                state = 'stopped'
            else:
                state, ends = 'unknown', True
        runs = self.run.get(rec.cpu)
        if runs is not None and runs is not prev:
            self.missed += 1
            self.forget_cpu(rec.cpu)
            if isinstance(runs, Thread):
                self.forget(runs)
        if isinstance(prev, Thread):
            if prev.state == 'on_cpu' and prev.ran != rec.cpu:
                if runs is None:
                    self.missed += 1
                self.forget_cpu(prev.ran)
                self.forget(prev)
            elif prev.state not in ('on_cpu', 'unknown'):
                self.forget(prev)
            prev.name = self.get(rec, 'prev_comm')
            self.leave(prev, rec, state, letters, ends)
        next_ = self.of_kernel(self.get(rec, 'next_pid'))
        self.turn_cpu(rec, 'idle' if next_ == 'idle' else 'busy')
        self.cpu_count[rec.cpu][0] += 1
        self.run[rec.cpu] = next_
        self.seen(None, rec)
        if next_ == 'idle':
            return
        if next_.state == 'on_cpu':
            self.missed += 1
            if next_.ran != rec.cpu:  # what this CPU does from now on is known
                self.forget_cpu(next_.ran)
            self.forget(next_)
        next_.name = self.get(rec, 'next_comm')
        self.enter(next_, rec)

    def on_wake(self, rec, by, new):
        number = self.get(rec, 'pid')
        if number == 0:
            return
        thread = self.of_kernel(number)
        if new and self.pairs and thread.tid is None and isinstance(by, Thread) and by.child \
                and by.child.fresh and by.child.kernel is None:
            child = by.child
            self.all.remove(thread)
            child.kernel = number
            self.kernel[number] = thread = child
        if new and thread.records and not thread.fresh:
            thread.over = True
            thread = self.fresh_thread(kernel=number)
        thread.name = self.get(rec, 'comm')
        if not new:
            self.has_run(thread)  # it has gone to sleep
        if thread.state in ('on_cpu', 'wait') and not (new and thread.fresh):
            self.seen(thread, rec)
            return
        if thread.fresh:
            thread.void.add(len(thread.turns) - 1)
            thread.open.pop('wait', None)
            thread.fresh = False
        self.seen(thread, rec)
        thread.counts['wakeups'] += 1
        thread.waker = by
        self.turn(thread, rec, 'wait')
        self.start(thread, 'wait', rec, 'new' if new else 'wakeup', '', by)

    def on_fork(self, rec):
        pid, ppid, tid, ptid = struct.unpack_from('<iiii', rec.payload)
        self.seen(None, rec)
        if tid <= 0:
            return  # of another namespace
        self.meet(rec)
        parent = self.of_sample(ptid)
        old = self.sample.get(tid)
        if old:
            old.over = True
        thread = self.fresh_thread(tid=tid)
        thread.pid, thread.fresh = pid, True
        thread.name = parent.name if isinstance(parent, Thread) else ''
        if isinstance(parent, Thread):
            parent.child = thread
            parent.pid = ppid if ppid > 0 else parent.pid
            self.has_run(parent)
            self.seen(parent, rec)
        self.seen(thread, rec)
        self.turn(thread, rec, 'wait')
        self.start(thread, 'wait', rec, 'new', '', parent)
        thread.waker = parent

    def on_exit(self, rec):
        pid, _, tid, _ = struct.unpack_from('<iiii', rec.payload)
        self.seen(None, rec)
        self.meet(rec)
        known = self.sample.get(tid)
        thread = self.of_sample(tid) if not known or not known.over else None
        if not isinstance(thread, Thread):
            return
        thread.pid = pid if pid > 0 else thread.pid
        if thread.exit:
            return
        if thread.state != 'on_cpu':
            self.forget(thread)
        self.seen(thread, rec)
        thread.exit = (rec.time, self.order, rec.cpu)
        thread.exit_open = thread.open.get('on-cpu')
        thread.exit_counts, thread.exit_waits = thread.counts.copy(), list(thread.waits)
        if 'sched_switch' not in self.sources:
            self.at_exit(thread)
            if self.run.get(thread.ran) is thread:
                del self.run[thread.ran]
            thread.over = True

    def to_idle(self, rec):
        runs = self.run.get(rec.cpu)
        if runs == 'idle':
            return
        if isinstance(runs, Thread):
            self.forget(runs)
        self.turn_cpu(rec, 'idle', runs is None)
        self.run[rec.cpu] = 'idle'
        self.cpu_count[rec.cpu][0] += 1

    def on_record(self, rec):
        out = rec.misc >> 13 & 1
        wide = rec.kind == WIDE
        # some CPUs of virtual machines write no records while they are idle: others tell it
        with_zero = wide and struct.unpack_from('<II', rec.payload) == (0, 0)
        self.seen(None, rec)
        if rec.tid == 0 and with_zero and not self.pairs and not self.zero_is_shared:
            # not both can be the idle thread: one is outside of the container
            self.zero_is_shared = True
            for cpu in [cpu for cpu, runs in self.run.items() if runs == 'idle']:
                self.forget_cpu(cpu)
                self.run.pop(cpu, None)
        with_idle = with_zero and not self.pairs and not self.zero_is_shared
        if self.zero_is_shared:
            wide = wide and not with_zero
            if rec.tid == 0:
                return
        if rec.tid == 0:
            if out and self.run.get(rec.cpu) in ('idle', None):
                self.run.pop(rec.cpu, None)
                self.turn_cpu(rec, 'busy')
            elif not out:
                self.to_idle(rec)
            return
        if with_idle and not out and self.run.get(rec.cpu) == 'idle':
            self.run.pop(rec.cpu, None)
            self.turn_cpu(rec, 'busy')
        self.on_thread(rec, out, wide)
        if with_idle and out:
            self.to_idle(rec)

    def on_thread(self, rec, out, wide):
        if rec.tid < 0:
            return
        known = self.sample.get(rec.tid)
        if known and known.over:
            return
        self.meet(rec)
        thread = self.of_sample(rec.tid)
        thread.pid = rec.pid
        if out:
            if 'off-cpu' in thread.open or thread.turns and thread.turns[-1][3] not in (
                    'on_cpu', 'unknown') and thread.state == thread.turns[-1][3]:
                return
            if thread.state == 'on_cpu' and thread.ran != rec.cpu:
                self.forget_cpu(thread.ran)
                self.forget(thread)
            preempted = rec.misc >> 14 & 1
            runs = self.run.get(rec.cpu)
            if isinstance(runs, Thread) and runs is not thread:
                self.forget(runs)
            self.leave(thread, rec, 'wait' if preempted else 'off', '', False)
            self.run.pop(rec.cpu, None)
            self.turn_cpu(rec, 'busy' if wide else 'unknown', runs in (None, thread))
            return
        if thread.state == 'on_cpu' and thread.ran == rec.cpu and \
                not self.was_lost(thread.turns[-1][1], rec.cpu, self.order, rec.cpu):
            return
        runs = self.run.get(rec.cpu)
        if isinstance(runs, Thread):
            self.forget(runs)
        self.turn_cpu(rec, 'busy', runs is None)
        self.cpu_count[rec.cpu][0] += 1
        if thread.state == 'on_cpu':
            self.forget_cpu(thread.ran)
            self.forget(thread)
        self.enter(thread, rec)

    def on_lost(self, rec):
        self.seen(None, rec)
        (self.lost_all if rec.cpu < 0 else self.lost[rec.cpu]).append(self.order)
        for cpu in list(self.cpu_records) if rec.cpu < 0 else [rec.cpu]:
            runs = self.run.get(cpu)
            self.forget_cpu(cpu)
            if isinstance(runs, Thread):
                self.forget(runs)

    def tell(self):
        waking = 'sched_waking' if 'sched_waking' in self.sources else 'sched_wakeup'
        for rec in self.records:
            self.order += 1
            if rec.time == 0:
                if rec.kind == COMM:
                    pid, tid = struct.unpack_from('<ii', rec.payload)
                    self.names_of[tid] = (pid, rec.payload[8:].split(b'\0')[0].decode('latin1'))
                continue
            if rec.kind == SAMPLE and rec.name:
                by = self.writer(rec)
                if rec.name != 'sched_switch' or by is not self.of_kernel(self.get(rec, 'prev_pid')):
                    self.has_run(by)
                self.seen(by, rec)
                if rec.name == 'sched_switch':
                    self.on_switch(rec)
                elif rec.name in (waking, 'sched_wakeup_new'):
                    self.on_wake(rec, by, rec.name == 'sched_wakeup_new')
            elif rec.kind == FORK:
                self.on_fork(rec)
            elif rec.kind == EXIT:
                self.on_exit(rec)
            elif rec.kind in (SWITCH, WIDE):
                self.on_record(rec)
            elif rec.kind == LOST:
                self.on_lost(rec)
            elif rec.tid is not None:
                known = self.sample.get(rec.tid)
                if known and known.over:
                    self.seen(None, rec)
                    if known.exit and rec.kind == COMM and rec.misc >> 13 & 1:
                        # exec by another thread than the first, which has exited
                        thread = self.fresh_thread(tid=rec.tid)
                        thread.pid, thread.name = rec.pid, rec.payload[8:].split(b'\0')[0].decode('latin1')
                        self.seen(thread, rec)
                    continue
                self.meet(rec)
                thread = self.of_sample(rec.tid)
                self.has_run(thread)
                self.seen(thread, rec)
                if isinstance(thread, Thread) and rec.pid > 0:
                    thread.pid = rec.pid
                if rec.kind == COMM and isinstance(thread, Thread):
                    thread.name = rec.payload[8:].split(b'\0')[0].decode('latin1')
        for thread in self.all:
            self.at_exit(thread)
            for event in list(thread.open):
                self.stop(thread, event)
        for cpu, row in self.idle_open.items():
            self.intervals.append(('idle', row[0], None, None, cpu, None, '', '', None))

    # sums

    def sums(self, records, turns, void, end):
        """Times by state from the first record to end, the last one that counts."""
        sums = defaultdict(int)
        marks = [(*records[0], 'unknown')] + turns
        for i, (time, order, cpu, state) in enumerate(marks):
            if time > end[0] or state == 'over':
                break
            after = marks[i + 1][:3] if i + 1 < len(marks) else end
            if after[0] > end[0]:
                after = end
            if i - 1 in void and i > 0 or self.was_lost(order, cpu, after[1], after[2]):
                state = 'unknown'
            sums[state] += after[0] - time
        return sums


def number_of(thread):
    return thread.tid if thread.tid is not None else thread.kernel


def threads(world):
    for thread in world.all:
        if not thread.records:
            continue
        end = thread.records[-1]
        if thread.turns and thread.turns[-1][3] == 'over':
            end = thread.turns[-1][:3]
            thread.void |= thread.late
        elif thread.exit:
            end = thread.exit
            thread.counts, thread.waits = thread.exit_counts, thread.exit_waits
        start = thread.records[0][0]
        sums = world.sums(thread.records, thread.turns, thread.void, end)
        unknown = sums['unknown'] + sums['off']
        waits = thread.waits
        longest = max(waits, key=lambda w: w[0]) if waits else None
        yield ['' if thread.pid is None else thread.pid, number_of(thread), thread.name, start,
               end[0], sums['on_cpu'], sums['wait'], sums['sleeping'], sums['blocked'],
               sums['stopped'], unknown, thread.counts['switches'], thread.counts['preempted'],
               thread.counts['wakeups'], thread.counts['migrations'], len(waits),
               longest[0] if longest else '', longest[1] if longest else '']


def cpus(world):
    for cpu, records in sorted(world.cpu_records.items()):
        if cpu < 0:
            continue
        sums = world.sums(records, world.cpu_turns[cpu], world.cpu_void[cpu], records[-1])
        yield [cpu, records[0][0], records[-1][0], sums['busy'], sums['idle'], sums['unknown'],
               world.cpu_count[cpu][0], len(world.cpu_count[cpu][1])]


def intervals(world):
    def who(thread):
        return '' if thread is None else 0 if thread == 'idle' else number_of(thread)
    for event, time, end, thread, cpu, end_cpu, what, letters, by in world.intervals:
        yield [event, time, '' if end is None else end - time,
               0 if thread is None else number_of(thread), cpu,
               '' if end_cpu is None else end_cpu, what, letters, who(by)]


HEADS = {
    'threads': 'pid,tid,thread,start,end,on_cpu,wait,sleeping,blocked,stopped,unknown,switches,'
               'preempted,wakeups,migrations,waits,max_wait,max_wait_time',
    'cpus': 'cpu,start,end,busy,idle,unknown,switches,threads',
    'intervals': 'event,time,duration,tid,cpu,end_cpu,what,result,by_tid',
}


def compare(world, folder, wanted):
    """Prints what is different in readperf's tables; nothing else may be in them."""
    for name, rows in ('threads', threads), ('cpus', cpus):
        if name not in wanted:
            continue
        with open('%s/%s.csv' % (folder, name), encoding='utf-8', newline='') as file:
            ours = list(csv.DictReader(file))
        head = HEADS[name].split(',')
        theirs = sorted([str(cell) for cell in row] for row in rows(world))
        mine = sorted([row[key] for key in head] for row in ours)
        for row in mine:
            if row not in theirs:
                print('%s: only readperf has %s;' % (name, ','.join(row)), end=' ')
        for row in theirs:
            if row not in mine:
                print('%s: readperf lacks %s;' % (name, ','.join(row)), end=' ')
        states = head[5:11] if name == 'threads' else head[3:6]
        if not ours:
            continue
        wall = max(int(row['end']) for row in ours) - min(int(row['start']) for row in ours)
        for row in ours:
            if sum(int(row[key]) for key in states) != int(row['end']) - int(row['start']):
                print('%s: %s do not add up;' % (name, row), end=' ')
        if name == 'threads':
            running = sum(int(row['on_cpu']) for row in ours)
        elif running > wall * len(ours):
            print('on_cpu is more than %d CPUs had;' % len(ours), end=' ')


def main():
    if sys.argv[2] == 'damage':
        damage(sys.argv[1], sys.argv[3], int(sys.argv[4]))
        return
    world = World(sys.argv[1])
    world.tell()
    if sys.argv[2] == 'compare':
        compare(world, sys.argv[3], sys.argv[4:] or ['threads', 'cpus'])
        return
    rows = {'threads': threads, 'cpus': cpus, 'intervals': intervals}[sys.argv[2]](world)
    out = csv.writer(sys.stdout, lineterminator='\n')
    out.writerow(HEADS[sys.argv[2]].split(','))
    for row in sorted([str(cell) for cell in row] for row in rows):
        out.writerow(row)


if __name__ == '__main__':
    main()
