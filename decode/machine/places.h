/*
 * Places: addresses of binaries, each known by a number. What was sampled is a place, and what a
 * stack goes through; each is named once, after the last record.
 *
 * In:  (binary, address), in any order.
 * Out: the addresses of each binary, ascending. The number of a place is its position there.
 *
 *      ranges   | binary 3: 0, 4   | binary 7: 4, 2 |
 *      addrs    | 10 | 18 | 2c | 90 | 08 | 5000     |
 */
#ifndef READPERF_DECODE_MACHINE_PLACES_H
#define READPERF_DECODE_MACHINE_PLACES_H

#include "util/errhandler.h"

#define PLACE_NONE UINT32_MAX

/* All places of one binary. */
struct place_range {
	uint32_t binary, first, count;
};

struct places {
	uint64_t *addrs; /* by number */
	struct place_range *ranges;
	size_t range_count, range_capacity;
	size_t count;
};

/* The place of something that has a number: a cell, or a frame of stacks. */
struct numbered_place {
	uint64_t addr; /* in the binary's address space */
	uint32_t binary, number;
};

/* All zeros is an empty collection; this frees everything. */
void places_release(struct places *places);
/*
 * Makes the places of items, in any order; equal ones are one place. places: empty; items: get
 * another order; place_of: set to the number of the place, by the items' numbers. False with err
 * set when memory is refused; places_release() must be called in any case.
 */
bool places_make(struct places *places, struct numbered_place *items, size_t count,
                 uint32_t *place_of, struct err *err);

/* The position of the range that a place is in. */
size_t places_range(const struct places *places, uint32_t place);

#endif
