/*
 * The list of tables: what --tables says selects them, every descriptor is whole, the READMEs have all, and the
 * schema is the one that was promised under its number.
 */
#define _DEFAULT_SOURCE /* mkstemp() */
#include "decode/tables/tables.h"
#include "decode/tables/schema.h"
#include "decode/tables/version.h"
#include "util/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define TEXT_SIZE 200000

static void expect_set(const char *list, const char *expected)
{
	char names[TABLE_NAMES_SIZE] = "";
	struct table_set set;
	const char *wrong;

	assert_true(table_set_parse(&set, list, &wrong));
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (table_set_has(&set, tables[i]))
			snprintf(names + strlen(names), sizeof(names) - strlen(names), " %s",
			         tables[i]->format->name);
	assert_string_equal(names, expected);
}

static void expect_wrong(const char *list, const char *at)
{
	struct table_set set;
	const char *wrong = NULL;

	assert_false(table_set_parse(&set, list, &wrong));
	assert_string_equal(wrong, at);
}

static void lists(void **state)
{
	struct table_set set;
	const char *wrong;

	(void)state;
	expect_set(NULL, " stat overview processes results about");
	expect_set("none", "");
	expect_set("results,stat", " stat results about");
	expect_set("-overview", " stat processes results about");
	expect_set("stat,results,-stat", " results about");
	expect_wrong("", "");
	expect_wrong("stat,", "");
	expect_wrong("stat,none", "none");
	expect_wrong("none,stat", "none,stat");
	expect_wrong("stat,-", "-");
	expect_wrong("-all", "-all");
	expect_wrong("stat,resultsx,events", "resultsx,events");
	assert_true(table_set_parse(&set, "all,-stat", &wrong));
	assert_true(!set.named && !table_set_has(&set, &stat_table));
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		assert_true(tables[i] == &stat_table || table_set_has(&set, tables[i]));
}

/* Only what nobody named is left out if it would be empty, or does not fit the kind of run. */
static void named_beside_all(void **state)
{
	static const char *const lists[] = { "all,calltree", "calltree,all", "all,-calltree,calltree" };
	struct call_totals none = { .functions = NULL };
	struct report report = { .totals = &none };
	struct err err = { 0 };
	struct table_set set;
	const char *wrong;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_true(table_set_parse(&set, lists[i], &wrong));
		assert_true(table_set_writes(&set, &calltree_table, &report));
		assert_false(table_set_writes(&set, &callers_table, &report));
		assert_true(table_set_needs(&set) & NEEDS_EVERY_STACK);
		assert_false(table_set_fits(&set, true, &err));
	}
	assert_true(table_set_parse(&set, "calltree,all,-calltree", &wrong));
	assert_false(table_set_has(&set, &calltree_table));
	assert_false(table_set_needs(&set) & NEEDS_EVERY_STACK);
	assert_true(table_set_fits(&set, true, &err));
	assert_true(table_set_has(&set, &diff_table) && !table_set_has(&set, &stat_table));
}

static void needs(void **state)
{
	struct table_set set;
	const char *wrong;

	(void)state;
	assert_true(table_set_parse(&set, "stat,overview", &wrong));
	assert_int_equal(table_set_needs(&set), 0);
	assert_true(table_set_parse(&set, "stat,processes", &wrong));
	assert_int_equal(table_set_needs(&set), NEEDS_TALLY);
	assert_true(table_set_parse(&set, "stat,addresses", &wrong));
	assert_int_equal(table_set_needs(&set), NEEDS_NAMES | NEEDS_LINES);
}

/* Each column says what it is, under a name of its own, and has a place of its own for people. */
static void whole_descriptors(void **state)
{
	(void)state;
	for (unsigned i = 0; i < TABLE_COUNT; i++) {
		const struct table_format *format = tables[i]->format;

		assert_true(tables[i]->print || tables[i]->write_event ||
		            tables[i] == &overview_table);
		assert_true(tables[i]->file ? format->column_count == 0
			                    : format->column_count > 0);
		for (size_t k = 0; k < format->column_count; k++)
			assert_non_null(format->columns[k].value);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(format->name, tables[k]->format->name);
		for (size_t k = 0; k < format->column_count; k++) {
			const struct column *column = &format->columns[k];

			assert_true(column->name[0] && column->meaning[0] && column->unit);
			assert_true(column->place <= format->column_count);
			for (size_t other = 0; other < k; other++) {
				assert_string_not_equal(column->name, format->columns[other].name);
				assert_true(!column->place || column->place != format->columns[other].place);
			}
		}
	}
}

static char *schema_text(void)
{
	char path[] = "/tmp/readperf-unit.XXXXXX", *text = calloc(1, TEXT_SIZE);
	int fd = mkstemp(path);
	struct err err = { 0 };

	assert_true(fd >= 0 && text);
	unlink(path);
	assert_true(schema_write(fd, &err));
	assert_true(pread(fd, text, TEXT_SIZE - 1, 0) > 0);
	close(fd);
	return text;
}

/* NULL: there is no such file. */
static char *file_text(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text;

	if (!file)
		return NULL;
	text = calloc(1, TEXT_SIZE);
	assert_non_null(text);
	assert_true(fread(text, 1, TEXT_SIZE - 1, file) > 0);
	fclose(file);
	return text;
}

/* tests/schema/NUMBER.csv */
static char *promised_text(int number)
{
	char path[64], *text;

	snprintf(path, sizeof(path), "tests/schema/%d.csv", number);
	text = file_text(path);
	if (!text)
		fail_msg("%s is missing: make it by readperf --schema >%s", path, path);
	return text;
}

static void schema_is_as_promised(void **state)
{
	char *now = schema_text(), *promised = promised_text(SCHEMA_NUMBER);

	(void)state;
	if (strcmp(now, promised) != 0)
		fail_msg("The columns are not those of schema %d. If that was released, raise SCHEMA_NUMBER in "
		         "decode/tables/version.h; then readperf --schema >tests/schema/NUMBER.csv",
		         SCHEMA_NUMBER);
	free(now);
	free(promised);
}

/* The next row of a schema: its start, and the lengths of "file," and of "file,column,type,unit". */
struct schema_row {
	const char *text;
	size_t file, length;
};

static bool next_row(struct schema_row *row)
{
	const char *end = strchr(row->text, '\n');
	int commas = 0;

	row->text = end ? end + 1 : "";
	row->file = strcspn(row->text, ",") + 1;
	for (row->length = 0; row->text[row->length] && commas < 4; row->length++)
		commas += row->text[row->length] == ',';
	return row->text[0] != '\0';
}

/* The row of that number, from 0, among those of the same file. */
static bool find_row(const char *schema, const struct schema_row *like, size_t number, struct schema_row *row)
{
	row->text = schema;
	while (next_row(row))
		if (row->file == like->file && !strncmp(row->text, like->text, like->file) && number-- == 0)
			return true;
	return false;
}

/*
 * Scripts that were written for a number work with all later ones: each table begins with the columns that it had
 * then. Only what a column means may be said better.
 */
static void columns_are_only_appended(void **state)
{
	(void)state;
	for (int number = 2; number <= SCHEMA_NUMBER; number++) {
		char *before = promised_text(number - 1), *after = promised_text(number);
		struct schema_row old = { .text = before }, new, last = { 0 };
		size_t in_file = 0;

		while (next_row(&old)) {
			bool same_file = last.file == old.file && !strncmp(last.text, old.text, old.file);

			in_file = same_file ? in_file + 1 : 0;
			if (!find_row(after, &old, in_file, &new) || new.length != old.length ||
			    strncmp(new.text, old.text, old.length) != 0)
				fail_msg("schema %d moved or lost %.*s", number, (int)old.length, old.text);
			last = old;
		}
		free(before);
		free(after);
	}
}

/* Whether a README that shows tables has this table's header row. */
static bool has_header(const struct table_format *format, const char *const *readmes, size_t count)
{
	char header[1000] = "";
	bool shown = false;

	for (size_t i = 0; i < format->column_count; i++)
		snprintf(header + strlen(header), sizeof(header) - strlen(header), "%s%s", i ? "," : "",
		         format->columns[i].name);
	for (size_t i = 0; i < count && !shown; i++)
		shown = strstr(readmes[i], header) != NULL;
	if (!shown)
		print_error("no README shows the columns of %s.csv:\n%s\n", format->name, header);
	return shown;
}

/* Whether the README of tables has the name in its list of what -t takes. */
static bool has_name(const char *readme, const char *name)
{
	const char *list = strstr(readme, "| names | written |"), *end = strstr(readme, "takes a name out");
	char quoted[64];
	const char *found;

	snprintf(quoted, sizeof(quoted), "`%s`", name);
	assert_true(list && end);
	found = strstr(list, quoted);
	if (!found || found > end)
		print_error("decode/tables/README.md: -t lacks %s\n", quoted);
	return found && found < end;
}

/*
 * README.md and the list of -t have every table, and the README that shows a table has its whole
 * header row. about.csv is written whether -t names it or not.
 */
static void readmes_have_all(void **state)
{
	char *list = file_text("README.md"), *shown[] = { file_text("decode/tables/README.md"),
		                                          file_text("decode/stacks/README.md"),
		                                          file_text("decode/compare/README.md"),
		                                          file_text("decode/intervals/README.md") };
	bool all = true;

	(void)state;
	assert_true(list && shown[0] && shown[1] && shown[2] && shown[3]);
	for (unsigned i = 0; i < TABLE_COUNT; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s.csv",
		         tables[i]->several ? tables[i]->several : tables[i]->format->name);
		if (!strstr(list, tables[i]->file ? tables[i]->file : name)) {
			print_error("README.md lacks the table %s\n", tables[i]->format->name);
			all = false;
		}
		if (tables[i] != &about_table)
			all &= has_name(shown[0], tables[i]->format->name);
		all &= has_header(tables[i]->format, (const char *const *)shown, 4);
	}
	for (size_t i = 0; i < 4; i++)
		free(shown[i]);
	free(list);
	assert_true(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(named_beside_all),
		cmocka_unit_test(needs),
		cmocka_unit_test(whole_descriptors),
		cmocka_unit_test(schema_is_as_promised),
		cmocka_unit_test(columns_are_only_appended),
		cmocka_unit_test(readmes_have_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
