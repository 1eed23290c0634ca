/*
 * The list of record types is complete: a type that lacks one of its parts fails here. And what a
 * record holds does not depend on whether an event was described before it.
 */
#include "tests/unit/recording.h"

#include "perffile/record/recordtypes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct test_attr attr = { .sample_type = FLAG(0) | FLAG(1) | FLAG(2), .flags = FLAG(18) };

static void expect_name(uint32_t type)
{
	const char *name = record_type_name(type);

	if (!name)
		print_error("type %u has no row\n", (unsigned)type);
	assert_non_null(name);
	/* stat.csv: a column of words */
	assert_int_equal(strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"), strlen(name));
	for (uint32_t other = 0; other < type; other++)
		assert_true(!record_type_name(other) || strcmp(record_type_name(other), name) != 0);
}

static void every_type_has_all_parts(void **state)
{
	(void)state;
	for (uint32_t type = 1; type < PERF_RECORD_KERNEL_END; type++) {
		const struct record_type *known = record_type_of(type);

		expect_name(type);
		assert_true(known->least >= 8);
		assert_non_null(known->decode);
		assert_non_null(known->row);
	}
	for (uint32_t type = PERF_RECORD_TOOL_START; type < PERF_RECORD_TOOL_END; type++) {
		expect_name(type);
		assert_null(record_type_of(type)->decode);
	}
	assert_null(record_type_of(0));
	for (uint32_t type = PERF_RECORD_KERNEL_END; type < PERF_RECORD_TOOL_START; type++)
		assert_null(record_type_of(type));
	for (uint32_t type = SIMPLEPERF_RECORD_START; type < SIMPLEPERF_RECORD_END; type++) {
		assert_memory_equal(record_type_name(type), "SIMPLEPERF_", 11);
		assert_null(record_type_of(type)->decode);
	}
	assert_null(record_type_of(SIMPLEPERF_RECORD_START - 1));
	assert_null(record_type_of(SIMPLEPERF_RECORD_END));
	assert_null(record_type_of(PERF_RECORD_TOOL_END));
	assert_null(record_type_of(UINT32_MAX));
}

/* What a row of the overview may point to lies in the record, is a literal, or was made in the row. */
static bool expect_row(void *context, const struct record *record, struct err *err)
{
	const struct record_type *type = record_type_of(record->type);
	struct overview_row row = { 0 };

	(void)err;
	*(bool *)context = record->damaged;
	if (!record->damaged)
		type->row(&row, record);
	if (row.info_kind == INFO_TEXT)
		assert_true(row.text && strnlen(row.text, row.text_length) == row.text_length);
	return true;
}

/* A record of so many bytes and maybe a trailer, all 0, with or without an attr before it. */
static bool is_damaged(uint32_t type, uint32_t size, bool attr_before, bool trailer)
{
	bool damaged = true;
	const struct record_handler handler = { .context = &damaged, .record = expect_row };
	struct opened opened;
	struct image image;
	size_t start;

	image_init(&image, false);
	pipe_begin(&image, &attr, attr_before);
	start = record_begin(&image, type, 0);
	image_zeros(&image, size - 8);
	if (trailer)
		image_zeros(&image, 16);
	record_end(&image, start);
	assert_true(opened_pipe(&opened, &image));
	assert_true(perffile_read(&opened.session, &handler, 1, NULL, &opened.summary, &opened.err));
	opened.read = true;
	assert_int_equal(opened.summary.broken, damaged);
	opened_close(&opened);
	image_release(&image);
	return damaged;
}

static void least_sizes(void **state)
{
	(void)state;
	for (uint32_t type = 1; type < PERF_RECORD_KERNEL_END; type++) {
		uint32_t least = record_type_of(type)->least;

		if (type == 9) /* its size is its attr's */
			continue;
		assert_false(is_damaged(type, least, true, true));
		if (least > 8)
			assert_true(is_damaged(type, least - 1, true, false));
	}
	assert_false(is_damaged(9, 32, true, false));
	assert_true(is_damaged(9, 24, true, false));
}

/* In a pipe a record may come before any attr. Only samples and values of counters depend on one. */
static void records_before_any_attr(void **state)
{
	(void)state;
	for (uint32_t type = 1; type < PERF_RECORD_KERNEL_END; type++)
		assert_int_equal(is_damaged(type, 96, false, false), type == 8 || type == 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_has_all_parts),
		cmocka_unit_test(least_sizes),
		cmocka_unit_test(records_before_any_attr),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
