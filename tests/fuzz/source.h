/* What the targets that read debug information share: the addresses they ask for, and checks of each answer. */
#ifndef READPERF_TESTS_FUZZ_SOURCE_H
#define READPERF_TESTS_FUZZ_SOURCE_H

#include "decode/dwarf/dwarf.h"
#include "tests/fuzz/fuzz.h"

#define SOURCE_ADDRS 64

/*
 * Asks the file at path for addresses from 0x1000 to 0x1430: there the seeds have their code.
 * symfs: as in source_query.
 */
static inline void ask_source(const char *path, const char *symfs)
{
	struct source_function functions[SOURCE_ADDRS];
	struct source_addr addrs[SOURCE_ADDRS];
	struct strings strings;
	struct source_query query = {
		.path = path,
		.symfs = symfs,
		.strings = &strings,
		.functions = functions,
		.function_count = SOURCE_ADDRS,
		.addrs = addrs,
		.addr_count = SOURCE_ADDRS,
		.inlines = true,
	};
	struct err err = { 0 };
	struct diag diag;
	bool unreadable;

	memset(functions, 0, sizeof(functions));
	memset(addrs, 0, sizeof(addrs));
	for (size_t i = 0; i < SOURCE_ADDRS; i++) {
		functions[i].entry = 0x1000 + 0x10 * i;
		addrs[i].addr = 0x1000 + 0x11 * i;
	}
	diag_init(&diag, print_nothing, NULL);
	if (strings_init(&strings, &err)) {
		check_err(dwarf_lookup(&query, &unreadable, &diag, &err), &err);
		for (size_t i = 0; i < SOURCE_ADDRS; i++)
			FUZZ_CHECK(addrs[i].frame + (uint64_t)addrs[i].frame_count <=
			           query.frame_count);
		free(query.frames);
	}
	strings_release(&strings);
	diag_release(&diag);
}

#endif
