/* An ELF file: headers, notes, symbols, stubs. Input: how to read it, 1 byte; the file. */
#include "decode/symbols/elfsymbols.h"
#include "decode/symbols/modulecalls.h"
#include "decode/symbols/modulelayout.h"
#include "decode/symbols/plt.h"
#include "tests/fuzz/fuzz.h"

/* As if the kernel's list had the symbols, some of them elsewhere. */
static void place_sections(struct symtable *table, const struct elf *elf, struct err *err)
{
	bool common;
	int found;

	for (size_t i = 0; i < table->count; i++)
		table->items[i].start += i % 3 ? 64 : i * 16;
	found = module_layout_link(table, elf, UINT64_C(1) << 63, &common, err);
	FUZZ_CHECK(found <= 0 || common);
	FUZZ_CHECK(found == (table->link_count ? (int)(table->link_count - 1) / 2 : found));
}

/* Where calls of a module lead: asked of each place that has a relocation, and of others. */
static void read_calls(const struct elf *elf)
{
	struct module_target target;
	struct module_calls calls;
	struct err err = { 0 };

	FUZZ_CHECK(module_calls_read(&calls, elf, &err));
	for (size_t i = 0; i < calls.call_count && i < 100; i++) {
		const uint64_t addr = calls.calls[i].addr;

		if (module_calls_find(&calls, addr - 1, addr + 4, addr + i, &target))
			FUZZ_CHECK(*target.name || target.addr != UINT64_MAX);
		module_calls_find(&calls, addr + 1, addr + 1, addr - i, &target);
	}
	module_calls_release(&calls);
}

static void read_symbols(const struct elf *elf, enum elf_space space, enum symbol_origin origin)
{
	struct elf_symbols source = { .names = elf, .runtime = elf, .space = space, .origin = origin };
	struct symtable table;
	struct err err = { 0 };
	uint64_t start;

	table = (struct symtable){ 0 };
	if (space == ELF_SPACE_MODULE && elf_symbols_put(&table, &source, &err))
		place_sections(&table, elf, &err);
	symtable_release(&table);
	table = (struct symtable){ 0 };
	if (elf_symbols_put(&table, &source, &err) && plt_put(&table, elf, &err) &&
	    elf_symbols_link(&table, elf, &err)) {
		symtable_finish(&table);
		for (size_t i = 0; i < table.count && i < 100; i++) {
			start = table.items[i].start;
			symtable_find(&table, start);
			symtable_link_addr(&table, start);
		}
	}
	FUZZ_CHECK(err.code == ERR_NONE || err.text[0]);
	symtable_release(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct elf elf;

	if (size < 1)
		return 0;
	if (elf_open_memory(&elf, (uint8_t *)text_copy(data + 1, size - 1), size - 1, &err)) {
		FUZZ_CHECK(elf.build_id.size <= PERF_BUILD_ID_SIZE);
		if (data[0] & 4)
			elf_restore_offsets(&elf);
		for (size_t i = 0; i < elf.section_count; i++) {
			elf_section_name(&elf, &elf.sections[i]);
			if (i < 8)
				free(elf_section_data(&elf, &elf.sections[i], &err));
		}
		if (data[0] % 3 == ELF_SPACE_MODULE)
			read_calls(&elf);
		if (data[0] & 8)
			read_symbols(&elf, ELF_SPACE_THREAD, ORIGIN_SYMTAB);
		read_symbols(&elf, (enum elf_space)(data[0] % 3), ORIGIN_SYMTAB);
		read_symbols(&elf, (enum elf_space)(data[0] % 3), ORIGIN_DYNSYM);
	} else {
		FUZZ_CHECK(err.code != ERR_NONE && err.text[0]);
	}
	elf_close(&elf);
	return 0;
}
