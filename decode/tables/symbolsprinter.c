/* symbols.csv: the functions in the recording, which --symbol-pack reads on another machine. */
#define _GNU_SOURCE /* qsort_r() */
#include "decode/naming/rows.h"
#include "decode/tables/eventfile.h"
#include "decode/tables/namedrow.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

static int compare_build_ids(const struct build_id *a, const struct build_id *b)
{
	int order = memcmp(a->bytes, b->bytes, (size_t)u64_min(a->size, b->size));

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

/* A function, and what its names are in. */
struct symbol_row {
	const struct buildstat *stat;
	const struct function_name *function;
	char *text; /* room for BUILD_ID_TEXT bytes */
};

static const struct symbol_row *symbol_row(const void *row)
{
	return row;
}

static const struct binary *symbol_file(const void *row)
{
	return &symbol_row(row)->stat->binaries.items[symbol_row(row)->function->binary];
}

static struct value symbol_string(const void *row, uint32_t string)
{
	return value_str(strings_get(symbol_row(row)->stat->strings, string));
}

/* An address of a function whose bounds are known. */
static struct value symbol_address(const void *row, uint64_t address)
{
	const struct function_name *function = symbol_row(row)->function;

	return value_if(function->start != function->end, value_address(address));
}

static struct value symbol_build_id(const void *row)
{
	build_id_format(&symbol_file(row)->build_id, symbol_row(row)->text);
	return value_str(symbol_row(row)->text);
}

VALUE(symbol_row, symbol_binary, symbol_string(row, symbol_file(row)->name));
VALUE(symbol_row, symbol_start, symbol_address(row, row->function->start));
VALUE(symbol_row, symbol_end, symbol_address(row, row->function->end));
VALUE(symbol_row, symbol_function, symbol_string(row, row->function->name));
VALUE(symbol_row, symbol_source_file, symbol_string(row, row->function->file));
VALUE(symbol_row, symbol_line, value_if(row->function->line, value_u64(row->function->line)));
VALUE(symbol_row, symbol_origin,
      value_str(symbol_origin_name((enum symbol_origin)row->function->origin)));
VALUE(symbol_row, symbol_offset, symbol_address(row, row->function->offset));

static void print_function(struct table_writer *out, const struct report *report, uint32_t number)
{
	char text[BUILD_ID_TEXT];
	const struct symbol_row row = { report->stat, &report->names->functions[number], text };

	table_row(out, &row);
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
	{ "build_id", COLUMN_TEXT, "", "of the binary, lower-case hex", 8, symbol_build_id },
	{ "binary", COLUMN_PATH, "", "as recorded, or [kernel.kallsyms] and the like", 2,
	  symbol_binary },
	{ "start", COLUMN_ADDRESS, "", "of the function, as objdump prints it", 3, symbol_start },
	{ "end", COLUMN_ADDRESS, "", "the address behind its last byte", 4, symbol_end },
	{ "function", COLUMN_TEXT, "", "its name, or [unknown]", 1, symbol_function },
	{ "source_file", COLUMN_PATH, "", "where the function is defined", 6, symbol_source_file },
	{ "line", COLUMN_INTEGER, "", "of its start, in that file", 5, symbol_line },
	{ "symbols", COLUMN_TEXT, "", "where the name came from, or why there is none", 7,
	  symbol_origin },
	{ "offset", COLUMN_ADDRESS, "bytes",
	  "of its start in the binary's file, from the module's or from the kernel's start", 9,
	  symbol_offset },
};

const struct table symbols_table = {
	.format = FORMAT_OF("symbols", symbols_columns),
	.needs = NEEDS_NAMES | NEEDS_STACKS | NEEDS_ENTRY_LINES,
	.can_fill = report_has_places,
	.print = print_symbols,
};
