/*
 * What a timeline shows: how much of an event each thread, and each CPU, had in each slice of time.
 *
 * In:  the samples of the event that are selected.
 * Out: a row for each of the busiest threads and CPUs, one for the other threads and one for the
 *      other CPUs; a cell for each row and slice.
 */
#ifndef READPERF_DECODE_EXPORTS_TIMELINECELLS_H
#define READPERF_DECODE_EXPORTS_TIMELINECELLS_H

#include "decode/exports/threadlist.h"

/* Threads, or CPUs, which are "threads" of process 0. */
struct timeline_rows {
	struct thread_list list;
	uint32_t *order;  /* of those that have a row of their own, from top to bottom */
	size_t shown;     /* how many these are */
	uint32_t *row_of; /* by number: its row; that behind all others is for the rest */
	size_t count;     /* of rows, with that of the rest, if there is one */
};

enum { IN_USER, ELSEWHERE, CELL_PARTS };

struct timeline_cell {
	uint64_t period[CELL_PARTS]; /* of samples in user code, and of others */
};

struct timeline_cells {
	const struct report *report; /* borrowed */
	size_t event;
	bool clock;              /* periods are ns */
	uint64_t first, last;    /* ns, of the samples; first: TIME_NONE: none has a time */
	uint64_t untimed, timed; /* numbers of samples */
	struct timeline_rows threads, cpus;
	size_t columns;              /* slices of time */
	struct timeline_cell *items; /* [row * columns + column], rows of CPUs first */
	double full; /* the period of a cell of a busy thread, or of the highest cell */
	struct err *err;
};

/* False with err set; timeline_cells_release() must be called in any case. */
bool timeline_cells_fill(struct timeline_cells *cells, const struct report *report, size_t event,
                         struct err *err);
void timeline_cells_release(struct timeline_cells *cells);

static inline double timeline_cell_cost(const struct timeline_cell *cell)
{
	return (double)cell->period[IN_USER] + (double)cell->period[ELSEWHERE];
}

#endif
