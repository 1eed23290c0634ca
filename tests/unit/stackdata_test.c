/*
 * What stacks are made of, as records hold it: call chains, branches, registers, stack copies, deferred
 * chains. Written by the field table of the format reference, 4.1 to 4.7, in both byte orders.
 */
#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define STACK_TYPE (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(5) | FLAG(11) | FLAG(12) | FLAG(13) | FLAG(14) | FLAG(18) | FLAG(21))

static const struct test_fields fields = { .ip = 0x401000, .time = 5000, .pid = 100, .tid = 101, .cpu = 3 };

static const struct test_attr stack_attr = {
	.sample_type = STACK_TYPE,
	.flags = FLAG(18),
	.branches = FLAG(11) | FLAG(17) | FLAG(19),
	.regs_user = FLAG(0) | FLAG(6) | FLAG(7) | FLAG(63),
	.regs_intr = FLAG(8),
	.stack_user = 24,
};

static const uint64_t chain[] = { UINT64_MAX - 127, 0xffffffff81000010, UINT64_MAX - 511, 0x401000, 0x401234,
	                          UINT64_MAX - 639, 0xfffffffffffff801 };

/* mispred, in_tx, cycles 0x1234, type 5, spec 2, new_type 9, priv 3; by the two layouts of 4.5 */
static uint64_t branch_flags(bool big)
{
	if (big)
		return FLAG(63) | FLAG(61) | (uint64_t)0x1234 << 44 | (uint64_t)5 << 40 | (uint64_t)2 << 38 |
		       (uint64_t)9 << 34 | (uint64_t)3 << 31;
	return FLAG(0) | FLAG(2) | 0x1234 << 4 | 5 << 20 | 2 << 24 | (uint64_t)9 << 26 | (uint64_t)3 << 30;
}

static void put_stack_sample(struct image *image)
{
	size_t start = record_begin(image, 9, 2);

	image_fixed(image, STACK_TYPE, &fields);
	image_u64(image, ARRAY_SIZE(chain));
	for (size_t i = 0; i < ARRAY_SIZE(chain); i++)
		image_u64(image, chain[i]);
	image_u64(image, 2); /* branches */
	image_u64(image, 17);
	image_u64(image, 0x401010);
	image_u64(image, 0x401020);
	image_u64(image, branch_flags(image->big_endian));
	image_u64(image, 0x401030);
	image_u64(image, 0x401040);
	image_u64(image, image->big_endian ? FLAG(62) | FLAG(60) : FLAG(1) | FLAG(3));
	image_u64(image, 71); /* their counters */
	image_u64(image, 72);
	image_u64(image, 2); /* registers 0, 6, 7, 63 */
	image_u64(image, 0xa0);
	image_u64(image, 0xa6);
	image_u64(image, 0x7ffe0000);
	image_u64(image, 0xa63);
	image_u64(image, 24); /* the stack */
	image_u64(image, 0x1122334455667788);
	image_u64(image, 0x99aabbccddeeff00);
	image_u64(image, 0xbad);
	image_u64(image, 16);
	image_u64(image, 7); /* weight */
	image_u64(image, 1); /* a task of 32 bit at the interrupt */
	image_u64(image, 0xb8);
	image_u64(image, 33); /* cgroup */
	record_end(image, start);
}

static void expect_branches(const struct record *record)
{
	struct branch branch;

	assert_int_equal(record->sample.branches.count, 2);
	branch = record_branch(record, 0);
	assert_int_equal(branch.from, 0x401010);
	assert_int_equal(branch.to, 0x401020);
	branch = record_branch(record, 1);
	assert_int_equal(branch.from, 0x401030);
	assert_int_equal(branch.to, 0x401040);
}

static void expect_register(const struct record *record, unsigned number, bool there, uint64_t expected)
{
	uint64_t value = 0;

	assert_int_equal(record_register(record, &record->sample.user_regs, number, &value), there);
	if (there)
		assert_int_equal(value, expected);
}

static void expect_stack(const struct record *record)
{
	const struct record_stack *stack = &record->sample.user_stack;

	assert_int_equal(stack->size, 24);
	assert_int_equal(stack->used, 16);
	assert_int_equal(load_u64(stack->data, record->swap), 0x1122334455667788);
	assert_int_equal(load_u64(stack->data + 8, record->swap), 0x99aabbccddeeff00);
}

static bool expect_stack_sample(void *context, const struct record *record, struct err *err)
{
	const struct record_sample *sample = &record->sample;
	unsigned *seen = context;

	(void)err;
	++*seen;
	assert_int_equal(record->type, 9);
	assert_false(record->damaged || sample->damaged);
	assert_int_equal(sample->fields, STACK_TYPE);
	assert_int_equal(sample->callchain_count, ARRAY_SIZE(chain));
	for (size_t i = 0; i < ARRAY_SIZE(chain); i++) {
		assert_true(record_word(record, sample->callchain, i) == chain[i]);
		assert_int_equal(chain_word_is_marker(chain[i]), i == 0 || i == 2 || i > 4);
	}
	expect_branches(record);
	assert_int_equal(sample->user_regs.abi, 2);
	expect_register(record, 0, true, 0xa0);
	expect_register(record, 6, true, 0xa6);
	expect_register(record, 7, true, 0x7ffe0000);
	expect_register(record, 63, true, 0xa63);
	expect_register(record, 5, false, 0);
	expect_register(record, 62, false, 0);
	expect_stack(record);
	assert_int_equal(sample->weight, 7);
	assert_int_equal(sample->cgroup, 33);
	return true;
}

/* Reads the image with this callback, which must be called once. */
static void read_with(const struct image *image, bool (*record)(void *, const struct record *, struct err *),
                      unsigned warnings)
{
	unsigned seen = 0;
	const struct record_handler handler = { .context = &seen, .record = record };
	struct opened opened;

	assert_true(opened_file(&opened, image));
	assert_true(perffile_read(&opened.session, &handler, 1, NULL, &opened.summary, &opened.err));
	opened.read = true;
	assert_int_equal(seen, 1);
	assert_int_equal(opened.warnings, warnings);
	opened_close(&opened);
}

static void a_sample_with_all_of_it(void **state)
{
	(void)state;
	for (int big = 0; big <= 1; big++) {
		struct image image;

		image_init(&image, big);
		file_begin(&image, &stack_attr, 1, 104);
		put_stack_sample(&image);
		file_end(&image);
		read_with(&image, expect_stack_sample, 0);
		image_release(&image);
	}
}

static bool expect_nothing(void *context, const struct record *record, struct err *err)
{
	const struct record_sample *sample = &record->sample;
	uint64_t value;

	(void)err;
	++*(unsigned *)context;
	assert_int_equal(sample->callchain_count, 0);
	assert_int_equal(sample->branches.count, 0);
	assert_int_equal(sample->user_regs.abi, 0);
	assert_false(record_register(record, &sample->user_regs, 0, &value));
	assert_null(sample->user_stack.data);
	return true;
}

/* Empty lists; the branches without their index, as the kernel leaves it out. */
static void a_sample_with_none_of_it(void **state)
{
	(void)state;
	for (int big = 0; big <= 1; big++) {
		struct image image;
		size_t start;

		image_init(&image, big);
		file_begin(&image, &stack_attr, 1, 104);
		start = record_begin(&image, 9, 2);
		image_fixed(&image, STACK_TYPE, &fields);
		image_zeros(&image, 7 * 8); /* chain, branches, regs, stack, weight, regs, cgroup */
		record_end(&image, start);
		file_end(&image);
		read_with(&image, expect_nothing, 0);
		image_release(&image);
	}
}

static bool expect_in_bounds(void *context, const struct record *record, struct err *err)
{
	const struct record_sample *sample = &record->sample;

	(void)err;
	++*(unsigned *)context;
	if (record->damaged)
		return true;
	assert_true(sample->damaged);
	assert_int_equal(sample->fields, 0);
	assert_true(sample->callchain_count == 0 || sample->callchain_count == ARRAY_SIZE(chain));
	assert_true(sample->branches.count == 0 || sample->branches.count == 2);
	for (uint64_t i = 0; i < sample->branches.count; i++)
		assert_true(record_branch(record, i).from);
	assert_true(!sample->user_stack.data || sample->user_stack.used == 16);
	return true;
}

/* Cut off anywhere, what is handed out is there as a whole or not at all. */
static void every_cut(void **state)
{
	size_t whole = 9999;

	(void)state;
	for (size_t size = 8; size < whole; size++) {
		struct image image;

		image_init(&image, size % 2);
		file_begin(&image, &stack_attr, 1, 104);
		put_stack_sample(&image);
		whole = image.size - image.data_section;
		image_patch(&image, image.data_section + 6, size, 2);
		image.size = image.data_section + size;
		file_end(&image);
		if (size < whole)
			read_with(&image, expect_in_bounds, 1);
		image_release(&image);
	}
}

static bool expect_deferred(void *context, const struct record *record, struct err *err)
{
	(void)err;
	++*(unsigned *)context;
	assert_int_equal(record->type, 22);
	assert_false(record->damaged);
	assert_int_equal(record->pid, 100);
	assert_int_equal(record->tid, 101);
	assert_int_equal(record->time, 5000);
	assert_true(record->deferred.cookie == 0xfffffffffffff801);
	assert_int_equal(record->deferred.count, 3);
	for (uint64_t i = 0; i < 3; i++)
		assert_int_equal(record_word(record, record->deferred.ips, i), 0x401000 + i);
	return true;
}

static bool expect_damaged(void *context, const struct record *record, struct err *err)
{
	(void)err;
	++*(unsigned *)context;
	assert_true(record->damaged);
	return true;
}

static void deferred_chains(void **state)
{
	(void)state;
	for (unsigned form = 0; form < 4; form++) {
		struct image image;
		size_t start;

		image_init(&image, form & 1);
		file_begin(&image, &stack_attr, 1, 104);
		start = record_begin(&image, 22, 2);
		image_u64(&image, 0xfffffffffffff801);
		image_u64(&image, form & 2 ? 4 : 3); /* four reach into the trailer */
		for (uint64_t i = 0; i < 3; i++)
			image_u64(&image, 0x401000 + i);
		image_trailer(&image, STACK_TYPE, &fields);
		record_end(&image, start);
		file_end(&image);
		read_with(&image, form & 2 ? expect_damaged : expect_deferred, form & 2 ? 1 : 0);
		image_release(&image);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_with_all_of_it),
		cmocka_unit_test(a_sample_with_none_of_it),
		cmocka_unit_test(every_cut),
		cmocka_unit_test(deferred_chains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
