/* Spans of time, and slices. */
#include "decode/select/timespan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#define S UINT64_C(1000000000)

static bool holds(const char *text, uint64_t time)
{
	const struct time_bounds bounds = { 100 * S, 110 * S };
	struct time_span span;
	struct err err = { 0 };

	if (!time_span_parse(&span, text, &err))
		fail_msg("%s", err.text);
	return time_span_holds(&span, &bounds, time);
}

static void spans(void **state)
{
	(void)state;
	assert_false(holds("1.5-2", 101 * S));
	assert_false(holds("1.5-2", 101 * S + S / 2 - 1));
	assert_true(holds("1.5-2", 101 * S + S / 2)); /* from is in, */
	assert_true(holds("1.5-2", 102 * S - 1));
	assert_false(holds("1.5-2", 102 * S)); /* to is out */
	assert_true(holds("-2", 100 * S));
	assert_false(holds("-2", 102 * S));
	assert_true(holds("2-", 110 * S));
	assert_false(holds("2-", 101 * S));
	assert_true(holds("10%-20%", 101 * S));
	assert_false(holds("10%-20%", 102 * S));
	assert_true(holds("12.5%-", 101 * S + S / 4));
	assert_false(holds("12.5%-", 101 * S + S / 4 - 1));
	assert_true(holds("90%-100%", 110 * S)); /* the last sample is in all */
	assert_false(holds("90%-100%", 110 * S + 1));
	assert_true(holds("0-1", 100 * S));
	assert_true(holds("0.000000001-1", 100 * S + 1));
	assert_false(holds("0.000000001-1", 100 * S));
	assert_true(holds("@101000000000-102000000000", 101 * S));
	assert_true(holds("@101000000000-@102000000000", 101 * S));
	assert_false(holds("@101000000000-102000000000", 102 * S));
	assert_true(holds("@101000000000-", UINT64_MAX - 1));
	assert_true(holds("-@101000000000", 5));
	assert_true(holds("@-101000000000", 5)); /* FROM is missing here, too */
	assert_false(holds("@-101000000000", 101 * S));
}

static void wrong_ones(void **state)
{
	static const char *const wrong[] = { "",       "-",    "5",     "a-b",     "1-2s",  "1%%-2", "1-2-3",
		                             "101%-",  "-1%%", "1..2-3", "@-",    "@-@", "@1.5-2", "1e3-", "99999999999-",
		                             "@99999999999999999999-",
		                             /* no time lies between the sides */
		                             "2-1", "1-1", "50%-10%", "@7-@6", "@7-6", "100%-100%" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct time_span span;
		struct err err = { 0 };

		if (time_span_parse(&span, wrong[i], &err))
			fail_msg("%s", wrong[i]);
		assert_int_equal(err.code, ERR_USAGE);
	}
}

static uint64_t width_of(const char *text)
{
	const struct time_bounds bounds = { 100 * S, 110 * S };
	struct time_side width;
	struct err err = { 0 };

	return time_width_parse(&width, text, &err) ? time_width(&width, &bounds) : 0;
}

static void widths(void **state)
{
	(void)state;
	assert_int_equal(width_of("10ms"), S / 100);
	assert_int_equal(width_of("1s"), S);
	assert_int_equal(width_of("1.5us"), 1500);
	assert_int_equal(width_of("7ns"), 7);
	assert_int_equal(width_of("2m"), 120 * S);
	/* 20 slices, the last of which holds the last sample */
	assert_int_equal(10 * S / width_of("5%"), 19);
	assert_int_equal(width_of("10"), 0);
	assert_int_equal(width_of("ms"), 0);
	assert_int_equal(width_of("0ms"), 0);
	assert_int_equal(width_of("-1ms"), 0);
	assert_int_equal(width_of("101%"), 0);
	assert_int_equal(width_of("10 ms"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans),
		cmocka_unit_test(wrong_ones),
		cmocka_unit_test(widths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
