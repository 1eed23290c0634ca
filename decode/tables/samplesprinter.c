/*
 * samples.csv: every counted sample, in order of time, with the names of its place.
 *
 * There may be millions of rows. Texts that many of them share (event, process, thread and CPU;
 * function and binary) are kept as they were written for the first of them and copied for the
 * others, which halves the time for printing.
 */
#include "decode/tables/datasource.h"
#include "decode/tables/sampleframes.h"
#include "decode/tables/sampleplaces.h"
#include "decode/tables/tables.h"
#include "util/csv.h"
#include "util/digits.h"
#include "util/vec.h"

#include <assert.h>
#include <stdlib.h>

#define NUMBERS_MOST 160u /* bytes of all numbers in a row, with their commas */
#define FUNCTION_TEXT_MOST 65536u
/* How many tasks have their text kept; seldom do more of them have samples by turns. */
#define TASK_TEXTS 2048
/*
 * So many samples are read, then located, then printed: while others are handled, the place and the
 * texts of each are fetched from memory, where they are far from those of the sample before. One by
 * one, a run with 3 million samples at 200,000 addresses took 28 % more CPU time.
 */
#define PRINTED_TOGETHER 32

/* ",FUNCTION,BINARY" */
struct function_text {
	uint32_t length;
	char text[];
};

/* ",EVENT,PID,TID,COMM,CPU,MODE" */
struct task_text {
	uint32_t task; /* number in the log + 1; 0: none */
	uint32_t length;
	char text[248];
};

/* What a row says. */
struct sample_row {
	const struct sample_printer *printer;
	struct logged_sample sample;
	const struct sample_place *place; /* at first where to look for it */
	uint32_t frame;                   /* the innermost; 0: none */
};

struct sample_printer {
	struct table_writer *out;
	struct csv *csv; /* that it writes to; NULL: no texts are kept */
	const struct report *report;
	struct function_text **functions; /* by number; NULL: none is kept */
	struct arena arena;               /* of these texts */
	struct task_text *tasks;          /* by number in the log % TASK_TEXTS */
	struct sample_frames frames;
	struct sample_places places;
	struct sample_row together[PRINTED_TOGETHER];
	char *words; /* room for DATA_SOURCE_SIZE bytes */
};

/* Where the next cell begins, counted from the start of the file. */
static uint64_t position(const struct sample_printer *printer)
{
	return printer->csv ? printer->csv->written + printer->csv->used : 0;
}

/* The text since that position; its length is 0 if it is too long, or has left the buffer. */
static const char *text_since(const struct sample_printer *printer, uint64_t start, size_t most,
                              uint32_t *length)
{
	const struct csv *csv = printer->csv;
	const uint64_t size = position(printer) - start;

	*length = size <= csv->used && size <= most ? (uint32_t)size : 0;
	return csv->buffer + csv->used - *length;
}

static const struct sample_row *sample_row(const void *row)
{
	return row;
}

static struct value sample_string(const void *row, uint32_t string)
{
	return value_str(strings_get(sample_row(row)->printer->report->stat->strings, string));
}

static const struct log_task *sample_task(const void *row)
{
	return sample_row(row)->sample.task;
}

static const struct place_name *sample_place(const void *row)
{
	return &sample_row(row)->printer->report->names->places[sample_row(row)->place->place];
}

static const struct function_name *function_of_sample(const void *row)
{
	const struct place_names *names = sample_row(row)->printer->report->names;

	return &names->functions[sample_row(row)->place->function];
}

/* What only some samples have; NULL: not this one, or not this field. */
static const struct logged_more *sample_more(const void *row, uint64_t fields)
{
	const struct logged_sample *sample = &sample_row(row)->sample;

	return sample->number == LOG_MORE && sample->more.fields & fields ? &sample->more : NULL;
}

VALUE(sample_row, sample_nr, value_if(row->sample.nr != NR_NONE, value_u64(row->sample.nr)));
VALUE(sample_row, sample_time,
      value_if(row->sample.time != TIME_NONE, value_time(row->sample.time)));
VALUE(sample_row, sample_event,
      value_str(buildstat_event_name(row->printer->report->session, sample_task(row)->event)));
VALUE(sample_row, sample_pid,
      value_if(sample_task(row)->has_tid, value_i64(sample_task(row)->pid)));
VALUE(sample_row, sample_tid,
      value_if(sample_task(row)->has_tid, value_i64(sample_task(row)->tid)));
VALUE(sample_row, sample_comm, sample_string(row, sample_task(row)->comm));
VALUE(sample_row, sample_cpu,
      value_if(sample_task(row)->cpu >= 0, value_i64(sample_task(row)->cpu)));
VALUE(sample_row, sample_mode, value_str(cpu_mode_name((enum cpu_mode)sample_task(row)->mode)));
VALUE(sample_row, sample_period, value_u64(row->sample.period));
VALUE(sample_row, sample_ip, value_if(sample_task(row)->has_ip, value_address(row->sample.ip)));
VALUE(sample_row, sample_function, sample_string(row, function_of_sample(row)->name));

static struct value sample_binary(const void *row)
{
	const struct binaries *binaries = &sample_row(row)->printer->report->stat->binaries;

	return sample_string(row, binaries->items[function_of_sample(row)->binary].name);
}

VALUE(sample_row, sample_source_file, sample_string(row, sample_place(row)->file));
VALUE(sample_row, sample_line,
      value_if(sample_place(row)->line != 0, value_u64(sample_place(row)->line)));
VALUE(sample_row, sample_frame, value_if(row->frame != 0, value_u64(row->frame)));

static struct value sample_data_address(const void *row)
{
	const struct logged_more *more = sample_more(row, PERF_SAMPLE_ADDR);

	return more ? value_address(more->data_address) : value_none();
}

static struct value sample_weight(const void *row)
{
	const struct logged_more *more = sample_more(row, PERF_SAMPLE_WEIGHT |
	                                                          PERF_SAMPLE_WEIGHT_STRUCT);

	return more ? value_u64(more->weight) : value_none();
}

static struct value sample_data_source(const void *row)
{
	const struct logged_more *more = sample_more(row, PERF_SAMPLE_DATA_SRC);

	if (!more)
		return value_none();
	data_source_format(more->data_source, sample_row(row)->printer->words);
	return value_str(sample_row(row)->printer->words);
}

static struct value sample_transaction(const void *row)
{
	const struct logged_more *more = sample_more(row, PERF_SAMPLE_TRANSACTION);

	return more ? value_address(more->transaction) : value_none();
}

static struct value sample_cgroup(const void *row)
{
	const struct logged_more *more = sample_more(row, PERF_SAMPLE_CGROUP);

	return more && more->cgroup != STRING_NONE ? sample_string(row, more->cgroup)
	                                           : value_none();
}

/* In the order of the file; those that write_row() has to know. */
enum {
	TASK_FIRST = 2,
	TASK_END = 8, /* event, pid, tid, comm, cpu, mode */
	FUNCTION_FIRST = 10,
	FUNCTION_END = 12, /* function, binary */
	SAMPLE_COLUMNS = 20
};

static const struct column samples_columns[] = {
	{ "nr", COLUMN_INTEGER, "", "position of its record in the file, as in overview.csv", 14,
	  sample_nr },
	{ "time", COLUMN_TIME, "ns", "of the recording's clock", 1, sample_time },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 9, sample_event },
	{ "pid", COLUMN_INTEGER, "", "process", 3, sample_pid },
	{ "tid", COLUMN_INTEGER, "", "thread", 4, sample_tid },
	{ "comm", COLUMN_TEXT, "", "name of the process at that moment", 2, sample_comm },
	{ "cpu", COLUMN_INTEGER, "", "where it happened", 5, sample_cpu },
	{ "mode", COLUMN_TEXT, "",
	  "user, kernel, guest-user, guest-kernel or hypervisor: where code ran", 8, sample_mode },
	{ "period", COLUMN_INTEGER, "events", "that the sample stands for", 7, sample_period },
	{ "ip", COLUMN_ADDRESS, "", "instruction pointer", 10, sample_ip },
	{ "function", COLUMN_TEXT, "", "as in results.csv", 6, sample_function },
	{ "binary", COLUMN_PATH, "", "as in results.csv", 11, sample_binary },
	{ "source_file", COLUMN_PATH, "", "of the address, beside lines or addresses", 12,
	  sample_source_file },
	{ "line", COLUMN_INTEGER, "", "of the address, beside lines or addresses", 13,
	  sample_line },
	{ "frame", COLUMN_INTEGER, "", "innermost: with event, a row of calltree.csv", 15,
	  sample_frame },
	{ "data_address", COLUMN_ADDRESS, "", "of the data, if recorded", 16, sample_data_address },
	{ "weight", COLUMN_UNSIGNED, "", "of the access, if recorded", 17, sample_weight },
	{ "data_source", COLUMN_TEXT, "", "where the data was, in the words of perf mem", 18,
	  sample_data_source },
	{ "transaction", COLUMN_ADDRESS, "", "bits of the transaction, if recorded", 19,
	  sample_transaction },
	{ "cgroup", COLUMN_PATH, "", "control group, if recorded", 20, sample_cgroup },
};

_Static_assert(ARRAY_SIZE(samples_columns) == SAMPLE_COLUMNS,
               "write_copy() writes a cell for each column, and knows which texts are kept");

/* Keeps the text of the cells of a task, which began there. */
static void keep_task(struct sample_printer *printer, const struct logged_sample *sample,
                      uint64_t start)
{
	struct task_text *kept = &printer->tasks[sample->number % TASK_TEXTS];
	const char *text = text_since(printer, start, sizeof(kept->text), &kept->length);

	memcpy(kept->text, text, kept->length);
	kept->task = kept->length ? sample->number + 1 : 0;
}

static bool keep_function(struct sample_printer *printer, uint32_t number, uint64_t start,
                          struct err *err)
{
	struct function_text *kept;
	const char *text;
	uint32_t length;

	if (printer->functions[number])
		return true;
	text = text_since(printer, start, FUNCTION_TEXT_MOST, &length);
	if (!length)
		return true;
	kept = arena_alloc(&printer->arena, sizeof(*kept) + length, err);
	if (!kept)
		return false;
	kept->length = length;
	memcpy(kept->text, text, length);
	printer->functions[number] = kept;
	return true;
}

/* Writes a row cell by cell. keep: its texts are kept. */
static bool write_cells(struct sample_printer *printer, const struct sample_row *row, bool keep,
                        struct err *err)
{
	struct table_writer *out = printer->out;
	uint64_t start;

	table_cells(out, row, 0, TASK_FIRST);
	start = position(printer);
	table_cells(out, row, TASK_FIRST, TASK_END);
	if (keep)
		keep_task(printer, &row->sample, start);
	table_cells(out, row, TASK_END, FUNCTION_FIRST);
	start = position(printer);
	table_cells(out, row, FUNCTION_FIRST, FUNCTION_END);
	if (keep && !keep_function(printer, row->place->function, start, err))
		return false;
	table_cells(out, row, FUNCTION_END, SAMPLE_COLUMNS);
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
static bool write_copy(struct sample_printer *printer, const struct sample_row *row)
{
	const struct logged_sample *sample = &row->sample;
	const struct task_text *task = &printer->tasks[sample->number % TASK_TEXTS];
	const struct function_text *function = printer->functions[row->place->function];
	char *out;

	if (task->task != sample->number + 1 || !function)
		return false;
	out = csv_room(printer->csv, NUMBERS_MOST + task->length + function->length);
	if (sample->nr != NR_NONE)
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
	csv_rows_end(printer->csv, out, 1);
	return true;
}

static bool write_row(struct sample_printer *printer, const struct sample_row *row, struct err *err)
{
	/* nearly all rows are so */
	const bool plain = printer->csv && row->sample.number != LOG_MORE &&
	                   !row->place->has_line && row->sample.time != TIME_NONE;

	return (plain && write_copy(printer, row)) || write_cells(printer, row, plain, err);
}

/*
 * Reads the next sample. *taken: its row is to be printed, as far as its function lets it. untimed:
 * only if it has no time; else only if it has one.
 */
static bool read_next_sample(struct sample_printer *printer, struct sample_row *row, bool untimed,
                             bool *taken, struct err *err)
{
	if (!sample_log_next(&printer->report->stat->log, &row->sample, err) ||
	    !sample_frames_next(&printer->frames, &row->frame, err))
		return false;
	row->printer = printer;
	row->place = sample_places_slot(&printer->places, row->sample.binary, row->sample.addr);
	__builtin_prefetch(row->place);
	*taken = (row->sample.time == TIME_NONE) == untimed;
	return true;
}

/* Finds the place of a sample, and starts to fetch what its row will need. */
static void find_place(struct sample_printer *printer, struct sample_row *row)
{
	row->place = sample_places_find(&printer->places, row->place, row->sample.binary,
	                                row->sample.addr);
	__builtin_prefetch(printer->functions[row->place->function]);
}

/* Prints a sample if --function selects it. */
static bool print_sample(struct sample_printer *printer, const struct sample_row *row,
                         struct err *err)
{
	const struct report *report = printer->report;
	const uint32_t name = report->names->functions[row->place->function].name;

	if (!buildstat_function_passes(report->stat, name, err))
		return err->code == ERR_NONE;
	return write_row(printer, row, err);
}

/* Prints the next samples, at most so many. */
static bool print_together(struct sample_printer *printer, size_t most, bool untimed,
                           struct err *err)
{
	size_t count = 0;

	for (size_t i = 0; i < most; i++) {
		bool taken;

		if (!read_next_sample(printer, &printer->together[count], untimed, &taken, err))
			return false;
		count += taken;
	}
	for (size_t i = 0; i < count; i++)
		find_place(printer, &printer->together[i]);
	for (size_t i = 0; i < count; i++)
		if (!print_sample(printer, &printer->together[i], err))
			return false;
	return true;
}

static bool print_in_order(struct sample_printer *printer, bool untimed, struct err *err)
{
	struct buildstat *stat = printer->report->stat;

	if (!spool_rewind(&stat->log.rows, err) || !sample_frames_rewind(&printer->frames, err))
		return false;
	while (printer->frames.nodes.number < stat->log.count) {
		uint64_t left = stat->log.count - printer->frames.nodes.number;

		/* a write that failed is reported now, and not after millions of rows */
		if (!print_together(printer, (size_t)u64_min(left, PRINTED_TOGETHER), untimed,
		                    err) ||
		    (printer->csv && printer->csv->error))
			return err->code == ERR_NONE;
	}
	return true;
}

static bool print_samples(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct buildstat *stat = report->stat;
	const struct place_names *names = report->names;
	struct csv *csv = csv_of_writer(out);
	char words[DATA_SOURCE_SIZE];
	struct sample_printer printer = { .out = out,
		                          .csv = csv && !csv->spreadsheet ? csv : NULL,
		                          .report = report,
		                          .words = words };
	const bool ok = (printer.functions = vec_new(names->function_count,
	                                             sizeof(*printer.functions), err)) &&
	                (printer.tasks = vec_new(TASK_TEXTS, sizeof(*printer.tasks), err)) &&
	                sample_places_init(&printer.places, &stat->places, names, err) &&
	                sample_frames_init(&printer.frames, report, stat->log.count, err) &&
	                (!stat->log.untimed || print_in_order(&printer, true, err)) &&
	                print_in_order(&printer, false, err);

	free(printer.functions);
	free(printer.tasks);
	arena_release(&printer.arena);
	sample_frames_release(&printer.frames);
	sample_places_release(&printer.places);
	return ok;
}

static bool has_samples(const struct report *report)
{
	return report->stat->log.count != 0;
}

const struct table samples_table = {
	.format = FORMAT_OF("samples", samples_columns),
	.needs = NEEDS_NAMES | NEEDS_SAMPLES,
	.can_fill = has_samples,
	.print = print_samples,
};
