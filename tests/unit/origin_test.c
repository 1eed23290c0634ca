/* Each source of names, and each reason why there is none, is described once; decode/symbols/README.md has these words. */
#include "decode/files/origin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_whole(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ORIGIN_COUNT; i++) {
		assert_non_null(origins[i].word);
		assert_non_null(origins[i].meaning);
		assert_int_equal(origins[i].advice != NULL,
		                 symbol_origin_is_reason((enum symbol_origin)i));
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(origins[i].word, origins[k].word);
	}
	assert_string_equal(symbol_origin_name(ORIGIN_NO_MAP), "no-map");
	assert_string_equal(symbol_origin_name(ORIGIN_COUNT), "");
}

static bool has_line(const char *path, const char *wanted)
{
	char line[1000];
	FILE *file = fopen(path, "r");
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		found = !strcmp(line, wanted);
	}
	if (file)
		fclose(file);
	return found;
}

static void test_documented(void **state)
{
	bool all = true;

	(void)state;
	for (unsigned i = 0; i < ORIGIN_COUNT; i++) {
		const struct origin *origin = &origins[i];
		char row[600];

		if (origin->advice)
			snprintf(row, sizeof(row), "| `%s` | %s | %s |", origin->word,
			         origin->meaning, origin->advice);
		else
			snprintf(row, sizeof(row), "| `%s` | %s |", origin->word, origin->meaning);
		if (!has_line("decode/symbols/README.md", row)) {
			print_message("not documented, or otherwise:\n%s\n", row);
			all = false;
		}
	}
	assert_true(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_documented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
