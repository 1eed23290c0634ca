#include "decode/naming/projection.h"

#include "decode/naming/groupwords.h"
#include "util/search.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* A projection while it is made. */
struct projector {
	struct projection *to;
	const struct group_source *from;
	const struct buildstat *stat; /* of the same */
	const struct groups *groups;  /* those that have the table's keys */
	bool has_line;
	struct tuples group_tuples, place_tuples; /* words, before they are in order */
	size_t binary_capacity;
	/* of the place that is numbered next */
	uint32_t caller; /* string */
	const struct branch_functions *branch;
	/* the numbers of these by those of what is added up */
	uint32_t *group_of; /* by group; NULL: all are 0 */
	uint32_t *place_of; /* by number of the cell, or of the sum without a place */
	size_t place_of_count;
	struct err *err;
};

static uint64_t place_word(struct projector *projector, enum group_key key,
                           const struct place_name *place)
{
	/* the file of the line, if the table has lines; otherwise the one of the function */
	if (key == KEY_SOURCE_FILE && projector->has_line)
		return place->file;
	if (key == KEY_CALLER)
		return projector->caller;
	if (key == KEY_FROM_FUNCTION)
		return projector->branch->from;
	if (key == KEY_TO_FUNCTION)
		return projector->branch->to;
	return group_place_word(projector->stat, projector->from->names, key, place,
	                        projector->err);
}

/* Numbers the groups by the table's keys of the sample, if it has any. */
static bool number_groups(struct projector *projector)
{
	const struct group_table *table = projector->to->table;
	const size_t count = projector->groups->tuples.count;
	uint64_t words[KEY_COUNT];

	if (!projector->to->groups.width)
		return true;
	projector->group_of = vec_new(count, sizeof(*projector->group_of), projector->err);
	for (uint32_t i = 0; projector->err->code == ERR_NONE && i < count; i++) {
		unsigned used = 0;

		for (unsigned k = 0; k < table->key_count; k++)
			if (!group_key_is_of_place(table->keys[k]))
				words[used++] = group_sample_word(projector->stat,
				                                  projector->groups, table->keys[k],
				                                  i, projector->err);
		projector->group_of[i] = tuples_put(&projector->group_tuples, words,
		                                    projector->err);
	}
	return projector->err->code == ERR_NONE;
}

/* The number of an event and, if the table has keys of places, a place; place may be NULL. */
static uint32_t number_place(struct projector *projector, uint32_t event,
                             const struct place_name *place)
{
	const struct group_table *table = projector->to->table;
	struct projection *to = projector->to;
	uint64_t words[KEY_COUNT + 1];
	unsigned used = 0;
	const size_t count = projector->place_tuples.count;
	uint32_t number;

	for (unsigned k = 0; k < table->key_count; k++)
		if (group_key_is_of_place(table->keys[k]))
			words[used++] = place_word(projector, table->keys[k], place);
	words[used] = event;
	number = tuples_put(&projector->place_tuples, words, projector->err);
	if (number != count || number == MAP_NONE)
		return number;
	if (!vec_room(&to->binaries, count, &projector->binary_capacity, sizeof(*to->binaries),
	              projector->err))
		return MAP_NONE;
	to->binaries[count] = place ? projector->from->names->functions[place->function].binary : 0;
	return number;
}

static void make_place_of(struct projector *projector, size_t count)
{
	projector->place_of = vec_new(count, sizeof(*projector->place_of), projector->err);
	projector->place_of_count = count;
}

/* Adds samples of a group and of what has a number in place_of[]. */
static bool add_samples(struct projector *projector, uint32_t group, size_t number,
                        uint64_t samples, uint64_t period)
{
	const struct projection *to = projector->to;
	const uint64_t of_group = projector->group_of ? projector->group_of[group] : 0;
	const uint64_t of_place = projector->place_of[number];
	const struct row_sum sum = { to->places_first ? of_place << to->low_bits | of_group
		                                      : of_group << to->low_bits | of_place,
		                     period, samples };

	return sorter_add(&projector->to->sums, &sum, projector->err);
}

static bool add_cells(struct projector *projector)
{
	const struct cells *cells = &projector->stat->cells;

	for (size_t i = 0; i < cells->count; i++)
		if (!add_samples(projector, GROUP_ALL, i, cells->items[i].samples,
		                 cells->items[i].period))
			return false;
	return true;
}

static bool number_cells(struct projector *projector)
{
	const struct cells *cells = &projector->stat->cells;

	make_place_of(projector, cells->count);
	for (size_t i = 0; projector->err->code == ERR_NONE && i < cells->count; i++)
		projector->place_of[i] = number_place(
			projector, cells_kind_at(cells, cells->items[i].kind)->event,
			&projector->from->names->places[cell_place(&cells->items[i])]);
	return projector->err->code == ERR_NONE;
}

/* add_cells() by groups. */
static bool add_group_sums(struct projector *projector)
{
	const struct group_sums *sums = &projector->stat->sums;
	struct group_sum_cursor cursor;
	const struct group_sum *sum;
	bool ok = group_sum_cursor_open(&cursor, sums, projector->err);

	while (ok && (sum = group_sum_next(&cursor, projector->err)))
		ok = sums->places[sum->cell].place == PLACE_NONE ||
		     add_samples(projector, (uint32_t)sum->group, (size_t)sum->cell, sum->samples,
		                 sum->period);
	group_sum_cursor_close(&cursor);
	return ok && projector->err->code == ERR_NONE;
}

static bool number_group_sums(struct projector *projector)
{
	const struct group_sums *sums = &projector->stat->sums;

	make_place_of(projector, sums->place_count);
	for (size_t i = 0; projector->err->code == ERR_NONE && i < sums->place_count; i++)
		if (sums->places[i].place != PLACE_NONE)
			projector->place_of[i] = number_place(
				projector, sums->places[i].event,
				&projector->from->names->places[sums->places[i].place]);
	return projector->err->code == ERR_NONE;
}

/* The name of the function that called the innermost one of a cell's stack; "" if it is none. */
static uint32_t caller_of(const struct call_tree *calls, size_t cell)
{
	uint32_t node = calls->node_of_cell[cell];
	uint32_t parent = node == CALL_NODE_NONE ? CALL_NODE_NONE : calls->nodes[node].parent;

	return parent == CALL_NODE_NONE ? STRING_EMPTY : calls->nodes[parent].name;
}

/* add_cells() by stacks: only these know who called. */
static bool add_stacks(struct projector *projector)
{
	const struct stackstat *stacks = projector->stat->stacks;

	for (size_t i = 0; i < stacks->cells.count; i++) {
		const struct stack_cell *cell = &stacks->cells.items[i];

		if (cell->samples && !add_samples(projector, stackstat_group(stacks, cell)->choice,
		                                  i, cell->samples, cell->period))
			return false;
	}
	return true;
}

static bool number_stacks(struct projector *projector)
{
	const struct stackstat *stacks = projector->stat->stacks;

	make_place_of(projector, stacks->cells.count);
	for (size_t i = 0; projector->err->code == ERR_NONE && i < stacks->cells.count; i++) {
		const struct stack_cell *cell = &stacks->cells.items[i];

		if (!cell->samples)
			continue;
		projector->caller = caller_of(projector->from->calls, i);
		projector->place_of[i] = number_place(
			projector, stackstat_group(stacks, cell)->event,
			&projector->from->names->places[stack_cell_place(cell)]);
	}
	return projector->err->code == ERR_NONE;
}

/* Whether the table has the key `caller`, and the recording has stacks. */
static bool has_callers(const struct projector *projector)
{
	const struct buildstat *stat = projector->stat;

	return (group_table_keys(projector->to->table) >> KEY_CALLER & 1) &&
	       projector->from->calls && projector->from->calls->node_of_cell &&
	       stat->stacks->cells.count && stat->stacks->options.by_choice;
}

static bool add_sums(struct projector *projector)
{
	const struct sums *sums = &projector->stat->choice.sums;

	for (size_t i = 0; i < sums->count; i++)
		if (!add_samples(projector, sums->items[i].number, i, sums->items[i].samples,
		                 sums->items[i].period))
			return false;
	return true;
}

static bool number_sums(struct projector *projector)
{
	const struct sums *sums = &projector->stat->choice.sums;

	make_place_of(projector, sums->count);
	for (size_t i = 0; projector->err->code == ERR_NONE && i < sums->count; i++)
		projector->place_of[i] = number_place(projector, sums->items[i].event, NULL);
	return projector->err->code == ERR_NONE;
}

static bool counts_branches(const struct group_table *table)
{
	return (group_table_keys(table) & KEYS_OF_BRANCHES) != 0;
}

/* Each branch counts 1. */
static bool add_branches(struct projector *projector)
{
	const struct branchstat *branches = &projector->stat->branches;

	for (size_t i = 0; i < branches->branches.count; i++) {
		const struct branch_key *key = tuples_get(&branches->branches, i);
		const uint64_t count = branches->branch_sums[i].count;

		if (projector->from->branches->functions[i].passes &&
		    !add_samples(projector, key->group, i, count, count))
			return false;
	}
	return true;
}

static bool number_branches(struct projector *projector)
{
	const struct branchstat *branches = &projector->stat->branches;
	struct projection *to = projector->to;

	to->whole = vec_new(projector->stat->session->event_count, sizeof(*to->whole),
	                    projector->err);
	make_place_of(projector, branches->branches.count);
	for (size_t i = 0; projector->err->code == ERR_NONE && i < branches->branches.count; i++) {
		const struct branch_key *key = tuples_get(&branches->branches, i);

		projector->branch = &projector->from->branches->functions[i];
		to->whole[key->event] += branches->branch_sums[i].count;
		if (projector->branch->passes)
			projector->place_of[i] = number_place(projector, key->event, NULL);
	}
	return projector->err->code == ERR_NONE;
}

/* What can be added up: how it gets numbers, and how it is added. */
struct countable {
	bool (*number)(struct projector *projector);
	bool (*add)(struct projector *projector);
};

/* Whether the table's samples were counted without places. */
static bool is_apart(const struct buildstat *stat, const struct group_table *table)
{
	return (group_table_keys(table) & ~stat->choice.apart.keys) == 0;
}

static const struct countable *choose_countable(const struct projector *projector)
{
	static const struct countable branches = { number_branches, add_branches };
	static const struct countable sums = { number_sums, add_sums };
	static const struct countable stacks = { number_stacks, add_stacks };
	static const struct countable group_sums = { number_group_sums, add_group_sums };
	static const struct countable cells = { number_cells, add_cells };

	if (counts_branches(projector->to->table))
		return &branches;
	if (is_apart(projector->stat, projector->to->table))
		return &sums;
	if (has_callers(projector))
		return &stacks;
	return projector->to->groups.width ? &group_sums : &cells;
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

/* Replaces numbers by their ranks. */
static void renumber(uint32_t *numbers, size_t count, const uint32_t *ranks, size_t rank_count)
{
	for (size_t i = 0; i < count; i++)
		numbers[i] = numbers[i] < rank_count ? ranks[numbers[i]] : 0;
}

/* The order of the words of samples, or of those of places. */
static struct word_order order_of(const struct projector *projector, bool of_places)
{
	const struct group_table *table = projector->to->table;
	struct word_order order = { .strings = projector->stat->strings };

	for (unsigned k = 0; k < table->key_count; k++)
		if (group_key_is_of_place(table->keys[k]) == of_places)
			order.keys[order.count++] = table->keys[k];
	if (of_places)
		order.keys[order.count++] = KEY_COUNT;
	return order;
}

static bool order_groups(struct projector *projector)
{
	struct row_words *words = &projector->to->groups;
	const struct word_order order = order_of(projector, false);
	uint32_t *ranks;

	if (!words->width)
		return true;
	ranks = row_words_fill(words, &projector->group_tuples, &order, projector->err);
	if (projector->err->code == ERR_NONE)
		renumber(projector->group_of, projector->groups->tuples.count, ranks, words->count);
	free(ranks);
	return projector->err->code == ERR_NONE;
}

static bool order_places(struct projector *projector)
{
	struct projection *to = projector->to;
	struct row_words *words = &to->places;
	const struct word_order order = order_of(projector, true);
	uint32_t *ranks = row_words_fill(words, &projector->place_tuples, &order, projector->err);
	uint32_t *binaries = vec_new(words->count, sizeof(*binaries), projector->err);

	if (projector->err->code == ERR_NONE) {
		renumber(projector->place_of, projector->place_of_count, ranks, words->count);
		for (size_t i = 0; i < words->count; i++)
			binaries[ranks[i]] = to->binaries[i];
	}
	free(to->binaries);
	to->binaries = binaries;
	free(ranks);
	return projector->err->code == ERR_NONE;
}

static unsigned bits_for(size_t count)
{
	unsigned bits = 0;

	while (bits < 32 && count > (size_t)1 << bits)
		bits++;
	return bits;
}

/* Orders what rows say of samples and of places, once all of it is known. */
static bool order_words(struct projector *projector)
{
	struct projection *to = projector->to;

	if (!order_groups(projector) || !order_places(projector))
		return false;
	to->places_first = to->table->key_count && group_key_is_of_place(to->table->keys[0]);
	to->low_bits = bits_for(to->places_first ? to->groups.count : to->places.count);
	return true;
}

/* Adds up the samples of each row. */
static bool sum_rows(struct projector *projector)
{
	static const struct sorter_how how = { .size = sizeof(struct row_sum),
		                               .sort = sort_sums,
		                               .compare = compare_sums,
		                               .add = add_to_sum };
	const struct countable *countable = choose_countable(projector);
	struct sorter *sums = &projector->to->sums;

	sorter_init(sums, &how, projector->from->temp_dir, projector->from->limit);
	return number_groups(projector) && countable->number(projector) && order_words(projector) &&
	       countable->add(projector) && sorter_finish(sums, projector->err);
}

static void init_tuples(struct projector *projector)
{
	struct projection *to = projector->to;

	to->places.width = 1; /* the event */
	for (unsigned k = 0; k < to->table->key_count; k++)
		if (group_key_is_of_place(to->table->keys[k]))
			to->places.width++;
		else
			to->groups.width++;
	tuples_init(&projector->group_tuples, to->groups.width * sizeof(uint64_t));
	tuples_init(&projector->place_tuples, to->places.width * sizeof(uint64_t));
}

bool projection_make(struct projection *projection, const struct group_table *table,
                     const struct group_source *source, struct err *err)
{
	const struct choice *choice = &source->stat->choice;
	struct projector projector = {
		.to = projection,
		.from = source,
		.stat = source->stat,
		.groups = is_apart(source->stat, table) ? &choice->apart : &choice->groups,
		.has_line = group_table_keys(table) >> KEY_LINE & 1,
		.caller = STRING_EMPTY,
		.err = err,
	};
	bool ok;

	projection->table = table;
	init_tuples(&projector);
	ok = sum_rows(&projector);
	tuples_release(&projector.group_tuples);
	tuples_release(&projector.place_tuples);
	free(projector.group_of);
	free(projector.place_of);
	return ok;
}

void projection_release(struct projection *projection)
{
	free(projection->groups.items);
	free(projection->places.items);
	free(projection->binaries);
	free(projection->whole);
	sorter_release(&projection->sums);
	memset(projection, 0, sizeof(*projection));
}
