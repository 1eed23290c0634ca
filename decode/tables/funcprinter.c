/* results.csv, lines.csv and addresses.csv: samples by function, line and address. */
#include "decode/naming/grouprows.h"
#include "decode/tables/eventfile.h"
#include "decode/tables/namedrow.h"

static bool print_results(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct results *results = report->results;
	char text[BUILD_ID_TEXT];

	(void)err;
	for (size_t i = 0; i < results->row_count; i++) {
		const struct result_row *result = &results->rows[i];
		const struct named_row row = {
			.report = report,
			.period = result->period,
			.samples = result->samples,
			.total = report->totals->chains ? &result->total : NULL,
			.function = result->function,
			.binary = result->binary,
			.file = result->file,
			.event = result->event,
			.build = result->build,
			.origin = (enum symbol_origin)result->origin,
			.text = text,
		};

		table_row(out, &row);
	}
	return true;
}

static const struct column results_columns[] = {
	{ "period", COLUMN_INTEGER, "events", "that the function's samples stand for", 5,
	  named_period },
	{ "samples", COLUMN_INTEGER, "samples", "in the function", 2, named_samples },
	{ "source_file", COLUMN_PATH, "", "where the function is defined", 8, named_source_file },
	{ "function", COLUMN_TEXT, "", "its name, or [unknown]", 3, named_function },
	{ "binary", COLUMN_PATH, "", "as recorded, or [kernel.kallsyms] and the like", 4,
	  named_binary },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 6, named_event },
	{ "percent", COLUMN_DECIMAL, "percent", "of the event's whole period", 1, named_percent },
	{ "symbols", COLUMN_TEXT, "", "where the name came from, or why there is none", 7,
	  named_symbols },
	{ "total_period", COLUMN_INTEGER, "events",
	  "of the samples that have the function anywhere in their call chain", 10,
	  named_total_period },
	{ "total_samples", COLUMN_INTEGER, "samples",
	  "that have the function anywhere in their call chain", 9, named_total_samples },
	{ "build_id", COLUMN_TEXT, "", "of the binary, lower-case hex", 11, named_build_id },
};

const struct table results_table = {
	.format = FORMAT_OF("results", results_columns),
	.by_default = true,
	.needs = NEEDS_NAMES,
	.print = print_results,
};

static bool print_places(struct table_writer *out, const struct report *report,
                         const struct group_table *table, struct err *err)
{
	const struct group_source source = { .stat = report->stat,
		                             .names = report->names,
		                             .temp_dir = report->temp_dir,
		                             .limit = SORTER_LIMIT };
	/* words: the binary, of addresses the address, then file, line, function, event */
	const size_t place = table == &address_table ? 2 : 1;
	const struct group_row *each;
	struct group_cursor cursor = { .rows = NULL };
	struct group_rows rows = { 0 };
	char text[BUILD_ID_TEXT];
	bool ok = group_rows_make(&rows, table, &source, err) &&
	          group_cursor_open(&cursor, &rows, err);

	while (ok && (each = group_cursor_next(&cursor, err))) {
		const uint64_t *words = each->words;
		const struct named_row row = {
			.report = report,
			.period = each->period,
			.samples = each->samples,
			.binary = (uint32_t)words[0],
			.address = words[1],
			.file = (uint32_t)words[place],
			.line = words[place + 1],
			.function = (uint32_t)words[place + 2],
			.event = (uint32_t)words[place + 3],
			.build = each->binary,
			.text = text,
		};

		table_row(out, &row);
	}
	group_cursor_close(&cursor);
	group_rows_release(&rows);
	return ok && err->code == ERR_NONE;
}

static bool print_lines(struct table_writer *out, const struct report *report, struct err *err)
{
	return print_places(out, report, &line_table, err);
}

static bool print_addresses(struct table_writer *out, const struct report *report, struct err *err)
{
	return print_places(out, report, &address_table, err);
}

static const struct column lines_columns[] = {
	{ "period", COLUMN_INTEGER, "events", "that the line's samples stand for", 6,
	  named_period },
	{ "samples", COLUMN_INTEGER, "samples", "on the line", 2, named_samples },
	{ "percent", COLUMN_DECIMAL, "percent", "of the event's whole period", 1, named_percent },
	{ "source_file", COLUMN_PATH, "", "that the line is in", 8, named_source_file },
	{ "line", COLUMN_INTEGER, "", "its number, from 1", 4, named_line },
	{ "function", COLUMN_TEXT, "", "its name, or [unknown]", 3, named_function },
	{ "binary", COLUMN_PATH, "", "as recorded", 5, named_binary },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 7, named_event },
	{ "build_id", COLUMN_TEXT, "", "of the binary, lower-case hex", 9, named_build_id },
};

const struct table lines_table = {
	.format = FORMAT_OF("lines", lines_columns),
	.needs = NEEDS_NAMES | NEEDS_LINES,
	.can_fill = report_has_places,
	.print = print_lines,
};

static const struct column addresses_columns[] = {
	{ "period", COLUMN_INTEGER, "events", "that the address's samples stand for", 7,
	  named_period },
	{ "samples", COLUMN_INTEGER, "samples", "at the address", 2, named_samples },
	{ "percent", COLUMN_DECIMAL, "percent", "of the event's whole period", 1, named_percent },
	{ "address", COLUMN_ADDRESS, "", "as objdump prints it", 4, named_address },
	{ "function", COLUMN_TEXT, "", "its name, or [unknown]", 3, named_function },
	{ "source_file", COLUMN_PATH, "", "of the address's line", 9, named_source_file },
	{ "line", COLUMN_INTEGER, "", "its number, from 1", 5, named_line },
	{ "binary", COLUMN_PATH, "", "as recorded", 6, named_binary },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 8, named_event },
	{ "build_id", COLUMN_TEXT, "", "of the binary, lower-case hex", 10, named_build_id },
};

const struct table addresses_table = {
	.format = FORMAT_OF("addresses", addresses_columns),
	.needs = NEEDS_NAMES | NEEDS_LINES,
	.can_fill = report_has_places,
	.print = print_addresses,
};
