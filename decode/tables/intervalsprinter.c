/* intervals.csv: every interval, in the order of their begins, with the names of its place. */
#include "decode/tally/intervalstat.h"
#include "decode/tables/tables.h"
#include "util/csv.h"
#include "util/digits.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* What a row says. */
struct shown_interval {
	const struct report *report;
	const struct interval_row *row;
	const struct function_name *function; /* NULL: not known */
	uint32_t frame;                       /* the innermost; 0: none */
	char *text;                           /* room for CALL_NAME_SIZE bytes */
};

static const struct shown_interval *shown(const void *row)
{
	return row;
}

static struct value string(const void *row, uint32_t number)
{
	const char *text = strings_get(shown(row)->report->stat->strings, number);

	return value_if(*text != '\0', value_str(text));
}

static struct value number_or_none(int32_t number)
{
	return value_if(number >= 0, value_i64(number));
}

static bool ended(const struct shown_interval *row)
{
	return row->row->state == INTERVAL_ENDED;
}

/* The string of `what`. */
static uint32_t word_of(const struct shown_interval *row)
{
	const uint64_t what = row->row->what;

	return what & FIELD_POINTS ? row->report->stat->pointed.names[(uint32_t)what]
	                           : (uint32_t)what;
}

static struct value interval_what(const void *row)
{
	return string(row, word_of(shown(row)));
}

static struct value interval_result(const void *row)
{
	return value_str(interval_result_text(shown(row)->report->stat->strings, shown(row)->row,
	                                      shown(row)->text));
}

static struct value interval_function(const void *row)
{
	return shown(row)->function ? string(row, shown(row)->function->name) : value_none();
}

static struct value interval_binary(const void *row)
{
	const struct function_name *function = shown(row)->function;

	return function ? string(row,
	                         shown(row)->report->stat->binaries.items[function->binary].name)
	                : value_none();
}

VALUE(shown_interval, interval_event,
      value_str(buildstat_event_name(row->report->session, row->row->event)));
VALUE(shown_interval, interval_time,
      value_if(row->row->time != TIME_NONE, value_time(row->row->time)));
VALUE(shown_interval, interval_duration, value_if(ended(row), value_u64(row->row->duration)));
VALUE(shown_interval, interval_pid, number_or_none(row->row->pid));
VALUE(shown_interval, interval_tid, number_or_none(row->row->tid));
VALUE(shown_interval, interval_comm, string(row, row->row->comm));
VALUE(shown_interval, interval_thread, string(row, row->row->thread));
VALUE(shown_interval, interval_cpu, number_or_none(row->row->cpu));
VALUE(shown_interval, interval_end_cpu, number_or_none(row->row->end_cpu));
VALUE(shown_interval, interval_by_pid,
      row->row->has_by ? number_or_none(row->row->by_pid) : value_none());
VALUE(shown_interval, interval_by_tid,
      row->row->has_by ? number_or_none(row->row->by_tid) : value_none());
VALUE(shown_interval, interval_by_thread,
      row->row->has_by ? string(row, row->row->by_thread) : value_none());
VALUE(shown_interval, interval_nr, value_if(row->row->nr != UINT64_MAX, value_u64(row->row->nr)));
VALUE(shown_interval, interval_end_nr,
      value_if(row->row->end_nr != UINT64_MAX, value_u64(row->row->end_nr)));
VALUE(shown_interval, interval_frame, value_if(row->frame != 0, value_u64(row->frame)));

static const struct column intervals_columns[] = {
	{ "event", COLUMN_TEXT, "", "that the interval is a sample of", 5, interval_event },
	{ "time", COLUMN_TIME, "ns", "when it began; empty if that is not recorded", 1,
	  interval_time },
	{ "duration", COLUMN_INTEGER, "ns", "until it ended; empty if begin or end is not recorded",
	  2, interval_duration },
	{ "pid", COLUMN_INTEGER, "", "process; empty if it never wrote a record", 7, interval_pid },
	{ "tid", COLUMN_INTEGER, "", "thread", 8, interval_tid },
	{ "comm", COLUMN_TEXT, "", "name of the process at that moment", 9, interval_comm },
	{ "thread", COLUMN_TEXT, "", "the thread's own name then", 10, interval_thread },
	{ "cpu", COLUMN_INTEGER, "", "where it began, of a wait: where it was woken", 11,
	  interval_cpu },
	{ "end_cpu", COLUMN_INTEGER, "", "where it ended", 12, interval_end_cpu },
	{ "what", COLUMN_TEXT, "", "which syscall, state, lock, function ...", 3, interval_what },
	{ "result", COLUMN_TEXT, "", "return value, error or state letter", 4, interval_result },
	{ "function", COLUMN_TEXT, "", "where it counts, or [unknown]", 6, interval_function },
	{ "binary", COLUMN_PATH, "", "of the function", 17, interval_binary },
	{ "by_pid", COLUMN_INTEGER, "", "process that ended it, or woke the thread", 13,
	  interval_by_pid },
	{ "by_tid", COLUMN_INTEGER, "", "its thread", 14, interval_by_tid },
	{ "by_thread", COLUMN_TEXT, "", "the name of that thread", 15, interval_by_thread },
	{ "nr", COLUMN_INTEGER, "", "record that began it, as in overview.csv", 18, interval_nr },
	{ "end_nr", COLUMN_INTEGER, "", "record that ended it", 19, interval_end_nr },
	{ "frame", COLUMN_INTEGER, "", "innermost frame in calltree.csv", 16, interval_frame },
};

/*
 * Rows of CSV are made of kept cells and digits: with 610,000 samples of switches and wakeups, a
 * cell at a time takes a third more CPU time.
 */
#define CELLS_KEPT 512 /* a power of two */
#define CELL_ROOM 112
#define CELL_SHORT 16     /* bytes that are copied of each */
#define THREADS_KEPT 1024 /* a power of two */
#define THREAD_ROOM 58
#define THREAD_SHORT 32
#define ROW_NUMBERS 12
#define ROW_TEXTS 8
#define NUMBER_SIZE 21 /* bytes, with the comma */
#define ROW_MOST (ROW_NUMBERS * NUMBER_SIZE + ROW_TEXTS * (CELL_ROOM + 1) + CALL_NAME_SIZE + 2)

/* A text as it stands in a cell. */
struct kept_cell {
	const char *of; /* NULL: none is kept */
	uint8_t length;
	char text[CELL_ROOM];
};

/* The cells of a thread, each behind its comma. */
struct kept_thread {
	uint32_t number; /* in the log; MAP_NONE: none is kept */
	bool is_by;      /* as who ended intervals, which has a cell less */
	uint8_t length;
	char text[THREAD_ROOM];
};

struct row_maker {
	struct csv *csv;
	struct kept_cell *kept;        /* CELLS_KEPT, by the addresses of their texts */
	struct kept_thread *threads;   /* THREADS_KEPT */
	const struct tuples *numbered; /* struct row_thread; borrowed, as are strings */
	const struct strings *strings;
	bool too_long; /* a text of the row is */
};

/* Keeps a text that stays where it is. False: it is too long. */
static bool keep_cell(struct kept_cell *kept, const char *text)
{
	const size_t length = strlen(text);

	if (CSV_CELL_MOST(length) > CELL_ROOM)
		return false;
	kept->of = text;
	kept->length = (uint8_t)(csv_cell(kept->text, text, length) - kept->text);
	return true;
}

/*
 * Adds a text that stays where it is; returns the end of what is written, as do all functions below
 * that put something. Sizes that are known are copied without a loop; what is behind the text is
 * overwritten by the next cell.
 */
static inline char *put_text(struct row_maker *maker, char *out, const char *text)
{
	/* short texts lie close to each other, others at multiples of a power of two */
	const uintptr_t at = (uintptr_t)text ^ (uintptr_t)text >> 9;
	struct kept_cell *kept = &maker->kept[at % CELLS_KEPT];

	if (kept->of != text && !keep_cell(kept, text)) {
		maker->too_long = true;
		return out;
	}
	memcpy(out, kept->text, CELL_SHORT);
	if (kept->length > CELL_SHORT)
		memcpy(out + CELL_SHORT, kept->text + CELL_SHORT, CELL_ROOM - CELL_SHORT);
	return out + kept->length;
}

/* The same, of a string, in a cell. */
static inline char *put_string(struct row_maker *maker, char *out, bool known, uint32_t string)
{
	*out++ = ',';
	return known ? put_text(maker, out, strings_get(maker->strings, string)) : out;
}

static inline char *put_number(char *out, bool known, uint64_t value)
{
	*out++ = ',';
	return known ? format_u64(out, value) : out;
}

static inline char *put_commas(char *out, unsigned count)
{
	memset(out, ',', count);
	return out + count;
}

/* The same of a number that is not known if it is negative. */
static inline char *put_id(char *out, bool known, int32_t id)
{
	return put_number(out, known && id >= 0, (uint64_t)id);
}

/* The cells of the thread with a number in the log; is_by: as who ended an interval. */
static inline char *put_thread(struct row_maker *maker, char *out, uint32_t number, bool is_by)
{
	const struct row_thread *thread = tuples_get(maker->numbered, number);
	struct kept_thread *kept = &maker->threads[(2 * number + is_by) % THREADS_KEPT];
	char *end = out;

	if (kept->number == number && kept->is_by == is_by) {
		memcpy(out, kept->text, THREAD_SHORT);
		if (kept->length > THREAD_SHORT)
			memcpy(out + THREAD_SHORT, kept->text + THREAD_SHORT,
			       THREAD_ROOM - THREAD_SHORT);
		return out + kept->length;
	}
	end = put_id(end, true, thread->pid);
	end = put_id(end, true, thread->tid);
	end = is_by ? end : put_string(maker, end, true, thread->comm);
	end = put_string(maker, end, true, thread->name);
	if (maker->too_long || end - out > THREAD_ROOM)
		return end;
	*kept = (struct kept_thread){ number, is_by, (uint8_t)(end - out), { 0 } };
	memcpy(kept->text, out, kept->length);
	return end;
}

static char *put_result(struct row_maker *maker, char *out, const struct shown_interval *shown)
{
	const struct interval_row *row = shown->row;
	const char *text;
	size_t length;

	if (row->result_kind == RESULT_TEXT || row->result_kind == RESULT_NONE)
		return put_string(maker, out, row->result_kind == RESULT_TEXT, row->result_text);
	/* a number and perhaps the name of an error, which need no quotes */
	text = interval_result_text(maker->strings, row, shown->text);
	*out++ = ',';
	length = strlen(text);
	memcpy(out, text, length);
	return out + length;
}

#define ROW_CELLS 19 /* that make_row() puts, in the order of intervals_columns */
_Static_assert(ARRAY_SIZE(intervals_columns) == ROW_CELLS, "make_row() has a cell for each column");

/* Writes a row. False: one of its texts is too long, and nothing was written. */
static bool make_row(struct row_maker *maker, const struct shown_interval *shown)
{
	const struct interval_row *row = shown->row;
	const struct report *report = shown->report;
	const struct function_name *function = shown->function;
	char *out = csv_room(maker->csv, ROW_MOST);

	maker->too_long = false;
	out = put_text(maker, out, buildstat_event_name(report->session, row->event));
	out = put_number(out, row->time != TIME_NONE, row->time);
	out = put_number(out, ended(shown), row->duration);
	out = put_thread(maker, out, row->whose, false);
	out = put_id(out, true, row->cpu);
	out = put_id(out, true, row->end_cpu);
	out = put_string(maker, out, true, word_of(shown));
	out = put_result(maker, out, shown);
	out = put_string(maker, out, function, function ? function->name : 0);
	out = put_string(maker, out, function,
	                 function ? report->stat->binaries.items[function->binary].name : 0);
	out = row->has_by ? put_thread(maker, out, row->by, true) : put_commas(out, 3);
	out = put_number(out, row->nr != UINT64_MAX, row->nr);
	out = put_number(out, row->end_nr != UINT64_MAX, row->end_nr);
	out = put_number(out, shown->frame != 0, shown->frame);
	*out++ = '\n';
	if (maker->too_long)
		return false;
	csv_rows_end(maker->csv, out, 1);
	return true;
}

/* Finds the function and the frame of a row by the cell of its stack. */
static void find_place(struct shown_interval *shown, uint32_t cell, const uint32_t *frames)
{
	const struct report *report = shown->report;
	const struct stackstat *stacks = report->stat->stacks;
	const struct place_name *place;
	uint32_t node;

	shown->function = NULL;
	shown->frame = 0;
	if (cell == MAP_NONE || !stacks)
		return;
	place = &report->names->places[stack_cell_place(&stacks->cells.items[cell])];
	shown->function = &report->names->functions[place->function];
	node = frames ? report->calls->node_of_cell[cell] : CALL_NODE_NONE;
	if (node != CALL_NODE_NONE)
		shown->frame = frames[node];
}

/* Whether --function, if it is given, selects a row. */
static bool passes(const struct shown_interval *shown, struct err *err)
{
	struct selection *functions = buildstat_functions(shown->report->stat);

	return !functions || (shown->function &&
	                      selection_function_passes(functions, shown->function->name, err));
}

static bool print_rows(struct table_writer *out, const struct report *report,
                       const uint32_t *frames, struct err *err)
{
	struct interval_rows rows;
	char text[CALL_NAME_SIZE];
	struct shown_interval shown = { .report = report, .text = text };
	struct csv *csv = csv_of_writer(out);
	struct row_maker maker = { .csv = csv && !csv->spreadsheet ? csv : NULL,
		                   .strings = report->stat->strings,
		                   .numbered = &report->intervals->log.threads,
		                   .kept = vec_new(CELLS_KEPT, sizeof(*maker.kept), err),
		                   .threads = vec_new(THREADS_KEPT, sizeof(*maker.threads), err) };
	bool ok = interval_rows_open(&rows, &report->intervals->log, err) && maker.kept &&
	          maker.threads;
	uint32_t cell;

	for (size_t i = 0; ok && i < THREADS_KEPT; i++)
		maker.threads[i].number = MAP_NONE;
	while (ok && (shown.row = interval_rows_next(&rows, &cell, err))) {
		/* `wall` is samples and intervals that are there already */
		if (shown.row->event == report->intervals->engine.wall_event)
			continue;
		find_place(&shown, cell, frames);
		if (passes(&shown, err) && !(maker.csv && make_row(&maker, &shown)))
			table_row(out, &shown);
		/* a write that failed is reported now, and not after millions of rows */
		ok = err->code == ERR_NONE && !(csv && csv->error);
	}
	free(maker.kept);
	free(maker.threads);
	interval_rows_close(&rows);
	return err->code == ERR_NONE;
}

static bool print_intervals(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct call_tree *calls = report->calls;
	uint32_t *frames = NULL;
	bool ok;

	if (!report->intervals->log.count)
		return true;
	/* numbers of frames exist only if calltree.csv is written, too */
	if (calls->node_of_cell) {
		frames = call_tree_frames(calls, report->stat->strings, NULL, NULL, err);
		if (!frames)
			return false;
	}
	ok = print_rows(out, report, frames, err);
	free(frames);
	return ok;
}

static bool can_fill(const struct report *report)
{
	return intervalstat_has_events(report->intervals);
}

const struct table intervals_table = {
	.format = FORMAT_OF("intervals", intervals_columns),
	.needs = NEEDS_NAMES | NEEDS_TALLY | NEEDS_INTERVALS,
	.can_fill = can_fill,
	.print = print_intervals,
};
