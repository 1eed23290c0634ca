# Which room may include which: awk -f tests/rooms.awk FILE... prints every include that leads elsewhere,
# every circle of files (a .c and its .h are one), every table that nothing writes, and every struct or enum of a header
# that another file has, too, with another meaning; it exits with 1 if there is one.
# A room may include itself and util; what it may include besides stands below. What a room may include,
# the rooms above it may too.
BEGIN {
	may("perffile/input", "")
	may("perffile/session", "perffile/input")
	may("perffile/record", "perffile/session")
	may("perffile/facts", "perffile/session")
	may("perffile/fields", "perffile/session")
	may("perffile/order", "perffile/record")
	may("perffile/overview", "perffile/record perffile/fields")
	may("perffile", "perffile/order")
	may("decode/machine", "perffile/record perffile/fields")
	may("decode/select", "decode/machine")
	may("decode/files", "decode/machine")
	may("decode/stacks", "decode/files decode/machine")
	may("decode/intervals", "decode/select decode/machine")
	may("decode/tally", "decode/stacks decode/select decode/intervals decode/machine")
	may("decode/spe", "perffile/record")
	may("decode/code", "decode/files")
	may("decode/source", "")
	may("decode/dwarf", "decode/files decode/source")
	may("decode/symbols", "decode/files decode/source")
	may("decode/threadlocal", "decode/tally decode/files")
	may("decode/naming", "decode/tally decode/stacks decode/symbols decode/dwarf decode/code decode/threadlocal")
	may("decode/compare", "decode/naming")
	may("decode/tables", "decode/naming decode/compare perffile perffile/facts perffile/overview")
	may("decode/exports", "decode/tables")
	may("decode/options", "decode/compare decode/tables decode/exports")
	may("decode/run", "decode/options decode/spe")
}

function may(room, below,    i, n, list, each) {
	known[room] = allowed[room, room] = allowed[room, "util"] = 1
	n = split(below, list, " ")
	for (i = 1; i <= n; i++) {
		allowed[room, list[i]] = 1
		for (each in known)
			if ((list[i], each) in allowed)
				allowed[room, each] = 1
	}
}

function room_of(path) {
	sub(/\/[^\/]*$/, "", path)
	return path
}

function unit_of(path) {
	sub(/\.[ch]$/, "", path)
	return path
}

/^#include "/ {
	split($0, part, "\"")
	if (part[2] !~ /\//) # made by the Makefile from a file of the same room
		next
	from = room_of(FILENAME)
	to = room_of(part[2])
	if (from != "util" && !((from, to) in allowed) || from == "util" && to != "util") {
		print FILENAME ":" FNR ": " from " may not include " to
		bad = 1
	}
	if (unit_of(FILENAME) != unit_of(part[2])) {
		edge[unit_of(FILENAME), unit_of(part[2])] = 1
		after[unit_of(FILENAME)] = after[unit_of(FILENAME)] " " unit_of(part[2])
	}
}

# Names of types are looked for in all files, by people and by debuggers.
/^(struct|enum) [a-z_0-9]+ \{/ {
	types[$1 " " $2] = types[$1 " " $2] " " FILENAME
	if (FILENAME ~ /\.h$/)
		of_header[$1 " " $2] = 1
}

# A table that the list TABLES does not have compiles, and nothing writes it.
/^const struct table [a-z_]+_table = \{/ {
	name = $4
	sub(/_table$/, "", name)
	made[name] = FILENAME ":" FNR
}

/^\tTABLE\([a-z_]+\)/ {
	name = $0
	gsub(/^\tTABLE\(|\).*/, "", name)
	listed[name] = 1
}

# Depth first: a unit that is met again while it is still open closes a circle.
function visit(unit, path,    i, n, list) {
	if (state[unit] == "done")
		return
	if (state[unit] == "open") {
		print "circle of includes:" substr(path, index(path " ", " " unit " ")) " " unit
		bad = 1
		return
	}
	state[unit] = "open"
	n = split(after[unit], list, " ")
	for (i = 1; i <= n; i++)
		visit(list[i], path " " unit)
	state[unit] = "done"
}

END {
	for (unit in after)
		visit(unit, "")
	for (name in made)
		if (!(name in listed)) {
			print made[name] ": TABLES (decode/tables/tables.h) lacks the table " name
			bad = 1
		}
	for (type in of_header)
		if (split(types[type], files, " ") > 1) {
			print "two definitions of " type ":" types[type]
			bad = 1
		}
	exit bad
}
