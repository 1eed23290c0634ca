/*
 * A column of numbers of all samples in the page of --report, a byte of each in a plane of its own:
 *
 *   plane 0   the lowest byte of each number
 *   plane 1   the next one; no more planes than the largest number needs
 *
 * Compared with numbers one after the other, planes pack better, because the bytes of one kind have
 * a code of their own, in less time, because the lowest ones need not be packed at all, and
 * the page reads them in a fifth of the time. All zeros is an empty column.
 */
#ifndef READPERF_DECODE_EXPORTS_PAGEPLANES_H
#define READPERF_DECODE_EXPORTS_PAGEPLANES_H

#include "util/vec.h"

#define PAGE_PLANES_MOST 8

struct page_planes {
	uint8_t *planes[PAGE_PLANES_MOST]; /* malloc'd: `count` bytes each */
	unsigned plane_count;              /* at least 1 when there are numbers */
	size_t count, capacity;            /* numbers */
};

/* Makes room for so many numbers. False with err set when memory is refused. */
bool page_planes_reserve(struct page_planes *column, size_t count, struct err *err);
/* Makes one more plane, of zeros. False with err set. */
bool page_planes_widen(struct page_planes *column, struct err *err);
/* Forgets all numbers, and keeps the memory. */
void page_planes_clear(struct page_planes *column);
void page_planes_release(struct page_planes *column);

/* Appends a number. False with err set when memory is refused. */
static inline bool page_planes_put(struct page_planes *column, uint64_t number, struct err *err)
{
	if (column->count == column->capacity &&
	    !page_planes_reserve(column, column->count + 1, err))
		return false;
	for (unsigned i = 0; i < column->plane_count || number; i++, number >>= 8) {
		if (i == column->plane_count && !page_planes_widen(column, err))
			return false;
		column->planes[i][column->count] = (uint8_t)number;
	}
	column->count++;
	return true;
}

static inline uint64_t page_planes_get(const struct page_planes *column, size_t i)
{
	uint64_t number = 0;

	for (unsigned plane = column->plane_count; plane-- > 0;)
		number = number << 8 | column->planes[plane][i];
	return number;
}

#endif
