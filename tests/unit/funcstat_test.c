/* The tally: counting, growing, sorting, and counts beyond 32 bits. */
#include "decode/tally/funcstat.c"
#include "tests/unit/sorted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>

static bool add(struct tally *tally, uint32_t event, uint32_t binary, uint64_t addr,
                uint64_t period)
{
	struct err err = { 0 };
	uint32_t target = tally_target(tally, event, binary, &err);

	return target != MAP_NONE && tally_add(tally, target, addr, period, &err);
}

static void counts_and_periods(void **state)
{
	struct tally tally;
	struct err err = { 0 };

	(void)state;
	tally_init(&tally);
	for (uint64_t i = 0; i < 10; i++) {
		assert_true(add(&tally, 0, 1, 0x10, 5));
		assert_true(add(&tally, 1, 1, 0x10, 7)); /* another event */
		assert_true(add(&tally, 0, 2, 0x10, 0)); /* another binary */
		assert_true(add(&tally, 0, 1, 0x11, UINT32_MAX));
	}
	assert_true(sort_all(&tally, &err));
	assert_int_equal(tally.count, 4);
	assert_int_equal(tally.entries[0].addr, 0x10);
	assert_int_equal(tally.entries[0].samples, 10);
	assert_int_equal(tally.entries[0].period, 50);
	assert_int_equal(tally.entries[1].period, 70);
	assert_int_equal(tally.entries[2].addr, 0x11);
	assert_int_equal(tally.entries[2].period, 10 * (uint64_t)UINT32_MAX);
	assert_int_equal(tally.targets[tally.entries[3].target].binary, 2);
	tally_release(&tally);
}

static void an_empty_tally(void **state)
{
	struct tally tally;
	struct err err = { 0 };

	(void)state;
	tally_init(&tally);
	assert_true(sort_all(&tally, &err));
	assert_int_equal(tally.count, 0);
	tally_release(&tally);
}

/* Many addresses, events and binaries: nothing is lost when the table grows. */
static void growth_and_order(void **state)
{
	struct tally tally;
	struct err err = { 0 };
	uint64_t random = 1, samples = 0, period = 0;

	(void)state;
	tally_init(&tally);
	for (uint32_t i = 0; i < 100000; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		assert_true(add(&tally, (uint32_t)(random >> 60) % 3, (uint32_t)(random >> 50) % 200,
		                      (random >> 33) % 97 * 16, i));
		period += i;
	}
	assert_true(sort_all(&tally, &err));
	for (size_t i = 0; i < tally.count; i++) {
		const struct tally_entry *e = &tally.entries[i];
		const struct tally_target *t = &tally.targets[e->target];

		samples += e->samples;
		period -= e->period;
		if (i) {
			const struct tally_entry *f = &tally.entries[i - 1];
			const struct tally_target *u = &tally.targets[f->target];

			assert_true(u->binary < t->binary ||
			            (u->binary == t->binary &&
			             (f->addr < e->addr || (f->addr == e->addr && u->event < t->event))));
		}
	}
	assert_int_equal(samples, 100000);
	assert_int_equal(period, 0);
	tally_release(&tally);
}

static uint64_t pattern_of(int pattern, uint64_t i, uint64_t count)
{
	switch (pattern) {
	case 0: return i;                                  /* sorted */
	case 1: return count - i;                          /* backwards */
	case 2: return 7;                                  /* all alike */
	case 3: return i < count / 2 ? i : count - i;      /* up and down */
	case 4: return i % 2;                              /* two addresses in turn */
	default: return i * 2654435761u % 1000003;
	}
}

/* Few and many addresses, events and binaries, close together and far apart. */
static void sorts_of_all_kinds(void **state)
{
	enum { MOST = 3000, TARGETS = 60 };
	static struct tally_entry entries[MOST];
	static const size_t counts[] = { 0, 1, 2, 3, SMALL_PART, SMALL_PART + 1, 100, MOST };
	static const uint64_t factors[] = { 1, 16, (uint64_t)1 << 40, 0x123456789abcdefu };
	struct tally_target targets[TARGETS];
	struct tally tally = { .targets = targets };

	(void)state;
	for (uint32_t i = 0; i < TARGETS; i++)
		targets[i] = (struct tally_target){ i % 7 * 100000, i * 12345u % 50 << 20 };
	for (int pattern = 0; pattern < 6; pattern++) {
		for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
			for (uint32_t used = 1; used <= TARGETS; used += used < 3 ? 1 : 19) {
				size_t count = counts[c];
				uint64_t sum = 0, factor = factors[(c + used) % 4];

				for (size_t i = 0; i < count; i++) {
					entries[i] = (struct tally_entry){
						pattern_of(pattern, i, count) * factor, i * i, 1 + (uint32_t)i % 3,
						(uint32_t)i / 2 % used
					};
					sum += entries[i].addr * 31 + i * i + entries[i].target * 7;
				}
				sort(&tally, entries, count, BY_BINARY, BY_EVENT);
				for (size_t i = 0; i < count; i++) {
					assert_false(i && before(&tally, &entries[i], &entries[i - 1]));
					sum -= entries[i].addr * 31 + entries[i].period + entries[i].target * 7;
				}
				assert_int_equal(sum, 0);
			}
		}
	}
}

/* 2^32 samples at one address go on in a second entry; the first has all that fit. */
static void more_samples_than_an_entry_holds(void **state)
{
	struct tally tally;
	struct err err = { 0 };
	uint64_t samples = 0, period = 0;

	(void)state;
	tally_init(&tally);
	assert_true(add(&tally, 0, 1, 0x10, 1));
	assert_true(tally_count(&tally, &err));
	for (size_t i = 0; i < tally.capacity; i++)
		if (tally.entries[i].samples)
			tally.entries[i].samples = UINT32_MAX - 2;
	for (int i = 0; i < 10; i++)
		assert_true(add(&tally, 0, 1, 0x10, 1));
	assert_true(tally_count(&tally, &err));
	assert_int_equal(tally.count, 2);
	/* and stays so when the table grows */
	for (uint64_t addr = 0x1000; addr < 0x4000; addr++)
		assert_true(add(&tally, 0, 1, addr, 0));
	assert_true(add(&tally, 0, 1, 0x10, 1));
	assert_true(sort_all(&tally, &err));
	assert_int_equal(tally.count, 2 + 0x3000);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(tally.entries[i].addr, 0x10);
		samples += tally.entries[i].samples;
		period += tally.entries[i].period;
	}
	assert_int_equal(tally.entries[0].samples, UINT32_MAX);
	assert_int_equal(samples, (uint64_t)UINT32_MAX - 2 + 11);
	assert_int_equal(period, 12);
	tally_release(&tally);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_and_periods), cmocka_unit_test(an_empty_tally),
		cmocka_unit_test(growth_and_order),   cmocka_unit_test(sorts_of_all_kinds), cmocka_unit_test(more_samples_than_an_entry_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
