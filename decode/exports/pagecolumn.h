/*
 * A column of numbers in the page of --report: unsigned LEB128, 7 bits a byte, the lowest first, as
 * DWARF has them. All zeros is an empty column.
 */
#ifndef READPERF_DECODE_EXPORTS_PAGECOLUMN_H
#define READPERF_DECODE_EXPORTS_PAGECOLUMN_H

#include "util/vec.h"

struct page_column {
	uint8_t *bytes; /* malloc'd */
	size_t size, capacity;
};

#define PAGE_NUMBER_MOST 10 /* bytes of a number */

/* Appends a number. False with err set when memory is refused. */
static inline bool page_column_put(struct page_column *column, uint64_t number, struct err *err)
{
	uint8_t *at;

	if (column->capacity - column->size < PAGE_NUMBER_MOST &&
	    !vec_reserve(&column->bytes, column->size + PAGE_NUMBER_MOST, &column->capacity, 1,
	                 err))
		return false;
	at = column->bytes + column->size;
	for (; number >= 0x80; number >>= 7)
		*at++ = (uint8_t)(number | 0x80);
	*at++ = (uint8_t)number;
	column->size = (size_t)(at - column->bytes);
	return true;
}

/* A number that may be negative, as 0, -1, 1, -2, 2, ... are 0, 1, 2, 3, 4, ... */
static inline uint64_t page_signed(int64_t number)
{
	return (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0);
}

#endif
