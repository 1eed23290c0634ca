/* Texts: how they begin and end, and control bytes in them. tests/unit/csv_test.c has cells of them. */
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

static void begin_and_end(void **state)
{
	(void)state;
	assert_true(text_starts("data.1", "data."));
	assert_true(text_starts("data.", "data."));
	assert_true(text_starts("", ""));
	assert_false(text_starts("data", "data."));
	assert_false(text_starts("xdata.", "data."));
	assert_string_equal(text_after("data.1", "data."), "1");
	assert_string_equal(text_after("data.", "data."), "");
	assert_null(text_after("dat", "data."));
	assert_true(text_ends("a.csv", ".csv"));
	/* nothing is in front of the end */
	assert_false(text_ends(".csv", ".csv"));
	assert_false(text_ends("csv", ".csv"));
	assert_false(text_ends("a.csv.gz", ".csv"));
	assert_true(text_is("pid,tid", 3, "pid"));
	assert_false(text_is("pid,tid", 2, "pid"));
	assert_false(text_is("pid,tid", 4, "pid"));
	assert_false(text_is("tid", 3, "pid"));
}

/* Undoes the escapes as a reader of the tables would: \xNN is a byte, anything else is itself. */
static size_t unescape(char *out, const char *text, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	size_t used = 0;

	for (size_t i = 0; i < length; i++) {
		const char *high, *low;

		if (length - i >= 4 && text[i] == '\\' && text[i + 1] == 'x' &&
		    (high = memchr(digits, text[i + 2], 16)) && (low = memchr(digits, text[i + 3], 16))) {
			out[used++] = (char)((high - digits) * 16 + (low - digits));
			i += 3;
		} else {
			out[used++] = text[i];
		}
	}
	return used;
}

static void escaping_can_be_undone(void **state)
{
	static const char alphabet[] = "\\\\\\xx4af\n\xc3\xa9\xff\xe2\x80\xae";
	char *(*const format[])(char *, const char *, size_t) = { format_escaped, format_shown };
	uint64_t random = 1;
	char text[12], escaped[48], back[48];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t length = 0, size;

		while (length < sizeof(text)) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			text[length++] = alphabet[(random >> 40) % (sizeof(alphabet) - 1)];
		}
		size = (size_t)(format[round % 2](escaped, text, length) - escaped);
		assert_int_equal(unescape(back, escaped, size), length);
		assert_memory_equal(back, text, length);
		for (size_t i = 0; i < size; i++)
			assert_true((uint8_t)escaped[i] >= 0x20 && escaped[i] != 0x7f);
	}
}

/* Characters that turn the direction of the text behind them are only kept for programs. */
static void what_people_see(void **state)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{ "a\xe2\x80\xaez", "a\\xe2\\x80\\xaez" },
		{ "\xe2\x81\xa6", "\\xe2\\x81\\xa6" },
		{ "\xe2\x81\xa9\xe2\x80\xaa", "\\xe2\\x81\\xa9\\xe2\\x80\\xaa" },
		{ "\\\xe2\x80\xae", "\\x5c\\xe2\\x80\\xae" },
		{ "\xe2\x80\xaf\xe2\x80\xa9\xe2\x81\xaa", "\xe2\x80\xaf\xe2\x80\xa9\xe2\x81\xaa" },
		{ "\xd7\x90\xe2\x82\xac", "\xd7\x90\xe2\x82\xac" }, /* of another language */
		{ "\xe2\x80", "\\xe2\\x80" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *shown = text_shown(cases[i].text), *escaped = text_escaped("a\xe2\x80\xaez");

		assert_string_equal(shown, cases[i].shown);
		assert_string_equal(escaped, "a\xe2\x80\xaez");
		free(shown);
		free(escaped);
	}
}

/* Each character alone and between others, against the ranges that text.h names. */
static void letters_to_the_left(void **state)
{
	static const uint32_t ranges[][2] = {
		{ 0x590, 0x8ff }, { 0xfb1d, 0xfdff }, { 0xfe70, 0xfeff }, { 0x10800, 0x10fff }, { 0x1e800, 0x1efff }
	};

	(void)state;
	assert_false(text_has_leftward(""));
	assert_false(text_has_leftward("\xd6"));
	for (uint32_t c = 1; c < 0x20000; c++) {
		bool expected = false;
		char text[8];

		for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
			expected |= c >= ranges[i][0] && c <= ranges[i][1];
		if (c < 0x80)
			snprintf(text, sizeof(text), "a%cb", (int)c);
		else if (c < 0x800)
			snprintf(text, sizeof(text), "a%c%cb", (int)(0xc0 | c >> 6), (int)(0x80 | (c & 0x3f)));
		else if (c < 0x10000)
			snprintf(text, sizeof(text), "a%c%c%cb", (int)(0xe0 | c >> 12), (int)(0x80 | (c >> 6 & 0x3f)),
			         (int)(0x80 | (c & 0x3f)));
		else
			snprintf(text, sizeof(text), "a%c%c%c%cb", (int)(0xf0 | c >> 18),
			         (int)(0x80 | (c >> 12 & 0x3f)), (int)(0x80 | (c >> 6 & 0x3f)),
			         (int)(0x80 | (c & 0x3f)));
		if (text_has_leftward(text) != expected)
			fail_msg("U+%04X", c);
	}
}

static void clean_text(void **state)
{
	(void)state;
	assert_true(text_is_clean("", 0));
	assert_true(text_is_clean("_ZN3fooEv", 9));
	assert_false(text_is_clean("a\n", 2));
	assert_false(text_is_clean("a\xff", 2));
}

static void copies(void **state)
{
	char *copy = text_escaped("a\tb");

	(void)state;
	assert_string_equal(copy, "a\\x09b");
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(begin_and_end),
		cmocka_unit_test(escaping_can_be_undone),
		cmocka_unit_test(what_people_see),
		cmocka_unit_test(letters_to_the_left),
		cmocka_unit_test(clean_text),
		cmocka_unit_test(copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
