/* Errors keep the first failure; warnings of one kind are said once and counted. */
#include "util/errhandler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct lines {
	char text[40][500];
	uint64_t offset[40];
	size_t count;
};

static void note(void *context, uint64_t offset, const char *text)
{
	struct lines *lines = context;

	assert_true(lines->count < ARRAY_SIZE(lines->text));
	lines->offset[lines->count] = offset;
	snprintf(lines->text[lines->count++], sizeof(lines->text[0]), "%s", text);
}

static void the_first_failure_is_kept(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_false(err_at(&err, ERR_FORMAT, 0x10, "first %d", 1));
	assert_false(err_set(&err, ERR_IO, "second"));
	errno = ENOENT;
	assert_false(err_errno(&err, "third"));
	assert_false(err_nomem(&err, 5));
	assert_int_equal(err.code, ERR_FORMAT);
	assert_int_equal(err.offset, 0x10);
	assert_string_equal(err.text, "first 1");
	assert_false(err_at(NULL, ERR_FORMAT, 0, "nobody listens"));
}

static void the_system_is_quoted(void **state)
{
	struct err err = { 0 };
	char expected[300];

	(void)state;
	errno = ENOENT;
	err_errno(&err, "cannot open %s", "x");
	snprintf(expected, sizeof(expected), "cannot open x: %s", strerror(ENOENT));
	assert_string_equal(err.text, expected);
	assert_int_equal(err.code, ERR_IO);
	assert_int_equal(err.offset, ERR_NO_OFFSET);
}

static void long_texts_are_cut(void **state)
{
	struct err err = { 0 };
	char name[2000];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	errno = EIO;
	err_errno(&err, "%s", name);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

static void warnings_are_counted(void **state)
{
	static const char repeated[] = "a thing at %d";
	struct lines lines = { .count = 0 };
	struct diag diag;

	(void)state;
	diag_init(&diag, note, &lines);
	for (int i = 1; i <= 5; i++)
		diag_warn(&diag, (uint64_t)i, repeated, i);
	diag_warn(&diag, ERR_NO_OFFSET, "another");
	assert_int_equal(lines.count, 2);
	assert_string_equal(lines.text[0], "a thing at 1");
	assert_int_equal(lines.offset[0], 1);
	diag_finish(&diag);
	assert_int_equal(lines.count, 3);
	assert_string_equal(lines.text[2], "4 more like: a thing at 1");
	diag_release(&diag);
	diag_warn(NULL, 0, "nobody listens");
}

static void errors_become_warnings(void **state)
{
	struct lines lines = { .count = 0 };
	struct err err = { 0 };
	struct diag diag;

	(void)state;
	diag_init(&diag, note, &lines);
	for (int i = 0; i < 3; i++) {
		memset(&err, 0, sizeof(err));
		err_at(&err, ERR_FORMAT, 64, "bad %d", i);
		diag_warn_err(&diag, &err);
	}
	diag_finish(&diag);
	assert_int_equal(lines.count, 2);
	assert_string_equal(lines.text[0], "bad 0");
	assert_int_equal(lines.offset[0], 64);
	assert_string_equal(lines.text[1], "2 more like: bad 0");
	diag_release(&diag);
}

/* Warnings are of one kind if format and subject are the same; the subject is the format's first argument. */
static void subjects_are_told_apart(void **state)
{
	static const char format[] = "%s: damaged at %d";
	struct lines lines = { .count = 0 };
	struct err err = { 0 };
	struct diag diag;

	(void)state;
	diag_init(&diag, note, &lines);
	diag_warn(&diag, 1, format, "a.so", 1);
	diag_warn(&diag, 2, format, "b.so", 2);
	diag_warn(&diag, 3, format, "a.so", 3);
	err_at(&err, ERR_FORMAT, 4, format, "b.so", 4);
	diag_warn_err(&diag, &err);
	err_prefix(&err, "data.1");
	diag_warn_err(&diag, &err);
	diag_finish(&diag);
	assert_int_equal(lines.count, 5);
	assert_string_equal(lines.text[0], "a.so: damaged at 1");
	assert_string_equal(lines.text[1], "b.so: damaged at 2");
	assert_string_equal(lines.text[2], "data.1: b.so: damaged at 4");
	assert_int_equal(lines.offset[2], 4);
	assert_string_equal(lines.text[3], "1 more like: a.so: damaged at 1");
	assert_string_equal(lines.text[4], "1 more like: b.so: damaged at 2");
	diag_release(&diag);
}

static void a_long_text_keeps_its_prefix(void **state)
{
	struct err err = { 0 };
	char name[2 * ERR_TEXT_SIZE];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	err_set(&err, ERR_FORMAT, "%s", name);
	err_prefix(&err, "data.1");
	assert_int_equal(strlen(err.text), ERR_TEXT_SIZE - 1);
	assert_memory_equal(err.text, "data.1: nnn", 11);
	err_prefix(&err, name);
	assert_int_equal(strlen(err.text), ERR_TEXT_SIZE - 1);
	assert_non_null(strstr(err.text, "n: data.1: n"));
}

/* However many files are wrong, those with most samples are named, and all are counted. */
static void most_samples_are_said(void **state)
{
	static const char format[] = "%s is another file";
	struct lines lines = { .count = 0 };
	struct diag lookup, diag;
	char name[20];

	(void)state;
	diag_init(&diag, note, &lines);
	for (uint64_t i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "%d.so", (int)i);
		diag_init(&lookup, NULL, NULL);
		diag_warn(&lookup, ERR_NO_OFFSET, format, name);
		/* 77 has most, then 76 and so on */
		diag_replay(&diag, &lookup, 1 + (i + 122) % 200);
		diag_release(&lookup);
	}
	assert_int_equal(lines.count, 0);
	diag_finish(&diag);
	assert_int_equal(lines.count, DIAG_SAID_MOST + 1);
	for (int i = 0; i < DIAG_SAID_MOST; i++) {
		snprintf(name, sizeof(name), "%d.so is", 77 - i);
		assert_memory_equal(lines.text[i], name, strlen(name));
	}
	assert_memory_equal(lines.text[DIAG_SAID_MOST], "192 more about others, as: ", 27);
	diag_release(&diag);
}

/* A hostile recording can make up any number of subjects. */
static void subjects_are_bounded(void **state)
{
	struct lines lines = { .count = 0 };
	struct diag diag;
	char name[20];

	(void)state;
	diag_init(&diag, note, &lines);
	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "type %d", i);
		diag_warn(&diag, 0, "%s: skipped", name);
	}
	diag_finish(&diag);
	assert_int_equal(lines.count, DIAG_SAID_MOST + 1);
	assert_string_equal(lines.text[0], "type 0: skipped");
	assert_memory_equal(lines.text[DIAG_SAID_MOST], "99992 more about others, as: type ", 34);
	assert_non_null(diag.formats);
	assert_null(diag.formats->next);
	assert_int_equal(diag.formats->count, DIAG_KINDS_MOST);
	diag_release(&diag);
}

/* Damage stays behind, a refusal of memory does not. */
static void only_refused_memory(void **state)
{
	struct err err = { .code = ERR_NONE }, damage = { .code = ERR_FORMAT }, refused = { .code = ERR_NOMEM };

	(void)state;
	assert_true(err_pass_nomem(&err, &damage));
	assert_int_equal(err.code, ERR_NONE);
	assert_false(err_pass_nomem(&err, &refused));
	assert_int_equal(err.code, ERR_NOMEM);
	assert_false(err_pass_nomem(&err, &damage));
	assert_int_equal(err.code, ERR_NOMEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_refused_memory),
		cmocka_unit_test(the_first_failure_is_kept),
		cmocka_unit_test(the_system_is_quoted),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(warnings_are_counted),
		cmocka_unit_test(errors_become_warnings),
		cmocka_unit_test(subjects_are_told_apart),
		cmocka_unit_test(a_long_text_keeps_its_prefix),
		cmocka_unit_test(most_samples_are_said),
		cmocka_unit_test(subjects_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
