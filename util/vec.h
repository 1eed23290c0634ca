/* Arrays on the heap, of a fixed size or doubled when full, with a checked product. */
#ifndef READPERF_UTIL_VEC_H
#define READPERF_UTIL_VEC_H

#include "util/errhandler.h"

#include <string.h>

/*
 * An array of so many items, all zeros: malloc'd, and not NULL even if there are none. NULL with
 * err set when memory is refused.
 */
void *vec_new(size_t count, size_t item_size, struct err *err);

/*
 * Makes room for `wanted` items. items: the address of the pointer to the first one, which is
 * malloc'd, or NULL with *capacity 0; the array may move, and is not NULL afterwards, even if
 * nothing is wanted. False with err set when memory is refused; the array is then as before.
 */
bool vec_reserve(void *items, size_t wanted, size_t *capacity, size_t item_size, struct err *err);

/* vec_reserve() for one more item after `count` items. */
static inline bool vec_room(void *items, size_t count, size_t *capacity, size_t item_size,
                            struct err *err)
{
	return count < *capacity || vec_reserve(items, count + 1, capacity, item_size, err);
}

/* Appends a copy of the item. False with err set when memory is refused. */
static inline bool vec_append(void *items, size_t *count, size_t *capacity, const void *item,
                              size_t item_size, struct err *err)
{
	uint8_t *first;

	if (!vec_room(items, *count, capacity, item_size, err))
		return false;
	/* the pointer at items may have any type, so it is copied, not read as a uint8_t * */
	memcpy(&first, items, sizeof(first));
	memcpy(first + *count * item_size, item, item_size);
	++*count;
	return true;
}

#endif
