#include "util/hash.h"

#include "util/cursor.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#define INDEX_FIRST 256 /* slots of an index at first */

uint64_t hash_seed(void)
{
	/* 16 random bytes that the kernel gave this process; reading them needs no system call */
	const uint8_t *given = (const uint8_t *)getauxval(AT_RANDOM);
	struct timespec now = { 0, 0 };
	uint64_t random[2] = { 0, 0 };

	if (given)
		memcpy(random, given, sizeof(random));
	else
		random[0] = (uint64_t)getpid() << 48 ^ (uintptr_t)&now;
	/*
	 * each table gets another seed: filling one in the order of another one's slots would be
	 * slow
	 */
	clock_gettime(CLOCK_MONOTONIC, &now);
	return hash_pair(hash_pair(0x9e3779b97f4a7c15u, random[0], random[1]), (uint64_t)now.tv_sec,
	                 (uint64_t)now.tv_nsec);
}

uint64_t hash_bytes(uint64_t seed, const void *data, size_t size)
{
	const uint8_t *p = data;
	uint64_t h = hash_keyed(seed, size);

	/* two halves at a time: each product waits for the one before it */
	if (size >= 32) {
		uint64_t other = hash_keyed(seed, h);

		for (; size >= 16; p += 16, size -= 16) {
			h = hash_keyed(seed, h + load_u64(p, must_swap(false)));
			other = hash_keyed(seed, other + load_u64(p + 8, must_swap(false)));
		}
		h = hash_pair(seed, h, other);
	}
	while (size >= 8) {
		h = hash_keyed(seed, h + load_u64(p, must_swap(false)));
		p += 8;
		size -= 8;
	}
	if (size) {
		uint8_t last[8] = { 0 };

		memcpy(last, p, size);
		h = hash_keyed(seed, h + load_u64(last, must_swap(false)));
	}
	return h;
}

void map_release(struct map *map)
{
	free(map->slots);
	memset(map, 0, sizeof(*map));
}

/* The slot that holds the key, or the empty slot where it belongs. */
static struct map_slot *slot_of(const struct map *map, uint64_t key)
{
	size_t mask = map->capacity - 1;
	size_t at = (size_t)hash_keyed(map->seed, key) & mask;

	while (map->slots[at].value != MAP_NONE && map->slots[at].key != key)
		at = (at + 1) & mask;
	return &map->slots[at];
}

uint32_t map_get(const struct map *map, uint64_t key)
{
	return map->capacity ? slot_of(map, key)->value : MAP_NONE;
}

static bool map_resize(struct map *map, size_t capacity, struct err *err)
{
	struct map bigger = { NULL, map->count, capacity, map->seed };

	bigger.slots = malloc(capacity * sizeof(*bigger.slots));
	if (!bigger.slots)
		return err_nomem(err, capacity * sizeof(*bigger.slots));
	memory_use_large_pages(bigger.slots, capacity * sizeof(*bigger.slots));
	if (!map->capacity)
		bigger.seed = hash_seed();
	for (size_t i = 0; i < capacity; i++)
		bigger.slots[i] = (struct map_slot){ 0, MAP_NONE };
	for (size_t i = 0; i < map->capacity; i++)
		if (map->slots[i].value != MAP_NONE)
			*slot_of(&bigger, map->slots[i].key) = map->slots[i];
	map_release(map);
	*map = bigger;
	return true;
}

/* slot_of() in a map that has room for one more key. NULL with err set. */
static struct map_slot *slot_with_room(struct map *map, uint64_t key, struct err *err)
{
	if (map->count >= map->capacity / 4 * 3 &&
	    !map_resize(map, map->capacity ? 2 * map->capacity : 16, err))
		return NULL;
	return slot_of(map, key);
}

bool map_put(struct map *map, uint64_t key, uint32_t value, struct err *err)
{
	struct map_slot *slot = slot_with_room(map, key, err);

	if (!slot)
		return false;
	map->count += slot->value == MAP_NONE;
	*slot = (struct map_slot){ key, value };
	return true;
}

uint32_t map_number(struct map *map, uint64_t key, struct err *err)
{
	struct map_slot *slot = slot_with_room(map, key, err);

	if (!slot)
		return MAP_NONE;
	if (slot->value == MAP_NONE)
		*slot = (struct map_slot){ key, (uint32_t)map->count++ };
	return slot->value;
}

bool hash_index_grow(struct hash_index *index, struct err *err)
{
	size_t slot_count = index->slot_count ? 2 * index->slot_count : INDEX_FIRST;
	struct index_slot *slots = calloc(slot_count, sizeof(*slots));

	if (!slots)
		return err_nomem(err, slot_count * sizeof(*slots));
	memory_use_large_pages(slots, slot_count * sizeof(*slots));
	for (size_t i = 0; i < index->slot_count; i++) {
		size_t at = index->slots[i].hash & (slot_count - 1);

		while (slots[at].number)
			at = (at + 1) & (slot_count - 1);
		if (index->slots[i].number)
			slots[at] = index->slots[i];
	}
	free(index->slots);
	index->slots = slots;
	index->slot_count = slot_count;
	return true;
}

void hash_index_clear(struct hash_index *index)
{
	if (index->slots)
		memset(index->slots, 0, index->slot_count * sizeof(*index->slots));
	index->count = 0;
}

void hash_index_release(struct hash_index *index)
{
	free(index->slots);
	memset(index, 0, sizeof(*index));
}
