#include "util/sorter.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define BUFFERS_SIZE ((size_t)8 << 20) /* bytes, of all blocks that are merged */
#define BUFFER_SIZE ((size_t)64 << 10) /* bytes, of one block; less if there are many */

void sorter_init(struct sorter *sorter, const struct sorter_how *how, const char *dir, size_t limit)
{
	*sorter = (struct sorter){ .how = *how, .limit = limit };
	spill_init(&sorter->spill, how->size, dir);
}

void sorter_release(struct sorter *sorter)
{
	free(sorter->items);
	free(sorter->room);
	spill_close(&sorter->spill);
	*sorter = (struct sorter){ .items = NULL };
}

/* Adds up equal items of the sorted part in memory. */
static void add_up(struct sorter *sorter)
{
	const struct sorter_how *how = &sorter->how;
	size_t used = 0;

	for (size_t i = 0; i < sorter->count; i++) {
		const uint8_t *item = sorter->items + i * how->size;
		uint8_t *last = sorter->items + (used ? used - 1 : 0) * how->size;

		if (used && !how->compare(how->context, last, item))
			how->add(last, item);
		else
			memmove(sorter->items + used++ * how->size, item, how->size);
	}
	sorter->count = used;
}

static bool sort_part(struct sorter *sorter, struct err *err)
{
	const struct sorter_how *how = &sorter->how;
	uint8_t *sorted;

	if (!vec_reserve(&sorter->room, sorter->capacity, &sorter->room_capacity, how->size, err))
		return false;
	sorted = how->sort(how->context, sorter->items, sorter->room, sorter->count);
	if (sorted == sorter->room) {
		sorter->room = sorter->items;
		sorter->items = sorted;
	}
	if (how->add)
		add_up(sorter);
	return true;
}

/* Makes room for more items: where adding up leaves many, they are written. */
static bool empty_part(struct sorter *sorter, struct err *err)
{
	if (!sort_part(sorter, err))
		return false;
	if (sorter->count <= sorter->limit / 2)
		return true;
	if (!spill_write(&sorter->spill, sorter->items, sorter->count, err))
		return false;
	sorter->count = 0;
	return true;
}

bool sorter_add(struct sorter *sorter, const void *item, struct err *err)
{
	return (sorter->count < sorter->limit || empty_part(sorter, err)) &&
	       vec_append(&sorter->items, &sorter->count, &sorter->capacity, item, sorter->how.size,
	                  err);
}

bool sorter_finish(struct sorter *sorter, struct err *err)
{
	if (!sort_part(sorter, err))
		return false;
	free(sorter->room);
	sorter->room = NULL;
	sorter->room_capacity = 0;
	return true;
}

/* Sets the next item of a source. */
static void advance(struct sorter_cursor *cursor, size_t source, struct err *err)
{
	const struct sorter *sorter = cursor->sorter;
	struct sorter_source *from = &cursor->sources[source];

	if (source < sorter->spill.block_count)
		from->item = spill_read(&from->reader, err);
	else
		from->item = cursor->next < sorter->count
		                     ? sorter->items + cursor->next++ * sorter->how.size
		                     : NULL;
}

static bool comes_before(const struct sorter_cursor *cursor, size_t a, size_t b)
{
	const struct sorter_how *how = &cursor->sorter->how;
	const uint8_t *x = cursor->sources[a].item, *y = cursor->sources[b].item;
	int order;

	if (!x || !y)
		return x != NULL;
	order = how->compare(how->context, x, y);
	return order ? order < 0 : a < b;
}

/*
 * Plays the matches on the way of a source from its leaf to the root. Those below the root are at
 * [count, 2 * count), two have their match at half of their number. none: a match with one player
 * so far, which waits there.
 */
static void play(struct sorter_cursor *cursor, size_t source, size_t none)
{
	size_t winner = source;

	for (size_t at = (source + cursor->count) / 2; at; at /= 2) {
		const size_t other = cursor->losers[at];

		if (other == none) {
			cursor->losers[at] = winner;
			return;
		}
		if (comes_before(cursor, other, winner)) {
			cursor->losers[at] = winner;
			winner = other;
		}
	}
	cursor->losers[0] = winner;
}

bool sorter_cursor_open(struct sorter_cursor *cursor, const struct sorter *sorter, struct err *err)
{
	const size_t blocks = sorter->spill.block_count;
	const size_t room = (size_t)u64_min(BUFFER_SIZE, BUFFERS_SIZE / (blocks + 1));

	*cursor = (struct sorter_cursor){ .sorter = sorter, .count = blocks + 1 };
	cursor->sources = vec_new(cursor->count, sizeof(*cursor->sources), err);
	cursor->losers = vec_new(cursor->count, sizeof(*cursor->losers), err);
	if (!cursor->sources || !cursor->losers)
		return false;
	for (size_t i = 0; i < blocks; i++)
		if (!spill_reader_open(&cursor->sources[i].reader, &sorter->spill, i, i + 1, room,
		                       err))
			return false;
	for (size_t i = 0; i < cursor->count; i++) {
		cursor->losers[i] = SIZE_MAX;
		advance(cursor, i, err);
	}
	for (size_t i = 0; i < cursor->count; i++)
		play(cursor, i, SIZE_MAX);
	return err->code == ERR_NONE;
}

void sorter_cursor_close(struct sorter_cursor *cursor)
{
	for (size_t i = 0; cursor->sources && i < cursor->count; i++)
		spill_reader_close(&cursor->sources[i].reader);
	free(cursor->sources);
	free(cursor->losers);
	*cursor = (struct sorter_cursor){ .sources = NULL };
}

/* Goes on behind the first item. */
static const uint8_t *next_item(struct sorter_cursor *cursor, struct err *err)
{
	const size_t first = cursor->losers[0];

	advance(cursor, first, err);
	play(cursor, first, SIZE_MAX);
	return cursor->sources[cursor->losers[0]].item;
}

const void *sorter_next(struct sorter_cursor *cursor, struct err *err)
{
	const struct sorter_how *how = &cursor->sorter->how;
	const uint8_t *item = cursor->sources[cursor->losers[0]].item;

	if (!how->add) {
		if (cursor->taken)
			item = next_item(cursor, err);
		cursor->taken = true;
		return err->code == ERR_NONE ? item : NULL;
	}
	if (!item)
		return NULL;
	memcpy(cursor->sum, item, how->size);
	while ((item = next_item(cursor, err)) && !how->compare(how->context, cursor->sum, item))
		how->add(cursor->sum, item);
	return err->code == ERR_NONE ? cursor->sum : NULL;
}
