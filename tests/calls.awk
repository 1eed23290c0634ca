# nm -gA OBJECT... | awk -f tests/calls.awk
# prints every circle of files that use each other's functions or data, and exits with 1 if there is one.
function unit_of(path) {
	sub(/:.*/, "", path)
	sub(/\.o$/, "", path)
	return path
}

{
	unit = unit_of($1)
	name = $NF
	if ($(NF - 1) == "U")
		uses[unit] = uses[unit] " " name
	else
		home[name] = unit
}

# Depth first: a file that is met again while it is still open closes a circle.
function visit(unit, path,    i, n, list, to, seen) {
	if (state[unit] == "done")
		return
	if (state[unit] == "open") {
		print "circle of calls:" substr(path, index(path " ", " " unit " ")) " " unit
		bad = 1
		return
	}
	state[unit] = "open"
	n = split(uses[unit], list, " ")
	for (i = 1; i <= n; i++) {
		to = home[list[i]]
		if (to != "" && to != unit && !(to in seen)) {
			seen[to] = 1
			visit(to, path " " unit)
		}
	}
	state[unit] = "done"
}

END {
	for (unit in uses)
		visit(unit, "")
	exit bad
}
