/* Names that have to fit the width of a terminal. */
#include "decode/tables/consoletable.h"
#include "decode/tables/terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <locale.h>
#include <stdio.h>
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
	expect_name("a\342\200\256b", 20, "a\\xe2\\x80\\xaeb"); /* would turn the numbers behind it */
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
	/* no more than three dots */
	expect_name("std::basic_string<char>::_M_replace", 25, "std::ba...>::_M_replace");
	free(binary);
}

#define KANJI "\346\274\242"            /* two columns */
#define FIRE "\360\237\224\245"         /* an emoji: two columns */
#define E_ACUTE "e\314\201"             /* an e, and an accent that combines with it: one column */
#define TWO_MARKS "a\314\201\314\247"   /* one column */

static void columns_of_texts(void **state)
{
	(void)state;
	assert_int_equal(text_columns("abc"), 3);
	assert_int_equal(text_columns("caf\303\251"), 4);
	assert_int_equal(text_columns("caf" E_ACUTE), 4);
	assert_int_equal(text_columns(KANJI KANJI), 4);
	assert_int_equal(text_columns(FIRE "x"), 3);
	assert_int_equal(text_columns("a\342\200\213b"), 2);  /* a space without width */
	assert_int_equal(text_columns("\364\217\277\277"), 1); /* no character */
}

static void wide_characters_are_shortened_by_columns(void **state)
{
	(void)state;
	expect_name(KANJI KANJI KANJI KANJI, 8, KANJI KANJI KANJI KANJI);
	/* a third of the room is the start's; half of a wide character is left out */
	expect_name(KANJI KANJI KANJI KANJI KANJI, 9, KANJI "..." KANJI KANJI);
	expect_name(KANJI KANJI KANJI KANJI KANJI, 8, "..." KANJI KANJI);
	expect_name("x" FIRE "yyyyyyyyyy", 10, "x...yyyyy");
	expect_name("abcdefg" KANJI KANJI "z", 8, "a..." KANJI "z");
}

static void marks_stay_with_their_character(void **state)
{
	(void)state;
	expect_name(E_ACUTE E_ACUTE E_ACUTE E_ACUTE, 4, E_ACUTE E_ACUTE E_ACUTE E_ACUTE);
	expect_name(TWO_MARKS "bcdefgh" TWO_MARKS "z", 8, TWO_MARKS "...gh" TWO_MARKS "z");
	expect_name("abcdefg" TWO_MARKS "yz", 8, "a...g" TWO_MARKS "yz");
	expect_name("abcdefg" TWO_MARKS "wxyz", 8, "a...wxyz");
}

/* The table on a terminal of so many columns; malloc'd. */
static char *printed(struct console_table *table, size_t columns)
{
	struct err err = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	table->terminal.columns = columns;
	assert_true(console_table_print(out, table, &err));
	fclose(out);
	return text;
}

static void columns_of_tables_are_aligned(void **state)
{
	struct console_row rows[] = {
		{ 1, 1, 0, { "plain", "one" } },
		{ 1, 1, 0, { KANJI FIRE, "two" } },
		{ 1, 1, 0, { "caf" E_ACUTE, "three" } },
	};
	struct console_table table = {
		.columns = { { "function", false, false }, { "binary", false, true } },
		.column_count = 2,
		.rows = rows,
		.count = 3,
		.shown = 3,
		.noun = "function",
		.file = "",
		.whole = 3,
	};

	(void)state;
	for (size_t columns = 0; columns <= 80; columns += 80) {
		char *text = printed(&table, columns), *line = strtok(text, "\n");
		size_t title = (size_t)(strstr(line, "binary") - line);

		for (unsigned i = 0; i < 3; i++) {
			line = strtok(NULL, "\n");
			*strstr(line, rows[i].names[1]) = '\0';
			assert_int_equal(text_columns(line), title);
		}
		free(text);
	}
}

static void last_parts_of_paths(void **state)
{
	static const char *const paths[] = { "/usr/lib/libc.so.6", "/opt/lib/libc.so.6",
		                             "/usr/bin/a", "[kernel.kallsyms]", "/dir/" };
	static const char *const briefly[] = { "/usr/lib/libc.so.6", "/opt/lib/libc.so.6", "a",
		                               "[kernel.kallsyms]", "/dir/" };
	struct console_row rows[10];
	struct console_table table = { .columns = { { "binary", false, true } },
		                       .column_count = 1,
		                       .count = 10,
		                       .shown = 10,
		                       .noun = "binary",
		                       .file = "",
		                       .whole = 10,
		                       .rows = rows };

	(void)state;
	for (size_t i = 0; i < 10; i++) /* each is shown twice */
		rows[i] = (struct console_row){ 1, 1, 0, { paths[i / 2] } };
	for (size_t columns = 0; columns <= 80; columns += 80) {
		char *text = printed(&table, columns);

		strtok(text, "\n");
		for (size_t i = 0; i < 10; i++)
			assert_string_equal(strrchr(strtok(NULL, "\n"), ' ') + 1,
			                    columns ? briefly[i / 2] : paths[i / 2]);
		free(text);
	}
}

/* What a name without its template arguments leaves over is not wasted. */
static void binaries_get_what_is_left(void **state)
{
	struct console_row row = {
		1, 1, 0,
		{ "sum<std::vector<std::pair<unsigned long, unsigned long>>, "
		  "std::vector<std::pair<unsigned long, unsigned long>>>",
		  "[kernel.kallsyms]" },
	};
	struct console_table table = {
		.columns = { { "function", false, false }, { "binary", false, true } },
		.column_count = 2,
		.rows = &row,
		.count = 1,
		.shown = 1,
		.noun = "function",
		.file = "",
		.whole = 1,
	};
	char *text = printed(&table, 64);

	(void)state;
	assert_non_null(strstr(text, "  sum<...>  [kernel.kallsyms]\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_stays),
		cmocka_unit_test(template_arguments_go_first),
		cmocka_unit_test(operators_are_no_brackets),
		cmocka_unit_test(the_middle_goes_last),
		cmocka_unit_test(columns_of_texts),
		cmocka_unit_test(wide_characters_are_shortened_by_columns),
		cmocka_unit_test(marks_stay_with_their_character),
		cmocka_unit_test(columns_of_tables_are_aligned),
		cmocka_unit_test(last_parts_of_paths),
		cmocka_unit_test(binaries_get_what_is_left),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		fputs("no locale C.UTF-8: widths cannot be tested\n", stderr);

	return cmocka_run_group_tests(tests, NULL, NULL);
}
