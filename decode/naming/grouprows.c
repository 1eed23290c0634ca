#define _GNU_SOURCE /* qsort_r() */
#include "decode/naming/grouprows.h"

#include "decode/naming/groupwords.h"
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
	uint32_t caller; /* string; of the place that is numbered next */
	const struct branch_rows *branches;
	const struct branch_functions *branch; /* that is numbered next */
	const struct groups *groups;           /* those that have the table's keys */
	bool has_line;
	struct tuples group_tuples, place_tuples; /* words, before they are in order */
	size_t binary_capacity;
	/* the numbers of these by those of what is added up */
	uint32_t *group_of; /* by group; NULL: all are 0 */
	uint32_t *place_of; /* by number of the cell, or of the sum without a place */
	size_t place_of_count;
	struct sorter sums; /* struct row_sum */
	struct err *err;
};

/* The sum of a row, while rows are added up. */
struct row_sum {
	uint64_t key; /* see struct group_rows */
	uint64_t period, samples;
};

/* A row, while rows are sorted. */
struct row_item {
	uint64_t word; /* what it is sorted by at the moment */
	uint64_t period, samples;
	uint64_t key;
};

static bool is_of_place(enum group_key key)
{
	return key >= KEY_SAMPLE_END;
}

static uint64_t place_word(struct projection *projection, enum group_key key,
                           const struct place_name *place)
{
	/* the file of the line, if the table has lines; otherwise the one of the function */
	if (key == KEY_SOURCE_FILE && projection->has_line)
		return place->file;
	if (key == KEY_CALLER)
		return projection->caller;
	if (key == KEY_FROM_FUNCTION)
		return projection->branch->from;
	if (key == KEY_TO_FUNCTION)
		return projection->branch->to;
	return group_place_word(projection->stat, projection->names, key, place, projection->err);
}

/* Numbers the groups by the table's keys of the sample, if it has any. */
static bool number_groups(struct projection *projection)
{
	const struct group_table *table = projection->table;
	const size_t count = projection->groups->tuples.count;
	uint64_t words[KEY_COUNT];

	if (!projection->rows->groups.width)
		return true;
	projection->group_of = vec_new(count, sizeof(*projection->group_of), projection->err);
	for (uint32_t i = 0; projection->err->code == ERR_NONE && i < count; i++) {
		unsigned used = 0;

		for (unsigned k = 0; k < table->key_count; k++)
			if (!is_of_place(table->keys[k]))
				words[used++] = group_sample_word(
					projection->stat, projection->groups, table->keys[k], i,
					projection->err);
		projection->group_of[i] = tuples_put(&projection->group_tuples, words,
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
	const size_t count = projection->place_tuples.count;
	uint32_t number;

	for (unsigned k = 0; k < table->key_count; k++)
		if (is_of_place(table->keys[k]))
			words[used++] = place_word(projection, table->keys[k], place);
	words[used] = event;
	number = tuples_put(&projection->place_tuples, words, projection->err);
	if (number != count || number == MAP_NONE)
		return number;
	if (!vec_room(&rows->binaries, count, &projection->binary_capacity, sizeof(*rows->binaries),
	              projection->err))
		return MAP_NONE;
	rows->binaries[count] = place ? projection->names->functions[place->function].binary : 0;
	return number;
}

static void make_place_of(struct projection *projection, size_t count)
{
	projection->place_of = vec_new(count, sizeof(*projection->place_of), projection->err);
	projection->place_of_count = count;
}

/* Adds samples of a group and of what has a number in place_of[]. */
static bool add_samples(struct projection *projection, uint32_t group, size_t number,
                        uint64_t samples, uint64_t period)
{
	const struct group_rows *rows = projection->rows;
	const uint64_t of_group = projection->group_of ? projection->group_of[group] : 0;
	const uint64_t of_place = projection->place_of[number];
	const struct row_sum sum = { rows->places_first ? of_place << rows->low_bits | of_group
		                                        : of_group << rows->low_bits | of_place,
		                     period, samples };

	return sorter_add(&projection->sums, &sum, projection->err);
}

static bool add_cells(struct projection *projection)
{
	const struct cells *cells = &projection->stat->cells;

	for (size_t i = 0; i < cells->count; i++)
		if (!add_samples(projection, GROUP_ALL, i, cells->items[i].samples,
		                 cells->items[i].period))
			return false;
	return true;
}

static bool number_cells(struct projection *projection)
{
	const struct cells *cells = &projection->stat->cells;

	make_place_of(projection, cells->count);
	for (size_t i = 0; projection->err->code == ERR_NONE && i < cells->count; i++)
		projection->place_of[i] = number_place(
			projection, cells_kind_at(cells, cells->items[i].kind)->event,
			&projection->names->places[cell_place(&cells->items[i])]);
	return projection->err->code == ERR_NONE;
}

/* add_cells() by groups. */
static bool add_group_sums(struct projection *projection)
{
	const struct group_sums *sums = &projection->stat->sums;
	struct group_sum_cursor cursor;
	const struct group_sum *sum;
	bool ok = group_sum_cursor_open(&cursor, sums, projection->err);

	while (ok && (sum = group_sum_next(&cursor, projection->err)))
		ok = sums->places[sum->cell].place == PLACE_NONE ||
		     add_samples(projection, (uint32_t)sum->group, (size_t)sum->cell, sum->samples,
		                 sum->period);
	group_sum_cursor_close(&cursor);
	return ok && projection->err->code == ERR_NONE;
}

static bool number_group_sums(struct projection *projection)
{
	const struct group_sums *sums = &projection->stat->sums;

	make_place_of(projection, sums->place_count);
	for (size_t i = 0; projection->err->code == ERR_NONE && i < sums->place_count; i++)
		if (sums->places[i].place != PLACE_NONE)
			projection->place_of[i] = number_place(
				projection, sums->places[i].event,
				&projection->names->places[sums->places[i].place]);
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

	make_place_of(projection, stacks->cells.count);
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

	make_place_of(projection, sums->count);
	for (size_t i = 0; projection->err->code == ERR_NONE && i < sums->count; i++)
		projection->place_of[i] = number_place(projection, sums->items[i].event, NULL);
	return projection->err->code == ERR_NONE;
}

static bool counts_branches(const struct group_table *table)
{
	return (group_table_keys(table) & KEYS_OF_BRANCHES) != 0;
}

/* Each branch counts 1. */
static bool add_branches(struct projection *projection)
{
	const struct branchstat *branches = &projection->stat->branches;

	for (size_t i = 0; i < branches->branches.count; i++) {
		const struct branch_key *key = tuples_get(&branches->branches, i);
		const uint64_t count = branches->branch_sums[i].count;

		if (projection->branches->functions[i].passes &&
		    !add_samples(projection, key->group, i, count, count))
			return false;
	}
	return true;
}

static bool number_branches(struct projection *projection)
{
	const struct branchstat *branches = &projection->stat->branches;
	struct group_rows *rows = projection->rows;

	rows->whole = vec_new(projection->stat->session->event_count, sizeof(*rows->whole),
	                      projection->err);
	make_place_of(projection, branches->branches.count);
	for (size_t i = 0; projection->err->code == ERR_NONE && i < branches->branches.count; i++) {
		const struct branch_key *key = tuples_get(&branches->branches, i);

		projection->branch = &projection->branches->functions[i];
		rows->whole[key->event] += branches->branch_sums[i].count;
		if (projection->branch->passes)
			projection->place_of[i] = number_place(projection, key->event, NULL);
	}
	return projection->err->code == ERR_NONE;
}

uint64_t group_rows_whole(const struct group_rows *rows, const struct buildstat *stat,
                          uint32_t event)
{
	if (rows->whole)
		return event < stat->session->event_count ? rows->whole[event] : 0;
	return buildstat_totals(stat, event)->period;
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

/* Words of tuples that are compared, one after the other. */
struct compared_words {
	const uint64_t *items;
	const struct strings *strings;
	size_t width;                       /* of a tuple */
	size_t first, count;                /* of the words in it */
	enum group_key keys[KEY_COUNT + 1]; /* of these words; KEY_COUNT: the event */
};

static int compare_words(const struct compared_words *words, enum group_key key, uint64_t x,
                         uint64_t y)
{
	return key == KEY_COUNT ? (x < y ? -1 : 1) : group_compare_words(words->strings, key, x, y);
}

static int compare_tuples(const void *a, const void *b, void *context)
{
	const struct compared_words *words = context;
	const uint64_t *v = words->items + *(const uint32_t *)a * words->width + words->first;
	const uint64_t *w = words->items + *(const uint32_t *)b * words->width + words->first;
	int order = 0;

	for (size_t i = 0; !order && i < words->count; i++)
		if (v[i] != w[i])
			order = compare_words(words, words->keys[i], v[i], w[i]);
	return order;
}

/* The numbers of tuples in their order; malloc'd, NULL with err set. */
static uint32_t *order_tuples(struct compared_words *words, size_t count, struct err *err)
{
	uint32_t *order = vec_new(count, sizeof(*order), err);

	for (uint32_t i = 0; order && i < count; i++)
		order[i] = i;
	if (order)
		qsort_r(order, count, sizeof(*order), compare_tuples, words);
	return order;
}

/* Sets words to all tuples in their order, and the numbers of tuples to those in that order. */
static bool put_in_order(struct projection *projection, const struct tuples *tuples, bool of_places,
                         uint32_t *numbers, size_t count)
{
	const struct group_table *table = projection->table;
	struct group_rows *rows = projection->rows;
	struct row_words *words = of_places ? &rows->places : &rows->groups;
	struct compared_words compared = { .items = (const void *)tuples->items,
		                           .strings = projection->stat->strings,
		                           .width = words->width };
	uint32_t *order, *ranks, *binaries = NULL;

	for (unsigned k = 0; k < table->key_count; k++)
		if (is_of_place(table->keys[k]) == of_places)
			compared.keys[compared.count++] = table->keys[k];
	if (of_places)
		compared.keys[compared.count++] = KEY_COUNT;
	words->count = tuples->count;
	words->items = vec_new(words->count * words->width, sizeof(uint64_t), projection->err);
	order = order_tuples(&compared, words->count, projection->err);
	ranks = vec_new(words->count, sizeof(*ranks), projection->err);
	if (of_places)
		binaries = vec_new(words->count, sizeof(*binaries), projection->err);
	for (size_t i = 0; projection->err->code == ERR_NONE && i < words->count; i++) {
		ranks[order[i]] = (uint32_t)i;
		memcpy(words->items + i * words->width, tuples_get(tuples, order[i]), tuples->size);
		if (of_places)
			binaries[i] = rows->binaries[order[i]];
	}
	for (size_t i = 0; projection->err->code == ERR_NONE && i < count; i++)
		numbers[i] = numbers[i] < words->count ? ranks[numbers[i]] : 0;
	if (of_places) {
		free(rows->binaries);
		rows->binaries = binaries;
	}
	free(order);
	free(ranks);
	return projection->err->code == ERR_NONE;
}

static unsigned bits_for(size_t count)
{
	unsigned bits = 0;

	while (bits < 32 && count > (size_t)1 << bits)
		bits++;
	return bits;
}

/* Orders what rows say of samples and of places, once all of it is known. */
static bool order_words(struct projection *projection)
{
	const struct group_table *table = projection->table;
	struct group_rows *rows = projection->rows;
	const size_t groups = projection->groups->tuples.count;

	if ((rows->groups.width && !put_in_order(projection, &projection->group_tuples, false,
	                                         projection->group_of, groups)) ||
	    !put_in_order(projection, &projection->place_tuples, true, projection->place_of,
	                  projection->place_of_count))
		return false;
	rows->places_first = table->key_count && is_of_place(table->keys[0]);
	rows->low_bits = bits_for(rows->places_first ? rows->groups.count : rows->places.count);
	return true;
}

/* Adds up the samples of each row. */
static bool sum_rows(struct projection *projection, const struct group_source *source)
{
	static const struct sorter_how how = { .size = sizeof(struct row_sum),
		                               .sort = sort_sums,
		                               .compare = compare_sums,
		                               .add = add_to_sum };
	bool (*number)(struct projection *), (*add)(struct projection *);

	if (counts_branches(projection->table))
		number = number_branches, add = add_branches;
	else if (is_apart(projection->stat, projection->table))
		number = number_sums, add = add_sums;
	else if (has_callers(projection))
		number = number_stacks, add = add_stacks;
	else if (projection->rows->groups.width)
		number = number_group_sums, add = add_group_sums;
	else
		number = number_cells, add = add_cells;
	sorter_init(&projection->sums, &how, source->temp_dir, source->limit);
	return number_groups(projection) && number(projection) && order_words(projection) &&
	       add(projection) && sorter_finish(&projection->sums, projection->err);
}

/* The rank of what rows say by the keys of a segment. */
static bool rank_segment(struct row_segment *segment, const struct row_words *words,
                         struct compared_words *compared, struct err *err)
{
	uint32_t *order = order_tuples(compared, words->count, err);
	uint32_t rank = 0;

	segment->ranks = vec_new(words->count, sizeof(*segment->ranks), err);
	for (size_t i = 0; err->code == ERR_NONE && i < words->count; i++) {
		rank += i && compare_tuples(&order[i - 1], &order[i], compared);
		segment->ranks[order[i]] = rank;
	}
	free(order);
	return err->code == ERR_NONE;
}

/* How often keys of samples follow those of places, or the other way round. */
static unsigned count_changes(const struct group_table *table)
{
	unsigned changes = 0;

	for (unsigned k = 1; k < table->key_count; k++)
		changes += is_of_place(table->keys[k]) != is_of_place(table->keys[k - 1]);
	return changes;
}

/* If they do so more than once, rows are not in the order of their keys' numbers. */
static bool make_segments(struct group_rows *rows, const struct strings *strings, struct err *err)
{
	const struct group_table *table = rows->table;
	size_t used[2] = { 0, 0 }; /* words of groups and of places */

	for (unsigned k = 0; count_changes(table) > 1 && k < table->key_count;) {
		const bool of_place = is_of_place(table->keys[k]);
		const struct row_words *words = of_place ? &rows->places : &rows->groups;
		struct row_segment *segment = &rows->segments[rows->segment_count++];
		struct compared_words compared = { .items = words->items,
			                           .strings = strings,
			                           .width = words->width,
			                           .first = used[of_place] };

		for (; k < table->key_count && is_of_place(table->keys[k]) == of_place; k++)
			compared.keys[compared.count++] = table->keys[k];
		used[of_place] += compared.count;
		segment->of_place = of_place;
		if (!rank_segment(segment, words, &compared, err))
			return false;
	}
	return true;
}

/* The parts of a row's key. */
static inline size_t group_of_key(const struct group_rows *rows, uint64_t key)
{
	return (size_t)(rows->places_first ? key & (((uint64_t)1 << rows->low_bits) - 1)
	                                   : key >> rows->low_bits);
}

static inline size_t place_of_key(const struct group_rows *rows, uint64_t key)
{
	return (size_t)(rows->places_first ? key >> rows->low_bits
	                                   : key & (((uint64_t)1 << rows->low_bits) - 1));
}

static inline const uint64_t *words_at(const struct row_words *words, size_t number)
{
	return words->width ? words->items + number * words->width : NULL;
}

/* What rows are ordered by, one after the other: event, period, samples, keys. */
enum { STEP_EVENT, STEP_PERIOD, STEP_SAMPLES, STEP_KEYS };

static inline uint64_t step_word(const struct group_rows *rows, const struct row_item *item,
                                 unsigned step)
{
	const struct row_segment *segment;

	if (step == STEP_EVENT)
		return words_at(&rows->places,
		                place_of_key(rows, item->key))[rows->places.width - 1];
	if (step == STEP_PERIOD)
		return ~item->period;
	if (step == STEP_SAMPLES)
		return rows->table->by_samples ? ~item->samples : 0;
	segment = &rows->segments[step - STEP_KEYS];
	return segment->ranks[segment->of_place ? place_of_key(rows, item->key)
	                                        : group_of_key(rows, item->key)];
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
			                       .key = sum->key };

		ok = sorter_add(&rows->sorter, &item, projection->err);
		rows->count++;
	}
	sorter_cursor_close(&sums);
	return projection->err->code == ERR_NONE && sorter_finish(&rows->sorter, projection->err);
}

static void init_tuples(struct projection *projection)
{
	struct group_rows *rows = projection->rows;

	rows->places.width = 1; /* the event */
	for (unsigned k = 0; k < rows->table->key_count; k++)
		if (is_of_place(rows->table->keys[k]))
			rows->places.width++;
		else
			rows->groups.width++;
	tuples_init(&projection->group_tuples, rows->groups.width * sizeof(uint64_t));
	tuples_init(&projection->place_tuples, rows->places.width * sizeof(uint64_t));
}

/* What is not needed to sort rows. */
static void release_numbers(struct projection *projection)
{
	tuples_release(&projection->group_tuples);
	tuples_release(&projection->place_tuples);
	free(projection->group_of);
	free(projection->place_of);
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
		                         .branches = source->branches,
		                         .caller = STRING_EMPTY,
		                         .groups = is_apart(stat, table) ? &stat->choice.apart
		                                                         : &stat->choice.groups,
		                         .has_line = group_table_keys(table) >> KEY_LINE & 1,
		                         .err = err };
	bool ok;

	rows->table = table;
	init_tuples(&projection);
	ok = sum_rows(&projection, source);
	release_numbers(&projection);
	ok = ok && sort_rows(&projection, source);
	sorter_release(&projection.sums);
	return ok;
}

void group_rows_release(struct group_rows *rows)
{
	free(rows->groups.items);
	free(rows->places.items);
	free(rows->binaries);
	free(rows->whole);
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
	group = words_at(&rows->groups, group_of_key(rows, item->key));
	place = words_at(&rows->places, place_of_key(rows, item->key));
	for (unsigned k = 0; k < rows->table->key_count; k++)
		row->words[k] = is_of_place(rows->table->keys[k]) ? *place++ : *group++;
	row->words[rows->table->key_count] = *place;
	row->period = item->period;
	row->samples = item->samples;
	row->binary = rows->binaries[place_of_key(rows, item->key)];
	return row;
}
