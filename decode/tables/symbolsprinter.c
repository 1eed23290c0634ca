/* symbols.csv: the functions in the recording, which --symbol-pack reads on another machine. */
#define _GNU_SOURCE /* qsort_r() */
#include "decode/naming/rows.h"
#include "decode/tables/tables.h"

#include <stdlib.h>
#include <string.h>

struct symbol_row {
	struct function_bounds bounds;
	const struct build_id *build_id;
	uint32_t binary, function, file; /* strings */
	uint8_t origin;                  /* enum symbol_origin */
};

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Compares the columns from left to right. */
static int compare_symbol_rows(const void *a, const void *b, void *strings)
{
	const struct symbol_row *x = a, *y = b;
	size_t common = u64_min(x->build_id->size, y->build_id->size);
	int order = memcmp(x->build_id->bytes, y->build_id->bytes, common);

	if (!order)
		order = compare_u64(x->build_id->size, y->build_id->size);
	if (!order)
		order = rows_compare_texts(strings, x->binary, y->binary);
	if (!order)
		order = compare_u64(x->bounds.start, y->bounds.start);
	if (!order)
		order = compare_u64(x->bounds.end, y->bounds.end);
	if (!order)
		order = rows_compare_texts(strings, x->function, y->function);
	if (!order)
		order = rows_compare_texts(strings, x->file, y->file);
	if (!order)
		order = compare_u64(x->bounds.line, y->bounds.line);
	if (!order)
		order = (int)x->origin - (int)y->origin;
	return order ? order : compare_u64(x->bounds.offset, y->bounds.offset);
}

static struct symbol_row *make_symbol_rows(const struct report *report, struct err *err)
{
	const struct place_names *names = report->names;
	const struct buildstat *stat = report->stat;
	struct symbol_row *rows = calloc(names->function_count + 1, sizeof(*rows));

	if (!rows) {
		err_nomem(err, names->function_count * sizeof(*rows));
		return NULL;
	}
	for (size_t i = 0; i < names->function_count; i++) {
		const struct function_name *function = &names->functions[i];
		const struct binary *binary = &stat->binaries.items[function->binary];

		rows[i] = (struct symbol_row){ .build_id = &binary->build_id,
			                       .binary = binary->name,
			                       .function = function->name,
			                       .file = function->file,
			                       .origin = function->origin };
		if (i < names->bounds_count)
			rows[i].bounds = names->bounds[i];
	}
	qsort_r(rows, names->function_count, sizeof(*rows), compare_symbol_rows, stat->strings);
	return rows;
}

static void print_symbol_row(struct table_writer *out, const struct strings *strings,
                             const struct symbol_row *row)
{
	const struct function_bounds *bounds = &row->bounds;
	const bool known = bounds->start != bounds->end;
	char hex[2 * PERF_BUILD_ID_SIZE + 1];

	build_id_format(row->build_id, hex);
	table_str(out, row->build_id->size ? hex : NULL);
	table_str(out, strings_get(strings, row->binary));
	table_address_if(out, known, bounds->start);
	table_address_if(out, known, bounds->end);
	table_str(out, strings_get(strings, row->function));
	table_str(out, strings_get(strings, row->file));
	table_u64_if(out, bounds->line, bounds->line);
	table_str(out, symbol_origin_name((enum symbol_origin)row->origin));
	table_address_if(out, known, bounds->offset);
	table_end_row(out);
}

static bool print_symbols(struct table_writer *out, const struct report *report, struct err *err)
{
	struct strings *strings = report->stat->strings;
	struct symbol_row *rows = make_symbol_rows(report, err);

	for (size_t i = 0; rows && i < report->names->function_count; i++)
		/* a module that was loaded twice is two binaries with the same functions */
		if (!i || compare_symbol_rows(&rows[i - 1], &rows[i], strings))
			print_symbol_row(out, strings, &rows[i]);
	free(rows);
	return rows != NULL;
}

static bool has_functions(const struct report *report)
{
	return report->stat->cells.count != 0;
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
	.needs = NEEDS_NAMES | NEEDS_STACKS | NEEDS_BOUNDS,
	.can_fill = has_functions,
	.print = print_symbols,
};
