/* symbols.csv: the functions in the recording, which --symbol-pack reads on another machine. */
#define _GNU_SOURCE /* qsort_r() */
#include "decode/naming/rows.h"
#include "decode/tables/eventfile.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

static int compare_build_ids(const struct build_id *a, const struct build_id *b)
{
	int order = memcmp(a->bytes, b->bytes, u64_min(a->size, b->size));

	return order ? order : u64_order(a->size, b->size);
}

/* Compares two functions by the columns of their rows, from left to right. */
static int compare_functions(const void *first, const void *second, void *context)
{
	const struct report *report = *(const struct report *const *)context;
	const struct strings *strings = report->stat->strings;
	const struct function_name *functions = report->names->functions;
	const struct function_name *x = &functions[*(const uint32_t *)first];
	const struct function_name *y = &functions[*(const uint32_t *)second];
	const struct binary *m = &report->stat->binaries.items[x->binary];
	const struct binary *n = &report->stat->binaries.items[y->binary];
	int order = compare_build_ids(&m->build_id, &n->build_id);

	if (!order)
		order = rows_compare_texts(strings, m->name, n->name);
	if (!order)
		order = u64_order(x->start, y->start);
	if (!order)
		order = u64_order(x->end, y->end);
	if (!order)
		order = rows_compare_texts(strings, x->name, y->name);
	if (!order)
		order = rows_compare_texts(strings, x->file, y->file);
	if (!order)
		order = u64_order(x->line, y->line);
	if (!order)
		order = (int)x->origin - (int)y->origin;
	return order ? order : u64_order(x->offset, y->offset);
}

static void print_function(struct table_writer *out, const struct report *report, uint32_t number)
{
	const struct strings *strings = report->stat->strings;
	const struct function_name *function = &report->names->functions[number];
	const struct binary *binary = &report->stat->binaries.items[function->binary];
	const bool known = function->start != function->end;
	char hex[2 * PERF_BUILD_ID_SIZE + 1];

	build_id_format(&binary->build_id, hex);
	table_str(out, hex);
	table_str(out, strings_get(strings, binary->name));
	table_address_if(out, known, function->start);
	table_address_if(out, known, function->end);
	table_str(out, strings_get(strings, function->name));
	table_str(out, strings_get(strings, function->file));
	table_u64_if(out, function->line, function->line);
	table_str(out, symbol_origin_name((enum symbol_origin)function->origin));
	table_address_if(out, known, function->offset);
	table_end_row(out);
}

static bool print_symbols(struct table_writer *out, const struct report *report, struct err *err)
{
	const size_t count = report->names->function_count;
	uint32_t *order = vec_new(count, sizeof(*order), err);

	if (!order)
		return false;
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare_functions, &report);
	for (size_t i = 0; i < count; i++)
		/* a module that was loaded twice is two binaries with the same functions */
		if (!i || compare_functions(&order[i - 1], &order[i], &report))
			print_function(out, report, order[i]);
	free(order);
	return true;
}

static const struct column symbols_columns[] = {
	{ "build_id", COLUMN_TEXT, "", "of the binary, lower-case hex", 8 },
	{ "binary", COLUMN_PATH, "", "as recorded, or [kernel.kallsyms] and the like", 2 },
	{ "start", COLUMN_ADDRESS, "", "of the function, as objdump prints it", 3 },
	{ "end", COLUMN_ADDRESS, "", "the address behind its last byte", 4 },
	{ "function", COLUMN_TEXT, "", "its name, or [unknown]", 1 },
	{ "source_file", COLUMN_PATH, "", "where the function is defined", 6 },
	{ "line", COLUMN_INTEGER, "", "of its start, in that file", 5 },
	{ "symbols", COLUMN_TEXT, "", "where the name came from, or why there is none", 7 },
	{ "offset", COLUMN_ADDRESS, "bytes",
	  "of its start in the binary's file, from the module's or from the kernel's start", 9 },
};

const struct table symbols_table = {
	.format = FORMAT_OF("symbols", symbols_columns),
	.needs = NEEDS_NAMES | NEEDS_STACKS | NEEDS_ENTRY_LINES,
	.can_fill = report_has_places,
	.print = print_symbols,
};
