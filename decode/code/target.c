#include "decode/code/target.h"

#include "decode/files/elf.h"
#include "util/digits.h"
#include "util/text.h"

#include <string.h>

/*
 * How the names of instructions begin that take the address of code as their last operand. Others
 * that begin so have other last operands: registers, or numbers with a mark in front.
 */
static const struct {
	uint16_t machine;
	const char *starts[6];
} jumps[] = {
	{ EM_X86_64, { "j", "call", "loop", "xbegin" } },
	{ EM_386, { "j", "call", "loop", "xbegin" } },
	{ EM_AARCH64, { "b", "cb", "tb" } },
	{ EM_ARM, { "b", "cb" } },
	{ EM_RISCV, { "j", "b", "c.j", "c.b", "call", "tail" } },
	{ EM_S390, { "j", "br", "c", "bra" } },
	{ EM_PPC64, { "b" } },
	{ EM_PPC, { "b" } },
	{ EM_MIPS, { "b", "j" } },
	{ EM_LOONGARCH, { "b", "j" } },
};

/* Words that stand before the name of an x86 instruction. */
static const char *skip_prefixes(const char *text)
{
	static const char *const words[] = { "bnd ", "notrack ", "data16 ", "addr32 ", "ds ",
		                             "cs ",  "rex.W ",   "repz ",   "repnz ",  "lock " };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *rest = text_after(text, words[i]);

		if (rest) {
			text = rest + strspn(rest, " ");
			i = SIZE_MAX; /* from the start again */
		}
	}
	return text;
}

static bool is_jump(uint16_t machine, const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(jumps); i++) {
		if (jumps[i].machine != machine)
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(jumps[i].starts) && jumps[i].starts[k]; k++)
			if (text_starts(text, jumps[i].starts[k]))
				return true;
	}
	return false;
}

bool code_direct_target(uint16_t machine, const char *text, uint64_t *target)
{
	const char *last, *end;

	text = skip_prefixes(text);
	if (!is_jump(machine, text))
		return false;
	/* a remark of the disassembler; the sign of others begins a number of ARM */
	end = machine == EM_ARM || machine == EM_AARCH64 ? strstr(text, " //")
	                                                 : strpbrk(text, "#;");
	if (!end)
		end = text + strlen(text);
	while (end > text && end[-1] == ' ')
		end--;
	last = end;
	while (last > text && last[-1] != ' ' && last[-1] != ',')
		last--;
	return last > text && parse_hex(last, (size_t)(end - last), target);
}
