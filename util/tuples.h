/*
 * Numbers for tuples of one size: each is kept once, and numbered from 0 in the order in which they
 * first appear. Tuples are compared byte by byte, so they must have no padding.
 */
#ifndef READPERF_UTIL_TUPLES_H
#define READPERF_UTIL_TUPLES_H

#include "util/hash.h"

struct tuples {
	size_t size;    /* bytes of a tuple */
	uint8_t *items; /* malloc'd */
	size_t count, capacity;
	struct hash_index index;
	uint64_t seed; /* of the hashes in it */
	uint32_t
		last; /* the number that was asked for last: equal tuples often follow each other */
};

void tuples_init(struct tuples *tuples, size_t size);
void tuples_release(struct tuples *tuples);
/* Forgets all tuples, and keeps the memory. */
void tuples_clear(struct tuples *tuples);
/* The number of a tuple, which is added if it is new. MAP_NONE with err set: memory is refused. */
uint32_t tuples_put(struct tuples *tuples, const void *tuple, struct err *err);

/* Valid until another tuple is added. */
static inline const void *tuples_get(const struct tuples *tuples, size_t number)
{
	return tuples->items + number * tuples->size;
}

#endif
