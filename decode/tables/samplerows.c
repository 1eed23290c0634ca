#include "decode/tables/samplerows.h"

#include "decode/tables/datasource.h"
#include "util/digits.h"
#include "util/vec.h"

#include <stdlib.h>

#define NUMBERS_MOST 160u /* bytes of all numbers in a row, with their commas */
#define FUNCTION_TEXT_MOST 65536u

bool sample_rows_init(struct sample_rows *rows, struct table_writer *out,
                      const struct report *report, struct err *err)
{
	struct csv *csv = csv_of_writer(out);

	*rows = (struct sample_rows){ .out = out,
		                      .csv = csv && !csv->spreadsheet ? csv : NULL,
		                      .report = report };
	rows->functions = vec_new(report->names->function_count, sizeof(*rows->functions), err);
	rows->tasks = vec_new(TASK_TEXTS, sizeof(*rows->tasks), err);
	return rows->functions && rows->tasks;
}

void sample_rows_release(struct sample_rows *rows)
{
	free(rows->functions);
	free(rows->tasks);
	arena_release(&rows->arena);
}

/* Where the next cell begins, counted from the start of the file. */
static uint64_t position(const struct sample_rows *rows)
{
	return rows->csv ? rows->csv->written + rows->csv->used : 0;
}

/* The text since that position; its length is 0 if it is too long, or has left the buffer. */
static const char *text_since(const struct sample_rows *rows, uint64_t start, size_t most,
                              uint32_t *length)
{
	const struct csv *csv = rows->csv;
	const uint64_t size = position(rows) - start;

	*length = size <= csv->used && size <= most ? (uint32_t)size : 0;
	return csv->buffer + csv->used - *length;
}

static void write_task(struct sample_rows *rows, const struct logged_sample *sample, bool keep)
{
	const struct buildstat *stat = rows->report->stat;
	const struct log_task *task = sample->task;
	struct task_text *kept = &rows->tasks[sample->number % TASK_TEXTS];
	const uint64_t start = position(rows);
	const char *text;

	table_str(rows->out, buildstat_event_name(stat->session, task->event));
	table_i64_if(rows->out, task->has_tid, task->pid);
	table_i64_if(rows->out, task->has_tid, task->tid);
	table_str(rows->out, strings_get(stat->strings, task->comm));
	table_u64_if(rows->out, task->cpu >= 0, (uint64_t)task->cpu);
	table_str(rows->out, cpu_mode_name((enum cpu_mode)task->mode));
	if (!keep)
		return;
	text = text_since(rows, start, sizeof(kept->text), &kept->length);
	memcpy(kept->text, text, kept->length);
	kept->task = kept->length ? sample->number + 1 : 0;
}

static bool write_function(struct sample_rows *rows, uint32_t number, bool keep, struct err *err)
{
	const struct function_name *function = &rows->report->names->functions[number];
	const struct buildstat *stat = rows->report->stat;
	const uint64_t start = position(rows);
	struct function_text *kept;
	const char *text;
	uint32_t length;

	table_str(rows->out, strings_get(stat->strings, function->name));
	table_str(rows->out,
	          strings_get(stat->strings, stat->binaries.items[function->binary].name));
	if (!keep || rows->functions[number])
		return true;
	text = text_since(rows, start, FUNCTION_TEXT_MOST, &length);
	if (!length)
		return true;
	kept = arena_alloc(&rows->arena, sizeof(*kept) + length, err);
	if (!kept)
		return false;
	kept->length = length;
	memcpy(kept->text, text, length);
	rows->functions[number] = kept;
	return true;
}

static void write_more(struct table_writer *out, const struct buildstat *stat,
                       const struct logged_more *more)
{
	char words[DATA_SOURCE_SIZE];

	table_address_if(out, more->fields & PERF_SAMPLE_ADDR, more->data_address);
	table_u64_if(out, more->fields & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT),
	             more->weight);
	if (more->fields & PERF_SAMPLE_DATA_SRC)
		data_source_format(more->data_source, words);
	table_str(out, more->fields & PERF_SAMPLE_DATA_SRC ? words : NULL);
	table_address_if(out, more->fields & PERF_SAMPLE_TRANSACTION, more->transaction);
	table_str(out, more->fields & PERF_SAMPLE_CGROUP && more->cgroup != STRING_NONE
	                       ? strings_get(stat->strings, more->cgroup)
	                       : NULL);
}

/* Writes a row cell by cell. keep: its texts are kept. */
static bool write_cells(struct sample_rows *rows, const struct sample_row *row, bool keep,
                        struct err *err)
{
	static const struct logged_more nothing = { .fields = 0 };
	const struct logged_sample *sample = &row->sample;
	const struct place_name *place = &rows->report->names->places[row->place->place];
	const struct buildstat *stat = rows->report->stat;
	struct table_writer *out = rows->out;

	table_u64(out, sample->nr);
	table_time_if(out, sample->time != TIME_NONE, sample->time);
	write_task(rows, sample, keep);
	table_u64(out, sample->period);
	table_address_if(out, sample->task->has_ip, sample->ip);
	if (!write_function(rows, row->place->function, keep, err))
		return false;
	table_str(out, strings_get(stat->strings, place->file));
	table_u64_if(out, place->line != 0, place->line);
	table_u64_if(out, row->frame != 0, row->frame);
	write_more(out, stat, sample->number == LOG_MORE ? &sample->more : &nothing);
	table_end_row(out);
	return true;
}

static inline char *put_number(char *out, bool known, uint64_t value)
{
	*out++ = ',';
	return known ? format_u64(out, value) : out;
}

static inline char *put_text(char *out, const char *text, size_t length)
{
	memcpy(out, text, length);
	return out + length;
}

/* Writes a row of kept texts. False: one of them is not kept. */
static bool write_copy(struct sample_rows *rows, const struct sample_row *row)
{
	const struct logged_sample *sample = &row->sample;
	const struct task_text *task = &rows->tasks[sample->number % TASK_TEXTS];
	const struct function_text *function = rows->functions[row->place->function];
	char *out;

	if (task->task != sample->number + 1 || !function)
		return false;
	out = csv_room(rows->csv, NUMBERS_MOST + task->length + function->length);
	out = format_u64(out, sample->nr);
	out = put_number(out, true, sample->time);
	out = put_text(out, task->text, task->length);
	out = put_number(out, true, sample->period);
	*out++ = ',';
	if (sample->task->has_ip)
		out = format_hex(out, sample->ip);
	out = put_text(out, function->text, function->length);
	out = put_text(out, ",,", 2); /* source_file, line */
	out = put_number(out, row->frame != 0, row->frame);
	/* data_address, weight, data_source, transaction, cgroup */
	out = put_text(out, ",,,,,\n", 6);
	csv_rows_end(rows->csv, out, 1);
	return true;
}

bool sample_rows_write(struct sample_rows *rows, const struct sample_row *row, struct err *err)
{
	/* nearly all rows are so */
	const bool plain = rows->csv && row->sample.number != LOG_MORE && !row->place->has_line &&
	                   row->sample.time != TIME_NONE;

	return (plain && write_copy(rows, row)) || write_cells(rows, row, plain, err);
}
