/* A jitdump file. */
#include "decode/jitcode.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jit_entries entries = { .items = NULL };
	struct symtable table;
	struct err err = { 0 };

	symtable_init(&table);
	check_err(jitdump_parse(data, size, &table, &entries, &err) &&
			  jit_entries_put(&entries, &table, &err) && symtable_finish(&table, &err),
		  &err);
	for (size_t i = 0; err.code == ERR_NONE && i < entries.count && i < 100; i++)
		symtable_find(&table, entries.items[i].start);
	free(entries.items);
	symtable_release(&table);
	return 0;
}
