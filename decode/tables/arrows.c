#include "decode/tables/arrows.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* More jumps than that, in one function, are not drawn. */
#define ARROWS_MOST 2000

static uint32_t top_of(const struct arrow *arrow)
{
	return arrow->from < arrow->to ? arrow->from : arrow->to;
}

static uint32_t bottom_of(const struct arrow *arrow)
{
	return arrow->from < arrow->to ? arrow->to : arrow->from;
}

bool arrows_add(struct arrows *arrows, size_t from, size_t to, struct err *err)
{
	const struct arrow arrow = { (uint32_t)from, (uint32_t)to, 0 };

	return vec_append(&arrows->items, &arrows->count, &arrows->capacity, &arrow, sizeof(arrow),
	                  err);
}

static int compare_arrows(const void *a, const void *b)
{
	const struct arrow *x = a, *y = b;
	const uint32_t length = bottom_of(x) - top_of(x), other = bottom_of(y) - top_of(y);

	if (length != other)
		return length < other ? -1 : 1;
	return top_of(x) < top_of(y) ? -1 : top_of(x) > top_of(y);
}

/* The rows of a level that are taken: one bit each. */
static bool is_free(const uint8_t *taken, const struct arrow *arrow)
{
	for (uint32_t i = top_of(arrow); i <= bottom_of(arrow); i++)
		if (taken[i / 8] >> i % 8 & 1)
			return false;
	return true;
}

static void take_rows(uint8_t *taken, const struct arrow *arrow)
{
	for (uint32_t i = top_of(arrow); i <= bottom_of(arrow); i++)
		taken[i / 8] |= (uint8_t)(1 << i % 8);
}

bool arrows_place(struct arrows *arrows, size_t row_count, unsigned levels_most, struct err *err)
{
	const size_t size = row_count / 8 + 1;
	uint8_t *taken;

	if (levels_most > ARROW_LEVELS_MOST)
		levels_most = ARROW_LEVELS_MOST;
	if (arrows->count > ARROWS_MOST)
		arrows->count = 0;
	if (!arrows->count)
		return true;
	taken = vec_new(levels_most, size, err);
	if (!taken)
		return false;
	qsort(arrows->items, arrows->count, sizeof(*arrows->items), compare_arrows);
	for (size_t i = 0; i < arrows->count; i++) {
		struct arrow *arrow = &arrows->items[i];
		unsigned level = 0;

		while (level < levels_most && !is_free(taken + level * size, arrow))
			level++;
		arrow->level = level < levels_most ? (uint8_t)level : ARROW_LEVELS_MOST;
		if (level == levels_most)
			continue;
		take_rows(taken + level * size, arrow);
		if (arrows->levels < level + 1)
			arrows->levels = level + 1;
	}
	free(taken);
	return true;
}

void arrows_release(struct arrows *arrows)
{
	free(arrows->items);
	memset(arrows, 0, sizeof(*arrows));
}

/* The line from an end of an arrow to its row. */
static void draw_end(char *text, size_t width, size_t column, bool top, bool target)
{
	for (size_t i = column + 1; i < width; i++)
		if (text[i] == ' ')
			text[i] = '-';
	text[column] = top ? ',' : '\'';
	if (target)
		text[width - 1] = '>';
}

void arrows_draw(const struct arrows *arrows, size_t row, bool between, char text[ARROWS_SIZE])
{
	const size_t width = arrows->levels ? arrows->levels + 2 : 0;

	memset(text, ' ', width);
	strcpy(text + width, width ? " " : "");
	/* upright lines first: what lies across them is drawn up to them */
	for (size_t i = 0; i < arrows->count; i++) {
		const struct arrow *arrow = &arrows->items[i];
		const size_t top = top_of(arrow), bottom = bottom_of(arrow);

		if (arrow->level < ARROW_LEVELS_MOST && row > top &&
		    (row < bottom || (between && row == bottom)))
			text[arrows->levels - 1 - arrow->level] = '|';
	}
	for (size_t i = 0; i < arrows->count && !between; i++) {
		const struct arrow *arrow = &arrows->items[i];

		if (arrow->level < ARROW_LEVELS_MOST && (arrow->from == row || arrow->to == row))
			draw_end(text, width, arrows->levels - 1 - arrow->level,
			         row == top_of(arrow), arrow->to == row);
	}
}
