#include "util/csv.h"

#include "util/digits.h"
#include "util/memory.h"
#include "util/pack.h"
#include "util/text.h"
#include "util/thread.h"
#include "util/wholeio.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CSV_BUFFER_SIZE ((size_t)512 * 1024)
#define NUMBER_ROOM 64  /* bytes that any number needs, with comma and marks */
#define EXACT_DIGITS 15 /* a spreadsheet keeps that many digits of a number */

/* Writes size bytes of a buffer. Returns 0, or the errno of what failed. */
static int write_bytes(const struct csv *csv, const char *data, size_t size)
{
	if (csv->packer)
		return packer_write(csv->packer, data, size);
	return write_whole(csv->fd, data, size) ? 0 : errno;
}

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore) != 0)
		continue; /* a signal came */
}

/* The second thread. */
static void *write_spares(void *context)
{
	struct csv *csv = context;

	for (wait_for(&csv->given); csv->spare_used; wait_for(&csv->given)) {
		if (!csv->spare_error)
			csv->spare_error = write_bytes(csv, csv->spare, csv->spare_used);
		sem_post(&csv->free);
	}
	return NULL;
}

/*
 * Starts the second thread, unless it runs already. False: it cannot be started, or memory is
 * limited, where what it needs may be missing elsewhere.
 */
static bool start_thread(struct csv *csv)
{
	if (csv->has_thread || memory_is_limited())
		return csv->has_thread;
	if (!csv->spare)
		csv->spare = malloc(csv->size);
	csv->spare_error = 0;
	sem_init(&csv->given, 0, 0);
	sem_init(&csv->free, 0, 1);
	csv->has_thread = csv->spare && thread_start(&csv->thread, THREAD_SMALL, write_spares, csv);
	return csv->has_thread;
}

/* Waits until the second thread has written what it was given. */
static void wait_for_thread(struct csv *csv)
{
	wait_for(&csv->free);
	if (!csv->error)
		csv->error = csv->spare_error;
}

/* Has the second thread write the buffer, and goes on with the other one. */
static void give_buffer(struct csv *csv)
{
	char *full = csv->buffer;

	wait_for_thread(csv);
	csv->buffer = csv->spare;
	csv->spare = full;
	csv->spare_used = csv->used;
	sem_post(&csv->given);
}

static void end_thread(struct csv *csv)
{
	if (!csv->has_thread)
		return;
	wait_for_thread(csv);
	csv->spare_used = 0;
	sem_post(&csv->given);
	pthread_join(csv->thread, NULL);
	csv->has_thread = false;
}

static void write_buffer(struct csv *csv, bool beside)
{
	if (beside && !csv->error && start_thread(csv))
		give_buffer(csv);
	else if (!csv->error)
		csv->error = write_bytes(csv, csv->buffer, csv->used);
	csv->written += csv->used;
	csv->used = 0;
}

void csv_count_cells(struct csv *csv, const char *end)
{
	const char *at = end - 1; /* the end of its line; texts have no others, which are escaped */
	bool quoted = false;
	size_t cells = 1;

	while (at > csv->buffer && at[-1] != '\n') {
		at--;
		quoted ^= *at == '"';
		cells += *at == ',' && !quoted;
	}
	/* where a part of it may have been written already, another row is counted */
	if (at == csv->buffer)
		return;
	assert(cells == csv->format->column_count);
	csv->counted = true;
}

void csv_write(struct csv *csv)
{
	write_buffer(csv, csv->two_threads);
}

bool csv_flush(struct csv *csv, struct err *err)
{
	if (csv->err.code != ERR_NONE)
		return err_pass(err, &csv->err);
	end_thread(csv);
	write_buffer(csv, false);
	if (csv->packer && !csv->error)
		csv->error = packer_end(csv->packer);
	if (csv->error == ENOMEM)
		return err_nomem(err, csv->size);
	if (csv->error) {
		errno = csv->error;
		return err_errno(err, "%s: cannot write", csv->name);
	}
	return true;
}

/* As csv_cell(). */
static char *format_cell(char *out, const char *text, size_t length, bool spreadsheet)
{
	const bool quoted = memchr(text, ',', length) || memchr(text, '"', length);
	const char *end = text + length, *quote;

	if (quoted)
		*out++ = '"';
	/* a spreadsheet would take it for a formula */
	if (spreadsheet && length && strchr("=+-@", text[0]))
		*out++ = '\'';
	while (quoted && (quote = memchr(text, '"', (size_t)(end - text)))) {
		out = format_escaped(out, text, (size_t)(quote - text));
		*out++ = '"';
		*out++ = '"';
		text = quote + 1;
	}
	out = format_escaped(out, text, (size_t)(end - text));
	if (quoted)
		*out++ = '"';
	return out;
}

char *csv_cell(char *out, const char *text, size_t length)
{
	return format_cell(out, text, length, false);
}

static void csv_text(struct csv *csv, const char *text, size_t length);
static void csv_end_row(void *context);

/* Opens the file with the current number, and writes the header row. */
static bool open_file(struct csv *csv, struct err *err)
{
	static const char mark[] = "\xef\xbb\xbf";
	const struct table_format *format = csv->format;

	if (csv->lines_only)
		snprintf(csv->name, sizeof(csv->name), "%s.ndjson", format->name);
	else if (csv->file_number == 1)
		snprintf(csv->name, sizeof(csv->name), "%s.csv", format->name);
	else
		snprintf(csv->name, sizeof(csv->name), "%s-%u.csv", format->name, csv->file_number);
	csv->packer = NULL;
	csv->fd = csv->files.open(csv->files.context, csv->name, &csv->packer, err);
	if (csv->fd < 0)
		return false;
	csv->rows = csv->written = 0;
	csv->used = csv->spreadsheet ? sizeof(mark) - 1 : 0;
	memcpy(csv->buffer, mark, csv->used);
	if (csv->lines_only)
		return true;
	for (size_t i = 0; i < format->column_count; i++)
		csv_text(csv, format->columns[i].name, strlen(format->columns[i].name));
	csv_end_row(csv);
	return true;
}

/* The sheet is full: the next row begins another file. */
static void open_next_file(struct csv *csv)
{
	if (csv->err.code != ERR_NONE || !csv_flush(csv, &csv->err))
		return;
	csv->file_number++;
	open_file(csv, &csv->err);
}

/* Starts a cell: writes its comma and returns room for size bytes behind it. */
static inline char *cell(struct csv *csv, size_t size)
{
	char *out;

	if (csv->spreadsheet && !csv->column && csv->rows == SPREADSHEET_ROWS)
		open_next_file(csv);
	out = csv_room(csv, size + 1);
	assert(csv->column < csv->format->column_count);
	if (csv->column++)
		*out++ = ',';
	return out;
}

static inline void cell_end(struct csv *csv, const char *end)
{
	csv->used = (size_t)(end - csv->buffer);
}

/* Writes text whose cell may not fit into the buffer, piece by piece. */
static void put_long(struct csv *csv, const char *text, size_t length)
{
	char *made = malloc(CSV_CELL_MOST(length));
	size_t size, piece;

	cell_end(csv, cell(csv, 0));
	if (!made) {
		csv->error = csv->error ? csv->error : ENOMEM;
		return;
	}
	size = (size_t)(format_cell(made, text, length, csv->spreadsheet) - made);
	for (size_t done = 0; done < size; done += piece) {
		piece = size - done < NUMBER_ROOM ? size - done : NUMBER_ROOM;
		memcpy(csv_room(csv, piece), made + done, piece);
		csv->used += piece;
	}
	free(made);
}

static void csv_text(struct csv *csv, const char *text, size_t length)
{
	const size_t most = CSV_CELL_MOST(length);

	if (most < csv->size)
		cell_end(csv, format_cell(cell(csv, most), text, length, csv->spreadsheet));
	else
		put_long(csv, text, length);
}

/* In a spreadsheet a long number would be rounded, so it is written as text. */
static char *mark_long(const struct csv *csv, char *out, size_t digits)
{
	if (csv->spreadsheet && digits > EXACT_DIGITS)
		*out++ = '\'';
	return out;
}

static void csv_integer(struct csv *csv, const struct value *value)
{
	char text[20], *out = cell(csv, NUMBER_ROOM);
	const size_t digits = (size_t)(format_u64(text, value->number) - text);

	out = mark_long(csv, out, digits);
	if (value->negative)
		*out++ = '-';
	/* a fixed size is copied in two moves */
	memcpy(out, text, sizeof(text));
	cell_end(csv, out + digits);
}

size_t csv_format_decimal(char text[CSV_DECIMAL_SIZE], double value)
{
	for (int precision = 6; precision <= 17; precision++) {
		snprintf(text, CSV_DECIMAL_SIZE, "%.*g", precision, value);
		if (strtod(text, NULL) == value)
			break;
	}
	return strlen(text);
}

static void csv_decimal(struct csv *csv, double value)
{
	char text[CSV_DECIMAL_SIZE], *out;
	const size_t length = csv_format_decimal(text, value);
	size_t digits = 0;

	for (const char *c = text; *c && *c != 'e'; c++)
		digits += is_digit(*c);
	out = mark_long(csv, cell(csv, NUMBER_ROOM), digits);
	memcpy(out, text, length);
	cell_end(csv, out + length);
}

static void csv_share(struct csv *csv, double percent)
{
	char text[400]; /* a double has at most 309 digits in front of the point */
	int length = snprintf(text, sizeof(text), "%.4f", percent);

	csv_text(csv, text, (size_t)length);
}

static void csv_put(void *context, const struct value *value)
{
	struct csv *csv = context;

	switch (value->kind) {
	case CELL_NONE:
		cell_end(csv, cell(csv, 0));
		break;
	case CELL_TEXT:
		csv_text(csv, value->text, value->length);
		break;
	case CELL_INTEGER:
	case CELL_TIME:
		csv_integer(csv, value);
		break;
	case CELL_ADDRESS:
		cell_end(csv, format_hex(cell(csv, NUMBER_ROOM), value->number));
		break;
	case CELL_DECIMAL:
		csv_decimal(csv, value->decimal);
		break;
	case CELL_PERCENT:
		cell_end(csv,
		         format_percent(cell(csv, NUMBER_ROOM), value->number, value->whole, 4));
		break;
	case CELL_SHARE:
		csv_share(csv, value->decimal);
		break;
	}
}

static void csv_end_row(void *context)
{
	struct csv *csv = context;
	char *out = csv_room(csv, 1);

	assert(csv->column == csv->format->column_count);
	csv->column = 0;
	csv->rows++;
	*out = '\n';
	csv->used++;
}

bool csv_begin(void *context, const struct table_format *format, struct err *err)
{
	struct csv *csv = context;

	csv->format = format;
	csv->file_number = 1;
	csv->column = 0;
	csv->counted = false;
	csv->error = 0;
	csv->err.code = ERR_NONE;
	if (!csv->size)
		csv->size = CSV_BUFFER_SIZE;
	csv->buffer = malloc(csv->size);
	return csv->buffer ? open_file(csv, err) : err_nomem(err, csv->size);
}

void csv_discard(void *context)
{
	struct csv *csv = context;

	end_thread(csv);
	free(csv->buffer);
	free(csv->spare);
	csv->buffer = csv->spare = NULL;
}

bool csv_end(void *context, struct err *err)
{
	bool ok = csv_flush(context, err);

	csv_discard(context);
	return ok;
}

static const struct table_writer_kind csv_kind = {
	.begin = csv_begin,
	.end = csv_end,
	.discard = csv_discard,
	.cell = csv_put,
	.end_row = csv_end_row,
	.is_text = true,
};

void csv_init(struct csv *csv, const struct table_files *files, bool spreadsheet)
{
	*csv = (struct csv){ .files = *files, .spreadsheet = spreadsheet };
}

struct table_writer csv_writer(struct csv *csv)
{
	return (struct table_writer){ .kind = &csv_kind, .context = csv };
}

struct csv *csv_of_writer(const struct table_writer *out)
{
	return out->kind == &csv_kind ? out->context : NULL;
}

bool csv_beside(const struct table_writer *out, struct csv *csv)
{
	const struct csv *like = out->context;

	if (!out->kind->is_text)
		return false;
	csv_init(csv, &like->files, like->spreadsheet);
	return true;
}
