/* diff.csv: a row for each function in either side of a comparison. */
#include "decode/compare/comparison.h"
#include "decode/tables/roundedvalue.h"
#include "decode/tables/tables.h"

struct diff_row {
	const struct comparison *comparison;
	const struct compare_row *row;
};

static struct value diff_string(const void *row, uint32_t string)
{
	const struct diff_row *diff = row;

	return value_str(strings_get(diff->comparison->strings, string));
}

static struct value diff_event(const void *row)
{
	const struct diff_row *diff = row;

	return diff_string(row, diff->comparison->events[diff->row->event].name);
}

VALUE(diff_row, diff_verdict, value_str(verdict_names[row->row->verdict]));
VALUE(diff_row, diff_function, diff_string(row, row->row->function));
VALUE(diff_row, diff_binary, diff_string(row, row->row->binary));
VALUE(diff_row, diff_source_file, diff_string(row, row->row->file));
VALUE(diff_row, diff_base_cost, value_rounded(row->row->cost[SIDE_BASE]));
VALUE(diff_row, diff_new_cost, value_rounded(row->row->cost[SIDE_NEW]));
VALUE(diff_row, diff_change, value_share_if(true, row->row->change));
VALUE(diff_row, diff_low, value_share_if(row->row->tested, row->row->low));
VALUE(diff_row, diff_high, value_share_if(row->row->tested, row->row->high));
VALUE(diff_row, diff_p, value_if(row->row->tested, value_rounded(row->row->p)));
VALUE(diff_row, diff_p_adjusted, value_if(row->row->tested, value_rounded(row->row->p_adjusted)));
VALUE(diff_row, diff_detectable, value_share_if(row->row->tested, row->row->detectable));
VALUE(diff_row, diff_base_share, value_share_if(true, row->row->share[SIDE_BASE]));
VALUE(diff_row, diff_new_share, value_share_if(true, row->row->share[SIDE_NEW]));
VALUE(diff_row, diff_base_samples, value_u64(row->row->samples[SIDE_BASE]));
VALUE(diff_row, diff_new_samples, value_u64(row->row->samples[SIDE_NEW]));
VALUE(diff_row, diff_base_runs, value_u64(row->row->runs[SIDE_BASE]));
VALUE(diff_row, diff_new_runs, value_u64(row->row->runs[SIDE_NEW]));
VALUE(diff_row, diff_match,
      row->row->match == STRING_NONE ? value_none() : diff_string(row, row->row->match));

static bool print_diff(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct comparison *comparison = report->comparison;

	(void)err;
	for (size_t i = 0; comparison && i < comparison->own.count; i++) {
		const struct diff_row row = { comparison, &comparison->own.rows[i] };

		table_row(out, &row);
	}
	return true;
}

static const struct column diff_columns[] = {
	{ "verdict", COLUMN_TEXT, "",
	  "regressed, improved, new, gone, moved, noise, same, small or untested", 1,
	  diff_verdict },
	{ "function", COLUMN_TEXT, "", "its name without what compilers add; [total]: the event", 2,
	  diff_function },
	{ "binary", COLUMN_PATH, "", "as the last run names it", 3, diff_binary },
	{ "source_file", COLUMN_PATH, "", "where the function is defined", 0, diff_source_file },
	{ "event", COLUMN_TEXT, "", "as the recordings name it", 4, diff_event },
	{ "base_cost", COLUMN_DECIMAL, "event", "period of a base run on average, scaled", 5,
	  diff_base_cost },
	{ "new_cost", COLUMN_DECIMAL, "event", "period of a new run on average, scaled", 6,
	  diff_new_cost },
	{ "change_percent", COLUMN_DECIMAL, "percent", "of the cost; empty for what is new", 7,
	  diff_change },
	{ "low_percent", COLUMN_DECIMAL, "percent", "lower end of the 95 % interval of the change",
	  8, diff_low },
	{ "high_percent", COLUMN_DECIMAL, "percent", "its upper end", 9, diff_high },
	{ "p", COLUMN_DECIMAL, "", "two-sided, of this row alone", 10, diff_p },
	{ "p_adjusted", COLUMN_DECIMAL, "", "of this row among all that were tested (Holm)", 11,
	  diff_p_adjusted },
	{ "detectable_percent", COLUMN_DECIMAL, "percent",
	  "the smallest increase that four of five such comparisons find", 12, diff_detectable },
	{ "base_share", COLUMN_DECIMAL, "percent", "of the event, mean of the base runs", 13,
	  diff_base_share },
	{ "new_share", COLUMN_DECIMAL, "percent", "of the event, mean of the new runs", 14,
	  diff_new_share },
	{ "base_samples", COLUMN_INTEGER, "samples", "of all base runs", 15, diff_base_samples },
	{ "new_samples", COLUMN_INTEGER, "samples", "of all new runs", 16, diff_new_samples },
	{ "base_runs", COLUMN_INTEGER, "runs", "of the base side that have samples of it", 17,
	  diff_base_runs },
	{ "new_runs", COLUMN_INTEGER, "runs", "of the new side that have samples of it", 18,
	  diff_new_runs },
	{ "match", COLUMN_TEXT, "", "function that the cost moved from or to", 19, diff_match },
};

const struct table diff_table = {
	.format = FORMAT_OF("diff", diff_columns),
	.scope = SCOPE_COMPARISON,
	.print = print_diff,
};

struct runs_row {
	const struct comparison *comparison;
	size_t number;
	const struct compare_run *run;
	const struct compare_event *event;
	const struct event_run *sums; /* of this event in this run */
};

static const struct runs_row *runs_row(const void *row)
{
	return row;
}

static struct value run_string(const void *row, uint32_t string)
{
	return value_str(strings_get(runs_row(row)->comparison->strings, string));
}

VALUE(runs_row, run_side, value_str(row->run->side == SIDE_BASE ? "base" : "new"));
VALUE(runs_row, run_number, value_u64(row->number));
VALUE(runs_row, run_file, run_string(row, row->run->file));
VALUE(runs_row, run_event, run_string(row, row->event->name));
VALUE(runs_row, run_samples, value_u64(row->sums->samples));
VALUE(runs_row, run_period, value_u64(row->sums->period));
VALUE(runs_row, run_scale, value_rounded(row->sums->scale));
VALUE(runs_row, run_lost, value_u64(row->sums->lost));
VALUE(runs_row, run_unknown, value_percent(row->sums->unknown_period, row->sums->period));
VALUE(runs_row, run_duration, value_if(row->run->duration, value_u64(row->run->duration)));
VALUE(runs_row, run_host, run_string(row, row->run->facts[RUN_HOST]));
VALUE(runs_row, run_cpu, run_string(row, row->run->facts[RUN_CPU]));
VALUE(runs_row, run_release, run_string(row, row->run->facts[RUN_OS_RELEASE]));
VALUE(runs_row, run_version, run_string(row, row->run->facts[RUN_PERF_VERSION]));
VALUE(runs_row, run_command, run_string(row, row->run->facts[RUN_CMDLINE]));

static bool print_runs(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct comparison *comparison = report->comparison;
	const size_t events = comparison ? comparison->event_count : 0;

	(void)err;
	for (size_t i = 0; comparison && i < comparison->run_count * events; i++) {
		const size_t run = i / events;
		const struct compare_event *event = &comparison->events[i % events];
		const struct runs_row row = { comparison, run, &comparison->runs[run], event,
			                      &event->runs[run] };

		if (row.sums->present)
			table_row(out, &row);
	}
	return true;
}

static const struct column runs_columns[] = {
	{ "side", COLUMN_TEXT, "", "base or new", 1, run_side },
	{ "run", COLUMN_INTEGER, "", "its number, from 0", 2, run_number },
	{ "file", COLUMN_PATH, "", "the recording, or the folder of its tables", 3, run_file },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 4, run_event },
	{ "samples", COLUMN_INTEGER, "samples", "of the event", 5, run_samples },
	{ "period", COLUMN_INTEGER, "events", "that these stand for", 6, run_period },
	{ "scale", COLUMN_DECIMAL, "", "what the run's periods are multiplied with", 7, run_scale },
	{ "lost", COLUMN_INTEGER, "samples", "that the recording says were lost", 8, run_lost },
	{ "unknown_percent", COLUMN_DECIMAL, "percent", "of the period: without a function name", 9,
	  run_unknown },
	{ "duration", COLUMN_INTEGER, "ns", "from the first sample to the last", 10, run_duration },
	{ "host", COLUMN_TEXT, "", "that was recorded", 11, run_host },
	{ "cpu", COLUMN_TEXT, "", "its model", 12, run_cpu },
	{ "os_release", COLUMN_TEXT, "", "of its kernel", 13, run_release },
	{ "perf_version", COLUMN_TEXT, "", "of the recorder", 14, run_version },
	{ "cmdline", COLUMN_TEXT, "", "of the recorder", 15, run_command },
};

const struct table runs_table = {
	.format = FORMAT_OF("runs", runs_columns),
	.scope = SCOPE_COMPARISON,
	.print = print_runs,
};
