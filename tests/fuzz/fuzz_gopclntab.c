/*
 * A Go program's table of functions, its module data, its trees of inlined calls, and its rules for stacks. Input:
 * the ELF file.
 */
#include "decode/source/source.h"
#include "decode/stacks/stackfiles.h"
#include "decode/symbols/gopclntab.h"
#include "tests/fuzz/fuzz.h"

#define ADDRS 256

/* Asks for files, lines and inlined functions from the start of the code on. */
static void ask(struct gopclntab *lines, const struct elf *elf)
{
	const struct elf_section *text = elf_find_section(elf, ".text");
	struct source_function functions[ADDRS];
	struct source_addr addrs[ADDRS];
	struct strings strings;
	struct source_query query = {
		.strings = &strings,
		.functions = functions,
		.function_count = ADDRS,
		.addrs = addrs,
		.addr_count = ADDRS,
		.inlines = true,
	};
	struct err err = { 0 };

	memset(functions, 0, sizeof(functions));
	memset(addrs, 0, sizeof(addrs));
	for (size_t i = 0; i < ADDRS; i++)
		functions[i].entry = addrs[i].addr = (text ? text->addr : 0) + i;
	if (strings_init(&strings, &err)) {
		check_err(gopclntab_answer(lines, elf, &query, &err), &err);
		for (size_t i = 0; i < ADDRS; i++)
			FUZZ_CHECK(addrs[i].frame + (uint64_t)addrs[i].frame_count <= query.frame_count);
		free(query.frames);
	}
	strings_release(&strings);
}

/* Asks for rows and rules from the start of the code on. */
static void ask_stacks(const struct elf *elf, enum cfi_machine machine)
{
	const struct elf_section *text = elf_find_section(elf, ".text");
	struct err err = { 0 };
	struct unwind_rule rule;
	struct cfi_row row;
	struct go_stack go;

	check_err(go_stack_load(&go, elf, machine, &err), &err);
	for (uint64_t i = 0; i < ADDRS; i++)
		if (go_stack_rule(&go, (text ? text->addr : 0) + i, &row, &rule))
			FUZZ_CHECK(rule.kind != UNWIND_NONE);
	go_release(&go.table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gopclntab go;
	struct symtable table;
	struct err err = { 0 };
	struct elf elf;

	table = (struct symtable){ 0 };
	if (elf_open_memory(&elf, (uint8_t *)text_copy(data, size), size, &err)) {
		check_err(gopclntab_put(&table, &elf, &go, &err), &err);
		if (go.data)
			ask(&go, &elf);
		go_release(&go);
		ask_stacks(&elf, size & 1 ? CFI_X86_64 : CFI_AARCH64);
	}
	FUZZ_CHECK(err.code == ERR_NONE || err.text[0]);
	symtable_release(&table);
	elf_close(&elf);
	return 0;
}
