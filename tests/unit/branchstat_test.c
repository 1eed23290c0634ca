/* Branches and blocks of hand-made recordings; the sums are worked out by hand. */
#include "decode/tally/branchstat.h"
#include "tests/unit/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TYPE (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(8) | FLAG(11)) /* IP TID TIME PERIOD BRANCH_STACK */
#define TRAILER (TYPE & ~FLAG(11))
#define CODE 0x400000u
#define KERNEL 0xffffffff81000000u

enum { MISPREDICTED = 1, PREDICTED = 2, IN_TX = 4, ABORT = 8, COND = 1 << 20, CALL = 4 << 20 };
#define CYCLES(n) ((uint64_t)(n) << 4)

struct entry {
	uint64_t from, to, flags;
};

static const struct entry loop[] = {
	{ CODE + 0x140, CODE + 0x120, PREDICTED | COND | CYCLES(3) },
	{ CODE + 0x140, CODE + 0x120, MISPREDICTED | COND | CYCLES(5) },
	{ CODE + 0x110, CODE + 0x120, PREDICTED | CALL },
};

static void put_branches(struct image *image, uint64_t said, const struct entry *entries,
                         size_t count)
{
	const struct test_fields fields = { .ip = CODE, .pid = 7, .tid = 7, .time = 100, .period = 1 };
	size_t start = record_begin(image, 9, 2);

	image_fixed(image, TYPE, &fields);
	image_u64(image, said);
	for (size_t i = 0; i < count; i++) {
		image_u64(image, entries[i].from);
		image_u64(image, entries[i].to);
		image_u64(image, entries[i].flags);
	}
	record_end(image, start);
}

static void begin(struct replay *replay, const struct test_attr *attr, bool big_endian)
{
	const struct test_fields fields = { .pid = 7, .tid = 7, .time = 1 };

	memset(replay, 0, sizeof(*replay));
	image_init(&replay->image, big_endian);
	file_begin(&replay->image, attr, 1, 104);
	put_mmap(&replay->image, TRAILER, 1, "[kernel.kallsyms]_text", KERNEL, 0x1000000, KERNEL,
	         &(struct test_fields){ .pid = UINT32_MAX });
	put_mmap(&replay->image, TRAILER, 2, "/bin/a", CODE, 0x1000, 0x2000, &fields);
	put_mmap(&replay->image, TRAILER, 2, "/bin/b", CODE + 0x1000, 0x1000, 0, &fields);
}

static bool count(struct replay *replay)
{
	struct opened *opened = &replay->opened;
	struct record_handler handler;

	file_end(&replay->image);
	assert_true(opened_file(opened, &replay->image));
	assert_true(strings_init(&replay->strings, &opened->err));
	assert_true(buildstat_init(&replay->stat, &opened->session, &replay->strings, &opened->err));
	replay->stat.counts_branches = true;
	handler = buildstat_handler(&replay->stat);
	opened->read = true;
	return perffile_read(&opened->session, &handler, 1, NULL, &opened->summary, &opened->err) &&
	       buildstat_finish(&replay->stat, &opened->err);
}

/* The sum of the branch between two places; by the offsets in their binaries. */
static const struct branch_sum *find_branch(const struct branchstat *stat, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < stat->branches.count; i++) {
		const struct branch_key *key = tuples_get(&stat->branches, i);

		if (key->from.addr == from && key->to.addr == to)
			return &stat->branch_sums[i];
	}
	return NULL;
}

static const struct block_sum *find_block(const struct branchstat *stat, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < stat->blocks.count; i++) {
		const struct block_key *key = tuples_get(&stat->blocks, i);

		if (key->start == start && key->end == end)
			return &stat->block_sums[i];
	}
	return NULL;
}

static void test_counts(void **state)
{
	static const struct entry crossing[] = {
		{ KERNEL + 8, KERNEL + 0x20, PREDICTED },   /* a block in the kernel */
		{ CODE + 0x200, KERNEL, PREDICTED | ABORT | IN_TX }, /* no block: another binary */
		{ CODE + 0x1010, CODE + 0x130, PREDICTED }, /* 0x130 to 0x200 */
		{ CODE + 0x300, CODE + 0x1020, PREDICTED }, /* no block: it ends before it starts */
		{ 0, 0, 0 },
	};
	const struct test_attr attr = { .sample_type = TYPE };
	const struct branch_sum *sum;
	const struct block_sum *block;
	struct branchstat *stat;
	struct replay replay;

	(void)state;
	begin(&replay, &attr, false);
	put_branches(&replay.image, 3, loop, 3);
	put_branches(&replay.image, 2, loop, 2);
	put_branches(&replay.image, 5, crossing, 5);
	put_branches(&replay.image, 0, NULL, 0);
	assert_true(count(&replay));
	stat = &replay.stat.branches;
	assert_int_equal(stat->samples, 3);
	assert_true(branchstat_predicts(stat, 0));
	sum = find_branch(stat, 0x2140, 0x2120);
	assert_int_equal(sum->count, 4);
	assert_int_equal(sum->mispredicted, 2);
	assert_int_equal(sum->samples, 2);
	assert_string_equal(branch_type_word(((const struct branch_key *)tuples_get(&stat->branches, 0))->type), "cond");
	assert_int_equal(find_branch(stat, 0x2110, 0x2120)->count, 1);
	sum = find_branch(stat, 0x2200, KERNEL);
	assert_int_equal(sum->aborts, 1);
	assert_int_equal(sum->in_transaction, 1);
	assert_int_equal(find_branch(stat, 0, 0)->count, 1);
	assert_int_equal(stat->branches.count, 7);
	block = find_block(stat, 0x2120, 0x2140);
	assert_int_equal(block->count, 3);
	/* of the newer entries: 3, 5, 3 */
	assert_int_equal(block->cycles, 11);
	assert_int_equal(block->cycles_count, 3);
	block = find_block(stat, KERNEL, KERNEL + 8);
	assert_int_equal(block->count, 1);
	assert_int_equal(block->cycles_count, 0);
	assert_int_equal(find_block(stat, 0x2130, 0x2200)->count, 1);
	assert_int_equal(stat->blocks.count, 3);
	assert_int_equal(stat->pairs, 2 + 1 + 4);
	assert_int_equal(stat->odd_pairs, 2);
	replay_end(&replay);
}

/* With an index; without the bits of prediction; in the other byte order. */
static void test_forms(void **state)
{
	static const struct entry plain[] = { { CODE + 0x10, CODE + 0x20, CYCLES(7) } };
	/* mispredicted, 9 cycles, the type 15 with the new type 2, packed from the top */
	static const struct entry top[] = {
		{ CODE + 0x10, CODE + 0x20,
		  UINT64_C(1) << 63 | UINT64_C(9) << 44 | UINT64_C(15) << 40 | UINT64_C(2) << 34 }
	};
	static const uint64_t indexed[] = { 0xdead, CODE + 0x10, CODE + 0x20, PREDICTED };
	const struct test_attr attr = { .sample_type = TYPE }, with_index = { .sample_type = TYPE, .branches = FLAG(17) };
	const struct branch_key *key;
	struct replay replay;
	struct image *image = &replay.image;
	size_t start;

	(void)state;
	begin(&replay, &attr, false);
	put_branches(&replay.image, 1, plain, 1);
	assert_true(count(&replay));
	assert_false(branchstat_predicts(&replay.stat.branches, 0));
	key = tuples_get(&replay.stat.branches.branches, 0);
	assert_null(branch_type_word(key->type));
	replay_end(&replay);

	begin(&replay, &attr, true);
	put_branches(&replay.image, 1, top, 1);
	assert_true(count(&replay));
	assert_int_equal(replay.stat.branches.branch_sums[0].mispredicted, 1);
	key = tuples_get(&replay.stat.branches.branches, 0);
	assert_string_equal(branch_type_word(key->type), "fault-inst");
	replay_end(&replay);

	/* the index, 0xdead, stands between the count and the entries */
	begin(&replay, &with_index, false);
	start = record_begin(image, 9, 2);
	image_fixed(image, TYPE, &(struct test_fields){ .ip = CODE, .pid = 7, .tid = 7, .time = 100 });
	image_u64(image, 1);
	for (size_t i = 0; i < ARRAY_SIZE(indexed); i++)
		image_u64(image, indexed[i]);
	record_end(image, start);
	put_branches(image, 0, NULL, 0);
	assert_true(count(&replay));
	assert_int_equal(replay.stat.branches.branches.count, 1);
	assert_int_equal(find_branch(&replay.stat.branches, 0x2010, 0x2020)->count, 1);
	replay_end(&replay);
}

/* Open calls are no branches; impossible counts are damage, and the samples count. */
static void test_others(void **state)
{
	const struct test_attr calls = { .sample_type = TYPE, .branches = FLAG(11) };
	const struct test_attr attr = { .sample_type = TYPE };
	struct replay replay;

	(void)state;
	begin(&replay, &calls, false);
	put_branches(&replay.image, 3, loop, 3);
	assert_true(count(&replay));
	assert_int_equal(replay.stat.branches.branches.count, 0);
	assert_true(replay.stat.branches.call_stacks);
	replay_end(&replay);

	begin(&replay, &attr, false);
	put_branches(&replay.image, UINT64_C(1) << 60, loop, 3);
	put_branches(&replay.image, 4, loop, 3);
	put_branches(&replay.image, UINT64_MAX, loop, 1);
	put_branches(&replay.image, 1, loop, 1);
	assert_true(count(&replay));
	assert_int_equal(replay.stat.branches.samples, 1);
	assert_int_equal(replay.stat.branches.branches.count, 1);
	assert_int_equal(buildstat_totals(&replay.stat, 0)->samples, 4);
	replay_end(&replay);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
