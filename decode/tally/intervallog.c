#include "decode/tally/intervallog.h"

#include "decode/intervals/intervalsink.h"
#include "decode/tally/groups.h"
#include "util/hash.h"
#include "util/search.h"
#include "util/strings.h"
#include "util/vec.h"

#include <stdlib.h>

_Static_assert(sizeof(struct kept_row) == 64, "a row is one line of the cache");

#define APART_LIMIT ((size_t)1 << 15) /* items in memory: 1 MB, and 1 MB to sort them */
#define GAP_ZERO (UINT64_C(1) << 23)  /* of end_nr_gap */

/* Where to find a row that is apart; positions are counted in rows. */
struct row_apart {
	uint64_t number, position;
	uint64_t cell; /* position of its cell */
};

static void *sort_apart(const void *context, void *items, void *room, size_t count)
{
	(void)context;
	return count ? radix_sort(items, room, count, sizeof(struct row_apart)) : items;
}

static int compare_apart(const void *context, const void *a, const void *b)
{
	(void)context;
	return search_compare(a, b);
}

bool interval_log_open(struct interval_log *log, const char *dir, size_t room, struct err *err)
{
	static const struct sorter_how how = { .size = sizeof(struct row_apart),
		                               .sort = sort_apart,
		                               .compare = compare_apart };

	*log = (struct interval_log){ .room = room };
	sorter_init(&log->order, &how, dir, APART_LIMIT);
	tuples_init(&log->threads, sizeof(struct row_thread));
	log->window = vec_new(room, sizeof(*log->window), err);
	log->open = log->window && spool_open(&log->rows, dir, err) &&
	            spool_open(&log->apart, dir, err);
	return log->open;
}

void interval_log_close(struct interval_log *log)
{
	spool_close(&log->rows);
	spool_close(&log->apart);
	sorter_release(&log->order);
	tuples_release(&log->threads);
	free(log->window);
	*log = (struct interval_log){ .open = false };
}

static inline bool is_thread(const struct row_thread *a, const struct row_thread *b)
{
	return a->tid == b->tid && a->name == b->name && a->pid == b->pid && a->comm == b->comm;
}

/*
 * The number of a thread; MAP_NONE with err set. cell: of `recent`, in which one that ends
 * intervals does not push out itself.
 */
static inline uint32_t number_of_thread(struct interval_log *log, const struct row_thread *thread,
                                        uint32_t cell, struct err *err)
{
	uint32_t *recent = &log->recent[cell % ROW_THREADS_RECENT];

	if (!*recent || !is_thread(tuples_get(&log->threads, *recent - 1), thread))
		*recent = tuples_put(&log->threads, thread, err) + 1;
	return *recent - 1;
}

static bool number_threads(struct interval_log *log, struct interval_row *row, struct err *err)
{
	const struct row_thread whose = { row->pid, row->tid, row->comm, row->thread };
	const struct row_thread by = { row->by_pid, row->by_tid, STRING_EMPTY, row->by_thread };

	row->whose = number_of_thread(log, &whose, 2 * (uint32_t)row->tid, err);
	row->by = row->has_by ? number_of_thread(log, &by, 2 * (uint32_t)row->by_tid + 1, err)
	                      : MAP_NONE;
	return err->code == ERR_NONE;
}

/* Makes a row small. False: one of its values is too large. */
static bool pack(const struct interval_row *row, struct kept_row *kept)
{
	const bool has_begin = row->nr != UINT64_MAX;
	const uint64_t nr = has_begin ? row->nr : row->end_nr;
	const uint64_t gap = row->end_nr != UINT64_MAX ? GAP_ZERO + row->end_nr - nr : 0;
	const unsigned flags = KEPT_ROW | (row->state == INTERVAL_ENDED ? KEPT_ENDED : 0) |
	                       (row->has_by ? KEPT_BY : 0) | (row->counts ? KEPT_COUNTS : 0) |
	                       (row->what & FIELD_POINTS ? KEPT_POINTS : 0) |
	                       (has_begin ? 0 : KEPT_NO_BEGIN);

	*kept = (struct kept_row){ .time = row->time,
		                   .nr = nr,
		                   .result = row->result_kind == RESULT_TEXT ? row->result_text
		                                                             : row->result,
		                   .weight = row->weight,
		                   .duration = row->duration & (((uint64_t)1 << 40) - 1),
		                   .end_nr_gap = gap & (2 * GAP_ZERO - 1),
		                   .what = (uint32_t)row->what,
		                   .whose = row->whose,
		                   .by = row->by,
		                   .event = (uint16_t)row->event,
		                   .cpu = (int16_t)row->cpu,
		                   .end_cpu = (int16_t)row->end_cpu,
		                   .result_kind = row->result_kind,
		                   .flags = (uint8_t)flags };
	return row->duration >> 40 == 0 && gap < 2 * GAP_ZERO &&
	       (gap != 0 || row->end_nr == UINT64_MAX) && row->event <= UINT16_MAX &&
	       row->cpu == kept->cpu && row->end_cpu == kept->end_cpu;
}

static void unpack(const struct interval_log *log, const struct kept_row *kept, uint64_t number,
                   struct interval_row *row)
{
	const struct row_thread *whose = tuples_get(&log->threads, kept->whose);
	const bool is_text = kept->result_kind == RESULT_TEXT;

	*row = (struct interval_row){
		.number = number,
		.time = kept->time,
		.nr = kept->flags & KEPT_NO_BEGIN ? UINT64_MAX : kept->nr,
		.end_nr = kept->end_nr_gap ? kept->nr + kept->end_nr_gap - GAP_ZERO : UINT64_MAX,
		.duration = kept->duration,
		.weight = kept->weight,
		.what = kept->what | (kept->flags & KEPT_POINTS ? FIELD_POINTS : 0),
		.result = is_text ? 0 : kept->result,
		.result_text = is_text ? (uint32_t)kept->result : STRING_EMPTY,
		.event = kept->event,
		.cpu = kept->cpu,
		.end_cpu = kept->end_cpu,
		.pid = whose->pid,
		.tid = whose->tid,
		.comm = whose->comm,
		.thread = whose->name,
		.result_kind = kept->result_kind,
		.state = kept->flags & KEPT_ENDED ? INTERVAL_ENDED : INTERVAL_UNFINISHED,
		.has_by = (kept->flags & KEPT_BY) != 0,
		.counts = (kept->flags & KEPT_COUNTS) != 0,
		.whose = kept->whose,
		.by = kept->by,
	};
	if (kept->flags & KEPT_BY) {
		const struct row_thread *by = tuples_get(&log->threads, kept->by);

		row->by_pid = by->pid;
		row->by_tid = by->tid;
		row->by_thread = by->name;
	}
}

static bool append(struct interval_log *log, const struct kept_row *kept, uint32_t cell,
                   struct err *err)
{
	log->count++;
	return spool_append(&log->rows, kept, sizeof(*kept), err) &&
	       (!log->cells || spool_append(log->cells, &cell, sizeof(cell), err));
}

static bool put_apart(struct interval_log *log, const struct interval_row *row, uint32_t cell,
                      struct err *err)
{
	static const struct kept_row place_holder = { .flags = 0 };
	const struct row_apart apart = { row->number, log->apart_count++, log->count };

	return append(log, &place_holder, cell, err) &&
	       spool_append(&log->apart, row, sizeof(*row), err) &&
	       sorter_add(&log->order, &apart, err);
}

/* The oldest row waits no longer. If its interval has not ended, it will be apart. */
static bool let_go(struct interval_log *log, struct err *err)
{
	const uint64_t number = log->first++;
	struct waiting_row *oldest = &log->window[number % log->room];
	struct interval_row row;

	if (!(oldest->row.flags & KEPT_ROW))
		return true;
	if (number - log->last > UINT32_MAX) {
		unpack(log, &oldest->row, number, &row);
		return put_apart(log, &row, oldest->cell, err);
	}
	oldest->row.number_gap = (uint32_t)(number - log->last);
	log->last = number;
	return append(log, &oldest->row, oldest->cell, err);
}

bool interval_log_begin(struct interval_log *log, uint64_t *number, struct err *err)
{
	if (log->next - log->first == log->room && !let_go(log, err))
		return false;
	*number = log->next++;
	log->window[*number % log->room].row.flags = 0;
	return true;
}

bool interval_log_put(struct interval_log *log, struct interval_row *row, uint32_t cell,
                      struct err *err)
{
	struct waiting_row *waiting = &log->window[row->number % log->room];

	if (!number_threads(log, row, err))
		return false;
	if (row->number < log->first)
		return put_apart(log, row, cell, err);
	waiting->cell = cell;
	if (pack(row, &waiting->row))
		return true;
	waiting->row.flags = 0;
	return put_apart(log, row, cell, err);
}

bool interval_log_flush(struct interval_log *log, struct err *err)
{
	while (log->first < log->next)
		if (!let_go(log, err))
			return false;
	return true;
}

bool interval_log_finish(struct interval_log *log, struct err *err)
{
	if (!interval_log_flush(log, err))
		return false;
	free(log->window);
	log->window = NULL;
	return sorter_finish(&log->order, err);
}

/* Takes the next row of the file that is not apart. */
static bool take_ahead(struct interval_rows *rows, struct err *err)
{
	const struct interval_log *log = rows->log;
	const uint32_t *cell;

	rows->ahead = NULL;
	while (rows->taken < log->count) {
		const struct kept_row *row = spool_take(&rows->file, sizeof(*row), err);

		cell = log->cells && row ? spool_take(&rows->cells, sizeof(*cell), err) : NULL;
		if (!row || (log->cells && !cell))
			return false;
		rows->taken++;
		if (!(row->flags & KEPT_ROW))
			continue;
		rows->ahead_cell = cell ? *cell : MAP_NONE;
		rows->number += row->number_gap;
		rows->ahead = row;
		break;
	}
	return true;
}

bool interval_readers_begin(struct interval_log *log, struct err *err)
{
	return !log->open || (spool_rewind(&log->rows, err) && spool_rewind(&log->apart, err) &&
	                      (!log->cells || spool_rewind(log->cells, err)));
}

bool interval_rows_open(struct interval_rows *rows, const struct interval_log *log, struct err *err)
{
	/* not its spools, which another thread may read at the same time */
	*rows = (struct interval_rows){ .log = log, .file = { .fd = -1 }, .cells = { .fd = -1 } };
	if (!spool_reader(&rows->file, &log->rows, err) ||
	    (log->cells && !spool_reader(&rows->cells, log->cells, err)) ||
	    !sorter_cursor_open(&rows->order, &log->order, err) || !take_ahead(rows, err))
		return false;
	rows->apart = sorter_next(&rows->order, err);
	return err->code == ERR_NONE;
}

void interval_rows_close(struct interval_rows *rows)
{
	sorter_cursor_close(&rows->order);
	spool_close(&rows->file);
	spool_close(&rows->cells);
	*rows = (struct interval_rows){ .log = NULL };
}

static const struct interval_row *next_apart(struct interval_rows *rows, uint32_t *cell,
                                             struct err *err)
{
	const struct interval_log *log = rows->log;
	const struct row_apart at = *rows->apart;

	*cell = MAP_NONE;
	if (!spool_read_at(&log->apart, at.position * sizeof(rows->row), &rows->row,
	                   sizeof(rows->row), err) ||
	    (log->cells &&
	     !spool_read_at(log->cells, at.cell * sizeof(*cell), cell, sizeof(*cell), err)))
		return NULL;
	rows->apart = sorter_next(&rows->order, err);
	return err->code == ERR_NONE ? &rows->row : NULL;
}

const struct interval_row *interval_rows_next(struct interval_rows *rows, uint32_t *cell,
                                              struct err *err)
{
	if (rows->apart && (!rows->ahead || rows->apart->number < rows->number))
		return next_apart(rows, cell, err);
	if (!rows->ahead)
		return NULL;
	*cell = rows->ahead_cell;
	unpack(rows->log, rows->ahead, rows->number, &rows->row);
	return take_ahead(rows, err) ? &rows->row : NULL;
}
