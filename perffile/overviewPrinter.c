#include "perffile/overviewPrinter.h"

#include "perffile/overviewRow.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BATCHES 4
/*
 * Records without a time come first, but a pipe may bring some when rows with a time have long been
 * written. So many batches of them wait for the end; what a file has beyond stands where it came.
 */
#define HELD_BATCHES 32

/* The name of an event as a cell, made once. */
struct event_cell {
	const char *event; /* as in the row; NULL: not in use */
	char *text;
	size_t length;
};

/* Pieces of rows that come again and again, made once. */
struct who_cell {
	int32_t pid, tid;
	uint8_t length; /* 0: not in use */
	char text[32];  /* ",SAMPLE,PID,TID,": at most 30 bytes */
};

struct tail_cell {
	uint64_t period;
	int32_t cpu;
	uint32_t length; /* 0: not in use */
	char text[40];   /* ",,,PERIOD,CPU,": at most 35 bytes */
};

#define WHO_CELLS 64
#define TAIL_CELLS 16
#define EVENT_CELLS 64
#define EVENT_CELL_MAX 1024u /* bytes; a longer name is not kept */
#define SAMPLE_ROOM (256u + EVENT_CELL_MAX)

struct overview {
	const struct session *session;
	struct overview_files files;
	bool spreadsheet, threaded, started;
	unsigned file_number;
	struct csv csv;
	struct batch *batches; /* BATCHES of them, used in turn */
	size_t filling;        /* number of the batch that is filled, counted from the first */
	uint64_t bytes;        /* of files that are full */
	struct batch *held[HELD_BATCHES];
	size_t held_count;
	bool timed;            /* a record with a time has come */
	uint64_t front;        /* bytes before the first row with a time, once that is written */
	struct event_cell cells[EVENT_CELLS];
	struct who_cell who[WHO_CELLS];
	struct tail_cell tails[TAIL_CELLS];
	struct err failure;    /* of the writer */
	/* between the two threads */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t filled, written; /* batches, counted from the first */
	bool ended, failed;
};

static bool open_file(struct overview *overview, struct err *err)
{
	char name[40] = "overview.csv";
	int fd;

	overview->file_number++;
	if (overview->file_number > 1)
		snprintf(name, sizeof(name), "overview-%u.csv", overview->file_number);
	fd = overview->files.open(overview->files.context, name, err);
	return fd >= 0 && csv_open(&overview->csv, fd, "overview.csv", OVERVIEW_CSV_HEADER,
	                           overview->spreadsheet, err);
}

static bool next_file(struct overview *overview, struct err *err)
{
	bool ok = csv_flush(&overview->csv, err);

	overview->bytes += overview->csv.written;
	csv_release(&overview->csv);
	return ok && open_file(overview, err);
}

static void print_info(struct csv *csv, const struct batch *batch, const struct overview_row *row)
{
	switch (row->info_kind) {
	case INFO_HEX:
		csv_hex(csv, row->info);
		break;
	case INFO_NUMBER:
		csv_u64(csv, row->info);
		break;
	case INFO_PID:
		csv_i64(csv, (int32_t)(uint32_t)row->info);
		break;
	case INFO_TEXT:
		csv_text(csv, batch->text + row->text, row->text_length);
		break;
	default:
		csv_empty(csv);
		break;
	}
}

static void print_hex(struct csv *csv, bool known, uint64_t value)
{
	if (known)
		csv_hex(csv, value);
	else
		csv_empty(csv);
}

static void print_number(struct csv *csv, bool known, uint64_t value)
{
	if (known)
		csv_u64(csv, value);
	else
		csv_empty(csv);
}

static void print_type(struct csv *csv, uint32_t type)
{
	char name[32];

	if (record_type_name(type)) {
		csv_str(csv, record_type_name(type));
		return;
	}
	snprintf(name, sizeof(name), "UNKNOWN_%" PRIu32, type);
	csv_str(csv, name);
}

/* The cell of the row's event, or NULL if it cannot be kept. */
static const struct event_cell *event_cell(struct overview *overview, const char *event)
{
	struct event_cell *cell = &overview->cells[((uintptr_t)event >> 4) % EVENT_CELLS];

	if (cell->event == event)
		return cell;
	free(cell->text);
	cell->event = NULL;
	cell->text = csv_cell(event, &cell->length);
	if (!cell->text || cell->length > EVENT_CELL_MAX)
		return NULL;
	cell->event = event;
	return cell;
}

static char *put_who(char *out, struct who_cell *cell, const struct overview_row *row)
{
	static const char type[] = ",SAMPLE,";
	char *end = cell->text + sizeof(type) - 1;

	if (cell->length == 0 || cell->pid != row->pid || cell->tid != row->tid) {
		memcpy(cell->text, type, sizeof(type) - 1);
		end = format_u64(end, (uint32_t)row->pid);
		*end++ = ',';
		end = format_u64(end, (uint32_t)row->tid);
		*end++ = ',';
		cell->pid = row->pid;
		cell->tid = row->tid;
		cell->length = (uint8_t)(end - cell->text);
	}
	memcpy(out, cell->text, sizeof(cell->text));
	return out + cell->length;
}

static char *put_tail(char *out, struct tail_cell *cell, const struct overview_row *row)
{
	char *end = cell->text;

	if (cell->length == 0 || cell->period != row->period || cell->cpu != row->cpu) {
		memcpy(end, ",,,", 3);
		end = format_u64(end + 3, row->period);
		*end++ = ',';
		if (row->cpu >= 0)
			end = format_u64(end, (uint32_t)row->cpu);
		*end++ = ',';
		cell->period = row->period;
		cell->cpu = row->cpu;
		cell->length = (uint32_t)(end - cell->text);
	}
	memcpy(out, cell->text, sizeof(cell->text));
	return out + cell->length;
}

/* Nearly all rows are samples: theirs are written in one go. False if this one is not so simple. */
static bool print_sample(struct overview *overview, const struct overview_row *row)
{
	const struct event_cell *cell;
	struct csv *csv = &overview->csv;
	char *out;

	if (row->type != PERF_RECORD_SAMPLE || row->info_kind != INFO_HEX || !row->event ||
	    !row->has_tid || row->pid < 0 || row->tid < 0 || overview->spreadsheet)
		return false;
	cell = event_cell(overview, row->event);
	if (!cell)
		return false;
	out = format_u64(csv_row(csv, SAMPLE_ROOM), row->nr);
	out = put_who(out, &overview->who[(uint32_t)row->tid % WHO_CELLS], row);
	if (row->time != TIME_NONE)
		out = format_u64(out, row->time);
	*out++ = ',';
	out = format_hex(out, row->info);
	*out++ = ',';
	if (row->has_address)
		out = format_hex(out, row->address);
	out = put_tail(out, &overview->tails[(uint32_t)row->cpu % TAIL_CELLS], row);
	memcpy(out, cell->text, cell->length);
	csv_row_end(csv, out + cell->length);
	return true;
}

static void print_row(struct overview *overview, const struct batch *batch,
                      const struct overview_row *row)
{
	struct csv *csv = &overview->csv;

	csv_u64(csv, row->nr);
	print_type(csv, row->type);
	if (row->has_tid) {
		csv_i64(csv, row->pid);
		csv_i64(csv, row->tid);
	} else {
		csv_empty(csv);
		csv_empty(csv);
	}
	print_number(csv, row->time != TIME_NONE, row->time);
	print_info(csv, batch, row);
	print_hex(csv, row->has_address, row->address);
	print_number(csv, row->has_size, row->size);
	print_number(csv, row->has_offset, row->offset);
	print_number(csv, row->has_period, row->period);
	if (row->cpu >= 0)
		csv_u64(csv, (uint64_t)row->cpu);
	else
		csv_empty(csv);
	csv_str(csv, row->event);
	csv_end(csv);
}

static bool print_batch(struct overview *overview, const struct batch *batch, struct err *err)
{
	for (size_t i = 0; i < batch->count; i++) {
		if (overview->spreadsheet && overview->csv.rows == SPREADSHEET_ROWS &&
		    !next_file(overview, err))
			return false;
		if (overview->front == 0 && batch->rows[i].time != TIME_NONE)
			overview->front = overview->csv.written + overview->csv.used;
		if (!print_sample(overview, &batch->rows[i]))
			print_row(overview, batch, &batch->rows[i]);
	}
	return overview->csv.error == 0 || csv_flush(&overview->csv, err);
}

/* The second thread: prints batches as they are filled. */
static void *writer(void *context)
{
	struct overview *overview = context;

	pthread_mutex_lock(&overview->lock);
	for (;;) {
		struct batch *batch;
		bool ok;

		while (overview->written == overview->filled && !overview->ended)
			pthread_cond_wait(&overview->changed, &overview->lock);
		if (overview->written == overview->filled)
			break;
		batch = &overview->batches[overview->written % BATCHES];
		pthread_mutex_unlock(&overview->lock);
		ok = overview->failed || print_batch(overview, batch, &overview->failure);
		pthread_mutex_lock(&overview->lock);
		overview->failed |= !ok;
		overview->written++;
		pthread_cond_signal(&overview->changed);
	}
	pthread_mutex_unlock(&overview->lock);
	return NULL;
}

struct overview *overview_new(const struct session *session, const struct overview_files *files,
                              bool spreadsheet, bool threaded, struct err *err)
{
	struct overview *overview = calloc(1, sizeof(*overview));

	if (!overview) {
		err_nomem(err, sizeof(*overview));
		return NULL;
	}
	overview->session = session;
	overview->files = *files;
	overview->spreadsheet = spreadsheet;
	pthread_mutex_init(&overview->lock, NULL);
	pthread_cond_init(&overview->changed, NULL);
	overview->batches = calloc(BATCHES, sizeof(*overview->batches));
	if (!overview->batches)
		err_nomem(err, BATCHES * sizeof(*overview->batches));
	if (!overview->batches || !open_file(overview, err)) {
		overview_free(overview);
		return NULL;
	}
	overview->threaded = threaded;
	return overview;
}

static void stop(struct overview *overview)
{
	if (!overview->started)
		return;
	pthread_mutex_lock(&overview->lock);
	overview->ended = true;
	pthread_cond_signal(&overview->changed);
	pthread_mutex_unlock(&overview->lock);
	pthread_join(overview->thread, NULL);
	overview->started = false;
}

void overview_free(struct overview *overview)
{
	if (!overview)
		return;
	stop(overview);
	pthread_mutex_destroy(&overview->lock);
	pthread_cond_destroy(&overview->changed);
	csv_release(&overview->csv);
	for (size_t i = 0; i < EVENT_CELLS; i++)
		free(overview->cells[i].text);
	for (size_t i = 0; i < overview->held_count; i++)
		free(overview->held[i]);
	free(overview->batches);
	free(overview);
}

/* Hands the batch that was filled to the writer and waits until the next one is free. */
static bool hand_over(struct overview *overview, struct err *err)
{
	struct batch *batch = &overview->batches[overview->filling % BATCHES];
	bool failed;

	if (overview->threaded && !overview->started)
		overview->started = overview->threaded =
			pthread_create(&overview->thread, NULL, writer, overview) == 0;
	if (!overview->threaded) {
		if (!print_batch(overview, batch, err))
			return false;
		batch->count = batch->text_used = 0;
		return true;
	}
	pthread_mutex_lock(&overview->lock);
	overview->filled = ++overview->filling;
	pthread_cond_signal(&overview->changed);
	while (overview->filled - overview->written >= BATCHES)
		pthread_cond_wait(&overview->changed, &overview->lock);
	failed = overview->failed;
	pthread_mutex_unlock(&overview->lock);
	if (failed)
		return err_pass(err, &overview->failure);
	batch = &overview->batches[overview->filling % BATCHES];
	batch->count = batch->text_used = 0;
	return true;
}

/* Where a record waits that should have come before those that may be written already, or NULL. */
static struct batch *held_batch(struct overview *overview)
{
	struct batch **last = &overview->held[overview->held_count];

	if (overview->held_count && !batch_full(last[-1]))
		return last[-1];
	if (overview->held_count == HELD_BATCHES || !(*last = calloc(1, sizeof(**last))))
		return NULL;
	overview->held_count++;
	return *last;
}

static bool on_record(void *context, const struct record *record, struct err *err)
{
	struct overview *overview = context;
	struct batch *batch = &overview->batches[overview->filling % BATCHES], *held;

	if (record->time != TIME_NONE) {
		overview->timed = true;
	} else if (overview->timed && (held = held_batch(overview))) {
		batch_add(held, overview->session, record);
		return true;
	}
	batch_add(batch, overview->session, record);
	return !batch_full(batch) || hand_over(overview, err);
}

struct record_handler overview_handler(struct overview *overview)
{
	struct record_handler handler = { overview, on_record, NULL };

	return handler;
}

/* Moves size bytes within the file, from its end to its front; they may overlap. */
static bool move_back(int fd, uint64_t from, uint64_t to, uint64_t size, struct err *err)
{
	uint8_t buffer[65536];

	while (size) {
		size_t piece = (size_t)u64_min(size, sizeof(buffer));

		size -= piece;
		if (pread(fd, buffer, piece, (off_t)(from + size)) != (ssize_t)piece ||
		    pwrite(fd, buffer, piece, (off_t)(to + size)) != (ssize_t)piece)
			return err_errno(err, "overview.csv: cannot write");
	}
	return true;
}

/* Writes the rows that waited, and puts them before those with a time. */
static bool finish_held(struct overview *overview, struct err *err)
{
	struct csv *csv = &overview->csv;
	uint64_t end = csv->written, size;
	uint8_t *rows;
	bool ok = true;

	for (size_t i = 0; ok && i < overview->held_count; i++)
		ok = print_batch(overview, overview->held[i], err);
	/* sheets that are full stay as they are */
	if (!ok || !csv_flush(csv, err) || overview->file_number > 1)
		return ok && csv->error == 0;
	size = csv->written - end;
	rows = malloc((size_t)size);
	if (!rows)
		return err_nomem(err, (size_t)size);
	ok = (pread(csv->fd, rows, (size_t)size, (off_t)end) == (ssize_t)size ||
	      err_errno(err, "overview.csv: cannot read")) &&
	     move_back(csv->fd, overview->front, overview->front + size, end - overview->front, err) &&
	     (pwrite(csv->fd, rows, (size_t)size, (off_t)overview->front) == (ssize_t)size ||
	      err_errno(err, "overview.csv: cannot write"));
	free(rows);
	return ok;
}

bool overview_finish(struct overview *overview, struct err *err)
{
	bool ok = hand_over(overview, err);

	stop(overview);
	if (ok && overview->failed)
		ok = err_pass(err, &overview->failure);
	ok = ok && csv_flush(&overview->csv, err);
	if (ok && overview->held_count)
		ok = finish_held(overview, err);
	overview->bytes += overview->csv.written;
	return ok;
}

uint64_t overview_bytes(const struct overview *overview)
{
	return overview->bytes;
}
