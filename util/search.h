/*
 * Searches by halves in ascending arrays whose items begin with the u64 that they are sorted by, or
 * are nothing but that.
 */
#ifndef READPERF_UTIL_SEARCH_H
#define READPERF_UTIL_SEARCH_H

#include "util/types.h"

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

#endif
