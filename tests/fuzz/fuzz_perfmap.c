/* A perf-PID.map. */
#include "decode/symbols/jitcode.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jit_entries entries = { .items = NULL };
	char *text = text_copy(data, size);
	struct symtable table = { 0 };
	struct err err = { 0 };

	check_err(perf_map_parse(text, size, &table, &entries, &err) &&
			  jit_entries_put(&entries, &table, &err),
		  &err);
	symtable_finish(&table);
	for (size_t i = 0; err.code == ERR_NONE && i < entries.count && i < 100; i++)
		FUZZ_CHECK(entries.items[i].start >= entries.items[i].end ||
			   symtable_find(&table, entries.items[i].start));
	free(text);
	free(entries.items);
	symtable_release(&table);
	return 0;
}
