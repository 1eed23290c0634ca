# Compares call chains: awk -f compare.awk PERF-SCRIPT CHAINS. Prints "ok N samples ...", or what is wrong.
# thousandths: how many chains of a thousand may be others, if not two. some: PERF-SCRIPT has not all samples of CHAINS.
# perf script prints addresses as they are for the kernel, relative to the binary for others, of calls or of what is
# behind them, depending on where the chain is from; CHAINS has all three. perf ends a chain that it cannot follow in
# the address ffffffffffffffff, or in one that it guessed from a frame pointer that is none: ours must go on there. In
# some runs it loses the tables of ld.so or libc, and follows a frame pointer past some frames and on from there: ours
# must be complete and have all of its frames in their order; that may be so in two of a hundred chains. It drops
# recorded chains with a word above fffffffffffff000 that is no marker it knows; ours is longer then.
# A thread that has just ended has the number -1. mawk knows no intervals in regular expressions.
BEGIN { lost = "ffffffffffffffff" }
FNR == 1 { file++ }
/^[^\t ]/ && file == 2 && $1 != "end" { key = $1 " " $2; next_frame = in_order = 0; seen = (key in count) || !some; samples += seen; wrong = (key in count) ? 0 : -1; next }
file == 1 && /^ *-?[0-9]+ +[0-9]+\.[0-9]+: *$/ {
	time = $2
	sub(/:$/, "", time)
	split(time, part, ".")
	key = $1 " " (part[1] + 0 ? part[1] + 0 : "") part[2]
	sub(/ 0+/, " ", key)
	if (key in count)
		twice[key] = 1
	count[key] = 0
	next
}
file == 1 && NF >= 1 { if ($1 != lost) frame[key, count[key]++] = $1; next }
file == 2 && /^\t/ {
	if (next_frame < count[key] && !wrong) {
		perf = frame[key, next_frame]
		if (perf != $1 && perf != $2 && perf != $3)
			wrong = next_frame + 1
	}
	perf = frame[key, in_order]
	if (in_order < count[key] && (perf == $1 || perf == $2 || perf == $3))
		in_order++
	next_frame++
	next
}
file == 2 && $1 == "end" {
	if (!seen || key in twice)
		next
	if (wrong > 1 && wrong == count[key] && next_frame >= count[key])
		guessed++
	else if (wrong > 1 && in_order == count[key] && $2 == 0)
		skipped++
	else if (wrong)
		differ++
	else if (next_frame < count[key])
		shorter++
	else if (next_frame > count[key])
		longer++
	else
		same++
}
END {
	if (!samples)
		print "no samples"
	else if (differ + shorter > 1 && (differ + shorter) * 1000 > samples * (thousandths ? thousandths : 2))
		print differ + 0 " of " samples " chains differ, " shorter + 0 " are shorter than those of perf"
	else if (skipped > 1 && skipped * 50 > samples)
		print "perf leaves out frames of " skipped " of " samples " chains"
	else
		print "ok " samples " chains, " same + 0 " as perf has them, " longer + 0 " longer, " guessed + 0 \
			" where perf guesses, " skipped + 0 " where it leaves out frames, " differ + 0 " others, " shorter + 0 " shorter"
}
