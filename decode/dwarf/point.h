/* The addresses that are asked about while the debug information of one file is read. */
#ifndef READPERF_DECODE_DWARF_POINT_H
#define READPERF_DECODE_DWARF_POINT_H

#include "decode/source/source.h"

#define POINT_NONE SOURCE_NONE

struct point {
	uint64_t addr;         /* link-time virtual address */
	uint32_t function;     /* index of the question about a function's entry, or POINT_NONE */
	uint32_t source;       /* index of the question about an address, or POINT_NONE */
	uint32_t unit;         /* number of the last unit that claims the address; 0: none yet */
	uint32_t node;         /* innermost function found in that unit, or POINT_NONE */
	uint64_t size;         /* bytes of the range that won for node */
	uint64_t sequence;     /* first address of the row's sequence; UINT64_MAX: no row yet */
	uint64_t row_line;     /* of the row; 0: the row names none */
	uint64_t row_file;     /* of the row: index in the unit's file table */
	uint64_t entry_file;   /* the same of the first row, if several begin at the address */
	uint32_t entry_string; /* the file of that, once placed: a string */
	bool done;             /* a unit has told its function */
	bool placed;           /* a unit has told its line */
};

struct points {
	struct point *items; /* ascending addr, no duplicates */
	size_t count;
	uint32_t *claimed; /* those that the unit being read may answer, in no order */
	size_t claimed_count;
	uint32_t unit; /* number of that unit, from 1 */
	bool anywhere; /* it does not say where its code is: it claims what it covers */
	uint64_t work; /* steps left; at 0 the file is given up, so that damage cannot hang us */
};

/*
 * Merges the questions into points. False with err set when memory is refused. For points_release()
 * in any case.
 */
bool points_make(struct points *points, const struct source_query *query, struct err *err);
void points_release(struct points *points);

/* Steps that a file may cost: that many per byte, for each question, and some for small files. */
enum { WORK_PER_BYTE = 16, WORK_PER_POINT = 1024, WORK_MIN = 1 << 24 };

/* Adds the steps that so many bytes of files may cost. */
static inline void points_pay(struct points *points, uint64_t size)
{
	points->work = u64_add_sat(points->work, size * WORK_PER_BYTE);
}

/* Takes steps from what is left. False when nothing is left. */
static inline bool points_work(struct points *points, uint64_t steps)
{
	points->work -= u64_min(points->work, steps);
	return points->work != 0;
}

/* Begins with the next unit: it has claimed nothing yet. */
static inline void points_next_unit(struct points *points, bool anywhere)
{
	points->unit++;
	points->claimed_count = 0;
	points->anywhere = anywhere;
}

/* The unit may answer this point, unless another has. What others found for it otherwise is void.
 */
static inline void points_claim(struct points *points, size_t number)
{
	struct point *point = &points->items[number];

	if (point->unit == points->unit || (point->done && point->placed))
		return;
	point->unit = points->unit;
	point->node = POINT_NONE;
	point->size = UINT64_MAX;
	if (!point->placed)
		point->sequence = UINT64_MAX;
	points->claimed[points->claimed_count++] = (uint32_t)number;
}

/* Whether the unit, which covers it, may answer this point. */
static inline bool points_are_claimed(struct points *points, size_t number)
{
	if (points->anywhere)
		points_claim(points, number);
	return points->items[number].unit == points->unit;
}

/* The first point at or above addr: an index, or count. */
static inline size_t points_from(const struct points *points, uint64_t addr)
{
	size_t low = 0, high = points->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (points->items[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
