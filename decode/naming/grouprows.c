#define _GNU_SOURCE /* qsort_r() */
#include "decode/naming/grouprows.h"

#include "decode/files/origin.h"
#include "decode/naming/rows.h"
#include "util/search.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* What a table is computed from. */
struct projection {
	struct group_rows *rows;
	const struct group_table *table;
	const struct buildstat *stat;
	const struct place_names *names;
	const struct call_tree *calls;
	uint32_t caller;             /* string; of the place that is numbered next */
	const struct groups *groups; /* those that have the table's keys */
	bool has_line;
	/* what rows are called by the numbers of what is added up; NULL: all have number 0 */
	uint32_t *group_of; /* by group */
	uint32_t *place_of; /* by number of the cell, or of the sum without a place */
	struct sorter sums; /* struct row_sum */
	struct err *err;
};

/* The sum of a row, while rows are added up. */
struct row_sum {
	uint64_t key; /* number of its group * number of places + number of its place */
	uint64_t period, samples;
};

/* A row, while rows are sorted. */
struct row_item {
	uint64_t word; /* what it is sorted by at the moment */
	uint64_t period, samples;
	uint32_t group, place;
};

static bool is_of_place(enum group_key key)
{
	return key >= KEY_SAMPLE_END;
}

static uint64_t text_word(struct projection *projection, const char *text)
{
	return strings_put_text(projection->stat->strings, text, projection->err);
}

static uint64_t build_id_text(struct projection *projection, uint32_t binary)
{
	char text[2 * PERF_BUILD_ID_SIZE + 1];

	build_id_format(&projection->stat->binaries.items[binary].build_id, text);
	return text_word(projection, text);
}

static uint64_t sample_word(struct projection *projection, enum group_key key, uint32_t group)
{
	const struct choice *choice = &projection->stat->choice;
	uint64_t word = groups_word(projection->groups, group, key);

	if (key == KEY_MODE)
		return text_word(projection, cpu_mode_name((enum cpu_mode)word));
	if (key == KEY_TIME && word != WORD_NONE)
		return choice_slice_start(choice, word);
	if (key == KEY_CGROUP && word == WORD_NONE)
		return STRING_EMPTY;
	if (key >= KEY_FIELD && key <= KEY_FIELD_LAST && word & FIELD_POINTS)
		return projection->stat->pointed.names[(uint32_t)word];
	return word;
}

static uint64_t place_word(struct projection *projection, enum group_key key,
                           const struct place_name *place)
{
	const struct function_name *function = &projection->names->functions[place->function];

	switch (key) {
	case KEY_BINARY:
		return projection->stat->binaries.items[function->binary].name;
	case KEY_BUILD_ID:
		return build_id_text(projection, function->binary);
	case KEY_FUNCTION:
		return function->name;
	case KEY_SOURCE_FILE:
		/*
		 * the file of the line, if the table has lines; otherwise the one where the
		 * function is defined
		 */
		return projection->has_line ? place->file : function->file;
	case KEY_LINE:
		return place->line;
	case KEY_ADDRESS:
		return place->link_addr;
	case KEY_CALLER:
		return projection->caller;
	default:
		return text_word(projection,
		                 symbol_origin_name((enum symbol_origin)function->origin));
	}
}

/* Numbers the groups by the table's keys of the sample, if it has any. */
static bool number_groups(struct projection *projection)
{
	const struct group_table *table = projection->table;
	const size_t count = projection->groups->tuples.count;
	uint64_t words[KEY_COUNT];

	if (!projection->rows->groups.size)
		return true;
	projection->group_of = vec_new(count, sizeof(*projection->group_of), projection->err);
	for (uint32_t i = 0; projection->err->code == ERR_NONE && i < count; i++) {
		unsigned used = 0;

		for (unsigned k = 0; k < table->key_count; k++)
			if (!is_of_place(table->keys[k]))
				words[used++] = sample_word(projection, table->keys[k], i);
		projection->group_of[i] = tuples_put(&projection->rows->groups, words,
		                                     projection->err);
	}
	return projection->err->code == ERR_NONE;
}

/* The number of an event and, if the table has keys of places, a place; place may be NULL. */
static uint32_t number_place(struct projection *projection, uint32_t event,
                             const struct place_name *place)
{
	const struct group_table *table = projection->table;
	struct group_rows *rows = projection->rows;
	uint64_t words[KEY_COUNT + 1];
	unsigned used = 0;
	size_t count = rows->places.count;
	uint32_t number;

	for (unsigned k = 0; k < table->key_count; k++)
		if (is_of_place(table->keys[k]))
			words[used++] = place_word(projection, table->keys[k], place);
	words[used] = event;
	number = tuples_put(&rows->places, words, projection->err);
	if (number != count || number == MAP_NONE)
		return number;
	if (!vec_room(&rows->binaries, count, &rows->binary_capacity, sizeof(*rows->binaries),
	              projection->err))
		return MAP_NONE;
	rows->binaries[count] = place ? projection->names->functions[place->function].binary : 0;
	return number;
}

/* Adds samples of a group and of what has a number in place_of[]. */
static bool add_samples(struct projection *projection, uint32_t group, size_t number,
                        uint64_t samples, uint64_t period)
{
	const uint64_t first = projection->group_of ? projection->group_of[group] : 0;
	const struct row_sum sum = { first * projection->rows->places.count +
		                             projection->place_of[number],
		                     period, samples };

	return sorter_add(&projection->sums, &sum, projection->err);
}

static bool add_cells(struct projection *projection)
{
	const struct cells *cells = &projection->stat->cells;

	for (size_t i = 0; i < cells->count; i++)
		if (!add_samples(projection, cells_kind_at(cells, cells->items[i].kind)->group, i,
		                 cells->items[i].samples, cells->items[i].period))
			return false;
	return true;
}

static bool number_cells(struct projection *projection)
{
	const struct cells *cells = &projection->stat->cells;

	projection->place_of = vec_new(cells->count, sizeof(*projection->place_of),
	                               projection->err);
	for (size_t i = 0; projection->err->code == ERR_NONE && i < cells->count; i++)
		projection->place_of[i] = number_place(
			projection, cells_kind_at(cells, cells->items[i].kind)->event,
			&projection->names->places[cell_place(&cells->items[i])]);
	return projection->err->code == ERR_NONE;
}

/* The name of the function that called the innermost one of a cell's stack; "" if it is none. */
static uint32_t caller_of(const struct call_tree *calls, size_t cell)
{
	uint32_t node = calls->node_of_cell[cell];
	uint32_t parent = node == CALL_NODE_NONE ? CALL_NODE_NONE : calls->nodes[node].parent;

	return parent == CALL_NODE_NONE ? STRING_EMPTY : calls->nodes[parent].name;
}

/* add_cells() by stacks: only these know who called. */
static bool add_stacks(struct projection *projection)
{
	const struct stackstat *stacks = projection->stat->stacks;

	for (size_t i = 0; i < stacks->cells.count; i++) {
		const struct stack_cell *cell = &stacks->cells.items[i];

		if (cell->samples && !add_samples(projection, stackstat_group(stacks, cell)->choice,
		                                  i, cell->samples, cell->period))
			return false;
	}
	return true;
}

static bool number_stacks(struct projection *projection)
{
	const struct stackstat *stacks = projection->stat->stacks;

	projection->place_of = vec_new(stacks->cells.count, sizeof(*projection->place_of),
	                               projection->err);
	for (size_t i = 0; projection->err->code == ERR_NONE && i < stacks->cells.count; i++) {
		const struct stack_cell *cell = &stacks->cells.items[i];

		if (!cell->samples)
			continue;
		projection->caller = caller_of(projection->calls, i);
		projection->place_of[i] = number_place(
			projection, stackstat_group(stacks, cell)->event,
			&projection->names->places[stack_cell_place(cell)]);
	}
	return projection->err->code == ERR_NONE;
}

/* Whether the table has the key `caller`, and the recording has stacks. */
static bool has_callers(const struct projection *projection)
{
	const struct buildstat *stat = projection->stat;

	return (group_table_keys(projection->table) >> KEY_CALLER & 1) && projection->calls &&
	       projection->calls->node_of_cell && stat->stacks->cells.count &&
	       stat->stacks->options.by_choice;
}

static bool add_sums(struct projection *projection)
{
	const struct sums *sums = &projection->stat->choice.sums;

	for (size_t i = 0; i < sums->count; i++)
		if (!add_samples(projection, sums->items[i].number, i, sums->items[i].samples,
		                 sums->items[i].period))
			return false;
	return true;
}

static bool number_sums(struct projection *projection)
{
	const struct sums *sums = &projection->stat->choice.sums;

	projection->place_of = vec_new(sums->count, sizeof(*projection->place_of), projection->err);
	for (size_t i = 0; projection->err->code == ERR_NONE && i < sums->count; i++)
		projection->place_of[i] = number_place(projection, sums->items[i].event, NULL);
	return projection->err->code == ERR_NONE;
}

/* Whether the table's samples were counted without places. */
static bool is_apart(const struct buildstat *stat, const struct group_table *table)
{
	return (group_table_keys(table) & ~stat->choice.apart.keys) == 0;
}

static void *sort_sums(const void *context, void *items, void *room, size_t count)
{
	(void)context;
	return radix_sort(items, room, count, sizeof(struct row_sum));
}

static int compare_sums(const void *context, const void *a, const void *b)
{
	(void)context;
	return search_compare(a, b);
}

static void add_to_sum(void *to, const void *item)
{
	struct row_sum *sum = to;
	const struct row_sum *added = item;

	sum->period += added->period;
	sum->samples += added->samples;
}

/* Adds up the samples of each row. */
static bool sum_rows(struct projection *projection, const struct group_source *source)
{
	static const struct sorter_how how = { .size = sizeof(struct row_sum),
		                               .sort = sort_sums,
		                               .compare = compare_sums,
		                               .add = add_to_sum };
	const bool callers = has_callers(projection);

	sorter_init(&projection->sums, &how, source->temp_dir, source->limit);
	return number_groups(projection) &&
	       (is_apart(projection->stat, projection->table)
	                ? number_sums(projection) && add_sums(projection)
	        : callers ? number_stacks(projection) && add_stacks(projection)
	                  : number_cells(projection) && add_cells(projection)) &&
	       sorter_finish(&projection->sums, projection->err);
}

/* The words of a segment. */
struct segment_words {
	const struct tuples *tuples;
	const struct strings *strings;
	const enum group_key *keys;
	unsigned first, count; /* of the words in a tuple */
};

static int compare_words(const struct segment_words *words, enum group_key key, uint64_t x,
                         uint64_t y)
{
	if (group_key_is_text(key))
		return rows_compare_texts(words->strings, (uint32_t)x, (uint32_t)y);
	if (key == KEY_PID || key == KEY_TID)
		return (int64_t)x < (int64_t)y ? -1 : 1;
	return x < y ? -1 : 1;
}

static int compare_tuples(const void *a, const void *b, void *context)
{
	const struct segment_words *words = context;
	const uint64_t *v = tuples_get(words->tuples, *(const uint32_t *)a);
	const uint64_t *w = tuples_get(words->tuples, *(const uint32_t *)b);
	int order = 0;

	for (unsigned i = words->first; !order && i < words->first + words->count; i++)
		if (v[i] != w[i])
			order = compare_words(words, words->keys[i - words->first], v[i], w[i]);
	return order;
}

/* The rank of each tuple by these words; malloc'd, NULL with err set. */
static uint32_t *rank_tuples(struct segment_words *words, struct err *err)
{
	const size_t count = words->tuples->count;
	uint32_t *order = vec_new(count, sizeof(*order), err);
	uint32_t *ranks = vec_new(count, sizeof(*ranks), err);
	uint32_t rank = 0;

	for (uint32_t i = 0; order && i < count; i++)
		order[i] = i;
	if (order)
		qsort_r(order, count, sizeof(*order), compare_tuples, words);
	for (size_t i = 0; order && ranks && i < count; i++) {
		rank += i && compare_tuples(&order[i - 1], &order[i], words);
		ranks[order[i]] = rank;
	}
	if (!order) {
		free(ranks);
		return NULL;
	}
	free(order);
	return ranks;
}

/* The events of places are the first segment: their numbers are the ranks. */
static bool add_event_segment(struct group_rows *rows, struct err *err)
{
	const size_t event = rows->places.size / sizeof(uint64_t) - 1;
	uint32_t *events = vec_new(rows->places.count, sizeof(*events), err);

	for (size_t i = 0; events && i < rows->places.count; i++) {
		const uint64_t *words = tuples_get(&rows->places, i);

		events[i] = (uint32_t)words[event];
	}
	rows->segments[rows->segment_count++] = (struct row_segment){ true, events };
	return events != NULL;
}

static bool make_segments(struct group_rows *rows, const struct strings *strings, struct err *err)
{
	const struct group_table *table = rows->table;
	unsigned used[2] = { 0, 0 }; /* words of tuples, of groups and of places */

	if (!add_event_segment(rows, err))
		return false;
	for (unsigned k = 0; k < table->key_count;) {
		const bool of_place = is_of_place(table->keys[k]);
		struct segment_words words = { .tuples = of_place ? &rows->places : &rows->groups,
			                       .strings = strings,
			                       .keys = &table->keys[k],
			                       .first = used[of_place] };
		struct row_segment *segment = &rows->segments[rows->segment_count++];

		for (; k < table->key_count && is_of_place(table->keys[k]) == of_place; k++)
			words.count++;
		used[of_place] += words.count;
		*segment = (struct row_segment){ of_place, rank_tuples(&words, err) };
		if (!segment->ranks)
			return false;
	}
	return true;
}

/* What rows are ordered by, one after the other: event, period, samples, keys. */
enum { STEP_EVENT, STEP_PERIOD, STEP_SAMPLES, STEP_KEYS };

static inline uint64_t step_word(const struct group_rows *rows, const struct row_item *item,
                                 unsigned step)
{
	const struct row_segment *segment;

	if (step == STEP_PERIOD)
		return ~item->period;
	if (step == STEP_SAMPLES)
		return rows->table->by_samples ? ~item->samples : 0;
	segment = &rows->segments[step == STEP_EVENT ? 0 : step - STEP_KEYS + 1];
	return segment->ranks[segment->of_place ? item->place : item->group];
}

static unsigned count_steps(const struct group_rows *rows)
{
	return STEP_KEYS + rows->segment_count - 1;
}

static void *sort_items(const void *context, void *items, void *room, size_t count)
{
	const struct group_rows *rows = context;

	for (unsigned step = count_steps(rows); step--;) {
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
	int order = 0;

	for (unsigned step = 0; !order && step < count_steps(rows); step++)
		order = u64_order(step_word(rows, a, step), step_word(rows, b, step));
	return order;
}

/* Sorts the rows that were added up. */
static bool sort_rows(struct projection *projection, const struct group_source *source)
{
	struct group_rows *rows = projection->rows;
	const struct sorter_how how = { .size = sizeof(struct row_item),
		                        .sort = sort_items,
		                        .compare = compare_items,
		                        .context = rows };
	struct sorter_cursor sums;
	const struct row_sum *sum;
	bool ok = make_segments(rows, projection->stat->strings, projection->err);

	sorter_init(&rows->sorter, &how, source->temp_dir, source->limit);
	if (!sorter_cursor_open(&sums, &projection->sums, projection->err))
		ok = false;
	while (ok && (sum = sorter_next(&sums, projection->err))) {
		const struct row_item item = { .period = sum->period,
			                       .samples = sum->samples,
			                       .group = (uint32_t)(sum->key / rows->places.count),
			                       .place = (uint32_t)(sum->key % rows->places.count) };

		ok = sorter_add(&rows->sorter, &item, projection->err);
		rows->count++;
	}
	sorter_cursor_close(&sums);
	return projection->err->code == ERR_NONE && sorter_finish(&rows->sorter, projection->err);
}

static void init_tuples(struct group_rows *rows)
{
	size_t words[2] = { 0, 1 }; /* of groups, and of places */

	for (unsigned k = 0; k < rows->table->key_count; k++)
		words[is_of_place(rows->table->keys[k])]++;
	tuples_init(&rows->groups, words[0] * sizeof(uint64_t));
	tuples_init(&rows->places, words[1] * sizeof(uint64_t));
}

bool group_rows_make(struct group_rows *rows, const struct group_table *table,
                     const struct group_source *source, struct err *err)
{
	const struct buildstat *const stat = source->stat;
	struct projection projection = { .rows = rows,
		                         .table = table,
		                         .stat = stat,
		                         .names = source->names,
		                         .calls = source->calls,
		                         .caller = STRING_EMPTY,
		                         .groups = is_apart(stat, table) ? &stat->choice.apart
		                                                         : &stat->choice.groups,
		                         .has_line = group_table_keys(table) >> KEY_LINE & 1,
		                         .err = err };
	bool ok;

	rows->table = table;
	init_tuples(rows);
	ok = sum_rows(&projection, source);
	free(projection.group_of);
	free(projection.place_of);
	ok = ok && sort_rows(&projection, source);
	sorter_release(&projection.sums);
	return ok;
}

void group_rows_release(struct group_rows *rows)
{
	tuples_release(&rows->groups);
	tuples_release(&rows->places);
	free(rows->binaries);
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
	const struct group_rows *rows = cursor->rows;
	const struct row_item *item = sorter_next(&cursor->items, err);
	struct group_row *row = &cursor->row;
	const uint64_t *group, *place;

	if (!item)
		return NULL;
	group = tuples_get(&rows->groups, item->group);
	place = tuples_get(&rows->places, item->place);
	for (unsigned k = 0; k < rows->table->key_count; k++)
		row->words[k] = is_of_place(rows->table->keys[k]) ? *place++ : *group++;
	row->words[rows->table->key_count] = *place;
	row->period = item->period;
	row->samples = item->samples;
	row->binary = rows->binaries[item->place];
	return row;
}
