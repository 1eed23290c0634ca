#include "decode/naming/grouprows.h"

#include "util/search.h"

#include <stdlib.h>
#include <string.h>

/* A row, while rows are sorted. */
struct row_item {
	uint64_t word; /* what it is sorted by at the moment */
	uint64_t period, samples;
	uint64_t key; /* of struct row_sum */
};

uint64_t group_rows_whole(const struct group_rows *rows, const struct buildstat *stat,
                          uint32_t event)
{
	if (rows->projection.whole)
		return event < stat->session->event_count ? rows->projection.whole[event] : 0;
	return buildstat_totals(stat, event)->period;
}

/* How often keys of samples follow those of places, or the other way round. */
static unsigned count_changes(const struct group_table *table)
{
	unsigned changes = 0;

	for (unsigned k = 1; k < table->key_count; k++)
		changes += group_key_is_of_place(table->keys[k]) !=
		           group_key_is_of_place(table->keys[k - 1]);
	return changes;
}

/* If they do so more than once, rows are not in the order of their keys' numbers. */
static bool make_segments(struct group_rows *rows, const struct strings *strings, struct err *err)
{
	const struct projection *projection = &rows->projection;
	const struct group_table *table = projection->table;
	size_t used[2] = { 0, 0 }; /* words of groups and of places */

	for (unsigned k = 0; count_changes(table) > 1 && k < table->key_count;) {
		const bool of_place = group_key_is_of_place(table->keys[k]);
		struct row_segment *segment = &rows->segments[rows->segment_count++];
		struct word_order order = { .strings = strings, .first = used[of_place] };

		for (; k < table->key_count && group_key_is_of_place(table->keys[k]) == of_place;
		     k++)
			order.keys[order.count++] = table->keys[k];
		used[of_place] += order.count;
		segment->of_place = of_place;
		segment->ranks = row_words_rank(
			of_place ? &projection->places : &projection->groups, &order, err);
		if (err->code != ERR_NONE)
			return false;
	}
	return true;
}

/* What rows are ordered by, one after the other: event, period, samples, keys. */
enum { STEP_EVENT, STEP_PERIOD, STEP_SAMPLES, STEP_KEYS };

static inline uint64_t step_word(const struct group_rows *rows, const struct row_item *item,
                                 unsigned step)
{
	const struct projection *projection = &rows->projection;
	const struct row_segment *segment;

	if (step == STEP_EVENT)
		return row_words_at(
			&projection->places,
			projection_place(projection, item->key))[projection->places.width - 1];
	if (step == STEP_PERIOD)
		return ~item->period;
	if (step == STEP_SAMPLES)
		return projection->table->by_samples ? ~item->samples : 0;
	segment = &rows->segments[step - STEP_KEYS];
	return segment->ranks[segment->of_place ? projection_place(projection, item->key)
	                                        : projection_group(projection, item->key)];
}

/* Items come in the order of their numbers, which the sort keeps where nothing else differs. */
static void *sort_items(const void *context, void *items, void *room, size_t count)
{
	const struct group_rows *rows = context;

	for (unsigned step = STEP_KEYS + rows->segment_count; step--;) {
		struct row_item *each = items;
		void *sorted;

		for (size_t i = 0; i < count; i++)
			each[i].word = step_word(rows, &each[i], step);
		sorted = radix_sort(items, room, count, sizeof(*each));
		room = sorted == items ? room : items;
		items = sorted;
	}
	return items;
}

static int compare_items(const void *context, const void *a, const void *b)
{
	const struct group_rows *rows = context;
	const struct row_item *x = a, *y = b;
	int order = 0;

	for (unsigned step = 0; !order && step < STEP_KEYS + rows->segment_count; step++)
		order = u64_order(step_word(rows, x, step), step_word(rows, y, step));
	return order ? order : u64_order(x->key, y->key);
}

/* Sorts the rows that were added up. */
static bool sort_rows(struct group_rows *rows, const struct group_source *source, struct err *err)
{
	const struct sorter_how how = { .size = sizeof(struct row_item),
		                        .sort = sort_items,
		                        .compare = compare_items,
		                        .context = rows };
	struct sorter_cursor sums;
	const struct row_sum *sum;
	bool ok = make_segments(rows, source->stat->strings, err);

	sorter_init(&rows->sorter, &how, source->temp_dir, source->limit);
	if (!sorter_cursor_open(&sums, &rows->projection.sums, err))
		ok = false;
	while (ok && (sum = sorter_next(&sums, err))) {
		const struct row_item item = { .period = sum->period,
			                       .samples = sum->samples,
			                       .key = sum->key };

		ok = sorter_add(&rows->sorter, &item, err);
	}
	sorter_cursor_close(&sums);
	return err->code == ERR_NONE && sorter_finish(&rows->sorter, err);
}

bool group_rows_make(struct group_rows *rows, const struct group_table *table,
                     const struct group_source *source, struct err *err)
{
	const bool ok = projection_make(&rows->projection, table, source, err) &&
	                sort_rows(rows, source, err);

	sorter_release(&rows->projection.sums);
	return ok;
}

void group_rows_release(struct group_rows *rows)
{
	projection_release(&rows->projection);
	for (unsigned i = 0; i < rows->segment_count; i++)
		free(rows->segments[i].ranks);
	sorter_release(&rows->sorter);
	memset(rows, 0, sizeof(*rows));
}

bool group_cursor_open(struct group_cursor *cursor, const struct group_rows *rows, struct err *err)
{
	cursor->rows = rows;
	return sorter_cursor_open(&cursor->items, &rows->sorter, err);
}

void group_cursor_close(struct group_cursor *cursor)
{
	sorter_cursor_close(&cursor->items);
}

const struct group_row *group_cursor_next(struct group_cursor *cursor, struct err *err)
{
	const struct projection *projection = &cursor->rows->projection;
	const struct group_table *table = projection->table;
	const struct row_item *item = sorter_next(&cursor->items, err);
	struct group_row *row = &cursor->row;
	const uint64_t *group, *place;

	if (!item)
		return NULL;
	group = row_words_at(&projection->groups, projection_group(projection, item->key));
	place = row_words_at(&projection->places, projection_place(projection, item->key));
	for (unsigned k = 0; k < table->key_count; k++)
		row->words[k] = group_key_is_of_place(table->keys[k]) ? *place++ : *group++;
	row->words[table->key_count] = *place;
	row->period = item->period;
	row->samples = item->samples;
	row->binary = projection->binaries[projection_place(projection, item->key)];
	return row;
}
