/* The bounds-checked window: every read, at every end, in both byte orders. */
#include "util/cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

static void read_u8(struct cursor *c)
{
	cur_u8(c);
}

static void read_u16(struct cursor *c)
{
	cur_u16(c);
}

static void read_u32(struct cursor *c)
{
	cur_u32(c);
}

static void read_u64(struct cursor *c)
{
	cur_u64(c);
}

static void read_sub(struct cursor *c)
{
	cur_sub(c, 5, "inner");
}

static void read_text(struct cursor *c)
{
	size_t length;

	cur_text(c, 3, &length);
}

static const struct {
	void (*read)(struct cursor *);
	size_t size;
} reads[] = {
	{ read_u8, 1 }, { read_u16, 2 }, { read_u32, 4 }, { read_u64, 8 }, { read_sub, 5 }, { read_text, 3 },
};

static void every_overrun_is_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(reads); i++) {
		for (size_t left = 0; left < reads[i].size; left++) {
			/* exactly as many bytes, so that a sanitizer sees one read too many */
			uint8_t *data = malloc(left ? left : 1);
			struct err err = { 0 };
			struct cursor c;
			char text[100];

			assert_non_null(data);
			c = cursor_over(data, left, 0x1000, "COMM record", false, &err);
			reads[i].read(&c);
			assert_int_equal(err.code, ERR_FORMAT);
			assert_int_equal(err.offset, 0x1000);
			snprintf(text, sizeof(text), "COMM record: expected %zu more bytes, found %zu",
			         reads[i].size, left);
			assert_string_equal(err.text, text);
			assert_int_equal(cur_left(&c), 0);
			free(data);
		}
	}
}

static void exact_reads_fit(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(reads); i++) {
		uint8_t *data = calloc(1, reads[i].size);
		struct err err = { 0 };
		struct cursor c;

		assert_non_null(data);
		c = cursor_over(data, reads[i].size, 0, "bytes", false, &err);
		reads[i].read(&c);
		assert_int_equal(err.code, ERR_NONE);
		assert_int_equal(cur_left(&c), 0);
		assert_int_equal(c.offset, reads[i].size);
		free(data);
	}
}

static void after_an_overrun_all_is_zero(void **state)
{
	struct err err = { 0 };
	struct cursor c = cursor_over(bytes, sizeof(bytes), 0, "first", false, &err), sub;
	size_t length = 7;

	(void)state;
	assert_null(cur_take(&c, 9));
	assert_int_equal(cur_u8(&c), 0);
	assert_int_equal(cur_u64(&c), 0);
	assert_string_equal(cur_text(&c, 1, &length), "");
	assert_int_equal(length, 0);
	sub = cur_sub(&c, 1, "second");
	assert_int_equal(cur_left(&sub), 0);
	/* the first failure is the one that is kept */
	assert_non_null(strstr(err.text, "first: expected 9"));
}

static void both_byte_orders(void **state)
{
	const uint16_t probe = 1;
	bool host_big = *(const uint8_t *)&probe == 0;
	struct err err = { 0 };

	(void)state;
	for (int big = 0; big <= 1; big++) {
		struct cursor c = cursor_over(bytes, sizeof(bytes), 0, "x", big != host_big, &err);

		assert_int_equal(cur_u64(&c), big ? 0x0102030405060708 : 0x0807060504030201);
		c = cursor_over(bytes + 1, 7, 0, "x", big != host_big, &err); /* unaligned */
		assert_int_equal(cur_u16(&c), big ? 0x0203 : 0x0302);
		assert_int_equal(cur_u32(&c), big ? 0x04050607 : 0x07060504);
		assert_int_equal(cur_u8(&c), 8);
	}
	assert_int_equal(err.code, ERR_NONE);
}

static void windows_end_where_they_should(void **state)
{
	struct err err = { 0 };
	struct cursor c = cursor_over(bytes, sizeof(bytes), 100, "outer", false, &err);
	struct cursor sub;

	(void)state;
	cur_u8(&c);
	sub = cur_sub(&c, 3, "inner");
	assert_int_equal(sub.offset, 101);
	assert_int_equal(c.offset, 104);
	assert_int_equal(cur_u8(&sub), 2);
	cur_u16(&sub);
	cur_u8(&sub);
	assert_int_equal(err.offset, 104);
	assert_string_equal(err.text, "inner: expected 1 more bytes, found 0");
	assert_int_equal(cur_u8(&c), 5); /* the outer cursor continues behind the inner one */
}

static void huge_sizes_do_not_wrap(void **state)
{
	struct err err = { 0 };
	struct cursor c = cursor_over(bytes, sizeof(bytes), 0, "x", false, &err);

	(void)state;
	assert_null(cur_take(&c, UINT64_MAX));
	assert_int_equal(err.code, ERR_FORMAT);
}

static void texts(void **state)
{
	static const char text[] = "ab\0cd";
	struct err err = { 0 };
	struct cursor c = cursor_over((const uint8_t *)text, 6, 0, "x", false, &err);
	size_t length;
	const char *got = cur_text(&c, 5, &length);

	(void)state;
	assert_int_equal(length, 2);
	assert_memory_equal(got, "ab", 2);
	c = cursor_over((const uint8_t *)text, 2, 0, "x", false, &err);
	cur_text(&c, 2, &length); /* no NUL: all of them */
	assert_int_equal(length, 2);
	assert_int_equal(err.code, ERR_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_overrun_is_named),
		cmocka_unit_test(exact_reads_fit),
		cmocka_unit_test(after_an_overrun_all_is_zero),
		cmocka_unit_test(both_byte_orders),
		cmocka_unit_test(windows_end_where_they_should),
		cmocka_unit_test(huge_sizes_do_not_wrap),
		cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
