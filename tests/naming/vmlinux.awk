# Writes, from a list as /proc/kallsyms that is sorted by address, an assembler file with the functions of the kernel at
# their distances from _text: what a vmlinux with other addresses is linked from.
function hex(t, i, v)
{
	v = 0
	for (i = 1; i <= length(t); i++)
		v = v * 16 + index("0123456789abcdef", substr(t, i, 1)) - 1
	return v
}
BEGIN {
	print ".section .text,\"ax\",@progbits"
}
# the upper half of an address is the same in all of a kernel's text, and too long for awk's numbers
{ place = hex(substr($1, 9)) }
$3 == "_text" { base = place; begun = 1 }
$3 == "_etext" && begun { printf ".org %.0f\n", place - base; exit }
begun && !($3 in seen) && $2 ~ /^[TtWw]$/ {
	seen[$3] = 1
	printf ".org %.0f\n", place - base
	if ($2 == "T") printf ".globl \"%s\"\n", $3
	if ($2 == "W") printf ".weak \"%s\"\n", $3
	printf ".type \"%s\",@function\n\"%s\":\n", $3, $3
}
