/* results.csv, lines.csv and addresses.csv: samples by function, line and address. */
#include "decode/naming/grouprows.h"
#include "decode/tables/eventfile.h"

static void build_id_cell(struct table_writer *out, const struct buildstat *stat, uint32_t binary)
{
	const struct build_id *id = &stat->binaries.items[binary].build_id;
	char hex[2 * PERF_BUILD_ID_SIZE + 1];

	build_id_format(id, hex);
	table_str(out, id->size ? hex : NULL);
}

static bool print_results(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct buildstat *stat = report->stat;
	const struct results *results = report->results;

	(void)err;
	for (size_t i = 0; i < results->row_count; i++) {
		const struct result_row *row = &results->rows[i];

		table_u64(out, row->period);
		table_u64(out, row->samples);
		table_str(out, strings_get(stat->strings, row->file));
		table_str(out, strings_get(stat->strings, row->function));
		table_str(out, strings_get(stat->strings, row->binary));
		table_str(out, buildstat_event_name(stat->session, row->event));
		table_percent(out, row->period, buildstat_totals(stat, row->event)->period);
		table_str(out, symbol_origin_name((enum symbol_origin)row->origin));
		table_u64_if(out, report->totals->chains, row->total.period);
		table_u64_if(out, report->totals->chains, row->total.samples);
		build_id_cell(out, stat, row->build);
		table_end_row(out);
	}
	return true;
}

static const struct column results_columns[] = {
	{ "period", COLUMN_INTEGER, "events", "that the function's samples stand for", 5 },
	{ "samples", COLUMN_INTEGER, "samples", "in the function", 2 },
	{ "source_file", COLUMN_PATH, "", "where the function is defined", 8 },
	{ "function", COLUMN_TEXT, "", "its name, or [unknown]", 3 },
	{ "binary", COLUMN_PATH, "", "as recorded, or [kernel.kallsyms] and the like", 4 },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 6 },
	{ "percent", COLUMN_DECIMAL, "percent", "of the event's whole period", 1 },
	{ "symbols", COLUMN_TEXT, "", "where the name came from, or why there is none", 7 },
	{ "total_period", COLUMN_INTEGER, "events",
	  "of the samples that have the function anywhere in their call chain", 10 },
	{ "total_samples", COLUMN_INTEGER, "samples",
	  "that have the function anywhere in their call chain", 9 },
	{ "build_id", COLUMN_TEXT, "", "of the binary, lower-case hex", 11 },
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
	const struct buildstat *stat = report->stat;
	const struct group_source source = { .stat = stat, .names = report->names };
	const bool by_address = table == &address_table;
	struct group_rows rows = { 0 };
	bool ok = group_rows_make(&rows, table, &source, err);

	for (size_t i = 0; ok && i < rows.words.count; i++) {
		const struct group_sum *sum = rows.order[i].sum;
		const uint64_t *words = rows.order[i].words;
		const uint64_t *place = words +
		                        (by_address ? 2 : 1); /* file, line, function, event */
		const char *function = strings_get(stat->strings, (uint32_t)place[2]);
		const uint32_t event = (uint32_t)place[3];

		table_u64(out, sum->period);
		table_u64(out, sum->samples);
		table_percent(out, sum->period, buildstat_totals(stat, event)->period);
		if (by_address) {
			table_address(out, words[1]);
			table_str(out, function);
		}
		table_str(out, strings_get(stat->strings, (uint32_t)place[0]));
		table_u64_if(out, place[1] != 0, place[1]);
		if (!by_address)
			table_str(out, function);
		table_str(out, strings_get(stat->strings, (uint32_t)words[0]));
		table_str(out, buildstat_event_name(stat->session, event));
		build_id_cell(out, stat, sum->binary);
		table_end_row(out);
	}
	group_rows_release(&rows);
	return ok;
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
	{ "period", COLUMN_INTEGER, "events", "that the line's samples stand for", 6 },
	{ "samples", COLUMN_INTEGER, "samples", "on the line", 2 },
	{ "percent", COLUMN_DECIMAL, "percent", "of the event's whole period", 1 },
	{ "source_file", COLUMN_PATH, "", "that the line is in", 8 },
	{ "line", COLUMN_INTEGER, "", "its number, from 1", 4 },
	{ "function", COLUMN_TEXT, "", "its name, or [unknown]", 3 },
	{ "binary", COLUMN_PATH, "", "as recorded", 5 },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 7 },
	{ "build_id", COLUMN_TEXT, "", "of the binary, lower-case hex", 9 },
};

const struct table lines_table = {
	.format = FORMAT_OF("lines", lines_columns),
	.needs = NEEDS_NAMES | NEEDS_LINES,
	.can_fill = report_has_places,
	.print = print_lines,
};

static const struct column addresses_columns[] = {
	{ "period", COLUMN_INTEGER, "events", "that the address's samples stand for", 7 },
	{ "samples", COLUMN_INTEGER, "samples", "at the address", 2 },
	{ "percent", COLUMN_DECIMAL, "percent", "of the event's whole period", 1 },
	{ "address", COLUMN_ADDRESS, "", "as objdump prints it", 4 },
	{ "function", COLUMN_TEXT, "", "its name, or [unknown]", 3 },
	{ "source_file", COLUMN_PATH, "", "of the address's line", 9 },
	{ "line", COLUMN_INTEGER, "", "its number, from 1", 5 },
	{ "binary", COLUMN_PATH, "", "as recorded", 6 },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 8 },
	{ "build_id", COLUMN_TEXT, "", "of the binary, lower-case hex", 10 },
};

const struct table addresses_table = {
	.format = FORMAT_OF("addresses", addresses_columns),
	.needs = NEEDS_NAMES | NEEDS_LINES,
	.can_fill = report_has_places,
	.print = print_addresses,
};
