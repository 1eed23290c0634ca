/* trend.csv: since which versions functions cost more or less. series.csv: their costs. */
#include "decode/compare/trend.h"
#include "decode/tables/roundedvalue.h"
#include "decode/tables/tables.h"

struct step_row {
	const struct trend *trend;
	const struct trend_step *step;
};

static struct value step_string(const void *row, uint32_t string)
{
	const struct step_row *step = row;

	return value_str(strings_get(step->trend->comparison.strings, string));
}

static const struct compare_row *function_of(const struct step_row *row)
{
	return &row->trend->comparison.own.rows[row->step->row];
}

static struct value version_name(const struct trend *trend, uint32_t version)
{
	return value_str(
		strings_get(trend->comparison.strings, trend->history.versions[version].name));
}

VALUE(step_row, step_verdict, value_str(verdict_names[row->step->verdict]));
VALUE(step_row, step_function, step_string(row, function_of(row)->function));
VALUE(step_row, step_binary, step_string(row, function_of(row)->binary));
VALUE(step_row, step_file, step_string(row, function_of(row)->file));
VALUE(step_row, step_event,
      step_string(row, row->trend->comparison.events[function_of(row)->event].name));
VALUE(step_row, step_run, version_name(row->trend, row->step->version));
VALUE(step_row, step_previous, version_name(row->trend, row->step->previous));
VALUE(step_row, step_before, value_rounded(row->step->cost[SIDE_BASE]));
VALUE(step_row, step_after, value_rounded(row->step->cost[SIDE_NEW]));
VALUE(step_row, step_change, value_share_if(true, row->step->change));
VALUE(step_row, step_low, value_share_if(true, row->step->low));
VALUE(step_row, step_high, value_share_if(true, row->step->high));
VALUE(step_row, step_p, value_rounded(row->step->p_adjusted));
VALUE(step_row, step_before_runs, value_u64(row->step->runs[SIDE_BASE]));
VALUE(step_row, step_after_runs, value_u64(row->step->runs[SIDE_NEW]));
VALUE(step_row, step_match,
      row->step->match == STRING_NONE ? value_none() : step_string(row, row->step->match));

static bool print_trend(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct trend *trend = report->trend;

	(void)err;
	for (size_t i = 0; trend && i < trend->step_count; i++) {
		const struct step_row row = { trend, &trend->steps[trend->order[i]] };

		table_row(out, &row);
	}
	return true;
}

static const struct column trend_columns[] = {
	{ "verdict", COLUMN_TEXT, "", "regressed, improved, new, gone or moved", 1, step_verdict },
	{ "function", COLUMN_TEXT, "", "its name without what compilers add; [total]: the event", 2,
	  step_function },
	{ "binary", COLUMN_PATH, "", "as the last run names it", 3, step_binary },
	{ "source_file", COLUMN_PATH, "", "where the function is defined", 0, step_file },
	{ "event", COLUMN_TEXT, "", "as the recordings name it", 4, step_event },
	{ "run", COLUMN_PATH, "", "the first version with the new cost, as it was given", 5,
	  step_run },
	{ "previous_run", COLUMN_PATH, "", "the version before it", 6, step_previous },
	{ "before_cost", COLUMN_DECIMAL, "event",
	  "period of a run on average, scaled, since the change before, or the beginning", 7,
	  step_before },
	{ "after_cost", COLUMN_DECIMAL, "event", "the same up to the next change, or the end", 8,
	  step_after },
	{ "change_percent", COLUMN_DECIMAL, "percent", "of the cost; empty for what is new", 9,
	  step_change },
	{ "low_percent", COLUMN_DECIMAL, "percent", "lower end of the 95 % interval of the change",
	  10, step_low },
	{ "high_percent", COLUMN_DECIMAL, "percent", "its upper end", 11, step_high },
	{ "p_adjusted", COLUMN_DECIMAL, "",
	  "p when the cut was found, times the number of places and of functions", 12, step_p },
	{ "before_runs", COLUMN_INTEGER, "runs", "that before_cost is the mean of", 13,
	  step_before_runs },
	{ "after_runs", COLUMN_INTEGER, "runs", "that after_cost is the mean of", 14,
	  step_after_runs },
	{ "match", COLUMN_TEXT, "", "function that the cost moved from or to", 15, step_match },
};

const struct table trend_table = {
	.format = FORMAT_OF("trend", trend_columns),
	.scope = SCOPE_TREND,
	.print = print_trend,
};

/* A function in one run. */
struct series_row {
	const struct trend *trend;
	const struct compare_row *function;
	const struct event_run *sums; /* of its event in the run */
	size_t run;
	uint32_t version;
};

static struct value series_string(const void *row, uint32_t string)
{
	const struct series_row *series = row;

	return value_str(strings_get(series->trend->comparison.strings, string));
}

static const struct observation *seen_in(const struct series_row *row)
{
	return &row->function->seen[row->run];
}

VALUE(series_row, series_function, series_string(row, row->function->function));
VALUE(series_row, series_binary, series_string(row, row->function->binary));
VALUE(series_row, series_event,
      series_string(row, row->trend->comparison.events[row->function->event].name));
VALUE(series_row, series_version, version_name(row->trend, row->version));
VALUE(series_row, series_cost, value_rounded((double)seen_in(row)->period * row->sums->scale));
VALUE(series_row, series_samples, value_u64(seen_in(row)->samples));
VALUE(series_row, series_share, value_percent(seen_in(row)->period, row->sums->period));
VALUE(series_row, series_number, value_u64(row->version));
VALUE(series_row, series_file, series_string(row, row->trend->comparison.runs[row->run].file));
VALUE(series_row, series_scale, value_rounded(row->sums->scale));

static void print_series_of(struct table_writer *out, const struct trend *trend,
                            const struct compare_row *function)
{
	const struct event_runs *list = &trend->event_runs[function->event];

	for (uint32_t version = 0; version < list->version_count; version++)
		for (uint32_t i = list->first_run[version]; i < list->first_run[version + 1]; i++) {
			const uint32_t run = list->runs[i];
			const struct series_row row = {
				trend, function,
				&trend->comparison.events[function->event].runs[run], run,
				list->versions[version]
			};

			table_row(out, &row);
		}
}

static bool print_series(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct trend *trend = report->trend;

	(void)err;
	for (size_t i = 0; trend && i < trend->comparison.own.count; i++)
		print_series_of(out, trend, &trend->comparison.own.rows[i]);
	return true;
}

static const struct column series_columns[] = {
	{ "function", COLUMN_TEXT, "", "as in trend.csv: those that are large enough somewhere", 1,
	  series_function },
	{ "binary", COLUMN_PATH, "", "as the last run names it", 2, series_binary },
	{ "event", COLUMN_TEXT, "", "as the recordings name it", 3, series_event },
	{ "run", COLUMN_PATH, "", "the version, as it was given; it has a row for each run", 4,
	  series_version },
	{ "cost", COLUMN_DECIMAL, "event", "period in the run, scaled", 5, series_cost },
	{ "samples", COLUMN_INTEGER, "samples", "of the function in the run", 6, series_samples },
	{ "share", COLUMN_DECIMAL, "percent", "of the event in the run", 7, series_share },
	{ "version", COLUMN_INTEGER, "", "number of the version, from 0", 8, series_number },
	{ "file", COLUMN_PATH, "", "the recording, or the folder of its tables", 9, series_file },
	{ "scale", COLUMN_DECIMAL, "", "what the run's periods are multiplied with", 10,
	  series_scale },
};

const struct table series_table = {
	.format = FORMAT_OF("series", series_columns),
	.scope = SCOPE_TREND,
	.print = print_series,
};
