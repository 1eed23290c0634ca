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
	char text[8][500];
	uint64_t offset[8];
	size_t count;
};

static void note(void *context, uint64_t offset, const char *text)
{
	struct lines *lines = context;

	assert_true(lines->count < 8);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_failure_is_kept),
		cmocka_unit_test(the_system_is_quoted),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(warnings_are_counted),
		cmocka_unit_test(errors_become_warnings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
