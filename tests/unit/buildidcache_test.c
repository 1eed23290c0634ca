/* Where perf keeps its cache of binaries: what its settings say, in their order. */
#define _XOPEN_SOURCE 700
#include "decode/files/buildidcache.h"

#include "tests/unit/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void expect_dir(const char *wanted)
{
	struct err err = { .code = ERR_NONE };
	char *dir = buildid_cache_dir(&err);

	assert_non_null(dir);
	assert_string_equal(dir, wanted);
	free(dir);
}

static void test_settings(void **state)
{
	struct fixture f;
	char wanted[200];
	unsigned failed = 0;

	(void)state;
	fixture_begin(&f);
	unsetenv("PERF_BUILDID_DIR");
	assert_int_equal(setenv("HOME", f.root, 1), 0);
	if (access("/etc/perfconfig", F_OK))
		expect_dir(fixture_path(&f, ".debug", wanted));
	fixture_text(&f, ".perfconfig", "[report]\n\tdir = /wrong\n[buildid]\n# dir = /comment\n"
	                                "\tdir = ~/my cache ; here\n[ui]\ndir=/wrong\n");
	expect_dir(fixture_path(&f, "my cache", wanted));
	/* as perf config -l prints them */
	fixture_text(&f, ".perfconfig", "[BuildID] ; here\n\tDir = \"/some/my # cache;\" # x\n");
	expect_dir("/some/my # cache;");
	fixture_text(&f, ".perfconfig", "[buildid]\ndir = /some/\"two  words\"/a\\\\b  ; c\n");
	expect_dir("/some/two  words/a\\b");
	fixture_text(&f, ".perfconfig", "[buildid]\ndir=\"/some/where\"");
	expect_dir("/some/where");
	assert_int_equal(setenv("PERF_BUILDID_DIR", "/else/where", 1), 0);
	expect_dir("/else/where");
	unsetenv("PERF_BUILDID_DIR");
	for (unsigned long n = 1;; n++) {
		struct err err = { .code = ERR_NONE };
		char *dir;

		refuse_allocation(n);
		dir = buildid_cache_dir(&err);
		if (allocations_seen() < n) {
			assert_string_equal(dir, "/some/where");
			free(dir);
			break;
		}
		refuse_allocation(0);
		/* a first try to find room may be repeated */
		if (dir)
			assert_string_equal(dir, "/some/where");
		else
			assert_int_equal(err.code, ERR_NOMEM);
		failed += !dir;
		free(dir);
	}
	refuse_allocation(0);
	assert_true(failed >= 3);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_settings) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
