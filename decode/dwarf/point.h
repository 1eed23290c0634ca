/*
 * The addresses in question while the debug information of one file is read, and the budget of
 * steps for reading it.
 */
#ifndef READPERF_DECODE_DWARF_POINT_H
#define READPERF_DECODE_DWARF_POINT_H

#include "decode/source/source.h"
#include "util/search.h"

#define POINT_NONE UINT32_MAX

struct point {
	uint64_t addr;         /* link-time virtual address */
	uint32_t function;     /* index of the question about a function's entry, or POINT_NONE */
	uint32_t source;       /* index of the question about an address, or POINT_NONE */
	uint32_t unit;         /* number of the last unit that claims the address; 0: none yet */
	uint32_t node;         /* the innermost function found in that unit, or POINT_NONE */
	uint64_t size;         /* size of the range of that node, in bytes */
	uint64_t sequence;     /* first address of the row's sequence; UINT64_MAX: no row yet */
	uint64_t row_line;     /* of the row; 0: it has no line */
	uint64_t row_file;     /* of the row: index in the unit's file table */
	uint64_t entry_file;   /* the same for the first of several rows at the address */
	uint32_t entry_string; /* string: the file of entry_file, once it has been looked up */
	bool done;             /* a unit has its function */
	bool placed;           /* a unit has its line */
};

struct points {
	struct point *items; /* ascending addr, no duplicates */
	size_t count;
	uint32_t *claimed; /* indexes of those that the current unit may answer, unordered */
	size_t claimed_count;
	uint32_t unit;   /* number of that unit, from 1 */
	uint64_t lowest; /* code below it was dropped by the linker */
	bool anywhere; /* the current unit does not say where its code is: it claims the points that
	                  it covers */
	uint64_t work; /* budget: steps left. At 0 reading the file is abandoned, so that damage
	                  cannot make it endless. */
};

/* Makes points from the questions. points_release() must be called in any case. */
bool points_make(struct points *points, const struct source_query *query, struct err *err);
void points_release(struct points *points);

/*
 * The budget of a file: so many steps per byte, per question, and at least. Asked about all
 * functions of a C++ program, a file takes 1.2 steps per byte, or 2.5 if its sections are packed; a
 * step is about a byte that is read, in 1 to 4 ns.
 */
enum { WORK_PER_BYTE = 24, WORK_PER_POINT = 1024, WORK_MIN = 1 << 24 };

/* Adds the steps for so many bytes of files to the budget. */
static inline void points_pay(struct points *points, uint64_t size)
{
	points->work = u64_add_sat(points->work, size * WORK_PER_BYTE);
}

/* Takes steps from the budget. False when it is used up. */
static inline bool points_work(struct points *points, uint64_t steps)
{
	points->work -= u64_min(points->work, steps);
	return points->work != 0;
}

/* Starts with the next unit, which has claimed nothing yet. */
static inline void points_next_unit(struct points *points, bool anywhere)
{
	points->unit++;
	points->claimed_count = 0;
	points->anywhere = anywhere;
}

/*
 * Lets the unit answer this point, unless another unit has. Anything else that other units found
 * for it is dropped.
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

/* Whether the unit, which covers this point, may answer it. */
static inline bool points_are_claimed(struct points *points, size_t number)
{
	if (points->anywhere)
		points_claim(points, number);
	return points->items[number].unit == points->unit;
}

/* The index of the first point at or above addr, or count. */
static inline size_t points_from(const struct points *points, uint64_t addr)
{
	return search_below(points->items, points->count, sizeof(*points->items), addr);
}

#endif
