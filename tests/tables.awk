# Reads readperf's CSV tables (RFC 4180, no line ends inside fields) for tests/run and tests/live/run.
#   -v job=widths             says which row is not as wide as the header
#   -v job=columns -v n=N     the first N columns, tab separated
#   -v job=results            results.csv, comparable between machines: rows of our own programs as they are, all other
#                            binaries as one row each with their sums (their names depend on the machine)
#   -v job=sums               event, samples, period of results.csv or processes.csv, sorted by the caller
#   -v job=between -v column=COLUMN -v low=A -v high=B   the same of the samples in overview.csv between the two
#   -v job=selected           the same of what events.csv says is selected
#   -v job=rows               the same of samples.csv
#   -v job=functions          event, function, binary, samples, period of results.csv or samples.csv
#   -v job=records            what overview.csv and samples.csv say of the records of samples, in their order
#   -v job=sorted             complains if results.csv has not its largest period first within each event
#   -v job=times              complains if overview.csv is not sorted by time, then by position

function cut(line,    n, rest, text) {
	n = 0
	rest = line
	for (;;) {
		if (substr(rest, 1, 1) == "\"") {
			text = ""
			rest = substr(rest, 2)
			while (match(rest, /^[^"]*""/)) {
				text = text substr(rest, 1, RLENGTH - 1)
				rest = substr(rest, RLENGTH + 1)
			}
			if (!match(rest, /^[^"]*"/)) {
				print FILENAME ":" FNR ": a quote does not end"
				return 0
			}
			field[++n] = text substr(rest, 1, RLENGTH - 1)
			rest = substr(rest, RLENGTH + 1)
		} else {
			match(rest, /^[^,]*/)
			field[++n] = substr(rest, 1, RLENGTH)
			rest = substr(rest, RLENGTH + 1)
		}
		if (substr(rest, 1, 1) != ",")
			break
		rest = substr(rest, 2)
	}
	return rest == "" ? n : 0
}

function number(text) {
	return text == "" ? 0 : text + 0
}

{
	width = cut($0)
	if (FNR == 1) {
		columns = width
		for (i = 1; i <= width; i++)
			at[field[i]] = i
	}
}

job == "widths" && width != columns {
	print FILENAME ":" FNR ": " width " columns, the header has " columns
}

job == "columns" {
	line = field[1]
	for (i = 2; i <= n; i++)
		line = line "\t" field[i]
	print line
}

FNR == 1 { next }

# functions that only call others; job columns compares their totals
(job == "results" || job == "functions") && ("samples" in at) && field[at["samples"]] == 0 { next }

job == "results" {
	binary = field[at["binary"]]
	if (binary ~ /^\/tmp\/readperf-samples\//) {
		line = ""
		for (i = 1; i <= 8; i++)
			line = line (i > 1 ? "\t" : "") field[i]
		print line
	} else {
		key = field[at["event"]] "\t" binary
		period[key] += field[at["period"]]
		samples[key] += field[at["samples"]]
	}
}

job == "sums" {
	key = field[at["event"]]
	if (key != "" || field[at["samples"]] != 0) {
		period[key] += field[at["period"]]
		samples[key] += field[at["samples"]]
	}
}

job == "sorted" {
	event = field[at["event"]]
	if (event != last_event && (event in seen))
		print FILENAME ":" FNR ": the rows of " event " are not together"
	if (event == last_event && field[at["period"]] + 0 > last_period)
		print FILENAME ":" FNR ": a larger period after a smaller one"
	seen[event] = 1
	last_event = event
	last_period = field[at["period"]] + 0
}

job == "times" {
	time = number(field[at["time"]])
	nr = field[1] + 0
	# a group read has several rows of one record
	if (time < last_time || (time == last_time && nr < last_nr + (at["type"] != "") && FNR > 2))
		print FILENAME ":" FNR ": not in order of time and position"
	last_time = time
	last_nr = nr
}

# Rows of samples in overview.csv whose column is in [low, high], numbers or the same text.
job == "between" && field[at["type"]] == "SAMPLE" {
	value = field[at[column]]
	if (low == high ? value == low : value + 0 >= low + 0 && value + 0 <= high + 0) {
		period[field[at["event"]]] += field[at["period"]]
		samples[field[at["event"]]]++
	}
}

job == "rows" {
	period[field[at["event"]]] += field[at["period"]]
	samples[field[at["event"]]]++
}

job == "functions" {
	key = field[at["event"]] "\t" field[at["function"]] "\t" field[at["binary"]]
	period[key] += field[at["period"]]
	samples[key] += "samples" in at ? field[at["samples"]] : 1
}

job == "records" && (!("type" in at) || field[at["type"]] == "SAMPLE") {
	print field[1], field[at["time"]], field[at["pid"]], field[at["tid"]], field[at["cpu"]],
		field["ip" in at ? at["ip"] : at["info"]], field["data_address" in at ? at["data_address"] : at["address"]]
}

job == "selected" && field[at["selected_samples"]] != 0 {
	period[field[at["event"]]] += field[at["selected_period"]]
	samples[field[at["event"]]] += field[at["selected_samples"]]
}

END {
	if (job == "results" || job == "sums" || job == "between" || job == "selected" ||
	    job == "rows" || job == "functions")
		for (key in period)
			printf "%s\t%d samples\t%.0f period\n", key, samples[key], period[key]
}
