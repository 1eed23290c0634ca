# Input: the lines "RECORDING COPIES RECORDS SAMPLES BYTES FILE-BYTES", then those of measure.c.
# Output, in Markdown: medians, the recordings, and the figures that there are limits for.

function median(key,    n, i, j, t, v) {
	n = split(values[key], v, " ")
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) {
			t = v[j]
			v[j] = v[j - 1]
			v[j - 1] = t
		}
	return n == 0 ? 0 : n % 2 ? v[(n + 1) / 2] + 0 : (v[n / 2] + v[n / 2 + 1]) / 2
}

# s, median; kind: "wall" or "cpu" (user and system)
function cost(name, reader, kind) {
	return median(name SUBSEP reader SUBSEP kind)
}

function times(a, b) {
	return a > 0 && b > 0 ? sprintf("%.1f", a / b) : ""
}

function ratio(a, b) {
	return a > 0 && b > 0 ? sprintf("%.2f", a / b) : ""
}

# perf report and, if both are asked for, perf script, over readperf
function gain(name, reader, both, kind,    report, script) {
	report = cost(name, "perf report", kind)
	script = both ? cost(name, "perf script", kind) : 0
	return report && (script || !both) ? times(report + script, cost(name, reader, kind)) : ""
}

# ns a sample, from one recording to the one with six times the samples; less than 20 ms tell nothing
function slope(name, kind,    a, b) {
	a = cost(name "-1", "readperf", kind)
	b = cost(name "-6", "readperf", kind)
	return a && b > a + 0.02 ? 1e9 * (b - a) / (samples[name "-6"] - samples[name "-1"]) : 0
}

function slopes(kind,    few, large, many) {
	few = slope("spread-10x10", kind)
	large = slope("spread-10x1000", kind)
	many = slope("spread-1000x1000", kind)
	return few && large && many ? sprintf("%.0f (%.0f, %.0f)", many, large, few) : ""
}

function limit(text, wall, cpu, wanted) {
	if (wall != "" || cpu != "")
		printf "| %s | %s | %s | %s |\n", text, wall, cpu, wanted
}

function memory(name, reader, most,    key) {
	key = name SUBSEP reader
	if (key in peak)
		limit(name ", " reader ": peak memory, MB", sprintf("%.1f", peak[key] / 1024), "", "under " (most ? most : 64))
}

# how many times more another reader takes than readperf's folded stacks, flame graph and call tree
function pictures(text, reader, wanted) {
	limit("chains, folded, flame and calltree: " text " / readperf", \
		times(cost("chains", reader, "wall"), cost("chains", "readperf pictures", "wall")), \
		times(cost("chains", reader, "cpu"), cost("chains", "readperf pictures", "cpu")), "at least " wanted)
}

# CPU time that stacks add, in us a sample
function unwinding(with, without,    more) {
	more = cost("copies", with, "cpu") - cost("copies", without, "cpu")
	return more > 0 && samples["copies"] ? 1e6 * more / samples["copies"] : 0
}

function stacks(    ours, theirs) {
	pictures("perf report -g folded", "perf report -g folded", 14)
	pictures("perf report --children", "perf report --children", 20)
	pictures("perf script", "perf script", 20)
	pictures("perf script and stackcollapse", "perf script | stackcollapse-perf", 80)
	if (cost("copies", "readperf pictures", "wall"))
		limit("copies, folded, flame and calltree: s a GB", \
			sprintf("%.2f", 1e9 * cost("copies", "readperf pictures", "wall") / bytes["copies"]), \
			sprintf("%.2f", 1e9 * cost("copies", "readperf pictures", "cpu") / bytes["copies"]), "at most 1.1")
	memory("copies", "readperf pictures", 128)
	ours = unwinding("readperf pictures", "readperf processes")
	theirs = unwinding("perf script stacks", "perf script times")
	if (ours)
		limit("copies: us a sample for stacks", "", sprintf("%.2f", ours), "at most 2")
	limit("copies: perf script unwinding / readperf", "", times(theirs, ours), "at least 10")
}

# What the instructions of 25 functions cost.
function annotations(    addresses, instructions, annotate) {
	addresses = "readperf addresses, 25 functions"
	instructions = "readperf instructions, 25 functions"
	annotate = "perf annotate, 25 functions"
	if (!cost("cplusplus", instructions, "wall"))
		return
	limit("cplusplus, 25 functions: instructions - addresses, s", \
		sprintf("%.3f", cost("cplusplus", instructions, "wall") - cost("cplusplus", addresses, "wall")), \
		sprintf("%.3f", cost("cplusplus", instructions, "cpu") - cost("cplusplus", addresses, "cpu")), "at most 0.15")
	limit("cplusplus, 25 functions: perf annotate / instructions", \
		times(cost("cplusplus", annotate, "wall"), cost("cplusplus", instructions, "wall")), \
		times(cost("cplusplus", annotate, "cpu"), cost("cplusplus", instructions, "cpu")), "at least 10")
	limit("25 functions: instructions, of a program of 1 GB / of cplusplus", \
		ratio(cost("gigabyte", instructions, "wall"), cost("cplusplus", instructions, "wall")), \
		ratio(cost("gigabyte", instructions, "cpu"), cost("cplusplus", instructions, "cpu")), "at most 1.2")
}

# What part of the time of perf's program ours takes.
function part(name, ours, theirs, wanted) {
	limit(name ": " ours " / " theirs, ratio(cost(name, ours, "wall"), cost(name, theirs, "wall")), \
		ratio(cost(name, ours, "cpu"), cost(name, theirs, "cpu")), "at most " wanted)
}

function intervals() {
	part("switches", "readperf threads", "perf sched timehist -s", 0.33)
	part("switches", "readperf intervals", "perf sched timehist", 0.33)
	part("calls", "readperf latency", "perf trace -s", 0.2)
	part("waits", "readperf off-cpu flame", "perf script", 0.083)
	part("trace", "readperf traces", "perf script", 0.1)
}

function readings(name,    i, n, list, key, wall, head) {
	n = split(readers[name], list, "\t")
	for (i = 1; i <= n; i++) {
		key = name SUBSEP list[i]
		wall = cost(name, list[i], "wall")
		head = (i == 1 ? name : "") " | " list[i] (status[key] ? " (exit " status[key] ")" : "")
		printf "| %s | %.3f | %.3f | %.1f | %s | %s | %s | %s | %s |\n", head, wall, cost(name, list[i], "cpu"), \
			peak[key] / 1024, ratio(records[name] / 1e6, wall), times(bytes[name] / 1e6, wall), \
			gain(name, list[i], 0, "wall"), gain(name, list[i], 1, "wall"), times(wall, cost(name, "floor", "wall"))
	}
}

FILENAME == ARGV[1] {
	order[++recordings] = $1
	records[$1] = $3
	samples[$1] = $4
	bytes[$1] = $6
	next
}

{
	split($0, f, "\t")
	key = f[1] SUBSEP f[2]
	if (!(key in peak))
		readers[f[1]] = readers[f[1]] (readers[f[1]] == "" ? "" : "\t") f[2]
	values[key SUBSEP "wall"] = values[key SUBSEP "wall"] " " f[4]
	values[key SUBSEP "cpu"] = values[key SUBSEP "cpu"] " " f[5] + f[6]
	if (f[7] > peak[key] + 0)
		peak[key] = f[7] + 0
	if (f[8] != 0)
		status[key] = f[8]
}

END {
	print "| recording | reader | wall s | CPU s | peak MB | million records/s | MB/s | perf report takes × | report + script take × | × floor |"
	print "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"
	for (r = 1; r <= recordings; r++)
		readings(order[r])
	print "\n| recording | records | samples | MB |\n|---|--:|--:|--:|"
	for (r = 1; r <= recordings; r++)
		printf "| %s | %d | %d | %.1f |\n", order[r], records[order[r]], samples[order[r]], bytes[order[r]] / 1e6
	print "\n| what | by wall time | by CPU time | wanted |\n|---|--:|--:|--:|"
	split("many chains trace", named, " ")
	split("25 20 10", wanted, " ")
	for (i = 1; i <= 3; i++)
		limit(named[i] ": perf report + perf script / readperf", gain(named[i], "readperf", 1, "wall"), \
			gain(named[i], "readperf", 1, "cpu"), "at least " wanted[i])
	limit("many: perf report / readperf", gain("many", "readperf", 0, "wall"), gain("many", "readperf", 0, "cpu"), \
		"at least 12")
	limit("many: perf report / readperf without overview.csv", gain("many", "readperf tables", 0, "wall"), \
		gain("many", "readperf tables", 0, "cpu"), "at least 20")
	memory("many", "readperf")
	memory("many", "readperf, pipe")
	memory("huge", "readperf")
	memory("huge", "readperf, pipe")
	limit("ten times the records: time ×", \
		ratio(cost("tenfold", "readperf", "wall"), cost("tenth", "readperf", "wall")), \
		ratio(cost("tenfold", "readperf", "cpu"), cost("tenth", "readperf", "cpu")), "at most 10.5")
	limit("ns a sample, 1000 processes × 1000 mappings (10 × 1000, 10 × 10)", slopes("wall"), slopes("cpu"), "no more")
	for (i = 1; i <= 3; i++)
		limit(named[i] ", both CPUs busy: readperf / readperf -j1", \
			ratio(cost(named[i], "readperf, both CPUs busy", "wall"), cost(named[i], "readperf -j1, both CPUs busy", "wall")), \
			ratio(cost(named[i], "readperf, both CPUs busy", "cpu"), cost(named[i], "readperf -j1, both CPUs busy", "cpu")), \
			"at most 1")
	split("25 20 18", wanted, " ")
	split("12 12 5", report_wanted, " ")
	for (i = 1; i <= 3; i++) {
		limit(named[i] ", over tables: perf report + perf script / readperf", gain(named[i], "readperf over tables", 1, "wall"), \
			gain(named[i], "readperf over tables", 1, "cpu"), "at least " wanted[i])
		limit(named[i] ", over tables: perf report / readperf", gain(named[i], "readperf over tables", 0, "wall"), \
			gain(named[i], "readperf over tables", 0, "cpu"), "at least " report_wanted[i])
	}
	stacks()
	annotations()
	intervals()
	small = cost("small", "readperf", "wall")
	limit("small: ms", small ? sprintf("%.0f", 1000 * small) : "", \
		sprintf("%.0f", 1000 * cost("small", "readperf", "cpu")), "under 50")
	limit("many: readperf / floor", ratio(cost("many", "readperf", "wall"), cost("many", "floor", "wall")), \
		ratio(cost("many", "readperf", "cpu"), cost("many", "floor", "cpu")), "at most 2.5")
}
