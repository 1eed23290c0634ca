/* Growing arrays: doubled when full, with a checked product. */
#ifndef READPERF_UTIL_VEC_H
#define READPERF_UTIL_VEC_H

#include "util/errhandler.h"

/* vec_grow() for an array that is full. */
void *vec_enlarge(void *items, size_t *capacity, size_t item_size, struct err *err);

/*
 * Makes room for one more item after `count` items. items is malloc'd, or NULL with *capacity 0.
 * Returns the array, which may have moved, or NULL with err set and the old array still valid.
 */
static inline void *vec_grow(void *items, size_t count, size_t *capacity, size_t item_size,
                             struct err *err)
{
	return count < *capacity ? items : vec_enlarge(items, capacity, item_size, err);
}

#endif
