#include "perffile/overview/overviewTable.h"

#include "perffile/record/recordtypes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void number_cell(struct table_writer *out, bool known, uint64_t value)
{
	if (known)
		table_u64(out, value);
	else
		table_empty(out);
}

static void signed_cell(struct table_writer *out, bool known, int64_t value)
{
	if (known)
		table_i64(out, value);
	else
		table_empty(out);
}

static void info_cell(struct table_writer *out, const struct overview_row *row)
{
	switch (row->info_kind) {
	case INFO_HEX:
		table_address(out, row->info);
		break;
	case INFO_NUMBER:
		table_u64(out, row->info);
		break;
	case INFO_PID:
		table_i64(out, (int32_t)(uint32_t)row->info);
		break;
	case INFO_TEXT:
		table_text(out, row->text, row->text_length);
		break;
	default:
		table_empty(out);
		break;
	}
}

static void print_row(struct table_writer *out, const struct overview_row *row)
{
	const char *known = record_type_name(row->type);
	char name[32];

	snprintf(name, sizeof(name), "UNKNOWN_%" PRIu32, row->type);
	table_u64(out, row->nr);
	table_str(out, known ? known : name);
	signed_cell(out, row->has_tid, row->pid);
	signed_cell(out, row->has_tid, row->tid);
	if (row->time == TIME_NONE)
		table_empty(out);
	else
		table_time(out, row->time);
	info_cell(out, row);
	if (row->has_address)
		table_address(out, row->address);
	else
		table_empty(out);
	number_cell(out, row->has_size, row->size);
	number_cell(out, row->has_offset, row->offset);
	number_cell(out, row->has_period, row->period);
	signed_cell(out, row->cpu >= 0, row->cpu);
	table_str(out, row->event);
	table_end_row(out);
}

/* Writes the rows that were held back, with times from that one on. */
static void start_at(struct overview_table *table, uint64_t time)
{
	table->started = true;
	table->start(table->context, time);
	for (size_t i = 0; i < table->held_count; i++)
		for (size_t k = 0; k < table->held[i]->count; k++)
			print_row(&table->out, &table->held[i]->rows[k]);
	overview_table_release(table);
}

static bool hold_row(struct overview_table *table, const struct overview_row *row, struct err *err)
{
	struct batch **last = &table->held[table->held_count];

	if (table->held_count == 0 || batch_full(last[-1])) {
		if (table->held_count == TABLE_BATCHES) {
			start_at(table, row->time);
			print_row(&table->out, row);
			return true;
		}
		*last = calloc(1, sizeof(**last));
		if (!*last)
			return err_nomem(err, sizeof(**last));
		table->held_count++;
		last++;
	}
	batch_add(last[-1], row);
	return true;
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
		print_row(&table->out, &row);
	}
	return true;
}

static bool on_record(void *context, const struct record *record, struct err *err)
{
	struct overview_table *table = context;
	struct overview_row row;

	row_fill(&row, table->session, record);
	if (!table->started && record->type == PERF_RECORD_SAMPLE && record->time != TIME_NONE)
		start_at(table, record->time);
	if (!table->started)
		return hold_row(table, &row, err);
	print_row(&table->out, &row);
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
		start_at(table, table->held_count ? table->held[0]->rows[0].time : 0);
}

void overview_table_release(struct overview_table *table)
{
	for (size_t i = 0; i < table->held_count; i++)
		free(table->held[i]);
	table->held_count = 0;
}
