/* counters.csv: a row for each STAT record. */
#include "decode/tables/counters.h"
#include "decode/tables/tables.h"

#include <math.h>
#include <stdlib.h>

struct counter_row {
	const struct counters *counters;
	const struct counter *counter, *previous; /* previous: of the same; NULL: there is none */
	const struct event *event;                /* NULL: not known */
};

static const struct counter_row *counter_row(const void *row)
{
	return row;
}

static struct value shown_cpu(const void *row)
{
	const int64_t cpu = counter_cpu(counter_row(row)->counters, counter_row(row)->counter);

	return value_if(cpu >= 0, value_i64(cpu));
}

static struct value shown_thread(const void *row)
{
	const struct number_list *threads = &counter_row(row)->counters->threads;
	const uint32_t number = counter_row(row)->counter->thread;
	const int64_t thread = number < threads->count ? threads->items[number] : -1;

	return value_if(thread >= 0, value_i64(thread));
}

static struct value shown_scaled(const void *row)
{
	const struct counter *counter = counter_row(row)->counter;
	const struct counter *previous = counter_row(row)->previous;
	const double unit_scale = counter_row(row)->event ? counter_row(row)->event->scale : 1.0;
	struct counter since = counter_since(counter, previous);
	double scaled;

	/* totals that follow intervals are not scaled */
	if (since.running == 0 || (counter->time == TIME_NONE && previous))
		return value_none();
	if (counter_row(row)->counters->scale && since.running < since.enabled) {
		double estimate = (double)since.value * (double)since.enabled /
		                  (double)since.running;

		since.value = estimate < 0x1p64 ? (uint64_t)estimate : UINT64_MAX;
	}
	if (unit_scale == 1.0)
		return value_u64(since.value);
	scaled = counter_in_unit((double)since.value, unit_scale);
	return value_if(isfinite(scaled), value_decimal(scaled));
}

VALUE(counter_row, shown_time,
      value_if(row->counter->time != TIME_NONE, value_u64(row->counter->time)));
VALUE(counter_row, shown_event, value_str(row->event ? row->event->name : NULL));
VALUE(counter_row, shown_value, value_u64(row->counter->value));
VALUE(counter_row, shown_enabled, value_u64(row->counter->enabled));
VALUE(counter_row, shown_running, value_u64(row->counter->running));
VALUE(counter_row, shown_unit, value_str(row->event ? row->event->unit : NULL));

/*
 * A row for each STAT record. value, enabled and running are as recorded: counted from the start,
 * even in a recording of intervals. scaled is what `perf stat` shows: only the current interval, in
 * the unit of the event, and extrapolated to the time during which the event was enabled. It is
 * empty if the event did not run, and in totals.
 */
static bool print_counters(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct counters *counters = report_counters(report);
	uint32_t *previous = counters_previous(counters, err);

	for (size_t i = 0; previous && i < counters->count; i++) {
		const uint32_t event = counter_event(counters, &counters->items[i]);
		const struct counter_row row = {
			counters,
			&counters->items[i],
			previous[i] == MAP_NONE ? NULL : &counters->items[previous[i]],
			event == EVENT_UNKNOWN ? NULL : &counters->session->events[event],
		};

		table_row(out, &row);
	}
	free(previous);
	return previous;
}

static bool has_counters(const struct report *report)
{
	return report_counters(report)->count != 0;
}

static const struct column counters_columns[] = {
	{ "time", COLUMN_INTEGER, "ns", "end of the interval; empty in the totals at the end", 1,
	  shown_time },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 2, shown_event },
	{ "cpu", COLUMN_INTEGER, "", "that was counted on", 5, shown_cpu },
	{ "thread", COLUMN_INTEGER, "", "tid that was counted", 6, shown_thread },
	{ "value", COLUMN_INTEGER, "events", "as counted", 7, shown_value },
	{ "enabled", COLUMN_INTEGER, "ns", "that the counter was asked to run", 8, shown_enabled },
	{ "running", COLUMN_INTEGER, "ns", "that it did run", 9, shown_running },
	{ "unit", COLUMN_TEXT, "", "of the scaled value", 4, shown_unit },
	{ "scaled", COLUMN_DECIMAL, "unit",
	  "what the interval added, had it run all the time, in its unit; empty in the totals", 3,
	  shown_scaled },
};

const struct table counters_table = {
	.format = FORMAT_OF("counters", counters_columns),
	.collects = &counters_collector,
	.can_fill = has_counters,
	.print = print_counters,
};
