#include "perffile/overview/overviewrow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void row_fill(struct overview_row *row, const struct session *session, const struct record *record)
{
	const struct record_type *type = record_type_of(record->type);

	row->nr = record->nr;
	row->type = record->type;
	row->time = record->time;
	row->pid = record->pid;
	row->tid = record->tid;
	row->has_tid = record->has_tid;
	row->cpu = record->cpu;
	row->event = NULL;
	if (record->has_event && record->event != EVENT_UNKNOWN)
		row->event = session->events[record->event].name;
	row->info_kind = INFO_NONE;
	row->has_address = row->has_size = row->has_offset = row->has_period = false;
	if (type && type->row && !record->damaged)
		type->row(row, record);
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

void row_write(struct table_writer *out, const struct overview_row *row)
{
	const char *type = record_type_name(row->type);
	char name[32];

	if (!type)
		snprintf(name, sizeof(name), "UNKNOWN_%" PRIu32, row->type);
	table_u64(out, row->nr);
	table_str(out, type ? type : name);
	table_i64_if(out, row->has_tid, row->pid);
	table_i64_if(out, row->has_tid, row->tid);
	table_time_if(out, row->time != TIME_NONE, row->time);
	info_cell(out, row);
	table_address_if(out, row->has_address, row->address);
	table_u64_if(out, row->has_size, row->size);
	table_u64_if(out, row->has_offset, row->offset);
	table_u64_if(out, row->has_period, row->period);
	table_i64_if(out, row->cpu >= 0, row->cpu);
	table_str(out, row->event);
	table_end_row(out);
}
