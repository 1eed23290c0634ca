/* Places: their order, and the numbers of those that are added. */
#include "decode/machine/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>

struct place {
	uint64_t addr;
	uint32_t binary;
};

static uint64_t next_random(uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return *random >> 24;
}

/* The places of one binary are close together, those of another far apart. */
static struct place some_place(uint64_t *random)
{
	const uint32_t binary = (uint32_t)next_random(random) % 5;
	const uint64_t addr = next_random(random) % 3000;

	return (struct place){ addr << 8 * binary, binary * 0x10203 };
}

static void check_order(const struct places *places)
{
	assert_int_equal(places->range_count, 5);
	for (size_t i = 0; i < places->range_count; i++) {
		assert_true(!i || places->ranges[i - 1].binary < places->ranges[i].binary);
		for (uint32_t k = 1; k < places->ranges[i].count; k++)
			assert_true(places->addrs[places->ranges[i].first + k - 1] <
			            places->addrs[places->ranges[i].first + k]);
	}
}

static void check_place(const struct places *places, uint32_t number, const struct place *place)
{
	assert_int_equal(places->addrs[number], place->addr);
	assert_int_equal(places->ranges[places_range(places, number)].binary, place->binary);
}

/* The numbers of items lead to their places; several may have the same. */
static void numbers_and_order(void **state)
{
	enum { MOST = 50000 };
	static struct numbered_place items[MOST];
	static struct place put[MOST];
	static uint32_t place_of[MOST];
	struct places places = { 0 };
	struct err err = { 0 };
	uint64_t random = 1;

	(void)state;
	for (uint32_t i = 0; i < MOST; i++) {
		put[i] = some_place(&random);
		items[i] = (struct numbered_place){ put[i].addr, put[i].binary, i };
	}
	assert_true(places_make(&places, items, MOST, place_of, &err));
	check_order(&places);
	for (size_t i = 0; i < MOST; i++)
		check_place(&places, place_of[i], &put[i]);
	places_release(&places);
}

static void none(void **state)
{
	struct numbered_place item;
	struct places places = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_true(places_make(&places, &item, 0, NULL, &err));
	assert_int_equal(places.range_count, 0);
	assert_int_equal(places.count, 0);
	places_release(&places);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(numbers_and_order), cmocka_unit_test(none) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
