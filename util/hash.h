/*
 * Hash functions, an open-addressed map from u64 to u32, and an index of things with any key. The
 * pids, ids, addresses and names in a recording may be chosen by an attacker. With known hash
 * functions they could all be made to fall into one slot, and each lookup would walk along all of
 * them. So each table hashes with a seed of its own, different in every run.
 */
#ifndef READPERF_UTIL_HASH_H
#define READPERF_UTIL_HASH_H

#include "util/errhandler.h"

/* A number that no input can predict. Nothing that depends on it may show in any output. */
uint64_t hash_seed(void);

/* One to one for a given seed. */
static inline uint64_t hash_keyed(uint64_t seed, uint64_t v)
{
	v = (v ^ seed) * (seed | 1);
	v ^= v >> 32;
	v *= 0xbf58476d1ce4e5b9u;
	return v ^ v >> 32;
}

/* Hash of two words in this order. For more words, pass the hash of the first ones as `first`. */
static inline uint64_t hash_pair(uint64_t seed, uint64_t first, uint64_t second)
{
	return hash_keyed(seed, hash_keyed(seed, first) + second);
}

/* The same on machines of either byte order. */
uint64_t hash_bytes(uint64_t seed, const void *data, size_t size);

#define MAP_NONE UINT32_MAX

struct map_slot {
	uint64_t key;
	uint32_t value; /* MAP_NONE: the slot is empty */
};

/* Keys are any u64, values any u32 but MAP_NONE. All zeros is empty. */
struct map {
	struct map_slot *slots;
	size_t count, capacity; /* capacity: a power of two, or 0 */
	uint64_t seed;          /* chosen when the first slots are allocated */
};

void map_release(struct map *map);

/* Tells the processor that a key will be looked up soon. */
static inline void map_prefetch(const struct map *map, uint64_t key)
{
	if (map->capacity)
		__builtin_prefetch(&map->slots[hash_keyed(map->seed, key) & (map->capacity - 1)]);
}

/* The value of key, or MAP_NONE. */
uint32_t map_get(const struct map *map, uint64_t key);
/* Sets or replaces. False, with err set, when memory is refused. */
bool map_put(struct map *map, uint64_t key, uint32_t value, struct err *err);
/*
 * In a map where only this sets values: the number of a key, from 0 in the order in which keys
 * first appear; so it is the count of keys before if the key is new. MAP_NONE with err set.
 */
uint32_t map_number(struct map *map, uint64_t key, struct err *err);

/*
 * The numbers of things by their keys. The things themselves are the caller's, who also computes
 * the hashes of their keys. All zeros is empty.
 */
struct hash_index {
	struct index_slot {
		uint32_t hash, number; /* number: that of the thing + 1; 0: the slot is empty */
	} * slots;
	size_t count, slot_count; /* slot_count: a power of two, or 0 */
};

/* Whether the thing with that number has the key that is looked for. */
typedef bool index_matcher(const void *context, uint32_t number);

/* The number of the thing with a key, whose hash is given, or MAP_NONE. */
static inline uint32_t hash_index_find(const struct hash_index *index, uint64_t hash,
                                       index_matcher *matches, const void *context)
{
	for (size_t at = (uint32_t)hash; index->slot_count; at++) {
		const struct index_slot *slot = &index->slots[at & (index->slot_count - 1)];

		if (!slot->number)
			break;
		if (slot->hash == (uint32_t)hash && matches(context, slot->number - 1))
			return slot->number - 1;
	}
	return MAP_NONE;
}

/* Starts to fetch what hash_index_find() and hash_index_put() will look at first. */
static inline void hash_index_prefetch(const struct hash_index *index, uint64_t hash)
{
	if (index->slot_count)
		__builtin_prefetch(&index->slots[hash & (index->slot_count - 1)]);
}

/* The number of the thing that hash_index_find() will look at first, or MAP_NONE. */
static inline uint32_t hash_index_first(const struct hash_index *index, uint64_t hash)
{
	/* an empty slot has number 0 */
	return index->slot_count ? index->slots[hash & (index->slot_count - 1)].number - 1
	                         : MAP_NONE;
}

/* Makes room for more. False with err set when memory is refused. */
bool hash_index_grow(struct hash_index *index, struct err *err);
/*
 * The number of the thing with a key, whose hash is given; if there is none, it is `number` from
 * now on. MAP_NONE with err set when memory is refused.
 */
static inline uint32_t hash_index_put(struct hash_index *index, uint64_t hash, uint32_t number,
                                      index_matcher *matches, const void *context, struct err *err)
{
	const struct index_slot put = { (uint32_t)hash, number + 1 };
	struct index_slot *slot;

	if (index->count >= index->slot_count / 2 && !hash_index_grow(index, err))
		return MAP_NONE;
	for (size_t at = put.hash;; at++) {
		slot = &index->slots[at & (index->slot_count - 1)];
		if (!slot->number)
			break;
		if (slot->hash == put.hash && matches(context, slot->number - 1))
			return slot->number - 1;
	}
	*slot = put;
	index->count++;
	return number;
}

void hash_index_release(struct hash_index *index);
/* Forgets all things, and keeps the memory. */
void hash_index_clear(struct hash_index *index);

#endif
