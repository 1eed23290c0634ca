/*
 * Arrays whose items begin with the u64 that they are sorted by, or are nothing but that: searches
 * by halves, and a radix sort, which is stable, and linear in the few digits in which the keys
 * differ.
 */
#ifndef READPERF_UTIL_SEARCH_H
#define READPERF_UTIL_SEARCH_H

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* The key of an item; size: of each item, bytes. */
static inline uint64_t search_key(const void *items, size_t number, size_t size)
{
	uint64_t key;

	memcpy(&key, (const char *)items + number * size, sizeof(key));
	return key;
}

/* For qsort(): by key. */
static inline int search_compare(const void *a, const void *b)
{
	return u64_order(search_key(a, 0, 0), search_key(b, 0, 0));
}

/* How many of count items have a key below this one. */
static inline size_t search_below(const void *items, size_t count, size_t size, uint64_t key)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (search_key(items, middle, size) < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How many of count items have this key or one below it. */
static inline size_t search_until(const void *items, size_t count, size_t size, uint64_t key)
{
	return key == UINT64_MAX ? count : search_below(items, count, size, key + 1);
}

/* The number of an item with this key; count if there is none. */
static inline size_t search_equal(const void *items, size_t count, size_t size, uint64_t key)
{
	size_t number = search_below(items, count, size, key);

	return number < count && search_key(items, number, size) == key ? number : count;
}

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

/*
 * The same for an array on the heap; items: the address of the pointer to the first one, as in
 * vec.h. The array may move; its capacity is count then. False with err set when memory is refused.
 */
static inline bool radix_sort_array(void *items, size_t count, size_t size, struct err *err)
{
	void *room = vec_new(count, size, err), *first, *sorted;

	if (!room)
		return false;
	memcpy(&first, items, sizeof(first));
	sorted = radix_sort(first, room, count, size);
	memcpy(items, &sorted, sizeof(sorted));
	free(sorted == first ? room : first);
	return true;
}

#endif
