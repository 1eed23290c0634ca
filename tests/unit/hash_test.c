/* The map from u64 to u32, and the hashes under it. */
#include "util/hash.c"
#include "util/tuples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define KNOWN_SEED 0x0123456789abcdefu

static void empty_map(void **state)
{
	struct map map = { 0 };

	(void)state;
	assert_int_equal(map_get(&map, 0), MAP_NONE);
	assert_int_equal(map_get(&map, UINT64_MAX), MAP_NONE);
	map_release(&map);
	map_release(&map);
}

static void any_key_is_allowed(void **state)
{
	static const uint64_t keys[] = { 0, 1, UINT64_MAX, UINT64_MAX - 1, (uint64_t)1 << 63, 0xffffffff };
	struct err err = { 0 };
	struct map map = { 0 };

	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(keys); i++)
		assert_true(map_put(&map, keys[i], i, &err));
	for (uint32_t i = 0; i < ARRAY_SIZE(keys); i++)
		assert_int_equal(map_get(&map, keys[i]), i);
	assert_int_equal(map.count, ARRAY_SIZE(keys));
	map_release(&map);
}

static void values_are_replaced(void **state)
{
	struct err err = { 0 };
	struct map map = { 0 };

	(void)state;
	assert_true(map_put(&map, 7, 1, &err));
	assert_true(map_put(&map, 7, UINT32_MAX - 1, &err));
	assert_int_equal(map_get(&map, 7), UINT32_MAX - 1);
	assert_int_equal(map.count, 1);
	map_release(&map);
}

/* Keys as recordings have them: multiples, neighbours, high halves that differ. */
static void many_keys(void **state)
{
	static const uint64_t steps[] = { 1, 8, 4096, (uint64_t)1 << 32, 0x100000001 };
	struct err err = { 0 };
	struct map map = { 0 };

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(steps); s++) {
		for (uint32_t i = 0; i < 20000; i++)
			assert_true(map_put(&map, i * steps[s], i, &err));
		for (uint32_t i = 0; i < 20000; i++)
			assert_int_equal(map_get(&map, i * steps[s]), i);
		assert_int_equal(map_get(&map, 20000 * steps[s]), MAP_NONE);
		assert_int_equal(map.count, 20000);
		map_release(&map);
	}
}

static void bytes_of_every_length(void **state)
{
	uint8_t bytes[40];
	uint64_t seen[41];

	(void)state;
	memset(bytes, 0, sizeof(bytes));
	for (size_t size = 0; size <= sizeof(bytes); size++) {
		seen[size] = hash_bytes(KNOWN_SEED, bytes, size); /* zeros alone: the length must count */
		for (size_t other = 0; other < size; other++)
			assert_int_not_equal(seen[size], seen[other]);
	}
	for (size_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] = 1;
		assert_int_not_equal(hash_bytes(KNOWN_SEED, bytes, sizeof(bytes)), seen[40]);
		bytes[i] = 0;
	}
}

/* Numbers that identify recordings are made of it: they must not depend on the machine. */
static void bytes_are_words_in_little_endian(void **state)
{
	uint64_t hash = hash_keyed(KNOWN_SEED, 11); /* the length */

	(void)state;
	hash = hash_keyed(KNOWN_SEED, hash + 0x6867666564636261u);
	hash = hash_keyed(KNOWN_SEED, hash + 0x6b6a69u);
	assert_int_equal(hash_bytes(KNOWN_SEED, "abcdefghijk", 11), hash);
}

#define CHOSEN 1000 /* keys; the map that holds them has this many slots: */
#define SLOTS 2048

/* How far from their own slots the keys of a map lie, in all. */
static size_t steps(const struct map *map)
{
	size_t sum = 0;

	for (size_t slot = 0; slot < map->capacity; slot++) {
		if (map->slots[slot].value != MAP_NONE)
			sum += (slot - (size_t)hash_keyed(map->seed, map->slots[slot].key)) & (map->capacity - 1);
	}
	return sum;
}

/* Who knows the seed can choose keys for one slot. Who does not cannot: it is another in each map. */
static void chosen_keys_spread(void **state)
{
	struct map known = { 0 }, unknown = { 0 };
	struct err err = { 0 };
	uint64_t key = 0;

	(void)state;
	assert_true(map_resize(&known, SLOTS, &err));
	known.seed = KNOWN_SEED;
	for (uint32_t i = 0; i < CHOSEN; i++) {
		while (hash_keyed(KNOWN_SEED, ++key) % SLOTS)
			;
		assert_true(map_put(&known, key, i, &err));
		assert_true(map_put(&unknown, key, i, &err));
	}
	assert_int_equal(known.capacity, SLOTS);
	assert_int_equal(unknown.capacity, SLOTS);
	assert_int_equal(steps(&known), CHOSEN * (CHOSEN - 1) / 2);
	assert_in_range(steps(&unknown), 0, 3 * CHOSEN);
	map_release(&known);
	map_release(&unknown);
}

static void a_bigger_map_keeps_its_seed(void **state)
{
	struct err err = { 0 };
	struct map map = { 0 };
	uint64_t seed;

	(void)state;
	assert_true(map_put(&map, 1, 1, &err));
	seed = map.seed;
	for (uint32_t i = 0; i < 100; i++)
		assert_true(map_put(&map, i, i, &err));
	assert_true(map.seed == seed);
	map_release(&map);
	assert_true(map_put(&map, 1, 1, &err));
	assert_true(map.seed != seed); /* and another map has another */
	map_release(&map);
}

static void seeds_differ(void **state)
{
	uint64_t first = hash_seed(), second = hash_seed();

	(void)state;
	assert_int_not_equal(first, second);
	assert_int_not_equal(hash_bytes(first, "text", 4), hash_bytes(second, "text", 4));
	assert_int_not_equal(hash_pair(first, 1, 2), hash_pair(second, 1, 2));
	assert_int_not_equal(hash_pair(first, 1, 2), hash_pair(first, 2, 1));
}

/* Equal tuples have one number, in the order in which they first appear. */
static void tuples_are_kept_once(void **state)
{
	struct tuples tuples;
	struct err err = { 0 };

	(void)state;
	tuples_init(&tuples, 3 * sizeof(uint32_t));
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 5000; i++) {
			const uint32_t tuple[3] = { i / 100, 7, i % 100 };

			assert_int_equal(tuples_put(&tuples, tuple, &err), i);
			assert_int_equal(tuples_put(&tuples, tuple, &err), i);
		}
	assert_int_equal(tuples.count, 5000);
	assert_int_equal(((const uint32_t *)tuples_get(&tuples, 4321))[0], 43);
	assert_int_equal(((const uint32_t *)tuples_get(&tuples, 4321))[2], 21);
	tuples_release(&tuples);
	tuples_release(&tuples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_map),           cmocka_unit_test(any_key_is_allowed),
		cmocka_unit_test(values_are_replaced), cmocka_unit_test(many_keys),
		cmocka_unit_test(bytes_of_every_length),
		cmocka_unit_test(bytes_are_words_in_little_endian), cmocka_unit_test(chosen_keys_spread),
		cmocka_unit_test(a_bigger_map_keeps_its_seed), cmocka_unit_test(seeds_differ),
		cmocka_unit_test(tuples_are_kept_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
