/* Reading tables back: what csv.c writes, what spreadsheets make of it, and nonsense. */
#include "util/csvread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* The text in memory that is exactly as large as csv_table_open() asks for. */
static bool open_text(struct csv_table *table, const char *text, struct err *err)
{
	size_t size = strlen(text);
	char *copy = malloc(size + 1);

	memcpy(copy, text, size);
	return csv_table_open(table, copy, size, "t.csv", err);
}

static void rows_and_quotes(void **state)
{
	struct csv_table table;
	struct err err = { 0 };
	uint64_t number;

	(void)state;
	assert_true(open_text(&table, "\xef\xbb\xbfname,count\n\"a,\"\"b\"\"\nc\",7\n\nplain,'18\r\nlast,", &err));
	assert_int_equal(csv_table_column(&table, "count"), 1);
	assert_int_equal(csv_table_column(&table, "other"), SIZE_MAX);
	assert_true(csv_table_next(&table));
	assert_string_equal(csv_table_text(&table, 0), "a,\"b\"\nc");
	assert_true(csv_table_u64(&table, 1, &number, &err));
	assert_int_equal(number, 7);
	assert_true(csv_table_next(&table));
	assert_string_equal(csv_table_text(&table, 0), "plain");
	assert_true(csv_table_u64(&table, 1, &number, &err));
	assert_int_equal(number, 18);
	assert_true(csv_table_next(&table));
	assert_string_equal(csv_table_text(&table, 0), "last");
	assert_string_equal(csv_table_text(&table, 1), "");
	assert_string_equal(csv_table_text(&table, 2), "");
	assert_string_equal(csv_table_text(&table, SIZE_MAX), "");
	assert_true(csv_table_u64(&table, 1, &number, &err));
	assert_int_equal(number, 0);
	assert_false(csv_table_next(&table));
	csv_table_close(&table);
}

static void bad_numbers(void **state)
{
	static const char *const texts[] = { "n\n12x\n", "n\n-1\n", "n\n18446744073709551616\n",
		                             "n\n1.5\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct csv_table table;
		struct err err = { 0 };
		uint64_t number;

		assert_true(open_text(&table, texts[i], &err));
		assert_true(csv_table_next(&table));
		assert_false(csv_table_u64(&table, 0, &number, &err));
		assert_non_null(strstr(err.text, "t.csv: line 2: n: expected a number"));
		csv_table_close(&table);
	}
}

/* Cells are the texts that were written, whatever bytes these have. */
static void escapes_are_undone(void **state)
{
	static const struct {
		const char *table, *text;
	} cells[] = {
		{ "n\na\\x1b[1m\\xff\n", "a\033[1m\xff" },
		{ "n\n\"\\x0a,\"\"\"\n", "\n,\"" },
		{ "n\n\\x5cx41\n", "\\x41" },
		{ "n\n\\x00\n", "\\x00" },
		{ "n\n\\xg1\\x1", "\\xg1\\x1" },
		{ "n\n'=a\n", "'=a" },
		{ "\xef\xbb\xbfn\n'=a\n", "=a" },
		{ "\xef\xbb\xbfn\n'a\n", "'a" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cells); i++) {
		struct csv_table table;
		struct err err = { 0 };

		assert_true(open_text(&table, cells[i].table, &err));
		assert_true(csv_table_next(&table));
		assert_string_equal(csv_table_text(&table, 0), cells[i].text);
		assert_int_equal(table.cells[0].length, strlen(cells[i].text));
		csv_table_close(&table);
	}
}

static void nonsense(void **state)
{
	static const char *const texts[] = { "\"", "\"\"\"", "a,b\n\"x", "a\n\"x\"y,\"z", ",,,\n,",
		                             "\n", "a\r", "\"a\"\n\"\"" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct csv_table table;
		struct err err = { 0 };

		if (open_text(&table, texts[i], &err))
			while (csv_table_next(&table))
				assert_true(table.width <= CSV_COLUMNS_MOST);
		csv_table_close(&table);
	}
}

static void no_header(void **state)
{
	struct csv_table table;
	struct err err = { 0 };

	(void)state;
	assert_false(open_text(&table, "", &err));
	assert_string_equal(err.text, "t.csv: expected a header row, found nothing");
	csv_table_close(&table);
}

/* Cells beyond the most are dropped, and do not become rows. */
static void wide_rows(void **state)
{
	char text[4 * CSV_COLUMNS_MOST];
	struct csv_table table;
	struct err err = { 0 };

	(void)state;
	memset(text, ',', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	text[2 * CSV_COLUMNS_MOST] = '\n';
	assert_true(open_text(&table, text, &err));
	assert_int_equal(table.columns, CSV_COLUMNS_MOST);
	assert_true(csv_table_next(&table));
	assert_int_equal(table.width, CSV_COLUMNS_MOST);
	assert_false(csv_table_next(&table));
	csv_table_close(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_and_quotes), cmocka_unit_test(bad_numbers),
		cmocka_unit_test(escapes_are_undone), cmocka_unit_test(nonsense), cmocka_unit_test(no_header), cmocka_unit_test(wide_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
