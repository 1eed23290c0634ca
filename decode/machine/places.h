/*
 * Places: addresses of binaries, each known by a number. What was sampled is a place, and what a
 * stack goes through; each is named once, after the last record.
 *
 * In:  (binary, address) in order (places_start(), places_append()); then others in any order
 *      (places_add()).
 * Out: the addresses of each binary, ascending. The number of a place is its position there.
 *
 *      ranges   | binary 3: 0, 4   | binary 7: 4, 2 |
 *      addrs    | 10 | 18 | 2c | 90 | 08 | 5000     |
 */
#ifndef READPERF_DECODE_MACHINE_PLACES_H
#define READPERF_DECODE_MACHINE_PLACES_H

#include "util/errhandler.h"

#define PLACE_NONE UINT32_MAX

struct place {
	uint64_t addr; /* in the binary's address space */
	uint32_t binary;
};

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

/* The place of something that has a number, such as a node of the tree of stacks. */
struct numbered_place {
	uint64_t addr; /* in the binary's address space */
	uint32_t binary, number;
};

/* Places that are added to sorted ones. */
struct places_addition {
	struct numbered_place *items; /* in any order; places_add() changes it */
	size_t count;
	uint32_t *place_of; /* by the items' numbers: set to the number of their place */
};

/*
 * All zeros is an empty collection, with which all other functions can be called; this frees
 * everything.
 */
void places_release(struct places *places);
/* Makes room for count places. False with err set when memory is refused. */
bool places_start(struct places *places, size_t count, struct err *err);
/* Adds a place after the last one: of the same binary, or of one with a higher number. */
bool places_append(struct places *places, uint32_t binary, uint64_t addr, struct err *err);
/*
 * Adds places, of which each may be there already, to those that were appended. *moved, to be freed
 * by the caller in any case, has the new number for each old one.
 */
bool places_add(struct places *places, const struct places_addition *addition, uint32_t **moved,
                struct err *err);

/* The position of the range that a place is in. */
size_t places_range(const struct places *places, uint32_t place);

#endif
