/* ratios.csv: instructions per cycle, miss rates and others. */
#include "decode/tables/ratiosprinter.h"

#include "decode/tables/counters.h"
#include "decode/tables/ratios.h"
#include "util/text.h"

#include <stdlib.h>

struct shown {
	const struct report *report;
	const struct ratio_row *ratio;
};

static const struct ratio_row *ratio_of(const void *row)
{
	return ((const struct shown *)row)->ratio;
}

static struct value text_of(const void *row, uint32_t string)
{
	const struct report *report = ((const struct shown *)row)->report;

	if (ratio_of(row)->scope != RATIO_FUNCTION)
		return value_none();
	return value_str(strings_get(report->stat->strings, string));
}

static const char *event_name(const struct report *report, uint32_t event)
{
	if (event == DENOMINATOR_TIME)
		return "time";
	return buildstat_event_name(report->session, event);
}

static const char *scope_name(enum ratio_scope scope)
{
	static const char *const names[] = { "total", "interval", "cpu", "function" };

	return names[scope];
}

VALUE(shown, ratio_scope, value_str(scope_name(row->ratio->scope)));
VALUE(shown, ratio_time, value_if(row->ratio->time != TIME_NONE, value_u64(row->ratio->time)));
VALUE(shown, ratio_cpu, value_if(row->ratio->cpu >= 0, value_i64(row->ratio->cpu)));
VALUE(shown, ratio_function, text_of(row, row->ratio->function));
VALUE(shown, ratio_binary, text_of(row, row->ratio->binary));
VALUE(shown, ratio_kind_name, value_str(ratio_name(row->ratio->kind)));
VALUE(shown, ratio_value, value_decimal(row->ratio->value));
VALUE(shown, ratio_numerator, value_str(event_name(row->report, row->ratio->numerator)));
VALUE(shown, ratio_denominator, value_str(event_name(row->report, row->ratio->denominator)));
VALUE(shown, ratio_running,
      value_if(row->ratio->running_percent >= 0, value_share(row->ratio->running_percent)));
/* A count that was extrapolated, as an integer; one that is too large for that is not shown. */
static struct value rounded(double count)
{
	return value_if(count < 0x1p64, value_u64((uint64_t)(count + 0.5)));
}

VALUE(shown, ratio_above, rounded(row->ratio->above));
VALUE(shown, ratio_below, rounded(row->ratio->below));

static bool print_ratios(struct table_writer *out, const struct report *report, struct err *err)
{
	struct ratio_rows rows = { 0 };
	const bool ok = ratio_rows_make(&rows, report, err);

	for (size_t i = 0; ok && i < rows.count; i++)
		table_row(out, &(struct shown){ report, &rows.rows[i] });
	ratio_rows_release(&rows);
	return ok;
}

/* Whether its rows are worth a table that only "all" asks for. */
static bool has_ratios(const struct report *report)
{
	const bool counted = report_counters(report)->count != 0;
	struct err ignored = { .code = ERR_NONE };
	struct ratio *ratios = ratios_of_events(report->session, counted, &ignored);
	bool any = false;

	for (size_t i = 0; ratios && i < report->session->event_count && !any; i++)
		any = ratios[i].kind != RATIO_NONE;
	free(ratios);
	return any;
}

/* "instructions / cycles", and what makes the value doubtful. */
static void print_line(FILE *out, const struct report *report, const struct ratio_row *row)
{
	/* %g has four digits, but of 26290 would make 2.629e+04, and of 9999.7 1e+04 */
	fprintf(out, row->value < 9999.5 || row->value > 1e15 ? "%14.4g" : "%14.0f", row->value);
	fprintf(out, "  %s%s", ratio_name(row->kind), row->scope == RATIO_FUNCTION ? "  " : "");
	if (row->scope == RATIO_FUNCTION) {
		char *function = text_escaped(strings_get(report->stat->strings, row->function));

		fputs(function ? function : "", out);
		free(function);
	}
	fprintf(out, "  (%s / %s)", event_name(report, row->numerator),
	        event_name(report, row->denominator));
	if (row->running_percent >= 0 && row->running_percent < RATIO_RAN_ENOUGH)
		fprintf(out, "  * counted only %.0f %% of the time", row->running_percent);
	fputc('\n', out);
}

bool ratios_print(FILE *out, const struct report *report, uint64_t limit, struct err *err)
{
	struct ratio_rows rows = { 0 };
	const bool ok = ratio_rows_make(&rows, report, err);
	uint64_t shown = 0;

	for (size_t i = 0; ok && i < rows.count && shown < limit; i++) {
		const struct ratio_row *row = &rows.rows[i];

		if (row->scope != RATIO_TOTAL && row->scope != RATIO_FUNCTION)
			continue;
		if (!shown++)
			fputs("# ratios\n", out);
		print_line(out, report, row);
	}
	if (shown)
		fputc('\n', out);
	ratio_rows_release(&rows);
	return ok;
}

static const struct column ratios_columns[] = {
	{ "scope", COLUMN_TEXT, "", "total, interval, cpu, function: what is counted together", 1,
	  ratio_scope },
	{ "time", COLUMN_INTEGER, "ns", "end of the interval; empty: of the whole recording", 2,
	  ratio_time },
	{ "cpu", COLUMN_INTEGER, "", "that was counted on; empty: all", 3, ratio_cpu },
	{ "function", COLUMN_TEXT, "", "of sampled events", 4, ratio_function },
	{ "binary", COLUMN_PATH, "", "that the function is in", 0, ratio_binary },
	{ "ratio", COLUMN_TEXT, "", "ipc, ghz, branch_miss_percent and others", 5,
	  ratio_kind_name },
	{ "value", COLUMN_DECIMAL, "", "numerator / denominator, of percent 100 times that", 6,
	  ratio_value },
	{ "numerator", COLUMN_TEXT, "", "event, as the recording names it", 7, ratio_numerator },
	{ "denominator", COLUMN_TEXT, "", "event, or time: that has passed", 8, ratio_denominator },
	{ "running_percent", COLUMN_DECIMAL, "percent",
	  "of the time that the event of the two which ran less was counted", 9, ratio_running },
	{ "numerator_count", COLUMN_UNSIGNED, "events", "extrapolated to the whole time", 10,
	  ratio_above },
	{ "denominator_count", COLUMN_UNSIGNED, "events", "the same; of time and clocks ns", 11,
	  ratio_below },
};

const struct table ratios_table = {
	.format = FORMAT_OF("ratios", ratios_columns),
	.collects = &counters_collector,
	.needs = NEEDS_NAMES,
	.can_fill = has_ratios,
	.print = print_ratios,
};
