/*
 * The tally: how many samples, and what period, each address of each binary has per event. Counted
 * while records pass, named afterwards.
 */
#ifndef READPERF_DECODE_FUNCSTAT_H
#define READPERF_DECODE_FUNCSTAT_H

#include "util/hash.h"

/* An event and a binary that samples of it fell into. */
struct tally_target {
	uint32_t event, binary;
};

struct tally_entry {
	uint64_t addr;    /* in the binary's address space */
	uint64_t period;
	uint32_t samples; /* 0: the slot is free */
	uint32_t target;
};

#define TALLY_CACHE 64
#define TALLY_WAITING 16 /* samples between the look at a slot and its use: a trip to memory */

struct tally {
	struct tally_entry *entries; /* open-addressed; after tally_sort() the first count, in order */
	size_t count, capacity;      /* capacity: a power of two, or 0 */
	struct tally_target *targets;
	size_t target_count, target_capacity;
	struct map target_of;        /* event << 32 | binary -> number */
	struct {
		uint64_t key;
		uint32_t target;
	} cache[TALLY_CACHE];
	struct {
		uint64_t addr, period;
		uint64_t hash;
		uint32_t target;
	} waiting[TALLY_WAITING]; /* samples whose slots are on their way from memory */
	size_t added, counted;    /* samples, from the first */
};

void tally_init(struct tally *tally);
void tally_release(struct tally *tally);
/* One more sample. False with err set when memory is refused; so tally_sort(), which ends it. */
bool tally_add(struct tally *tally, uint32_t event, uint32_t binary, uint64_t addr,
               uint64_t period, struct err *err);
/* Puts the entries in the order of binary, address, event. Nothing can be added afterwards. */
bool tally_sort(struct tally *tally, struct err *err);

#endif
