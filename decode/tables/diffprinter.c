/* diff.csv: a row for each function in either side of a comparison. */
#include "decode/compare/comparison.h"
#include "decode/tables/tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Prints nine digits: costs and p values are products and sums of many doubles, whose last digits
 * depend on the compiler.
 */
static void rounded_cell(struct table_writer *out, double value)
{
	char text[40];

	snprintf(text, sizeof(text), "%.9g", value);
	table_decimal(out, strtod(text, NULL));
}

/* A percentage; empty if it is not known. */
static void share_cell(struct table_writer *out, bool known, double percent)
{
	if (known && isfinite(percent))
		table_share(out, percent);
	else
		table_empty(out);
}

static void print_diff_row(struct table_writer *out, const struct comparison *comparison,
                           const struct compare_row *row)
{
	const struct strings *strings = comparison->strings;

	table_str(out, verdict_names[row->verdict]);
	table_str(out, strings_get(strings, row->function));
	table_str(out, strings_get(strings, row->binary));
	table_str(out, strings_get(strings, row->file));
	table_str(out, strings_get(strings, comparison->events[row->event].name));
	rounded_cell(out, row->cost[SIDE_BASE]);
	rounded_cell(out, row->cost[SIDE_NEW]);
	share_cell(out, true, row->change);
	share_cell(out, row->tested, row->low);
	share_cell(out, row->tested, row->high);
	if (row->tested) {
		rounded_cell(out, row->p);
		rounded_cell(out, row->p_adjusted);
	} else {
		table_empty(out);
		table_empty(out);
	}
	share_cell(out, row->tested, row->detectable);
	share_cell(out, true, row->share[SIDE_BASE]);
	share_cell(out, true, row->share[SIDE_NEW]);
	table_u64(out, row->samples[SIDE_BASE]);
	table_u64(out, row->samples[SIDE_NEW]);
	table_u64(out, row->runs[SIDE_BASE]);
	table_u64(out, row->runs[SIDE_NEW]);
	table_str(out, row->match == STRING_NONE ? NULL : strings_get(strings, row->match));
	table_end_row(out);
}

static bool print_diff(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct comparison *comparison = report->comparison;

	(void)err;
	for (size_t i = 0; comparison && i < comparison->own.count; i++)
		print_diff_row(out, comparison, &comparison->own.rows[i]);
	return true;
}

static const struct column diff_columns[] = {
	{ "verdict", COLUMN_TEXT, "",
	  "regressed, improved, new, gone, moved, noise, same, small or untested", 1 },
	{ "function", COLUMN_TEXT, "", "its name without what compilers add; [total]: the event",
	  2 },
	{ "binary", COLUMN_PATH, "", "as the last run names it", 3 },
	{ "source_file", COLUMN_PATH, "", "where the function is defined", 0 },
	{ "event", COLUMN_TEXT, "", "as the recordings name it", 4 },
	{ "base_cost", COLUMN_DECIMAL, "event", "period of a base run on average, scaled", 5 },
	{ "new_cost", COLUMN_DECIMAL, "event", "period of a new run on average, scaled", 6 },
	{ "change_percent", COLUMN_DECIMAL, "percent", "of the cost; empty for what is new", 7 },
	{ "low_percent", COLUMN_DECIMAL, "percent", "lower end of the 95 % interval of the change",
	  8 },
	{ "high_percent", COLUMN_DECIMAL, "percent", "its upper end", 9 },
	{ "p", COLUMN_DECIMAL, "", "two-sided, of this row alone", 10 },
	{ "p_adjusted", COLUMN_DECIMAL, "", "of this row among all that were tested (Holm)", 11 },
	{ "detectable_percent", COLUMN_DECIMAL, "percent",
	  "the smallest increase that four of five such comparisons find", 12 },
	{ "base_share", COLUMN_DECIMAL, "percent", "of the event, mean of the base runs", 13 },
	{ "new_share", COLUMN_DECIMAL, "percent", "of the event, mean of the new runs", 14 },
	{ "base_samples", COLUMN_INTEGER, "samples", "of all base runs", 15 },
	{ "new_samples", COLUMN_INTEGER, "samples", "of all new runs", 16 },
	{ "base_runs", COLUMN_INTEGER, "runs", "of the base side that have samples of it", 17 },
	{ "new_runs", COLUMN_INTEGER, "runs", "of the new side that have samples of it", 18 },
	{ "match", COLUMN_TEXT, "", "function that the cost moved from or to", 19 },
};

const struct table diff_table = {
	.format = FORMAT_OF("diff", diff_columns),
	.compares = true,
	.print = print_diff,
};

static void print_run(struct table_writer *out, const struct comparison *comparison, size_t run,
                      const struct compare_event *event)
{
	const struct compare_run *source = &comparison->runs[run];
	const struct event_run *sums = &event->runs[run];
	const struct strings *strings = comparison->strings;

	table_str(out, source->side == SIDE_BASE ? "base" : "new");
	table_u64(out, run);
	table_str(out, strings_get(strings, source->file));
	table_str(out, strings_get(strings, event->name));
	table_u64(out, sums->samples);
	table_u64(out, sums->period);
	rounded_cell(out, sums->scale);
	table_u64(out, sums->lost);
	table_percent(out, sums->unknown_period, sums->period);
	table_u64_if(out, source->duration, source->duration);
	for (unsigned fact = 0; fact < RUN_FACT_COUNT; fact++)
		table_str(out, strings_get(strings, source->facts[fact]));
	table_end_row(out);
}

static bool print_runs(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct comparison *comparison = report->comparison;

	(void)err;
	for (size_t run = 0; comparison && run < comparison->run_count; run++)
		for (size_t i = 0; i < comparison->event_count; i++)
			if (comparison->events[i].runs[run].present)
				print_run(out, comparison, run, &comparison->events[i]);
	return true;
}

static const struct column runs_columns[] = {
	{ "side", COLUMN_TEXT, "", "base or new", 1 },
	{ "run", COLUMN_INTEGER, "", "its number, from 0", 2 },
	{ "file", COLUMN_PATH, "", "the recording, or the folder of its tables", 3 },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 4 },
	{ "samples", COLUMN_INTEGER, "samples", "of the event", 5 },
	{ "period", COLUMN_INTEGER, "events", "that these stand for", 6 },
	{ "scale", COLUMN_DECIMAL, "", "what the run's periods are multiplied with", 7 },
	{ "lost", COLUMN_INTEGER, "samples", "that the recording says were lost", 8 },
	{ "unknown_percent", COLUMN_DECIMAL, "percent", "of the period: without a function name",
	  9 },
	{ "duration", COLUMN_INTEGER, "ns", "from the first sample to the last", 10 },
	{ "host", COLUMN_TEXT, "", "that was recorded", 11 },
	{ "cpu", COLUMN_TEXT, "", "its model", 12 },
	{ "os_release", COLUMN_TEXT, "", "of its kernel", 13 },
	{ "perf_version", COLUMN_TEXT, "", "of the recorder", 14 },
	{ "cmdline", COLUMN_TEXT, "", "of the recorder", 15 },
};

const struct table runs_table = {
	.format = FORMAT_OF("runs", runs_columns),
	.compares = true,
	.print = print_runs,
};
