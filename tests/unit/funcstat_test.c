/* Cells: counting, growing, settling, and counts beyond 32 bits. */
#include "decode/tally/funcstat.c"
#include "decode/tally/stackstat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>

struct counted {
	struct cells cells;
	struct places places;
	struct err err;
};

static void begin(struct counted *counted)
{
	memset(counted, 0, sizeof(*counted));
	cells_init(&counted->cells);
}

static void end(struct counted *counted)
{
	cells_release(&counted->cells);
	places_release(&counted->places);
}

static bool add(struct counted *counted, uint32_t event, uint32_t group, uint32_t binary, uint64_t key,
                uint64_t period)
{
	uint32_t kind = cells_kind(&counted->cells, event, group, binary, &counted->err);

	return kind != MAP_NONE && cells_add(&counted->cells, kind, key, period, &counted->err);
}

static bool settle(struct counted *counted)
{
	return cells_finish(&counted->cells, &counted->err) &&
	       settle_places(&counted->cells, NULL, NULL, &counted->places, &counted->err);
}

/* The number of this place once they are sorted, or PLACE_NONE. */
static uint32_t place_of(const struct places *places, uint32_t binary, uint64_t addr)
{
	for (size_t i = 0; i < places->range_count; i++) {
		const struct place_range *range = &places->ranges[i];

		for (uint32_t k = range->first; range->binary == binary && k < range->first + range->count; k++)
			if (places->addrs[k] == addr)
				return k;
	}
	return PLACE_NONE;
}

/* Samples of this cell, and their period, after settle(). */
static uint64_t samples_of(const struct counted *counted, uint32_t event, uint32_t group, uint32_t binary,
                           uint64_t addr, uint64_t *period)
{
	uint32_t place = place_of(&counted->places, binary, addr);
	uint64_t samples = 0;

	*period = 0;
	for (size_t i = 0; i < counted->cells.count; i++) {
		const struct cell *cell = &counted->cells.items[i];
		const struct cell_kind *kind = cells_kind_at(&counted->cells, cell->kind);

		if (kind->event != event || kind->group != group || kind->binary != binary ||
		    cell->key != place)
			continue;
		samples += cell->samples;
		*period += cell->period;
	}
	return samples;
}

static void counts_and_periods(void **state)
{
	struct counted counted;
	uint64_t period;

	(void)state;
	begin(&counted);
	for (uint64_t i = 0; i < 10; i++) {
		assert_true(add(&counted, 0, 0, 1, 0x10, 5));
		assert_true(add(&counted, 1, 0, 1, 0x10, 7)); /* another event */
		assert_true(add(&counted, 0, 0, 2, 0x10, 0)); /* another binary */
		assert_true(add(&counted, 0, 3, 1, 0x10, 1)); /* another group */
		assert_true(add(&counted, 0, 0, 1, 0x11, UINT32_MAX));
	}
	assert_true(settle(&counted));
	assert_int_equal(counted.cells.count, 5);
	assert_int_equal(counted.places.count, 3);
	assert_int_equal(samples_of(&counted, 0, 0, 1, 0x10, &period), 10);
	assert_int_equal(period, 50);
	assert_int_equal(samples_of(&counted, 1, 0, 1, 0x10, &period), 10);
	assert_int_equal(period, 70);
	assert_int_equal(samples_of(&counted, 0, 0, 2, 0x10, &period), 10);
	assert_int_equal(period, 0);
	assert_int_equal(samples_of(&counted, 0, 3, 1, 0x10, &period), 10);
	assert_int_equal(period, 10);
	assert_int_equal(samples_of(&counted, 0, 0, 1, 0x11, &period), 10);
	assert_int_equal(period, 10 * (uint64_t)UINT32_MAX);
	assert_int_equal(place_of(&counted.places, 1, 0x12), PLACE_NONE);
	assert_int_equal(place_of(&counted.places, 3, 0x10), PLACE_NONE);
	end(&counted);
}

static void no_cells(void **state)
{
	struct counted counted;

	(void)state;
	begin(&counted);
	assert_true(settle(&counted));
	assert_int_equal(counted.cells.count, 0);
	assert_int_equal(counted.places.count, 0);
	end(&counted);
}

/* Many addresses, events, groups and binaries: nothing is lost when the table grows. */
static void growth_and_order(void **state)
{
	uint64_t random = 1, samples = 0, period = 0;
	struct counted counted;

	(void)state;
	begin(&counted);
	for (uint32_t i = 0; i < 100000; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		assert_true(add(&counted, (uint32_t)(random >> 60) % 3, (uint32_t)(random >> 57) % 4,
		                (uint32_t)(random >> 50) % 200, (random >> 33) % 97 * 16, i));
		period += i;
	}
	assert_true(settle(&counted));
	assert_int_equal(counted.places.range_count, 200);
	for (size_t i = 0; i < counted.cells.count; i++) {
		const struct cell *cell = &counted.cells.items[i];

		samples += cell->samples;
		period -= cell->period;
		assert_true(cell->key < counted.places.count);
		assert_true(!i || counted.cells.items[i - 1].key <= cell->key);
	}
	assert_int_equal(samples, 100000);
	assert_int_equal(period, 0);
	for (size_t i = 0; i < counted.places.range_count; i++) {
		const struct place_range *range = &counted.places.ranges[i];

		assert_int_equal(range->binary, i);
		for (uint32_t k = range->first + 1; k < range->first + range->count; k++)
			assert_true(counted.places.addrs[k - 1] < counted.places.addrs[k]);
	}
	end(&counted);
}

/* 2^32 samples at one address go on in a second cell; the first has all that fit. */
static void more_samples_than_a_cell_holds(void **state)
{
	struct counted counted;
	uint64_t period;

	(void)state;
	begin(&counted);
	assert_true(add(&counted, 0, 0, 1, 0x10, 1));
	assert_true(cells_count_waiting(&counted.cells, &counted.err));
	counted.cells.items[0].samples = UINT32_MAX - 2;
	for (int i = 0; i < 10; i++)
		assert_true(add(&counted, 0, 0, 1, 0x10, 1));
	assert_true(cells_count_waiting(&counted.cells, &counted.err));
	assert_int_equal(counted.cells.count, 2);
	/* and stays so when the table grows */
	for (uint64_t addr = 0x1000; addr < 0x4000; addr++)
		assert_true(add(&counted, 0, 0, 1, addr, 0));
	assert_true(add(&counted, 0, 0, 1, 0x10, 1));
	assert_true(settle(&counted));
	assert_int_equal(counted.cells.count, 2 + 0x3000);
	assert_int_equal(counted.places.count, 1 + 0x3000);
	assert_true(samples_of(&counted, 0, 0, 1, 0x10, &period) == (uint64_t)UINT32_MAX - 2 + 11);
	assert_int_equal(period, 12);
	end(&counted);
}

static bool append(struct counted *counted, uint32_t event, uint64_t key, uint64_t samples, uint64_t period)
{
	uint32_t kind = cells_kind(&counted->cells, event, 0, 1, &counted->err);

	return kind != MAP_NONE && cells_append(&counted->cells, kind, key, samples, period, &counted->err);
}

/* Cells that are appended are added up with the others, each kind for itself. */
static void appended_cells(void **state)
{
	struct counted counted;
	uint64_t period;

	(void)state;
	begin(&counted);
	assert_true(add(&counted, 0, 0, 1, 0x20, 100));
	assert_true(cells_finish(&counted.cells, &counted.err));
	for (uint64_t i = 0; i < 3; i++) {
		assert_true(append(&counted, 1, 0x20, 2, 7));
		assert_true(append(&counted, 0, 0x10, (uint64_t)1 << 32, 5));
		assert_true(append(&counted, 0, 0x20, 1, 9));
	}
	assert_true(append(&counted, 0, 0x10, 0, 0));
	assert_true(settle_places(&counted.cells, NULL, NULL, &counted.places, &counted.err));
	assert_int_equal(counted.places.count, 2);
	assert_true(samples_of(&counted, 0, 0, 1, 0x10, &period) == 3 * ((uint64_t)1 << 32));
	assert_int_equal(period, 15);
	assert_int_equal(samples_of(&counted, 0, 0, 1, 0x20, &period), 4);
	assert_int_equal(period, 127);
	assert_int_equal(samples_of(&counted, 1, 0, 1, 0x20, &period), 6);
	assert_int_equal(period, 21);
	/* by place, then by kind; the last two are one cell each */
	for (size_t i = 1; i < counted.cells.count; i++)
		assert_true(counted.cells.items[i - 1].key <= counted.cells.items[i].key);
	assert_int_equal(counted.cells.items[counted.cells.count - 3].key, 0);
	end(&counted);
}

static void sums_per_process_and_event(void **state)
{
	struct sums sums = { .count = 0 };
	struct err err = { 0 };

	(void)state;
	for (int round = 0; round < 10; round++)
		for (uint32_t process = 0; process < 300; process++)
			for (uint32_t event = 0; event < 2; event++)
				assert_true(sums_add(&sums, process, event, 1, process, &err));
	assert_true(sums_add(&sums, 5, UINT32_MAX, 1, 7, &err));
	assert_int_equal(sums.count, 601);
	for (size_t i = 0; i < 600; i++) {
		assert_int_equal(sums.items[i].samples, 10);
		assert_int_equal(sums.items[i].period, 10 * sums.items[i].number);
	}
	assert_int_equal(sums.items[600].period, 7);
	sums_release(&sums);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_per_process_and_event),
		cmocka_unit_test(counts_and_periods),
		cmocka_unit_test(no_cells),
		cmocka_unit_test(growth_and_order),
		cmocka_unit_test(more_samples_than_a_cell_holds),
		cmocka_unit_test(appended_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
