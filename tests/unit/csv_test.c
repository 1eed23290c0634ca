/* Tables: quoting, escaping, numbers. Expected bytes are written by hand from the contract. */
#define _DEFAULT_SOURCE /* mkstemp() */
#include "tests/unit/tablefile.h"
#include "util/digits.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a table with these calls holds. */
struct written {
	struct csv csv;
	struct table_writer out;
	struct table_format format;
	struct column columns[5];
	struct err err;
	FILE *file;
	char *text;
};

/* Begins a table whose columns are the first letters. */
static void begin_in(struct written *w, FILE *file, size_t columns, bool spreadsheet)
{
	static const char *const names[] = { "a", "b", "c", "d", "e" };

	memset(w, 0, sizeof(*w));
	w->file = file;
	assert_non_null(w->file);
	for (size_t i = 0; i < columns; i++)
		w->columns[i].name = names[i];
	w->format = (struct table_format){ .name = "t", .columns = w->columns, .column_count = columns };
	csv_init(&w->csv, &(struct table_files){ .context = &(int){ fileno(file) }, .open = open_same_file }, spreadsheet);
	w->out = csv_writer(&w->csv);
	assert_true(table_begin(&w->out, &w->format, &w->err));
}

static void put(struct table_writer *out, struct value value)
{
	out->kind->cell(out->context, &value);
}

static void begin(struct written *w, size_t columns, bool spreadsheet)
{
	begin_in(w, tmpfile(), columns, spreadsheet);
}

static const char *finish(struct written *w)
{
	off_t size;

	assert_true(csv_flush(&w->csv, &w->err));
	size = lseek(fileno(w->file), 0, SEEK_END);
	assert_int_equal(size, w->csv.written);
	w->text = calloc(1, (size_t)size + 1);
	assert_non_null(w->text);
	assert_int_equal(pread(fileno(w->file), w->text, (size_t)size, 0), size);
	return w->text;
}

static void end(struct written *w)
{
	table_discard(&w->out);
	fclose(w->file);
	free(w->text);
}

/* One cell of text as a table shows it. */
static void expect_cell(const char *text, size_t length, bool spreadsheet, const char *expected)
{
	struct written w;
	char whole[200];

	begin(&w, 1, spreadsheet);
	put(&w.out, value_text(text, length));
	table_end_row(&w.out);
	snprintf(whole, sizeof(whole), "%sa\n%s\n", spreadsheet ? "\xef\xbb\xbf" : "", expected);
	assert_string_equal(finish(&w), whole);
	end(&w);
}

static void quoting(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{ "", "" },
		{ "plain text", "plain text" },
		{ "a,b", "\"a,b\"" },
		{ "say \"x\"", "\"say \"\"x\"\"\"" },
		{ "\"", "\"\"\"\"" },
		{ ",", "\",\"" },
		{ " spaces stay ", " spaces stay " },
		{ "=1+1", "=1+1" },
		{ "a\nb", "a\\x0ab" }, /* no line end ever needs quotes: it is a control byte */
		{ "a\n,b", "\"a\\x0a,b\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_cell(cases[i].text, strlen(cases[i].text), false, cases[i].expected);
}

static void escaping(void **state)
{
	static const struct {
		const char *text;
		size_t length;
		const char *expected;
	} cases[] = {
#define CASE(text, expected) { text, sizeof(text) - 1, expected }
		CASE("\0", "\\x00"),
		CASE("\x1b[31m", "\\x1b[31m"),
		CASE("tab\t", "tab\\x09"),
		CASE("\x7f", "\\x7f"),
		CASE("\x1f\x20", "\\x1f "),
		/* valid UTF-8 stays, of every length and at both ends of it */
		CASE("\xc2\xa0", "\xc2\xa0"), CASE("\xdf\xbf", "\xdf\xbf"),
		CASE("\xe0\xa0\x80", "\xe0\xa0\x80"), CASE("\xef\xbf\xbd", "\xef\xbf\xbd"),
		CASE("\xed\x9f\xbf", "\xed\x9f\xbf"), CASE("\xee\x80\x80", "\xee\x80\x80"),
		CASE("\xf0\x90\x80\x80", "\xf0\x90\x80\x80"), CASE("\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"),
		/* control characters of two bytes (C1) are escaped too */
		CASE("\xc2\x80", "\\xc2\\x80"), CASE("\xc2\x9f", "\\xc2\\x9f"),
		/* overlong */
		CASE("\xc0\x80", "\\xc0\\x80"), CASE("\xc1\xbf", "\\xc1\\xbf"),
		CASE("\xe0\x9f\xbf", "\\xe0\\x9f\\xbf"), CASE("\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf"),
		/* surrogates, beyond U+10FFFF, bytes that never occur */
		CASE("\xed\xa0\x80", "\\xed\\xa0\\x80"), CASE("\xed\xbf\xbf", "\\xed\\xbf\\xbf"),
		CASE("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"), CASE("\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"),
		CASE("\xfe", "\\xfe"), CASE("\xff", "\\xff"),
		/* cut off, and a second byte that is none */
		CASE("\xc3", "\\xc3"), CASE("\xe2\x82", "\\xe2\\x82"), CASE("\xf0\x9f\x98", "\\xf0\\x9f\\x98"),
		CASE("\xc3(", "\\xc3("), CASE("\xe2(\xa1", "\\xe2(\\xa1"), CASE("\x80", "\\x80"),
		CASE("a\xc3\xa9\xff" "b", "a\xc3\xa9\\xff" "b"),
		/* a backslash only where it would read as an escape */
		CASE("C:\\dir", "C:\\dir"), CASE("\\", "\\"), CASE("\\\\", "\\\\"),
		CASE("\\x41", "\\x5cx41"), CASE("\\\\x41", "\\x5c\\x5cx41"),
		CASE("\\\n", "\\x5c\\x0a"), CASE("\\\xff", "\\x5c\\xff"), CASE("\\n", "\\n"),
#undef CASE
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_cell(cases[i].text, cases[i].length, false, cases[i].expected);
}

static void every_byte_at_every_place(void **state)
{
	char text[20], row[64];
	struct written w;

	(void)state;
	for (unsigned byte = 0; byte < 256; byte++) {
		bool clean = byte >= 0x20 && byte < 0x7f && byte != '\\';
		bool quoted = byte == ',' || byte == '"';

		for (size_t length = 1; length < sizeof(text); length++) {
			memset(text, 'x', sizeof(text));
			text[length - 1] = (char)byte;
			assert_int_equal(text_is_clean(text, length), clean);
			/* bytes behind the given size are not looked at */
			assert_true(text_is_clean(text, length - 1));
			if (!clean)
				continue;
			begin(&w, 1, false);
			put(&w.out, value_text(text, length));
			table_end_row(&w.out);
			snprintf(row, sizeof(row), "a\n%s%.*s%s%s\n", quoted ? "\"" : "", (int)length, text,
			         byte == '"' ? "\"" : "", quoted ? "\"" : "");
			assert_string_equal(finish(&w), row);
			end(&w);
		}
	}
}

static void numbers(void **state)
{
	struct written w;

	(void)state;
	begin(&w, 5, false);
	put(&w.out, value_u64(0));
	put(&w.out, value_u64(UINT64_MAX));
	put(&w.out, value_i64(-1));
	put(&w.out, value_i64(INT64_MIN));
	put(&w.out, value_none());
	table_end_row(&w.out);
	put(&w.out, value_address(0));
	put(&w.out, value_address(UINT64_MAX));
	put(&w.out, value_address(0x10));
	put(&w.out, value_none());
	put(&w.out, value_decimal(0.1));
	table_end_row(&w.out);
	assert_string_equal(finish(&w), "a,b,c,d,e\n0,18446744073709551615,-1,-9223372036854775808,\n"
	                    "0x0,0xffffffffffffffff,0x10,,0.1\n");
	assert_int_equal(w.csv.rows, 3);
	end(&w);
}

static void digits_of_every_length(void **state)
{
	char text[24], expected[24];
	uint64_t value = 0;

	(void)state;
	for (int i = 0; i < 20; i++) {
		value = value * 10 + (uint64_t)(i + 1) % 10;
		*format_u64(text, value) = '\0';
		snprintf(expected, sizeof(expected), "%llu", (unsigned long long)value);
		assert_string_equal(text, expected);
	}
	for (unsigned bit = 0; bit < 64; bit++) {
		*format_hex(text, (uint64_t)1 << bit) = '\0';
		snprintf(expected, sizeof(expected), "0x%llx", 1ull << bit);
		assert_string_equal(text, expected);
	}
}

static void hex_digits_at_every_place(void **state)
{
	char text[24], expected[24];

	(void)state;
	for (unsigned i = 0; i < 256; i++) {
		uint64_t value = 0x0123456789abcdefu * (i + 1) ^ (uint64_t)i << 56;

		*format_hex(text, value) = '\0';
		snprintf(expected, sizeof(expected), "0x%llx", (unsigned long long)value);
		assert_string_equal(text, expected);
	}
}

static void percents(void **state)
{
	static const struct {
		uint64_t part, whole;
		const char *expected;
	} cases[] = {
		{ 0, 0, "0.0000" },      { 5, 0, "0.0000" },     { 0, 7, "0.0000" },
		{ 1, 1, "100.0000" },    { 1, 3, "33.3333" },    { 2, 3, "66.6667" },
		{ 1, 2000000, "0.0001" }, /* half of the last digit rounds up */
		{ 1, 2000001, "0.0000" }, { 3, 2000000, "0.0002" },
		{ 999999, 1000000, "99.9999" }, { 9999999, 10000000, "100.0000" },
		{ 3, 2, "150.0000" },
		{ UINT64_MAX, UINT64_MAX, "100.0000" },
		{ UINT64_MAX / 2, UINT64_MAX, "50.0000" },
		{ UINT64_MAX / 4, UINT64_MAX / 3 * 2, "37.5000" },
		{ 1, UINT64_MAX, "0.0000" },
	};
	char text[40];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		*format_percent(text, cases[i].part, cases[i].whole, 4) = '\0';
		assert_string_equal(text, cases[i].expected);
	}
}

static void spreadsheets(void **state)
{
	static const char *const formulas[] = { "=1", "+1", "-x", "@a" };
	struct written w;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formulas); i++) {
		char expected[8];

		snprintf(expected, sizeof(expected), "'%s", formulas[i]);
		expect_cell(formulas[i], strlen(formulas[i]), true, expected);
	}
	expect_cell("=a,b", 4, true, "\"'=a,b\"");
	expect_cell("a=1", 3, true, "a=1");
	expect_cell("", 0, true, "");
	begin(&w, 4, true);
	put(&w.out, value_u64(999999999999999));  /* 15 digits are exact */
	put(&w.out, value_u64(1000000000000000));
	put(&w.out, value_i64(-999999999999999)); /* a negative number is no formula */
	put(&w.out, value_i64(-1000000000000000));
	table_end_row(&w.out);
	assert_string_equal(finish(&w), "\xef\xbb\xbf" "a,b,c,d\n"
	                    "999999999999999,'1000000000000000,-999999999999999,'-1000000000000000\n");
	end(&w);
}

/* Texts longer than the buffer, with and without quotes, at every place of the buffer's end. */
static void long_texts(void **state)
{
	const size_t length = 600 * 1024;
	char *text = malloc(length);
	struct written w;
	const char *got;
	size_t quotes = 0;

	(void)state;
	assert_non_null(text);
	for (int quoted = 0; quoted <= 1; quoted++) {
		memset(text, 'x', length);
		if (quoted)
			text[0] = text[length / 2] = text[length - 1] = '"';
		begin(&w, 1, false);
		put(&w.out, value_text(text, length));
		table_end_row(&w.out);
		got = finish(&w);
		assert_int_equal(strlen(got), 2 + length + 1 + (quoted ? 2 + 3 : 0));
		for (const char *p = got; *p; p++)
			quotes += *p == '"';
		assert_int_equal(quotes, quoted ? 8 : 0);
		end(&w);
	}
	memset(text, 'x', length);
	for (size_t size = 512 * 1024 - 24; size < 512 * 1024 + 8; size++) {
		begin(&w, 1, false);
		put(&w.out, value_text(text, size));
		table_end_row(&w.out);
		assert_int_equal(strlen(finish(&w)), 2 + size + 1);
		end(&w);
	}
	free(text);
}

/* As csv_text() writes it, for rows that are put together elsewhere. */
static void cells(void **state)
{
	static const char *const texts[] = { "", "plain", "a,b", "say \"hi\"", "two\nlines", "\xff", "a\\" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct written w;
		char cell[CSV_CELL_MOST(100)];
		const size_t length = (size_t)(csv_cell(cell, texts[i], strlen(texts[i])) - cell);
		const char *text;

		begin(&w, 2, false);
		put(&w.out, value_text(texts[i], strlen(texts[i])));
		put(&w.out, value_none());
		table_end_row(&w.out);
		text = finish(&w) + strlen("a,b\n");
		assert_int_equal(strlen(text), length + 2);
		assert_memory_equal(text, cell, length);
		end(&w);
	}
}

static void expect_write_error(bool two_threads)
{
	struct written w;
	FILE *full = fopen("/dev/full", "w");

	if (!full)
		skip();
	begin_in(&w, full, 1, false);
	w.csv.two_threads = two_threads;
	for (int i = 0; i < 200000; i++) {
		put(&w.out, value_text("0123456789", 10)); /* writing on after the failure does no harm */
		table_end_row(&w.out);
	}
	assert_int_equal(w.csv.error, ENOSPC);
	assert_false(csv_flush(&w.csv, &w.err));
	assert_int_equal(w.err.code, ERR_IO);
	assert_non_null(strstr(w.err.text, "t.csv: cannot write: "));
	assert_non_null(strstr(w.err.text, strerror(ENOSPC)));
	end(&w);
}

static void write_errors(void **state)
{
	(void)state;
	expect_write_error(false);
	expect_write_error(true);
}

/* Several buffers, each written by a second thread while the next one is filled. */
static void two_threads(void **state)
{
	const unsigned rows = 400000;
	char expected[16];
	const char *text;
	struct written w;

	(void)state;
	begin(&w, 1, false);
	w.csv.two_threads = true;
	for (unsigned i = 0; i < rows; i++) {
		put(&w.out, value_u64(i));
		table_end_row(&w.out);
	}
	assert_non_null(w.csv.spare);
	text = finish(&w);
	assert_memory_equal(text, "a\n", 2);
	text += 2;
	for (unsigned i = 0; i < rows; i++) {
		int length = snprintf(expected, sizeof(expected), "%u\n", i);

		assert_memory_equal(text, expected, (size_t)length);
		text += length;
	}
	assert_int_equal(*text, '\0');
	end(&w);
}

/* A table that is not completed: its rows are dropped, and the second thread ends. */
static void two_threads_dropped(void **state)
{
	struct written w;

	(void)state;
	begin(&w, 1, false);
	w.csv.two_threads = true;
	for (unsigned i = 0; i < 100000; i++) {
		put(&w.out, value_u64(UINT64_MAX));
		table_end_row(&w.out);
	}
	assert_non_null(w.csv.spare);
	end(&w);
}

/* The files of a table, in their order. */
struct opened_files {
	FILE *files[4];
	char names[4][20];
	size_t count;
};

static int open_next(void *context, const char *name, struct packer **packer, struct err *err)
{
	struct opened_files *opened = context;

	(void)packer, (void)err;
	snprintf(opened->names[opened->count], sizeof(opened->names[0]), "%s", name);
	opened->files[opened->count] = tmpfile();
	assert_non_null(opened->files[opened->count]);
	return fileno(opened->files[opened->count++]);
}

static size_t lines_of(FILE *file)
{
	size_t lines = 0;

	rewind(file);
	for (int c; (c = getc(file)) != EOF;)
		lines += c == '\n';
	return lines;
}

/* A sheet has 1048576 rows with its header: one more begins a further file, with a header of its own. */
static void sheets(void **state)
{
	static const struct column columns[] = { { .name = "n", .type = COLUMN_INTEGER } };
	static const struct table_format format = TABLE_FORMAT("rows", columns);
	static const struct {
		bool spreadsheet;
		uint64_t rows;
		size_t files, last;
	} cases[] = { { true, 1048575, 1, 1048576 },
		      { true, 1048576, 2, 2 },
		      { true, 2 * 1048575 + 5, 3, 6 },
		      { false, 1048576, 1, 1048577 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct opened_files opened = { .count = 0 };
		struct csv csv;
		struct table_writer out;
		struct err err = { 0 };

		csv_init(&csv, &(struct table_files){ .context = &opened, .open = open_next }, cases[i].spreadsheet);
		csv.two_threads = i % 2;
		out = csv_writer(&csv);
		assert_true(table_begin(&out, &format, &err));
		for (uint64_t n = 0; n < cases[i].rows; n++) {
			put(&out, value_u64(n));
			table_end_row(&out);
		}
		assert_true(table_end(&out, &err));
		assert_int_equal(opened.count, cases[i].files);
		assert_string_equal(opened.names[0], "rows.csv");
		if (opened.count == 3)
			assert_string_equal(opened.names[2], "rows-3.csv");
		assert_int_equal(lines_of(opened.files[opened.count - 1]), cases[i].last);
		while (opened.count)
			fclose(opened.files[--opened.count]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells),
		cmocka_unit_test(quoting),       cmocka_unit_test(escaping),
		cmocka_unit_test(every_byte_at_every_place),
		cmocka_unit_test(numbers),       cmocka_unit_test(digits_of_every_length),
		cmocka_unit_test(hex_digits_at_every_place),
		cmocka_unit_test(percents),      cmocka_unit_test(spreadsheets),
		cmocka_unit_test(sheets),        cmocka_unit_test(long_texts),    cmocka_unit_test(write_errors),
		cmocka_unit_test(two_threads),   cmocka_unit_test(two_threads_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
