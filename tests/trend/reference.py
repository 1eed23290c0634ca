#!/usr/bin/env python3
"""The method of --trend, written down once more from its description, without readperf's shortcuts.

usage: tests/trend/reference.py VERSION...        prints the cuts of the versions, which are folders of folders of tables

Each function of an event is a series of costs. cuts_of() finds its cuts, edivisive() those of e-divisive means (Matteson
and James 2014), as MongoDB uses it for benchmarks: for comparison. Fixed sampling periods, one event.
"""
import csv, math, os, random, statistics, sys

ALPHA, MIN_SHARE, MIN_CHANGE = 0.05, 0.5, 5

def two_sided(t, freedom):
    """Student's t: P(|T| >= |t|), by the continued fraction of the incomplete beta function."""
    x, a, b = freedom / (freedom + t * t), freedom / 2, 0.5
    if t * t == 0:
        return 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) +
                     b * math.log(t * t / (freedom + t * t)))

    def fraction(x, a, b):
        value = 0.0
        for m in range(400, 0, -1):
            even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
            odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            value = even / (1 + odd / (1 + value))
        return 1 / (1 - (a + b) * x / (a + 1) / (1 + value))
    if x < (a + 1) / (a + b + 2):
        return front * fraction(x, a, b) / a
    return 1 - front * fraction(1 - x, b, a) / b

def weighted_median(items):
    """The value below which half of the weight lies; between two values, their mean."""
    items = sorted(item for item in items if item[1] > 0)
    whole, below = sum(weight for _, weight in items), 0
    for i, (value, weight) in enumerate(items):
        below += weight
        if below > whole / 2 or i + 1 == len(items):
            return value
        if below == whole / 2:
            return (value + items[i + 1][0]) / 2
    return 0.0

def read_run(folder):
    """Samples and the sampling period of a run's functions; the names without what compilers add."""
    samples = {}
    with open(folder + "/results.csv", newline="") as table:
        for row in csv.DictReader(table):
            name = row["function"]
            while True:
                shorter = name
                for suffix in (".constprop", ".isra", ".part", ".cold"):
                    head, dot, number = shorter.rpartition(".")
                    if dot and number.isdigit() and head.endswith(suffix):
                        shorter = head[:-len(suffix)]
                    elif shorter.endswith(suffix):
                        shorter = shorter[:-len(suffix)]
                if shorter == name or not shorter:
                    break
                name = shorter
            key = name, os.path.basename(row["binary"]).split(".so.")[0]
            samples[key] = samples.get(key, 0) + int(row["samples"])
            period = int(row["period"]) // int(row["samples"])
    return samples, period

class Trend:
    def __init__(self, versions):
        """versions: lists of runs, each a dictionary function -> samples."""
        self.version_of = [v for v, runs in enumerate(versions) for _ in runs]
        self.versions = len(versions)
        self.runs = [run for runs in versions for run in runs]
        totals = [sum(run.values()) for run in self.runs]
        names = [name for name in set().union(*self.runs) if self.has_lasted(name) and self.is_large(name, totals)]
        self.counts = {name: [run.get(name, 0) for run in self.runs] for name in names}
        self.counts["[total]"] = totals
        self.shares = {name: [100 * n / total for n, total in zip(counts, totals)]
                       for name, counts in self.counts.items()}
        self.logs = {name: [math.log(n + 0.5) for n in counts] for name, counts in self.counts.items()}
        scales = self.robust_scales(names)
        self.logs = {name: [y + math.log(s) for y, s in zip(logs, scales)] for name, logs in self.logs.items()}

    def between(self, first, end):
        return [i for i, v in enumerate(self.version_of) if first <= v < end]

    def has_lasted(self, name):
        seen = [v for v, run in zip(self.version_of, self.runs) if run.get(name)]
        return self.versions - 1 in seen or len(set(seen)) >= 2 and len(seen) >= 3

    def is_large(self, name, totals):
        for first in range(self.versions):
            end = first + 2
            while end < self.versions and len(self.between(first, end)) < 3:
                end += 1
            runs = self.between(first, end)
            if end > self.versions or len(runs) < 3:
                return False
            if statistics.fmean(100 * self.runs[i].get(name, 0) / totals[i] for i in runs) >= MIN_SHARE:
                return True

    def robust_scales(self, names):
        weight = {name: math.sqrt(sum(self.counts[name])) for name in names}
        steady = [name for name in names if min(self.counts[name])]
        if sum(weight[name] for name in steady) < sum(weight.values()) / 10:
            return [1] * len(self.runs)
        names = steady
        return [math.exp(-weighted_median([(self.logs[name][i] - statistics.fmean(self.logs[name]), weight[name])
                                           for name in names])) for i in range(len(self.runs))]

    def parts(self, name, before, after):
        """Change, pooled variance, floor and degrees of freedom of the runs before and after a place."""
        a, b = ([self.logs[name][i] for i in side] for side in (before, after))
        squares = sum((y - statistics.fmean(side)) ** 2 for side in (a, b) for y in side)
        counts = [self.counts[name][i] for i in before + after]
        freedom = len(counts) - 2
        floor = len(counts) / sum(counts) if sum(counts) else math.inf
        return statistics.fmean(b) - statistics.fmean(a), squares / freedom, floor, freedom

    def has_share(self, name, before, after):
        return any(statistics.fmean(self.shares[name][i] for i in side) >= MIN_SHARE for side in (before, after))

    def places(self, first, end):
        for at in range(first + 2, end - 1):
            before, after = self.between(first, at), self.between(at, end)
            if len(before) >= 3 and len(after) >= 3:
                yield at, before, after

    def noise(self, first, end):
        """The typical noise of each place, and whether there are enough functions for it."""
        if (first, end) not in self.known:
            typical, large = {}, set()
            for at, before, after in self.places(first, end):
                there = [name for name in self.counts if name != "[total]" and self.has_share(name, before, after)]
                large.update(there)
                excesses = [variance - floor for _, variance, floor, _ in
                            (self.parts(name, before, after) for name in there)]
                typical[at] = max(0.0, statistics.median(excesses) if excesses else 0.0)
            self.known[first, end] = typical, len(large) >= 20
        return self.known[first, end]

    known = None

    def test(self, name, before, after, typical, moderated):
        change, variance, floor, freedom = self.parts(name, before, after)
        if moderated:
            variance = (4 * (floor + typical) + freedom * variance) / (4 + freedom)
            freedom += 4
        error = math.sqrt(max(variance, floor) * (1 / len(before) + 1 / len(after)))
        return change, two_sided(change / error, freedom) if math.isfinite(error) else 1.0, abs(change / error)

    def without(self, name, runs, highest):
        """The runs without those of the version whose mean is the highest, or the lowest."""
        means = {}
        for i in runs:
            means.setdefault(self.version_of[i], []).append(self.logs[name][i])
        worst = (max if highest else min)(means, key=lambda v: statistics.fmean(means[v]))
        return [i for i in runs if self.version_of[i] != worst]

    def windows(self):
        """Parts of the whole that overlap by half: of a half of the versions, a quarter and so on."""
        length = self.versions // 2
        while length >= 4:
            starts = list(range(0, self.versions - length, length // 2)) + [self.versions - length]
            yield from ((start, start + length) for start in starts if any(self.places(start, start + length)))
            length //= 2

    def best_cut(self, name, first, end, count):
        """The place with the smallest p that is kept, as one of so many: (adjusted p, version); or None."""
        typical, moderated = self.noise(first, end)
        best = None
        for at, before, after in self.places(first, end):
            if not self.has_share(name, before, after):
                continue
            change, p, t = self.test(name, before, after, typical[at], moderated)
            if p * count * len(self.counts) >= ALPHA or (best and t <= best[0]):
                continue
            fewer = ((self.without(name, before, change < 0), after), (before, self.without(name, after, change > 0)))
            tests = [self.test(name, *sides, typical[at], moderated) for sides in fewer]
            if all(c * change > 0 and q * count < ALPHA for c, q, _ in tests):
                best = t, at, change, p
        if best and abs(100 * math.expm1(best[2])) >= MIN_CHANGE:
            return best[3] * count * len(self.counts), best[1]

    def cut(self, name, first, end, found):
        best = self.best_cut(name, first, end, len(list(self.places(first, end))))
        if not best:
            windows = list(self.windows())
            count = sum(len(list(self.places(*window))) for window in windows)
            tried = (self.best_cut(name, a, b, count) for a, b in windows if a >= first and b <= end)
            best = min(filter(None, tried), key=lambda one: one[0], default=None)
        if best:
            found.append(best[1])
            self.cut(name, first, best[1], found)
            self.cut(name, best[1], end, found)

    def cuts_of(self, name):
        self.known = self.known or {}
        found = []
        self.cut(name, 0, self.versions, found)
        found.sort()
        while found:
            ends = [0] + found + [self.versions]
            changes = [(abs(100 * math.expm1(self.parts(name, self.between(ends[i - 1], ends[i]),
                                                        self.between(ends[i], ends[i + 1]))[0])), -i)
                       for i in range(1, len(ends) - 1)]
            least, number = min(changes, key=lambda change: (change[0], -change[1]))
            if least >= MIN_CHANGE:
                break
            del found[-number - 1]
        return found

    def all_cuts(self):
        return {name: cuts for name in self.counts if (cuts := self.cuts_of(name))}

    def edivisive(self, name, permutations=199, alpha=0.05, least=3, seed=1):
        """The cuts of e-divisive means: the largest energy distance, kept if few permutations have a larger one."""
        chance, y = random.Random(seed), self.logs[name]

        def largest(values):
            n = len(values)
            distance = [[abs(a - b) for b in values] for a in values]
            best = (0.0, None)
            if n < 2 * least:
                return best
            # sums of distances within the parts and between them, moved on from place to place
            left = sum(distance[i][j] for i in range(least) for j in range(i))
            right = sum(distance[i][j] for i in range(least, n) for j in range(least, i))
            cross = sum(distance[i][j] for i in range(least) for j in range(least, n))
            for at in range(least, n - least + 1):
                m, k = at, n - at
                energy = 2 * cross / (m * k) - left / (m * (m - 1) / 2) - right / (k * (k - 1) / 2)
                best = max(best, (m * k / (m + k) * energy, at), key=lambda item: item[0])
                if at < n:
                    to_left, to_right = sum(distance[at][:at]), sum(distance[at][at + 1:])
                    left, right, cross = left + to_left, right - to_right, cross - to_left + to_right
            return best

        def cut(first, end, found):
            value, at = largest(y[first:end])
            if at is None:
                return
            above = 0
            for tried in range(permutations):
                shuffled = y[first:end]
                chance.shuffle(shuffled)
                above += largest(shuffled)[0] >= value
                # already too many for this level
                if above + 1 > alpha * (permutations + 1):
                    return
            found.append(self.version_of[first + at])
            cut(first, first + at, found)
            cut(first + at, end, found)

        found = []
        cut(0, len(y), found)
        return sorted(found)

def read_versions(folders):
    return [[read_run(os.path.join(folder, run))[0] for run in sorted(os.listdir(folder))] for folder in folders]

if __name__ == "__main__":
    for (name, cuts) in sorted(Trend(read_versions(sys.argv[1:])).all_cuts().items(), key=str):
        print(name if name == "[total]" else name[0], *cuts)
