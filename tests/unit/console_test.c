/* Names that have to fit the width of a terminal. */
#include "decode/tables/consolebinaries.h"
#include "decode/tables/terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static void expect_name(const char *name, size_t most, const char *expected)
{
	char *text = shortened(name, most);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void what_fits_stays(void **state)
{
	(void)state;
	expect_name("std::vector<int>::push_back", 27, "std::vector<int>::push_back");
	expect_name("caf\303\251", 4, "caf\303\251");
	expect_name("a\nb", 6, "a\\x0ab");
}

static void template_arguments_go_first(void **state)
{
	(void)state;
	expect_name("std::vector<std::pair<int, long> >::push_back<char>", 40,
	            "std::vector<...>::push_back<...>");
	expect_name("integrate<work(int)::{lambda(double)#1}>", 20, "integrate<...>");
	expect_name("call<f(int)->decltype (a->b)>::run", 20, "call<...>::run");
	/* of Rust: the first brackets are no arguments */
	expect_name("<alloc::vec::Vec<alloc::string::String> as core::ops::Drop>::drop", 48,
	            "<alloc::vec::Vec<...> as core::ops::Drop>::drop");
}

static void operators_are_no_brackets(void **state)
{
	(void)state;
	expect_name("std::operator<< <std::char_traits<char> >", 40,
	            "std::operator<< <std::char_traits<...> >");
	expect_name("operator<(long_name_of_a_type)", 29, "operator...ng_name_of_a_type)");
	expect_name("operator->(long_name_of_a_type)", 30, "operator-...ng_name_of_a_type)");
	expect_name("less<a_name_that_never_ends::x", 29, "less<a_n...that_never_ends::x");
}

static void the_middle_goes_last(void **state)
{
	char *binary = shortened_binary("libstdc++.so.6.0.30", 13);

	(void)state;
	expect_name("memmove_unaligned_erms", 13, "mem...ed_erms");
	expect_name("\342\202\254\342\202\254\342\202\254\342\202\254\342\202\254\342\202\254", 5,
	            "...\342\202\254\342\202\254");
	assert_string_equal(binary, "libstd...0.30");
	free(binary);
}

static void last_parts_of_paths(void **state)
{
	static const char *const paths[] = { "/usr/lib/libc.so.6", "/opt/lib/libc.so.6",
		                             "/usr/bin/a", "[kernel.kallsyms]", "/dir/" };
	static const char *const briefly[] = { "/usr/lib/libc.so.6", "/opt/lib/libc.so.6", "a",
		                               "[kernel.kallsyms]", "/dir/" };
	struct console_binaries binaries;
	struct strings strings;
	struct err err = { 0 };

	(void)state;
	assert_true(strings_init(&strings, &err));
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		assert_int_equal(strings_put_text(&strings, paths[i], &err), i + 1);
	for (int brief = 0; brief < 2; brief++) {
		assert_true(console_binaries_init(&binaries, &strings, brief, &err));
		/* each is added as often as it is shown */
		for (uint32_t i = 0; i < 2 * ARRAY_SIZE(paths); i++)
			assert_true(console_binaries_add(&binaries, i / 2 + 1, &err));
		for (uint32_t i = 0; i < ARRAY_SIZE(paths); i++)
			assert_string_equal(console_binary(&binaries, i + 1),
			                    brief ? briefly[i] : paths[i]);
		console_binaries_release(&binaries);
	}
	strings_release(&strings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_stays),
		cmocka_unit_test(template_arguments_go_first),
		cmocka_unit_test(operators_are_no_brackets),
		cmocka_unit_test(the_middle_goes_last),
		cmocka_unit_test(last_parts_of_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
