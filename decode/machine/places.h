/*
 * Places: addresses of binaries, each known by a number. What was sampled is a place, and what a
 * stack goes through; each is named once, after the last record.
 *
 * In:  (binary, address) while records are read, from places_put(); or all at once, in order, where
 *      nobody needs their numbers before (places_start(), places_append()).
 * Out: after places_sort(), or the last places_append(): the addresses of each binary, ascending.
 * From then on the number of a place is its position there.
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
	uint64_t *addrs; /* by number, when the places are in order */
	struct place_range *ranges;
	size_t range_count, range_capacity;
	size_t count, capacity;
	/* while they are collected by places_put() */
	struct place *items;
	uint32_t *slots; /* number + 1; 0: free */
	size_t slot_count;
	uint64_t seed; /* of the hash */
};

/*
 * All zeros is an empty collection, with which all other functions can be called; this frees
 * everything.
 */
void places_release(struct places *places);
/*
 * The number of this place, which is added if it is new. PLACE_NONE with err set when memory is
 * refused.
 */
uint32_t places_put(struct places *places, uint32_t binary, uint64_t addr, struct err *err);
/*
 * After the last places_put(): sorts the places. *moved, to be freed by the caller, has the new
 * number for each old one. False with err set when memory is refused.
 */
bool places_sort(struct places *places, uint32_t **moved, struct err *err);

/* New numbers of places: for each old one in either collection. Both to be freed by the caller. */
struct places_moved {
	uint32_t *places, *more;
};

/*
 * Adds places that were collected by places_put() to sorted ones, and releases `more`. False with
 * err set when memory is refused; the members of *moved are then to be freed, too.
 */
bool places_merge(struct places *places, struct places *more, struct places_moved *moved,
                  struct err *err);

/*
 * Instead of places_put() and places_sort(): makes room for count places, which are then added in
 * order by places_append().
 */
bool places_start(struct places *places, size_t count, struct err *err);
/* Adds a place after the last one: of the same binary, or of one with a higher number. */
bool places_append(struct places *places, uint32_t binary, uint64_t addr, struct err *err);

/* Once they are sorted: the position of the range that a place is in. */
size_t places_range(const struct places *places, uint32_t place);

#endif
