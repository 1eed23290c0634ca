#include "util/hash.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/random.h>
#endif

uint64_t hash_seed(void)
{
	struct timespec now = { 0, 0 };
	uint64_t seed = 0;

#if defined(__linux__)
	/* not waiting: early after a boot a guess is good enough */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == (ssize_t)sizeof(seed))
		return seed;
#endif
	clock_gettime(CLOCK_REALTIME, &now);
	return hash_pair(0x9e3779b97f4a7c15u, (uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec,
	                 (uint64_t)getpid() << 48 ^ (uintptr_t)&seed);
}

uint64_t hash_bytes(uint64_t seed, const void *data, size_t size)
{
	const uint8_t *p = data;
	uint64_t h = hash_keyed(seed, size);

	while (size >= 8) {
		uint64_t word;

		memcpy(&word, p, 8);
		h = hash_keyed(seed, h + word);
		p += 8;
		size -= 8;
	}
	if (size) {
		uint64_t word = 0;

		memcpy(&word, p, size);
		h = hash_keyed(seed, h + word);
	}
	return h;
}

void map_init(struct map *map)
{
	memset(map, 0, sizeof(*map));
}

void map_release(struct map *map)
{
	free(map->keys);
	free(map->values);
	map_init(map);
}

static size_t slot_of(const struct map *map, uint64_t key)
{
	size_t mask = map->capacity - 1;
	size_t slot = (size_t)hash_keyed(map->seed, key) & mask;

	while (map->values[slot] != MAP_NONE && map->keys[slot] != key)
		slot = (slot + 1) & mask;
	return slot;
}

uint32_t map_get(const struct map *map, uint64_t key)
{
	return map->capacity ? map->values[slot_of(map, key)] : MAP_NONE;
}

static bool map_resize(struct map *map, size_t capacity, struct err *err)
{
	struct map bigger = { NULL, NULL, map->count, capacity, map->seed };

	bigger.keys = malloc(capacity * sizeof(*bigger.keys));
	bigger.values = malloc(capacity * sizeof(*bigger.values));
	if (!bigger.keys || !bigger.values) {
		map_release(&bigger);
		return err_nomem(err, capacity * sizeof(*bigger.keys));
	}
	if (!map->capacity)
		bigger.seed = hash_seed();
	memset(bigger.values, 0xff, capacity * sizeof(*bigger.values));
	for (size_t i = 0; i < map->capacity; i++) {
		if (map->values[i] != MAP_NONE) {
			size_t slot = slot_of(&bigger, map->keys[i]);

			bigger.keys[slot] = map->keys[i];
			bigger.values[slot] = map->values[i];
		}
	}
	map_release(map);
	*map = bigger;
	return true;
}

bool map_put(struct map *map, uint64_t key, uint32_t value, struct err *err)
{
	size_t slot;

	if (map->count >= map->capacity / 2 &&
	    !map_resize(map, map->capacity ? 2 * map->capacity : 16, err))
		return false;
	slot = slot_of(map, key);
	if (map->values[slot] == MAP_NONE)
		map->count++;
	map->keys[slot] = key;
	map->values[slot] = value;
	return true;
}
