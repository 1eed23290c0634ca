# Compares instructions.csv with what objdump -d -w --no-show-raw-insn prints of the whole binary:
#   awk -f instructions.awk OBJDUMP-OUTPUT ROWS    ROWS: address, instruction, target, tab separated, of one binary
# Prints what differs, and at the end how many instructions are equal. objdump prints targets with names, which
# readperf has in a column of its own; blanks are not compared, as objdump aligns some with tabs.
function plain(text) {
	gsub(/[ \t]+/, " ", text)
	sub(/ *@ imm = #.*/, "", text) # llvm-objdump's remark, which readperf leaves out
	if (text ~ /[ ,(]gp[,)]/) # of RISC-V: what lies there, by a symbol of the binary
		sub(/ *# .*/, "", text)
	if (match(text, / <.*>/)) {
		name = substr(text, RSTART + 2, RLENGTH - 3)
		text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
	}
	sub(/ $/, "", text)
	gsub(/0x/, "", text)
	return text
}

FNR == 1 { file++ }
file == 1 && /^ *[0-9a-f]+:[ \t]/ {
	addr = $1
	sub(/:$/, "", addr)
	text = $0
	sub(/^ *[0-9a-f]+:[ \t]*/, "", text)
	name = ""
	known[addr] = plain(text)
	named[addr] = name
}
file == 2 {
	split($0, part, "\t")
	addr = substr(part[1], 3)
	if (part[2] == "") {
		if (addr in known)
			print "0x" addr " has no instruction, objdump: " known[addr]
		next
	}
	if (known[addr] != plain(part[2]))
		print "0x" addr ": " part[2] ", objdump: " known[addr]
	else
		equal++
	# objdump has no names for the stubs of functions that are chosen when the program starts; on ppc64 code is .NAME
	if (part[3] != "" && part[3] != ".plt" && named[addr] != part[3] && named[addr] != "." part[3])
		print "0x" addr ": target " part[3] ", objdump: " named[addr]
}
END { print equal + 0 " equal" }
