/* Hash functions, and one open-addressed map from u64 to u32. */
#ifndef READPERF_UTIL_HASH_H
#define READPERF_UTIL_HASH_H

#include "util/errhandler.h"

static inline uint64_t hash_u64(uint64_t v)
{
	v ^= v >> 32;
	v *= 0x9e3779b97f4a7c15u;
	v ^= v >> 29;
	v *= 0xbf58476d1ce4e5b9u;
	return v ^ v >> 32;
}

uint64_t hash_bytes(const void *data, size_t size);

#define MAP_NONE UINT32_MAX

/* Keys are any u64, values any u32 but MAP_NONE. */
struct map {
	uint64_t *keys;
	uint32_t *values; /* MAP_NONE: the slot is empty */
	size_t count, capacity; /* capacity: a power of two, or 0 */
};

void map_init(struct map *map);
void map_release(struct map *map);
/* The value of key, or MAP_NONE. */
uint32_t map_get(const struct map *map, uint64_t key);
/* Sets or replaces. False, with err set, when memory is refused. */
bool map_put(struct map *map, uint64_t key, uint32_t value, struct err *err);

#endif
