/* Arrows beside a listing: pictures drawn by hand. */
#include "decode/tables/arrows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct pair {
	size_t from, to;
};

/* The rows' arrows, each row with a line end. */
static void draw(char *picture, size_t rows, const struct pair *pairs, size_t count,
                 unsigned levels, bool between)
{
	struct arrows arrows = { .count = 0 };
	struct err err = { .code = ERR_NONE };
	char text[ARROWS_SIZE];

	for (size_t i = 0; i < count; i++)
		assert_true(arrows_add(&arrows, pairs[i].from, pairs[i].to, &err));
	assert_true(arrows_place(&arrows, rows, levels, &err));
	*picture = '\0';
	for (size_t i = 0; i < rows; i++) {
		arrows_draw(&arrows, i, between, text);
		assert_true(strlen(text) < ARROWS_SIZE);
		strcat(picture, text);
		strcat(picture, "\n");
	}
	arrows_release(&arrows);
}

static void test_pictures(void **state)
{
	static const struct pair forth[] = { { 0, 2 } }, back[] = { { 2, 0 } };
	static const struct pair nested[] = { { 0, 4 }, { 3, 1 } };
	static const struct pair crossed[] = { { 0, 2 }, { 1, 3 } };
	static const struct pair apart[] = { { 0, 1 }, { 3, 2 } };
	static const struct pair same_target[] = { { 0, 2 }, { 1, 2 } };
	char picture[200];

	(void)state;
	draw(picture, 3, forth, 1, 4, false);
	assert_string_equal(picture, ",-- \n"
	                             "|   \n"
	                             "'-> \n");
	draw(picture, 3, back, 1, 4, false);
	assert_string_equal(picture, ",-> \n"
	                             "|   \n"
	                             "'-- \n");
	draw(picture, 5, nested, 2, 4, false);
	assert_string_equal(picture, ",--- \n"
	                             "|,-> \n"
	                             "||   \n"
	                             "|'-- \n"
	                             "'--> \n");
	/* of two of one length the upper one is the inner one */
	draw(picture, 4, crossed, 2, 4, false);
	assert_string_equal(picture, " ,-- \n"
	                             ",|-- \n"
	                             "|'-> \n"
	                             "'--> \n");
	draw(picture, 4, apart, 2, 4, false);
	assert_string_equal(picture, ",-- \n"
	                             "'-> \n"
	                             ",-> \n"
	                             "'-- \n");
	draw(picture, 3, same_target, 2, 4, false);
	assert_string_equal(picture, ",--- \n"
	                             "|,-- \n"
	                             "''-> \n");
	/* what finds no level is not drawn: here the longer one */
	draw(picture, 5, nested, 2, 1, false);
	assert_string_equal(picture, "    \n"
	                             ",-> \n"
	                             "|   \n"
	                             "'-- \n"
	                             "    \n");
	draw(picture, 3, forth, 1, 0, false);
	assert_string_equal(picture, "\n\n\n");
	/* lines above rows */
	draw(picture, 3, back, 1, 4, true);
	assert_string_equal(picture, "    \n"
	                             "|   \n"
	                             "|   \n");
}

/* Too many of them are none, and take no time. */
static void test_many(void **state)
{
	struct arrows arrows = { .count = 0 };
	struct err err = { .code = ERR_NONE };
	char text[ARROWS_SIZE];

	(void)state;
	for (size_t i = 0; i < 100000; i++)
		assert_true(arrows_add(&arrows, i, 100000 - i, &err));
	assert_true(arrows_place(&arrows, 100001, 4, &err));
	arrows_draw(&arrows, 5, false, text);
	assert_string_equal(text, "");
	arrows_release(&arrows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pictures),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
