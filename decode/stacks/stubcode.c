/*
 * Code that linkers write without unwind tables: the stubs of the PLT, through which a program
 * calls shared libraries, and _init and _fini. Their instructions are always the same, so they tell
 * themselves where the return address is. GNU ld describes its stubs for x86-64 in .eh_frame; lld
 * and mold do not, and on aarch64 no linker does.
 */
#include "decode/stacks/stackfiles.h"

#include "util/cursor.h"

#include <stdlib.h>
#include <string.h>

#define WORD 8 /* bytes of a word of the stack */
/* Bytes of a section that are read; the largest programs have some 100 KB of stubs. */
#define SECTION_MAX ((uint64_t)4 << 20)
#define ARM_WORD 4 /* bytes of an instruction */

/* Instructions of stubs on aarch64. */
#define ARM_SAVE_LR 0xa9bf7bf0u /* stp x16, x30, [sp, #-16]! */
#define ARM_JUMP 0xd61f0220u    /* br x17 */

bool stub_code_load(struct stub_code *stubs, const struct elf *elf, enum cfi_machine machine,
                    struct err *err)
{
	static const struct {
		const char *name;
		bool plt;
	} known[STUB_SECTIONS] = { { ".plt", true },  { ".plt.sec", true }, { ".plt.got", true },
		                   { ".iplt", true }, { ".init", false },   { ".fini", false } };

	*stubs = (struct stub_code){ .machine = machine };
	for (size_t i = 0; i < STUB_SECTIONS; i++) {
		const struct elf_section *section = elf_find_section(elf, known[i].name);
		struct err problem = { .code = ERR_NONE };
		uint8_t *code;

		if (!section || !(section->flags & SHF_EXECINSTR) || section->size > SECTION_MAX)
			continue;
		code = elf_section_data(elf, section, &problem);
		if (code)
			stubs->sections[stubs->count++] = (struct stub_section){
				.addr = section->addr,
				.size = (size_t)section->size,
				.code = code,
				.plt = known[i].plt
			};
		if (!err_pass_nomem(err, &problem))
			return false;
	}
	return true;
}

void stub_code_release(struct stub_code *stubs)
{
	for (size_t i = 0; i < stubs->count; i++)
		free(stubs->sections[i].code);
	stubs->count = 0;
}

/* Whether the section has these bytes there. */
static bool has_bytes(const struct stub_section *section, size_t at, const char *bytes, size_t size)
{
	return at <= section->size && section->size - at >= size &&
	       !memcmp(section->code + at, bytes, size);
}

#define HAS(section, at, text) has_bytes(section, at, text, sizeof(text) - 1)

/*
 * The words between the stack pointer and the CFA in a stub of the PLT on x86-64, which depend on
 * what the stub has pushed before; 0: the instruction is none of a stub.
 *
 *   an entry             jmp *slot; push $number; jmp first
 *                        with -z ibt: endbr64; push $number; jmp first, and endbr64; jmp *slot
 *                        by mold: endbr64; mov $number, %r11d; jmp *slot
 *   the first of all     push link_map; jmp *resolver; by mold after endbr64; push %r11
 */
static int x86_stub_depth(const struct stub_section *section, size_t at)
{
	if (HAS(section, at, "\xff\x25")) /* jmp *slot(%rip) */
		return at >= 6 && HAS(section, at - 6, "\xff\x35") ? 3 : 1;
	if (HAS(section, at, "\xff\x35") || HAS(section, at, "\xe9")) /* push m(%rip); jmp */
		return 2;
	if (HAS(section, at, "\x68") || HAS(section, at, "\x41\xbb") ||
	    HAS(section, at, "\x41\x53") || HAS(section, at, "\xf3\x0f\x1e\xfa"))
		return 1; /* push $n; mov $n, %r11d; push %r11; endbr64 */
	return 0;
}

/* The same for _init and _fini of glibc, which move the stack pointer by one word. */
static int x86_init_depth(const struct stub_section *section, size_t at)
{
	const size_t first = HAS(section, 0, "\xf3\x0f\x1e\xfa") ? 4 : 0;
	const size_t end = section->size;

	if (!HAS(section, first, "\x48\x83\xec\x08") || end < 9 ||
	    !HAS(section, end - 5, "\x48\x83\xc4\x08\xc3"))
		return 0;
	return at <= first || at == end - 1 ? 1 : 2;
}

/*
 * The same for stubs on aarch64. An entry only jumps; the first of all has saved the link register
 * in its two words: 2. -1: the instruction is not known.
 */
static int arm_stub_depth(const struct stub_section *section, size_t at)
{
	for (int i = 0; at % ARM_WORD == 0 && i < 8; i++) {
		uint32_t before;

		if (at < ARM_WORD)
			return 0;
		at -= ARM_WORD;
		before = load_u32(section->code + at, false);
		if (before == ARM_SAVE_LR)
			return 2;
		if (before == ARM_JUMP)
			return 0;
	}
	return -1;
}

static bool arm_row(const struct stub_section *section, size_t at, struct cfi_row *row)
{
	const int depth = section->plt ? arm_stub_depth(section, at) : -1;

	row->cfa.reg = ARM_SP;
	row->cfa.value = (int64_t)depth * WORD;
	row->return_register = ARM_LR;
	if (depth > 0)
		row->registers[ARM_LR] = (struct cfi_rule){ .where = CFI_SAVED, .value = -WORD };
	return depth >= 0;
}

static bool x86_row(const struct stub_section *section, size_t at, struct cfi_row *row)
{
	const int depth = section->plt ? x86_stub_depth(section, at) : x86_init_depth(section, at);

	row->cfa.reg = X86_RSP;
	row->cfa.value = (int64_t)depth * WORD;
	row->return_register = X86_RIP;
	row->registers[X86_RIP] = (struct cfi_rule){ .where = CFI_SAVED, .value = -WORD };
	return depth > 0;
}

bool stub_code_row(const struct stub_code *stubs, uint64_t addr, struct cfi_row *row)
{
	for (size_t i = 0; i < stubs->count; i++) {
		const struct stub_section *section = &stubs->sections[i];

		if (addr - section->addr >= section->size)
			continue;
		memset(row, 0, sizeof(*row));
		row->cfa.where = CFI_REGISTER_OFFSET;
		return (stubs->machine == CFI_X86_64 ? x86_row : arm_row)(
			section, (size_t)(addr - section->addr), row);
	}
	return false;
}
