/* How often instructions ran: blocks that overlap, touch and lie in other binaries and events. */
#include "decode/naming/executed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_sums(void **state)
{
	static const struct {
		struct block_key key;
		uint64_t count;
	} blocks[] = {
		{ { 0x10, 0x20, 5, 0 }, 3 },  { { 0x18, 0x20, 5, 0 }, 10 }, { { 0x20, 0x20, 5, 0 }, 100 },
		{ { 0x21, 0x30, 5, 0 }, 1000 }, { { 0x10, 0x30, 6, 0 }, 7 },  { { 0x10, 0x30, 5, 2 }, 9 },
	};
	static const struct {
		uint32_t event, binary;
		uint64_t addr, sum;
	} asked[] = {
		{ 0, 5, 0xf, 0 },      { 0, 5, 0x10, 3 },   { 0, 5, 0x17, 3 }, { 0, 5, 0x18, 13 },
		{ 0, 5, 0x20, 113 },   { 0, 5, 0x21, 1000 }, { 0, 5, 0x30, 1000 }, { 0, 5, 0x31, 0 },
		{ 0, 5, UINT64_MAX, 0 }, { 0, 6, 0x10, 7 },  { 0, 6, 0x31, 0 }, { 0, 7, 0x10, 0 },
		{ 0, 4, 0x10, 0 },     { 1, 5, 0x10, 0 },   { 2, 5, 0x20, 9 }, { 2, 6, 0x20, 0 },
	};
	struct branchstat stat;
	struct executed executed = { .count = 0 };
	struct block_sum sums[ARRAY_SIZE(blocks)];
	struct err err = { .code = ERR_NONE };

	(void)state;
	branchstat_init(&stat, NULL, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		assert_int_equal(tuples_put(&stat.blocks, &blocks[i].key, &err), i);
		sums[i] = (struct block_sum){ .count = blocks[i].count };
	}
	stat.block_sums = sums;
	assert_true(executed_make(&executed, &stat, &err));
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++)
		assert_int_equal(executed_at(&executed, asked[i].event, asked[i].binary, asked[i].addr),
		                 asked[i].sum);
	assert_true(executed_known(&executed, 0));
	assert_false(executed_known(&executed, 1));
	assert_true(executed_known(&executed, 2));
	assert_false(executed_known(&executed, 3));
	executed_release(&executed);
	stat.block_sums = NULL;
	branchstat_release(&stat);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_sums) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
