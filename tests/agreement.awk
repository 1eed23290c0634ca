# Compares two lists of event|binary|function|period, perf's and ours. -v share: percent that must be alike.
# -v aliases: a file with lines binary|name|first name, of names of one place (tests/aliases).
# First line: the share that is alike, in percent per event. Second line: why that is not enough; empty if it is.
# Two differences do not count. One is period that perf leaves without a name and readperf names. The other is the stub of
# a .plt: perf 6.1 numbers stubs by their relocations, and gives those of .plt.sec, and the header of a .plt, the name of
# what is before them (_init). tests/naming/run compares readperf's names of stubs with objdump.
BEGIN {
	while (aliases != "" && (getline line < aliases) > 0) {
		split(line, word, "|")
		canonical[word[1] "|" word[2]] = word[1] "|" word[3]
	}
}
{
	period = $0; sub(/^.*\|/, "", period)
	key = substr($0, 1, length($0) - length(period) - 1)
	# the version that perf leaves behind some names
	sub(/@@?[A-Z][A-Z_]*_[0-9.]+$/, "", key)
	sub(/\|([^|]*@plt|\.plt[.a-z]*)$/, "|@plt", key)
	event = key; sub(/\|.*$/, "", event)
	place = substr(key, length(event) + 2)
	if (place in canonical)
		key = event "|" canonical[place]
}
FNR == 1 { file++ }
{ value[file, key] += period; total[file, event] += period; keys[key] = event; events[event] = 1 }
key ~ /\|\[unknown\]$/ { unnamed[file, event] += period; nameless[key] = event }
END {
	for (key in keys) {
		a = value[1, key] + 0; b = value[2, key] + 0
		alike[keys[key]] += a < b ? a : b
		difference = a < b ? b - a : a - b
		if (difference > worst[keys[key]]) {
			worst[keys[key]] = difference
			where[keys[key]] = key " perf " a " readperf " b
		}
	}
	for (key in keys) {
		before = key
		if (!sub(/\|@plt$/, "|_init", before))
			continue
		a = value[1, before] - value[2, before]; b = value[2, key] - value[1, key]
		if (a > 0 && b > 0)
			alike[keys[key]] += a < b ? a : b
	}
	# what perf does not name and readperf does is no disagreement
	for (key in nameless)
		if (value[1, key] > value[2, key])
			alike[nameless[key]] += value[1, key] - value[2, key]
	for (event in events) {
		a = total[1, event] + 0; b = total[2, event] + 0
		percent = a > 0 ? 100 * alike[event] / a : 0
		printf "%.3f ", percent
		if (a != b)
			why = why sprintf("%s: perf sums to %.0f, readperf to %.0f; ", event, a, b)
		if (percent < share)
			why = why sprintf("%s: only %.3f %% of the period alike, worst %s; ", event, percent, where[event])
		if (unnamed[2, event] > unnamed[1, event])
			why = why sprintf("%s: perf leaves %.0f without a name, readperf %.0f; ", event, unnamed[1, event], unnamed[2, event])
	}
	printf "\n%s\n", why
}
