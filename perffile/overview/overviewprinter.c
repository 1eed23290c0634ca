#include "perffile/overview/overviewprinter.h"

#include "perffile/overview/samplerow.h"
#include "perffile/record/recordtypes.h"
#include "util/arena.h"
#include "util/csv.h"
#include "util/vec.h"
#include "util/wholeio.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Fills a row as the type of the record requires (recordtypes.c); texts stay in the record. */
static void row_fill(struct overview_row *row, const struct session *session,
                     const struct record *record)
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
	if (!type)
		snprintf(row->made, sizeof(row->made), "UNKNOWN_%" PRIu32, record->type);
	else if (type->row && !record->damaged)
		type->row(row, record);
}

static const struct overview_row *overview_row(const void *row)
{
	return row;
}

static struct value overview_type(const void *row)
{
	const char *name = record_type_name(overview_row(row)->type);

	return value_str(name ? name : overview_row(row)->made);
}

static struct value overview_info(const void *row)
{
	const uint64_t info = overview_row(row)->info;

	switch (overview_row(row)->info_kind) {
	case INFO_HEX:
		return value_address(info);
	case INFO_NUMBER:
		return value_u64(info);
	case INFO_PID:
		return value_i64((int32_t)(uint32_t)info);
	case INFO_TEXT:
		return value_text(overview_row(row)->text, overview_row(row)->text_length);
	default:
		return value_none();
	}
}

VALUE(overview_row, overview_nr, value_u64(row->nr));
VALUE(overview_row, overview_pid, value_if(row->has_tid, value_i64(row->pid)));
VALUE(overview_row, overview_tid, value_if(row->has_tid, value_i64(row->tid)));
VALUE(overview_row, overview_time, value_if(row->time != TIME_NONE, value_time(row->time)));
VALUE(overview_row, overview_address, value_if(row->has_address, value_address(row->address)));
VALUE(overview_row, overview_size, value_if(row->has_size, value_u64(row->size)));
VALUE(overview_row, overview_offset, value_if(row->has_offset, value_u64(row->offset)));
VALUE(overview_row, overview_period, value_if(row->has_period, value_u64(row->period)));
VALUE(overview_row, overview_cpu, value_if(row->cpu >= 0, value_i64(row->cpu)));
VALUE(overview_row, overview_event, value_str(row->event));

static const struct column overview_columns[] = {
	{ "nr", COLUMN_INTEGER, "", "position in the file, from 0, after decompression", 12,
	  overview_nr },
	{ "type", COLUMN_TEXT, "", "record type", 2, overview_type },
	{ "pid", COLUMN_INTEGER, "", "process; the record's own, else of its sample id", 3,
	  overview_pid },
	{ "tid", COLUMN_INTEGER, "", "thread, likewise", 4, overview_tid },
	{ "time", COLUMN_TIME, "ns", "of the recording's clock", 1, overview_time },
	{ "info", COLUMN_TEXT, "", "depends on the type: a file, a name, an address, a count", 8,
	  overview_info },
	{ "address", COLUMN_ADDRESS, "", "start of the mapping, or data address of the sample", 9,
	  overview_address },
	{ "size", COLUMN_UNSIGNED, "bytes", "length of the mapping or of the data", 10,
	  overview_size },
	{ "offset", COLUMN_UNSIGNED, "bytes", "of the mapping in its file, or of the data", 11,
	  overview_offset },
	{ "period", COLUMN_INTEGER, "events", "that the sample stands for, or value read", 6,
	  overview_period },
	{ "cpu", COLUMN_INTEGER, "", "where it happened", 5, overview_cpu },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 7, overview_event },
};

const struct table_format overview_format = TABLE_FORMAT("overview", overview_columns);
_Static_assert(ARRAY_SIZE(overview_columns) == SAMPLE_ROW_COLUMNS,
               "sample_rows() writes a cell for each column");

/* at most so many rows are held, and about so many bytes of their texts */
#define HELD_ROWS 131072
#define HELD_TEXT ((size_t)4 * 1024 * 1024)

struct overview {
	const struct session *session;
	struct table_writer out;
	struct csv *csv; /* that it writes to; NULL: to something else */
	/*
	 * Records without a time come first, but a pipe may deliver some after rows with a time
	 * have been written. Their rows are kept until the end and then put in front; those for
	 * which there is no room stay where they came.
	 */
	struct overview_row *held; /* malloc'd */
	size_t held_count, held_capacity;
	struct arena texts; /* of these rows */
	uint64_t front; /* size of the rows without a time, set when the first row with a time is
	                   written */
	struct sample_row_cells cells;
};

struct overview *overview_new(const struct session *session, const struct table_writer *out,
                              struct err *err)
{
	struct overview *overview = calloc(1, sizeof(*overview));

	if (!overview) {
		err_nomem(err, sizeof(*overview));
		return NULL;
	}
	overview->session = session;
	overview->out = *out;
	overview->csv = csv_of_writer(out);
	if (!table_begin(&overview->out, &overview_format, err)) {
		overview_free(overview);
		return NULL;
	}
	return overview;
}

void overview_free(struct overview *overview)
{
	if (!overview)
		return;
	table_discard(&overview->out);
	arena_release(&overview->texts);
	free(overview->held);
	free(overview);
}

/* Reports a failed write, or a further file that cannot be opened, without waiting for the end. */
static bool has_failed(struct overview *overview, struct err *err)
{
	struct csv *csv = overview->csv;

	return csv && (csv->error || csv->err.code != ERR_NONE) && !csv_flush(csv, err);
}

static bool print_any(struct overview *overview, const struct overview_row *row, struct err *err)
{
	table_row(&overview->out, row);
	return !has_failed(overview, err);
}

static void note_front(struct overview *overview)
{
	if (overview->csv && overview->front == 0)
		overview->front = overview->csv->written + overview->csv->used;
}

static bool on_samples(void *context, const struct sample *samples, size_t count, struct err *err)
{
	struct overview *overview = context;
	struct overview_row row;
	struct record record;

	note_front(overview);
	for (size_t i = 0; i < count; i++) {
		/* the way of nearly all rows */
		if (overview->csv && !overview->csv->spreadsheet)
			i += sample_rows(&overview->cells, overview->csv, overview->session,
			                 samples + i, count - i);
		if (i == count)
			break;
		sample_record(&record, overview->session, &samples[i]);
		row_fill(&row, overview->session, &record);
		if (!print_any(overview, &row, err))
			return false;
	}
	return !has_failed(overview, err);
}

/* Keeps a row after its record is gone. False if there is no room for it, or memory is refused. */
static bool hold_row(struct overview *overview, const struct overview_row *row)
{
	struct err refused = { 0 };
	struct overview_row kept = *row;

	if (overview->held_count == HELD_ROWS || overview->texts.size > HELD_TEXT)
		return false;
	if (row->info_kind == INFO_TEXT &&
	    !(kept.text = arena_text(&overview->texts, row->text, row->text_length, &refused)))
		return false;
	return vec_append(&overview->held, &overview->held_count, &overview->held_capacity, &kept,
	                  sizeof(kept), &refused);
}

static bool on_record(void *context, const struct record *record, struct err *err)
{
	struct overview *overview = context;
	struct overview_row row;

	if (record->time != TIME_NONE)
		note_front(overview);
	row_fill(&row, overview->session, record);
	if (record->time == TIME_NONE && overview->front && hold_row(overview, &row))
		return true;
	return print_any(overview, &row, err);
}

struct record_handler overview_handler(struct overview *overview)
{
	return (struct record_handler){ .context = overview,
		                        .record = on_record,
		                        .samples = on_samples };
}

/* Reads or writes so many bytes of the table at an offset. */
static bool copy_at(int fd, uint8_t *bytes, size_t size, uint64_t offset, bool out, struct err *err)
{
	return (out ? write_whole_at(fd, bytes, size, offset)
	            : read_whole_at(fd, bytes, size, offset)) ||
	       err_errno(err, "overview.csv: cannot %s", out ? "write" : "read");
}

#define MOVE_SIZE 65536 /* bytes at once */

/* Moves size bytes within the file, starting with the last ones; source and target may overlap. */
static bool move_back(int fd, uint64_t from, uint64_t to, uint64_t size, struct err *err)
{
	uint8_t *buffer = malloc(MOVE_SIZE);
	bool ok = buffer || err_nomem(err, MOVE_SIZE);

	while (ok && size) {
		size_t piece = (size_t)u64_min(size, MOVE_SIZE);

		size -= piece;
		ok = copy_at(fd, buffer, piece, from + size, false, err) &&
		     copy_at(fd, buffer, piece, to + size, true, err);
	}
	free(buffer);
	return ok;
}

/* Writes the rows that were kept in front of those with a time. */
static bool finish_held(struct overview *overview, struct err *err)
{
	struct csv *csv = overview->csv;
	uint64_t end, size;
	uint8_t *rows;
	bool ok = csv_flush(csv, err);

	assert(!csv->packer);
	end = csv->written;
	for (size_t i = 0; ok && i < overview->held_count; i++)
		ok = print_any(overview, &overview->held[i], err);
	if (!ok || !csv_flush(csv, err))
		return false;
	/* the earlier files of a spreadsheet are full and stay as they are */
	if (csv->file_number > 1)
		return true;
	size = csv->written - end;
	rows = malloc((size_t)size);
	if (!rows)
		return err_nomem(err, (size_t)size);
	ok = copy_at(csv->fd, rows, (size_t)size, end, false, err) &&
	     move_back(csv->fd, overview->front, overview->front + size, end - overview->front,
	               err) &&
	     copy_at(csv->fd, rows, (size_t)size, overview->front, true, err);
	free(rows);
	return ok;
}

bool overview_finish(struct overview *overview, struct err *err)
{
	return (!overview->held_count || finish_held(overview, err)) &&
	       table_end(&overview->out, err);
}
