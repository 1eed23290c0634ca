#include "decode/tally/intervallog.h"

#include "util/hash.h"
#include "util/search.h"
#include "util/vec.h"

#include <stdlib.h>

#define LATE_LIMIT ((size_t)1 << 16) /* items in memory: 1 MB, and 1 MB to sort them */

struct late_row {
	uint64_t number, position; /* position: among the rows of the file */
};

static void *sort_late(const void *context, void *items, void *room, size_t count)
{
	(void)context;
	return count ? radix_sort(items, room, count, sizeof(struct late_row)) : items;
}

static int compare_late(const void *context, const void *a, const void *b)
{
	(void)context;
	return search_compare(a, b);
}

bool interval_log_open(struct interval_log *log, const char *dir, size_t room, struct err *err)
{
	static const struct sorter_how how = { .size = sizeof(struct late_row),
		                               .sort = sort_late,
		                               .compare = compare_late };

	*log = (struct interval_log){ .room = room };
	sorter_init(&log->late, &how, dir, LATE_LIMIT);
	log->window = vec_new(room, sizeof(*log->window), err);
	log->open = log->window && spool_open(&log->rows, dir, err);
	return log->open;
}

void interval_log_close(struct interval_log *log)
{
	spool_close(&log->rows);
	sorter_release(&log->late);
	free(log->window);
	*log = (struct interval_log){ .open = false };
}

static bool append(struct interval_log *log, const struct interval_row *row, uint32_t cell,
                   struct err *err)
{
	log->count++;
	return spool_append(&log->rows, row, sizeof(*row), err) &&
	       (!log->cells || spool_append(log->cells, &cell, sizeof(cell), err));
}

/* The oldest row waits no longer. If its interval has not ended, it will be late. */
static bool let_go(struct interval_log *log, struct err *err)
{
	const struct waiting_row *oldest = &log->window[log->first++ % log->room];

	return oldest->row.state == INTERVAL_OPEN || append(log, &oldest->row, oldest->cell, err);
}

bool interval_log_begin(struct interval_log *log, uint64_t *number, struct err *err)
{
	if (log->next - log->first == log->room && !let_go(log, err))
		return false;
	*number = log->next++;
	log->window[*number % log->room].row.state = INTERVAL_OPEN;
	return true;
}

static bool append_late(struct interval_log *log, const struct interval_row *row, uint32_t cell,
                        struct err *err)
{
	const struct late_row late = { row->number, log->count };
	struct interval_row copy = *row;

	copy.is_late = true;
	return append(log, &copy, cell, err) && sorter_add(&log->late, &late, err);
}

bool interval_log_put(struct interval_log *log, const struct interval_row *row, uint32_t cell,
                      struct err *err)
{
	if (row->number < log->first)
		return append_late(log, row, cell, err);
	log->window[row->number % log->room] = (struct waiting_row){ *row, cell };
	return true;
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
	return sorter_finish(&log->late, err);
}

/* Takes the next row of the file that is not late. */
static bool take_ahead(struct interval_rows *rows, struct err *err)
{
	const struct interval_log *log = rows->log;
	const uint32_t *cell;

	rows->ahead = NULL;
	while (rows->taken < log->count) {
		const struct interval_row *row = spool_take(&rows->file, sizeof(*row), err);

		cell = log->cells && row ? spool_take(&rows->cells, sizeof(*cell), err) : NULL;
		if (!row || (log->cells && !cell))
			return false;
		rows->taken++;
		if (row->is_late)
			continue;
		rows->ahead_cell = cell ? *cell : MAP_NONE;
		rows->ahead = row;
		break;
	}
	return true;
}

bool interval_readers_begin(struct interval_log *log, struct err *err)
{
	return !log->open ||
	       (spool_rewind(&log->rows, err) && (!log->cells || spool_rewind(log->cells, err)));
}

bool interval_rows_open(struct interval_rows *rows, const struct interval_log *log, struct err *err)
{
	/* not its spools, which another thread may read at the same time */
	*rows = (struct interval_rows){ .log = log, .file = { .fd = -1 }, .cells = { .fd = -1 } };
	if (!spool_reader(&rows->file, &log->rows, err) ||
	    (log->cells && !spool_reader(&rows->cells, log->cells, err)) ||
	    !sorter_cursor_open(&rows->late, &log->late, err) || !take_ahead(rows, err))
		return false;
	rows->late_ahead = sorter_next(&rows->late, err);
	return err->code == ERR_NONE;
}

void interval_rows_close(struct interval_rows *rows)
{
	sorter_cursor_close(&rows->late);
	spool_close(&rows->file);
	spool_close(&rows->cells);
	*rows = (struct interval_rows){ .log = NULL };
}

static const struct interval_row *next_late(struct interval_rows *rows, uint32_t *cell,
                                            struct err *err)
{
	const struct interval_log *log = rows->log;
	const uint64_t position = rows->late_ahead->position;

	*cell = MAP_NONE;
	if (!spool_read_at(&log->rows, position * sizeof(rows->row), &rows->row, sizeof(rows->row),
	                   err) ||
	    (log->cells &&
	     !spool_read_at(log->cells, position * sizeof(*cell), cell, sizeof(*cell), err)))
		return NULL;
	rows->late_ahead = sorter_next(&rows->late, err);
	return err->code == ERR_NONE ? &rows->row : NULL;
}

const struct interval_row *interval_rows_next(struct interval_rows *rows, uint32_t *cell,
                                              struct err *err)
{
	if (rows->ahead_taken && !take_ahead(rows, err))
		return NULL;
	rows->ahead_taken = false;
	if (rows->late_ahead && (!rows->ahead || rows->late_ahead->number < rows->ahead->number))
		return next_late(rows, cell, err);
	if (!rows->ahead)
		return NULL;
	rows->ahead_taken = true;
	*cell = rows->ahead_cell;
	return rows->ahead;
}
