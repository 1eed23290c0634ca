#include "perffile/overview/overviewtable.h"

/* Writes the rows that were held back, with times from that one on. */
static void start_at(struct overview_table *table, uint64_t time)
{
	table->started = true;
	table->start(table->context, time);
	for (size_t i = 0; i < table->held.count; i++)
		row_write(&table->out, &table->held.items[i]);
	overview_table_release(table);
}

static bool on_samples(void *context, const struct sample *samples, size_t count, struct err *err)
{
	struct overview_table *table = context;
	struct overview_row row;

	(void)err;
	if (!table->started && count)
		start_at(table, samples[0].time);
	for (size_t i = 0; i < count; i++) {
		row_fill_sample(&row, table->session, &samples[i]);
		row_write(&table->out, &row);
	}
	return true;
}

static bool on_record(void *context, const struct record *record, struct err *err)
{
	struct overview_table *table = context;
	struct overview_row row;

	(void)err;
	row_fill(&row, table->session, record);
	if (!table->started && record->type == PERF_RECORD_SAMPLE && record->time != TIME_NONE)
		start_at(table, record->time);
	if (!table->started && held_rows_add(&table->held, &row))
		return true;
	if (!table->started)
		start_at(table, row.time);
	row_write(&table->out, &row);
	return true;
}

struct record_handler overview_table_handler(struct overview_table *table)
{
	struct record_handler handler = { .context = table,
		                          .record = on_record,
		                          .samples = on_samples };

	return handler;
}

void overview_table_finish(struct overview_table *table)
{
	if (!table->started)
		start_at(table, table->held.count ? table->held.items[0].time : 0);
}

void overview_table_release(struct overview_table *table)
{
	held_rows_release(&table->held);
}
