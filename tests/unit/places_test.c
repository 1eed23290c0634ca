/* Places: numbers while they are collected, and their order afterwards. */
#include "decode/machine/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>

static void numbers_and_order(void **state)
{
	enum { MOST = 50000 };
	static struct place put[MOST];
	static uint32_t numbers[MOST];
	struct places places = { 0 };
	struct err err = { 0 };
	uint64_t random = 1;
	uint32_t *moved;

	(void)state;
	for (size_t i = 0; i < MOST; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		put[i] = (struct place){ (random >> 40) % 3000 << (random >> 60), (uint32_t)(random >> 33) % 5 * 7 };
		numbers[i] = places_put(&places, put[i].binary, put[i].addr, &err);
		assert_true(numbers[i] < places.count);
		assert_int_equal(places.items[numbers[i]].addr, put[i].addr);
		assert_int_equal(places.items[numbers[i]].binary, put[i].binary);
	}
	/* the same place has the same number */
	assert_int_equal(places_put(&places, put[0].binary, put[0].addr, &err), numbers[0]);
	assert_true(places_sort(&places, &moved, &err));
	assert_int_equal(places.range_count, 5);
	for (size_t i = 0; i < MOST; i++) {
		assert_int_equal(places.addrs[moved[numbers[i]]], put[i].addr);
		assert_int_equal(places.ranges[places_range(&places, moved[numbers[i]])].binary, put[i].binary);
	}
	for (size_t i = 0; i < places.range_count; i++)
		for (uint32_t k = 1; k < places.ranges[i].count; k++)
			assert_true(places.addrs[places.ranges[i].first + k - 1] <
			            places.addrs[places.ranges[i].first + k]);
	free(moved);
	places_release(&places);
}

static void none(void **state)
{
	struct places places = { 0 };
	struct err err = { 0 };
	uint32_t *moved;

	(void)state;
	assert_true(places_sort(&places, &moved, &err));
	assert_int_equal(places.range_count, 0);
	free(moved);
	places_release(&places);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(numbers_and_order), cmocka_unit_test(none) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
