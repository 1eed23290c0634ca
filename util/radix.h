/*
 * A radix sort of items that begin with the u64 that they are sorted by. It is stable, and linear
 * in the few digits in which the keys differ.
 */
#ifndef READPERF_UTIL_RADIX_H
#define READPERF_UTIL_RADIX_H

#include "util/search.h"

#define RADIX_BITS 11
#define RADIX_DIGITS (1u << RADIX_BITS)

/* The digit of an item's distance from the lowest key. size: of each item, bytes. */
static inline size_t radix_digit(const void *items, size_t number, size_t size, uint64_t lowest,
                                 unsigned shift)
{
	return (search_key(items, number, size) - lowest) >> shift & (RADIX_DIGITS - 1);
}

/* Copies the items, fewer than 2^32, to `to`, sorted by one digit. */
static inline void radix_pass(const void *from, void *to, size_t count, size_t size,
                              uint64_t lowest, unsigned shift)
{
	uint32_t next[RADIX_DIGITS] = { 0 }, sum = 0;

	for (size_t i = 0; i < count; i++)
		next[radix_digit(from, i, size, lowest, shift)]++;
	for (size_t i = 0; i < RADIX_DIGITS; i++) {
		const uint32_t here = next[i];

		next[i] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		memcpy((char *)to + next[radix_digit(from, i, size, lowest, shift)]++ * size,
		       (const char *)from + i * size, size);
}

/* Sorts fewer than 2^32 items; room: for as many. Returns the one of the two with the result. */
static inline void *radix_sort(void *items, void *room, size_t count, size_t size)
{
	uint64_t lowest = UINT64_MAX, highest = 0;

	for (size_t i = 0; i < count; i++) {
		const uint64_t key = search_key(items, i, size);

		lowest = key < lowest ? key : lowest;
		highest = key > highest ? key : highest;
	}
	for (unsigned shift = 0; shift < 64 && highest > lowest && (highest - lowest) >> shift;
	     shift += RADIX_BITS) {
		void *sorted = room;

		radix_pass(items, sorted, count, size, lowest, shift);
		room = items;
		items = sorted;
	}
	return items;
}

#endif
