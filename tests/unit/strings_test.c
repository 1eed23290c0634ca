/* Interned texts: one number per text, whatever the hash does. */
#include "util/strings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static void equal_texts_are_one_number(void **state)
{
	struct strings strings;
	struct err err = { 0 };
	uint32_t a, b;

	(void)state;
	assert_true(strings_init(&strings, &err));
	assert_int_equal(strings_put_text(&strings, "", &err), STRING_EMPTY);
	a = strings_put_text(&strings, "main", &err);
	b = strings_put(&strings, "mainly", 4, &err); /* need not end in a NUL */
	assert_int_equal(a, b);
	assert_int_not_equal(a, strings_put_text(&strings, "mainly", &err));
	assert_int_not_equal(a, strings_put_text(&strings, "Main", &err));
	assert_string_equal(strings_get(&strings, a), "main");
	strings_release(&strings);
}

static void many_texts(void **state)
{
	struct strings strings;
	struct err err = { 0 };
	char text[32];
	const char *first;

	(void)state;
	assert_true(strings_init(&strings, &err));
	first = strings_get(&strings, strings_put_text(&strings, "name 0", &err));
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 20000; i++) {
			snprintf(text, sizeof(text), "name %u", (unsigned)i);
			assert_int_equal(strings_put_text(&strings, text, &err), i + 1);
		}
	}
	for (uint32_t i = 0; i < 20000; i += 997) {
		snprintf(text, sizeof(text), "name %u", (unsigned)i);
		assert_string_equal(strings_get(&strings, i + 1), text);
	}
	assert_ptr_equal(first, strings_get(&strings, 1)); /* texts do not move */
	strings_release(&strings);
}

static void foreign_bytes_and_long_texts(void **state)
{
	static char big[200000];
	struct strings strings;
	struct err err = { 0 };
	uint32_t number;

	(void)state;
	memset(big, 0xff, sizeof(big));
	assert_true(strings_init(&strings, &err));
	number = strings_put(&strings, big, sizeof(big), &err);
	assert_int_equal(strings_put(&strings, big, sizeof(big), &err), number);
	assert_int_not_equal(strings_put(&strings, big, sizeof(big) - 1, &err), number);
	assert_int_equal(strlen(strings_get(&strings, number)), sizeof(big));
	strings_release(&strings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_texts_are_one_number),
		cmocka_unit_test(many_texts),
		cmocka_unit_test(foreign_bytes_and_long_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
