/* For tests: what was counted, named, and all projections of it. */
#ifndef READPERF_TESTS_UNIT_NAMED_H
#define READPERF_TESTS_UNIT_NAMED_H

#include "decode/naming/branchrows.h"
#include "decode/naming/instructions.h"
#include "decode/naming/memoryrows.h"
#include "decode/naming/naming.h"
#include "decode/naming/grouprows.h"
#include "decode/naming/results.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* The rows of a table in an array. */
struct listed_rows {
	struct group_row *items;
	size_t count, capacity;
};

/* Made with so many rows in memory; free() the items in any case. */
static inline bool list_rows(struct listed_rows *listed, const struct group_table *table,
                             const struct buildstat *stat, const struct place_names *names,
                             size_t limit, struct err *err)
{
	const struct group_source source = { stat, names, NULL, ".", limit, NULL };
	struct group_rows rows = { 0 };
	struct group_cursor cursor = { 0 };
	const struct group_row *row;
	bool ok;

	*listed = (struct listed_rows){ 0 };
	ok = group_rows_make(&rows, table, &source, err) && group_cursor_open(&cursor, &rows, err);
	while (ok && (row = group_cursor_next(&cursor, err)))
		ok = vec_append(&listed->items, &listed->count, &listed->capacity, row, sizeof(*row), err);
	ok = ok && err->code == ERR_NONE;
	group_cursor_close(&cursor);
	group_rows_release(&rows);
	return ok;
}

struct named {
	struct place_names names;
	struct call_totals totals;
	struct call_tree calls;
	struct results results;
	struct listed_rows lines, addresses;
	struct branch_rows branches;
	struct memory_rows memory;
	struct instructions instructions; /* without a program that disassembles */
};

/* named_release() in any case. */
static inline bool named_make(struct named *named, struct buildstat *stat,
                              const struct naming_options *options, struct diag *diag,
                              struct err *err)
{
	const struct memory_machine machine = { .line_size = LINE_SIZE_USUAL };
	const struct code_options code = { .program = "/no/such/objdump" };
	const struct instruction_source source = { stat, &named->names, options, &code, NULL };

	memset(named, 0, sizeof(*named));
	return naming_run(&named->names, stat, options, diag, err) &&
	       call_totals_make(&named->totals, stat, &named->names, err) &&
	       call_tree_make(&named->calls, stat, &named->names, err) &&
	       results_make(&named->results, stat, &named->names, &named->totals, diag, err) &&
	       list_rows(&named->lines, &line_table, stat, &named->names, SORTER_LIMIT, err) &&
	       list_rows(&named->addresses, &address_table, stat, &named->names, SORTER_LIMIT, err) &&
	       memory_rows_make(&named->memory, stat, options, &machine, diag, err) &&
	       branch_rows_make(&named->branches, stat, options, NULL, err) &&
	       instructions_make(&named->instructions, &source, err);
}

static inline void named_release(struct named *named)
{
	instructions_release(&named->instructions);
	branch_rows_release(&named->branches);
	memory_rows_release(&named->memory);
	free(named->addresses.items);
	free(named->lines.items);
	results_release(&named->results);
	call_tree_release(&named->calls);
	call_totals_release(&named->totals);
	place_names_release(&named->names);
}

#endif
