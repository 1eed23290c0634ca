/* A jitdump file: its code, and the lines of it. */
#include "decode/source/addr2line.h"
#include "decode/symbols/jitcode.h"
#include "tests/fuzz/fuzz.h"

#define ASKED 100

/* Asks about addresses inside and outside of the code; each question must return. */
static void ask_lines(const struct jit_lines *lines, const struct jit_entries *entries)
{
	struct source_function functions[ASKED] = { { 0 } };
	struct source_addr addrs[ASKED] = { { 0 } };
	struct strings strings;
	struct source_query query = { .strings = &strings, .functions = functions, .addrs = addrs };
	struct err err = { 0 };

	for (size_t i = 0; i < entries->count && i < ASKED; i++) {
		const struct jit_entry *entry = &entries->items[i];

		functions[query.function_count++].entry = entry->place;
		addrs[query.addr_count++].addr = entry->place + entry->room / 2;
	}
	check_err(strings_init(&strings, &err) && jit_lines_answer(lines, &query, &err), &err);
	for (size_t i = 0; i < query.addr_count; i++)
		FUZZ_CHECK(addrs[i].file < strings.count && functions[i].file < strings.count);
	strings_release(&strings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jit_lines lines = { .items = NULL };
	struct jit_entries entries = { .items = NULL };
	struct symtable table = { 0 };
	struct jit_names names = { .table = &table, .lines = &lines };
	struct jitdump_visitor visitor = jit_names_visitor(&names);
	struct err err = { 0 };

	check_err(jitdump_parse(data, size, &visitor, &entries, &err) &&
			  jit_entries_put(&entries, &table, &err),
		  &err);
	jit_lines_finish(&lines);
	symtable_finish(&table);
	for (size_t i = 0; err.code == ERR_NONE && i < entries.count && i < ASKED; i++)
		symtable_find(&table, entries.items[i].start);
	ask_lines(&lines, &entries);
	FUZZ_CHECK(lines.count <= size / 17);
	free(entries.items);
	jit_lines_release(&lines);
	symtable_release(&table);
	return 0;
}
