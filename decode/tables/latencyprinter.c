/* latency.csv: how long intervals are, by `what` or the keys of --by=latency=KEY,... */
#include "decode/tables/latencyformat.h"

#include "decode/naming/groupwords.h"
#include "decode/naming/latencyrows.h"
#include "decode/tally/intervalstat.h"

#include <string.h>

struct shown_latency {
	const struct report *report;
	const struct group_table *table;
	const struct latency_row *row;
};

static const struct shown_latency *shown(const void *row)
{
	return row;
}

static const struct latency_sum *sum_of(const void *row)
{
	return &shown(row)->row->sum;
}

static struct value known(const void *row, uint64_t number)
{
	return value_if(sum_of(row)->count != 0, value_u64(number));
}

/* The first key has the column behind the event. */
static struct value latency_key(const void *row, size_t column)
{
	const struct group_table *table = shown(row)->table;
	const unsigned number = (unsigned)column - 1;

	return group_word_value(shown(row)->report->stat->strings, table->keys[number],
	                        shown(row)->row->words[number]);
}

static struct value latency_what(const void *row)
{
	return latency_key(row, 1);
}

VALUE(shown_latency, latency_event,
      value_str(buildstat_event_name(row->report->session,
                                     (uint32_t)row->row->words[row->table->key_count])));
VALUE(shown_latency, latency_count, value_u64(row->row->sum.count));
VALUE(shown_latency, latency_unfinished, value_u64(row->row->sum.unfinished));
VALUE(shown_latency, latency_errors, value_u64(row->row->sum.errors));
VALUE(shown_latency, latency_total, value_u64(row->row->sum.total));
VALUE(shown_latency, latency_min, known(row, row->row->sum.min));
VALUE(shown_latency, latency_mean,
      known(row, row->row->sum.count ? row->row->sum.total / row->row->sum.count : 0));
VALUE(shown_latency, latency_p50, known(row, row->row->percentiles[LATENCY_P50]));
VALUE(shown_latency, latency_p90, known(row, row->row->percentiles[LATENCY_P90]));
VALUE(shown_latency, latency_p95, known(row, row->row->percentiles[LATENCY_P95]));
VALUE(shown_latency, latency_p99, known(row, row->row->percentiles[LATENCY_P99]));
VALUE(shown_latency, latency_max, known(row, row->row->sum.longest.duration));
VALUE(shown_latency, latency_max_time,
      value_if(row->row->sum.count != 0, value_time(row->row->sum.longest.time)));
VALUE(shown_latency, latency_max_pid,
      value_if(row->row->sum.count && row->row->sum.longest.pid >= 0,
               value_i64(row->row->sum.longest.pid)));
VALUE(shown_latency, latency_max_tid,
      value_if(row->row->sum.count != 0, value_i64(row->row->sum.longest.tid)));
VALUE(shown_latency, latency_max_thread,
      value_if(row->row->sum.count != 0,
               value_str(strings_get(row->report->stat->strings, row->row->sum.longest.thread))));
VALUE(shown_latency, latency_max_nr, known(row, row->row->sum.longest.nr));

/* The event, the usual key, and what follows the keys. */
static const struct column latency_columns[] = {
	{ "event", COLUMN_TEXT, "", "that the intervals are samples of", 1, latency_event },
	{ "what", COLUMN_TEXT, "", "which syscall, state, lock, function ...; or the keys of --by",
	  2, latency_what },
	{ "count", COLUMN_INTEGER, "intervals", "with a begin and an end", 3, latency_count },
	{ "unfinished", COLUMN_INTEGER, "intervals", "without one of them", 12,
	  latency_unfinished },
	{ "errors", COLUMN_INTEGER, "intervals", "whose result is an error", 13, latency_errors },
	{ "total", COLUMN_INTEGER, "ns", "of all that count", 4, latency_total },
	{ "min", COLUMN_INTEGER, "ns", "the shortest", 5, latency_min },
	{ "mean", COLUMN_INTEGER, "ns", "of all", 6, latency_mean },
	{ "p50", COLUMN_INTEGER, "ns", "median, at most 1.6 % above the exact one", 7,
	  latency_p50 },
	{ "p90", COLUMN_INTEGER, "ns", "90 % are not longer, likewise", 8, latency_p90 },
	{ "p95", COLUMN_INTEGER, "ns", "95 %", 9, latency_p95 },
	{ "p99", COLUMN_INTEGER, "ns", "99 %", 10, latency_p99 },
	{ "max", COLUMN_INTEGER, "ns", "the longest", 11, latency_max },
	{ "max_time", COLUMN_TIME, "ns", "when the longest one began", 14, latency_max_time },
	{ "max_pid", COLUMN_INTEGER, "", "its process", 15, latency_max_pid },
	{ "max_tid", COLUMN_INTEGER, "", "its thread", 16, latency_max_tid },
	{ "max_thread", COLUMN_TEXT, "", "the name of that thread", 17, latency_max_thread },
	{ "max_nr", COLUMN_INTEGER, "", "record that began it, as in overview.csv", 18,
	  latency_max_nr },
};

#define KEY_FIRST 1u /* the columns of keys follow that of the event */
#define KEY_USUAL 1u /* number of keys in latency_columns */

_Static_assert(ARRAY_SIZE(latency_columns) == LATENCY_COLUMNS, "latencyformat.h");

void latency_format_init(struct latency_format *format, const struct group_table *table)
{
	struct column *columns = format->columns;

	format->format = (struct table_format){ .name = "latency",
		                                .columns = columns,
		                                .column_count = LATENCY_COLUMNS - KEY_USUAL +
		                                                table->key_count,
		                                .value_at = latency_key };
	columns[0] = latency_columns[0];
	for (unsigned i = 0; i < table->key_count; i++) {
		struct column *column = &columns[KEY_FIRST + i];

		*column = *group_key_column(table->keys[i]);
		column->name = table->names[i];
		column->unit = column->unit ? column->unit : "";
		column->meaning = column->meaning ? column->meaning : "a field of tracepoints";
	}
	memcpy(columns + KEY_FIRST + table->key_count, latency_columns + KEY_FIRST + KEY_USUAL,
	       sizeof(latency_columns) - (KEY_FIRST + KEY_USUAL) * sizeof(*columns));
}

static bool print_latency(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct group_table *table = report->latency;
	const struct group_source source = { .stat = report->stat, .names = report->names };
	struct latency_format made;
	struct latency_rows rows = { .count = 0 };
	bool ok;

	latency_format_init(&made, table);
	ok = latency_rows_make(&rows, &report->intervals->latency, table, &source,
	                       buildstat_functions(report->stat), err) &&
	     table_begin(out, &made.format, err);
	for (size_t i = 0; ok && i < rows.count; i++)
		table_row(out, &(struct shown_latency){ report, table, &rows.rows[i] });
	ok = ok && table_end(out, err);
	table_discard(out);
	latency_rows_release(&rows);
	return ok;
}

static bool can_fill(const struct report *report)
{
	return intervalstat_has_events(report->intervals);
}

const struct table latency_table = {
	.format = FORMAT_OF("latency", latency_columns),
	.makes_columns = true,
	.needs = NEEDS_TALLY,
	.can_fill = can_fill,
	.print = print_latency,
};
