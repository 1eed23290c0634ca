/*
 * The tally: how many samples, and what period, each address of each binary has per event. Counted
 * while records pass, named afterwards.
 */
#ifndef READPERF_DECODE_TALLY_FUNCSTAT_H
#define READPERF_DECODE_TALLY_FUNCSTAT_H

#include "util/hash.h"

/* An event and a binary that samples of it fell into. */
struct tally_target {
	uint32_t event, binary;
};

struct tally_entry {
	uint64_t addr; /* in the binary's address space */
	uint64_t period;
	uint32_t samples; /* 0: the slot is free */
	uint32_t target;
};

#define TALLY_CACHE 1024
#define TALLY_WAITING \
	64 /* samples that are counted together: their slots come from memory meanwhile */

struct tally {
	struct tally_entry
		*entries;       /* open-addressed; after tally_group() the first count of them */
	size_t count, capacity; /* capacity: a power of two, or 0 */
	struct tally_target *targets;
	size_t target_count, target_capacity;
	struct map target_of; /* event << 32 | binary -> number */
	struct {
		uint64_t key;
		uint32_t target;
	} cache[TALLY_CACHE];
	struct {
		uint64_t addr, period;
		uint64_t hash;
		uint32_t target;
	} waiting[TALLY_WAITING];
	size_t waiting_count;
	uint64_t seed; /* of the hash */
};

void tally_init(struct tally *tally);
void tally_release(struct tally *tally);

static inline uint64_t tally_key(uint32_t event, uint32_t binary)
{
	return (uint64_t)event << 32 | binary;
}

static inline size_t tally_cache_slot(uint32_t event, uint32_t binary)
{
	return (binary ^ event * 17) % TALLY_CACHE;
}

/* tally_target() of one that was not seen last. */
uint32_t tally_find_target(struct tally *tally, uint32_t event, uint32_t binary, struct err *err);

/* The number of a target, or MAP_NONE with err set when memory is refused. */
static inline uint32_t tally_target(struct tally *tally, uint32_t event, uint32_t binary,
                                    struct err *err)
{
	size_t slot = tally_cache_slot(event, binary);

	if (tally->cache[slot].key == tally_key(event, binary))
		return tally->cache[slot].target;
	return tally_find_target(tally, event, binary, err);
}

/* Counts what waits. False with err set when memory is refused. */
bool tally_count(struct tally *tally, struct err *err);

static inline uint64_t tally_hash(const struct tally *tally, uint32_t target, uint64_t addr)
{
	return hash_keyed(tally->seed, addr + target * (tally->seed | 1));
}

/* One more sample of a target. False with err set when memory is refused. */
static inline bool tally_add(struct tally *tally, uint32_t target, uint64_t addr, uint64_t period,
                             struct err *err)
{
	uint64_t hash = tally_hash(tally, target, addr);
	size_t at = tally->waiting_count++;

	if (tally->capacity)
		__builtin_prefetch(&tally->entries[(size_t)hash & (tally->capacity - 1)], 1);
	tally->waiting[at].target = target;
	tally->waiting[at].addr = addr;
	tally->waiting[at].period = period;
	tally->waiting[at].hash = hash;
	return tally->waiting_count < TALLY_WAITING || tally_count(tally, err);
}

/*
 * Puts the entries together by binary, in the order of their numbers. Nothing can be added afterwards.
 * False with err set when memory is refused.
 */
bool tally_group(struct tally *tally, struct err *err);
/* Then: puts entries of one binary in the order of address, event. Threads may sort different ones. */
void tally_sort(const struct tally *tally, struct tally_entry *entries, size_t count);

#endif
