#include "decode/tables/auxprinter.h"

#include "decode/tables/tables.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

static void release_records(void *kept)
{
	struct aux_records *records = kept;

	free(records->items);
	memset(records, 0, sizeof(*records));
}

static bool keep_record(void *context, const struct record *record, struct err *err)
{
	struct aux_records *records = context;
	const struct aux_record kept = { .time = record->time,
		                         .offset = record->aux.offset,
		                         .size = record->aux.size,
		                         .flags = record->aux.flags,
		                         .cpu = record->cpu,
		                         .pid = record->pid,
		                         .tid = record->tid,
		                         .has_tid = record->has_tid };

	if (record->type != PERF_RECORD_AUX || record->damaged)
		return true;
	return vec_append(&records->items, &records->count, &records->capacity, &kept, sizeof(kept),
	                  err);
}

static struct record_handler handler(void *kept)
{
	return (struct record_handler){ .context = kept,
		                        .any_sample_order = true,
		                        .record = keep_record,
		                        .samples = samples_skip };
}

const struct collector aux_collector = {
	.size = sizeof(struct aux_records),
	.close = release_records,
	.handler = handler,
};

static const struct aux_record *aux_of(const void *row)
{
	return row;
}

static struct value flag(const void *row, uint64_t bit)
{
	return value_u64((aux_of(row)->flags & bit) != 0);
}

VALUE(aux_record, aux_cpu, value_if(row->cpu >= 0, value_i64(row->cpu)));
VALUE(aux_record, aux_pid, value_if(row->has_tid, value_i64(row->pid)));
VALUE(aux_record, aux_tid, value_if(row->has_tid, value_i64(row->tid)));
VALUE(aux_record, aux_time, value_if(row->time != TIME_NONE, value_time(row->time)));
VALUE(aux_record, aux_offset, value_u64(row->offset));
VALUE(aux_record, aux_size, value_u64(row->size));
VALUE(aux_record, aux_truncated, flag(row, PERF_AUX_FLAG_TRUNCATED));
VALUE(aux_record, aux_collision, flag(row, PERF_AUX_FLAG_COLLISION));
VALUE(aux_record, aux_overwrite, flag(row, PERF_AUX_FLAG_OVERWRITE));
VALUE(aux_record, aux_partial, flag(row, PERF_AUX_FLAG_PARTIAL));

static struct value aux_format(const void *row)
{
	const uint64_t format = aux_of(row)->flags & PERF_AUX_FLAG_FORMAT;

	if (format == PERF_AUX_FORMAT_CORESIGHT_RAW)
		return value_str("coresight-raw");
	return value_str(format ? "other" : "");
}

static bool has_records(const struct report *report)
{
	const struct aux_records *records = collection_get(report->kept, &aux_collector);

	return records && records->count != 0;
}

static bool print_aux(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct aux_records *records = collection_get(report->kept, &aux_collector);

	(void)err;
	for (size_t i = 0; i < records->count; i++)
		table_row(out, &records->items[i]);
	return true;
}

static const struct column aux_columns[] = {
	{ "cpu", COLUMN_INTEGER, "", "CPU", 2, aux_cpu },
	{ "pid", COLUMN_INTEGER, "", "process, if recorded", 3, aux_pid },
	{ "tid", COLUMN_INTEGER, "", "thread, if recorded", 4, aux_tid },
	{ "time", COLUMN_TIME, "ns", "when the piece was complete", 1, aux_time },
	{ "offset", COLUMN_UNSIGNED, "bytes", "of the piece in the trace of its buffer", 5,
	  aux_offset },
	{ "size", COLUMN_UNSIGNED, "bytes", "of the piece", 6, aux_size },
	{ "truncated", COLUMN_INTEGER, "", "1: trace was lost behind it, the buffer was full", 7,
	  aux_truncated },
	{ "collision", COLUMN_INTEGER, "", "1: samples of it collided (ARM SPE)", 8,
	  aux_collision },
	{ "overwrite", COLUMN_INTEGER, "", "1: of a buffer that is overwritten (snapshots)", 9,
	  aux_overwrite },
	{ "partial", COLUMN_INTEGER, "", "1: the trace has gaps", 10, aux_partial },
	{ "format", COLUMN_TEXT, "", "coresight-raw, other; empty: the usual one of the processor",
	  11, aux_format },
};

const struct table aux_table = {
	.format = FORMAT_OF("aux", aux_columns),
	.collects = &aux_collector,
	.can_fill = has_records,
	.print = print_aux,
};
