/* Lists of values, patterns, and names that may have been meant. */
#include "decode/select/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

static void values_of_lists(void **state)
{
	static const struct {
		const char *list;
		size_t length;
	} cases[] = {
		{ "", 0 },
		{ "a,b", 1 },
		{ "std::map<int, char>::find,b", 25 },
		{ "f(int, int),g", 11 },
		{ "{lambda(int, int)#1},g", 20 },
		{ "a[b,c]d,e", 7 },
		{ "f<g<a,b>,c>,h", 11 },
		{ "operator<,f", 9 }, /* a bracket that nothing closes is text */
		{ "operator->,f", 10 },
		{ "operator(),f", 10 },
		{ "a)b,c", 3 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(pattern_value_length(cases[i].list), cases[i].length);
}

static void names_and_globs(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool matches;
	} cases[] = {
		{ "main", "main", true },
		{ "main", "main2", false },
		{ "main", "xmain", false },
		{ "m*", "main", true },
		{ "*n", "main", true },
		{ "*a*n", "main", true },
		{ "*", "", true },
		{ "**", "x", true },
		{ "?", "", false },
		{ "m?in", "main", true },
		{ "m?in", "m\xc3\xa4in", true }, /* one character of UTF-8 */
		{ "[kernel.kallsyms]", "[kernel.kallsyms]", true }, /* as it stands */
		{ "[kernel.kallsyms]", "k", true },                 /* and as a class */
		{ "[kernel.kallsyms]", "z", false },
		{ "[a-c]x", "bx", true },
		{ "[!a-c]x", "bx", false },
		{ "[^a-c]x", "dx", true },
		{ "[]x]", "]", true },
		{ "[", "[", true },
		{ "[ab", "[ab", true },
		{ "a[b", "ab", false },
		{ "[a-]", "-", true },
		{ "*/libc.so.6", "/usr/lib/x86_64-linux-gnu/libc.so.6", true },
		{ "operator*", "operator*", true },
		{ "operator*=", "operator*=", true },
		{ "a*b*c", "aXbYbZc", true },
		{ "a*b*c", "aXbYbZd", false },
		{ "\\*", "\\x", true }, /* a backslash is text */
		{ "\\*", "*", false },
		{ "new\\x0aline", "new\nline", true }, /* as tables spell it */
		{ "\\xff", "\xff", true },
		{ "\\x5cx41", "\\x41", true },
		{ "\\x41", "\\x41", true },
		{ "\\x0", "\n", false },
		{ "new\\x0a*", "new\nline", true }, /* in globs, too */
		{ "*\\x0a*", "new\\x0aline", true },
		{ "*\\xe2\\x80\\xae*", "a\xe2\x80\xaez", true },
		{ "*\\x80*", "a\xe2\x80\xaez", false }, /* a part of a character */
		{ "a\\x2a?", "a*z", true },            /* a star that is one */
		{ "a\\x2a?", "abz", false },
		{ "[\\x01-\\x1f]", "\x0a", true },
		{ "[\xc3\xa9\xc3\xa8]", "\xc3\xa8", true }, /* of characters, not of bytes */
		{ "[!\xc3\xa9]", "\xc3\xa8", true },
		{ "[\xc3\xa0-\xc3\xbc]x", "\xc3\xa9x", true },
		{ "?b", "a\x80" "b", false }, /* a byte that is in no character counts as one */
		{ "a?b", "a\x80" "b", true },
		{ "a\\x80?", "a\x80" "b", true },
		{ "*??", "\xc3\xa9", false },
		{ "a\\x0a", "a", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (pattern_matches(cases[i].pattern, cases[i].name) != cases[i].matches)
			fail_msg("%s and %s", cases[i].pattern, cases[i].name);
}

/* Stars in a row take no time that grows with each of them. */
static void many_stars(void **state)
{
	char pattern[200], name[2000];

	(void)state;
	for (size_t i = 0; i + 2 < sizeof(pattern); i += 2)
		memcpy(pattern + i, "*a", 3);
	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 2] = 'b';
	name[sizeof(name) - 1] = '\0';
	assert_false(pattern_matches(pattern, name));
}

static void near_names(void **state)
{
	(void)state;
	assert_int_equal(pattern_distance("libc.so.6", "/usr/lib/libc.so.6"), 0);
	assert_int_equal(pattern_distance("LIBC", "/usr/lib/libc.so.6"), 0);
	assert_int_equal(pattern_distance("*libc*", "/usr/lib/libc.so.6"), 0);
	assert_int_equal(pattern_distance("mian", "main"), 1);
	assert_int_equal(pattern_distance("pyhton3", "python3"), 1);
	assert_int_equal(pattern_distance("main", "write"), UINT32_MAX);
	assert_int_equal(pattern_distance("x", "libx"), UINT32_MAX);
	assert_int_equal(pattern_distance("", "main"), UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_lists),
		cmocka_unit_test(names_and_globs),
		cmocka_unit_test(many_stars),
		cmocka_unit_test(near_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
