/* The map from u64 to u32, and the hashes under it. */
#include "util/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

static void empty_map(void **state)
{
	struct map map;

	(void)state;
	map_init(&map);
	assert_int_equal(map_get(&map, 0), MAP_NONE);
	assert_int_equal(map_get(&map, UINT64_MAX), MAP_NONE);
	map_release(&map);
	map_release(&map);
}

static void any_key_is_allowed(void **state)
{
	static const uint64_t keys[] = { 0, 1, UINT64_MAX, UINT64_MAX - 1, (uint64_t)1 << 63, 0xffffffff };
	struct err err = { 0 };
	struct map map;

	(void)state;
	map_init(&map);
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
	struct map map;

	(void)state;
	map_init(&map);
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
	struct map map;

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(steps); s++) {
		map_init(&map);
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
		seen[size] = hash_bytes(bytes, size); /* zeros alone: the length must count */
		for (size_t other = 0; other < size; other++)
			assert_int_not_equal(seen[size], seen[other]);
	}
	for (size_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] = 1;
		assert_int_not_equal(hash_bytes(bytes, sizeof(bytes)), seen[40]);
		bytes[i] = 0;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_map),           cmocka_unit_test(any_key_is_allowed),
		cmocka_unit_test(values_are_replaced), cmocka_unit_test(many_keys),
		cmocka_unit_test(bytes_of_every_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
