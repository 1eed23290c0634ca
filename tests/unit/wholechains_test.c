/* Whole chains: what makes two of them differ, and that nothing is lost when their table is full. */
#include "decode/tally/wholechains.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct chain_key key_of(uint64_t seed, enum stack_end end, uint32_t event, uint32_t group,
                               size_t count, const struct chain_frame *frames)
{
	struct chain chain = { .count = count, .end = end };

	chain.frames = (struct chain_frame *)(uintptr_t)frames;
	return chain_key(&chain, seed, event, group);
}

/* Chains that differ in one field alone, by a small amount, have different keys. */
static void test_keys(void **state)
{
	static const struct chain_frame frames[][3] = {
		{ { .addr = 1, .binary = 1 }, { .addr = 2, .binary = 1 }, { .addr = 3, .binary = 1 } },
		{ { .addr = 2, .binary = 1 }, { .addr = 1, .binary = 1 }, { .addr = 3, .binary = 1 } },
		{ { .addr = 3, .binary = 1 }, { .addr = 2, .binary = 1 }, { .addr = 1, .binary = 1 } },
		{ { .addr = 1, .binary = 2 }, { .addr = 2, .binary = 1 }, { .addr = 3, .binary = 1 } },
		{ { .addr = 1, .binary = 1 }, { .addr = 2, .binary = 1 }, { .addr = 3, .binary = 2 } },
		{ { .addr = 1, .binary = 1 }, { .addr = 3, .binary = 1 }, { .addr = 3, .binary = 1 } },
		{ { .addr = 1, .binary = 1 }, { .addr = 2, .binary = 1 }, { .addr = 2, .binary = 1 } },
	};
	struct chain_key keys[7 * 3 * 2 * 4];
	const uint64_t seed = hash_seed();
	size_t count = 0;

	(void)state;
	for (size_t f = 0; f < 7; f++)
		for (unsigned end = 0; end < 3; end++)
			for (uint32_t event = 0; event < 2; event++)
				for (uint32_t group = 0; group < 4; group++)
					keys[count++] = key_of(seed, (enum stack_end)end, event, group, 3,
					                       frames[f]);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			assert_true(keys[i].hash != keys[j].hash);
	/* the first two frames of all but one of these are others */
	for (size_t f = 1; f < 5; f++) {
		struct chain_key first = key_of(seed, STACK_CUT, 0, 0, 2, frames[0]);
		struct chain_key other = key_of(seed, STACK_CUT, 0, 0, 2, frames[f]);

		assert_true((first.hash == other.hash) == (f == 4));
	}
}

/* More chains than the table ever has room for, three of each hash. */
static void test_full(void **state)
{
	enum { CHAINS = 600000, ROUNDS = 2 };
	struct whole_chains chains;
	struct err err = { 0 };
	struct cells cells;
	uint64_t samples = 0, period = 0;
	uint32_t kind;

	(void)state;
	cells_init(&cells);
	assert_true(whole_chains_init(&chains, &cells, &err));
	kind = cells_kind(&cells, 0, GROUP_ALL, CELL_STACKS, &err);
	for (uint32_t round = 0; round < ROUNDS; round++)
		for (uint32_t i = 0; i < CHAINS; i++) {
			const struct chain_key key = { (i / 3 + 1) * (uint64_t)0x9e3779b97f4a7c15u >> 8,
				                         i % 3 };
			struct whole_chain *chain = whole_chains_find(&chains, &key);

			if (!chain->hash)
				chain = whole_chains_put(&chains, &key, kind, i, &err);
			assert_non_null(chain);
			assert_int_equal(chain->node, i);
			assert_true(whole_chain_add(&chains, chain, i, &err));
		}
	assert_true(chains.slot_count <= (size_t)1 << 19);
	assert_true(whole_chains_flush(&chains, &err) && cells_count_waiting(&cells, &err));
	assert_int_equal(cells.count, CHAINS);
	for (size_t i = 0; i < cells.capacity; i++) {
		samples += cells.items[i].samples;
		period += cells.items[i].period;
		if (cells.items[i].samples)
			assert_int_equal(cells.items[i].period, cells.items[i].key * ROUNDS);
	}
	assert_int_equal(samples, ROUNDS * CHAINS);
	assert_int_equal(period, (uint64_t)CHAINS * (CHAINS - 1) / 2 * ROUNDS);
	whole_chains_release(&chains);
	cells_release(&cells);
}

/* One chain counts more samples than a cell has room for. */
static void test_many_samples(void **state)
{
	const struct chain_key key = { 5, 6 };
	struct whole_chains chains;
	struct whole_chain *chain;
	struct err err = { 0 };
	struct cells cells;
	uint64_t samples = 0, period = 0;

	(void)state;
	cells_init(&cells);
	assert_true(whole_chains_init(&chains, &cells, &err));
	chain = whole_chains_put(&chains, &key, cells_kind(&cells, 0, 0, CELL_STACKS, &err), 7, &err);
	assert_non_null(chain);
	chain->samples = UINT32_MAX - 2;
	for (int i = 0; i < 5; i++)
		assert_true(whole_chain_add(&chains, chain, 1, &err));
	assert_true(whole_chains_flush(&chains, &err));
	for (size_t i = 0; i < cells.capacity; i++) {
		samples += cells.items[i].samples;
		period += cells.items[i].period;
	}
	assert_int_equal(samples, (uint64_t)UINT32_MAX + 3);
	assert_int_equal(period, 5);
	whole_chains_release(&chains);
	cells_release(&cells);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_many_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
