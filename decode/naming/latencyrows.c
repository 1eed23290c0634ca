#define _GNU_SOURCE /* qsort_r() */
#include "decode/naming/latencyrows.h"

#include "decode/naming/groupwords.h"
#include "util/search.h"
#include "util/vec.h"

#include <stdlib.h>

static const unsigned percents[LATENCY_PERCENTILES] = { 50, 90, 95, 99 };

struct latency_maker {
	struct latency_rows *rows;
	const struct latencystat *latency;
	const struct group_table *table;
	const struct group_source *source;
	struct selection *functions; /* NULL: all are selected */
	struct err *err;
};

void latency_rows_release(struct latency_rows *rows)
{
	tuples_release(&rows->words);
	free(rows->rows);
	*rows = (struct latency_rows){ .count = 0 };
}

/* The name of a place; NULL: the key has no place, or nothing was counted there. */
static const struct place_name *name_of_place(const struct latency_maker *maker,
                                              const struct latency_key *key)
{
	const struct places *places = &maker->source->stat->places;
	const struct place_names *names = maker->source->names;

	for (size_t i = 0; i < places->range_count && names; i++) {
		const struct place_range *range = &places->ranges[i];
		size_t first = range->first, end = first + range->count;

		if (range->binary != key->binary)
			continue;
		while (first < end) {
			const size_t middle = first + (end - first) / 2;

			if (places->addrs[middle] == key->addr)
				return &names->places[middle];
			if (places->addrs[middle] < key->addr)
				first = middle + 1;
			else
				end = middle;
		}
	}
	return NULL;
}

/* Whether --function, if it is given, lets the intervals of a place through. */
static bool is_selected(const struct latency_maker *maker, const struct place_name *place)
{
	const struct place_names *names = maker->source->names;

	return !maker->functions ||
	       (place &&
	        selection_function_passes(maker->functions, names->functions[place->function].name,
	                                  maker->err));
}

/* The row of a key, which is added if it is new; MAP_NONE: it is not selected, or err is set. */
static uint32_t find_row(struct latency_maker *maker, const struct latency_key *key)
{
	static const struct latency_row none = { .sum.min = UINT64_MAX };
	const struct group_table *table = maker->table;
	struct latency_rows *rows = maker->rows;
	const struct place_name *place = name_of_place(maker, key);
	uint64_t words[KEY_COUNT + 1];
	uint32_t number;

	if (!is_selected(maker, place))
		return MAP_NONE;
	for (unsigned k = 0; k < table->key_count; k++) {
		const enum group_key each = table->keys[k];

		words[k] = each < KEY_SAMPLE_END
		                   ? group_sample_word(maker->source->stat,
		                                       &maker->source->stat->choice.latency, each,
		                                       key->group, maker->err)
		           : place ? group_place_word(maker->source->stat, maker->source->names,
		                                      each, place, maker->err)
		                   : (group_key_is_text(each) ? STRING_EMPTY : WORD_NONE);
	}
	words[table->key_count] = key->event;
	number = maker->err->code == ERR_NONE ? tuples_put(&rows->words, words, maker->err)
	                                      : MAP_NONE;
	if (number == MAP_NONE || number < rows->count)
		return number;
	return vec_append(&rows->rows, &rows->count, &rows->capacity, &none, sizeof(none),
	                  maker->err)
	               ? number
	               : MAP_NONE;
}

/* Sets the percentiles of a row from its steps, in ascending order. */
static void set_percentiles(struct latency_row *row, const struct latency_count *steps,
                            size_t count)
{
	uint64_t passed = 0;
	unsigned next = 0;

	for (size_t i = 0; i < count && next < LATENCY_PERCENTILES; i++) {
		passed += steps[i].count;
		while (next < LATENCY_PERCENTILES &&
		       passed * 100 >= row->sum.count * percents[next])
			row->percentiles[next++] = u64_min(
				latency_step_end(steps[i].key & (LATENCY_STEPS - 1)),
				row->sum.longest.duration);
	}
}

/* Adds the histograms up by rows. */
static bool make_percentiles(struct latency_maker *maker, const uint32_t *row_of)
{
	const struct latencystat *latency = maker->latency;
	struct latency_count *steps = vec_new(latency->step_count, sizeof(*steps), maker->err);
	size_t count = 0;

	if (!steps)
		return false;
	for (size_t i = 0; i < latency->step_count; i++) {
		const uint64_t key = latency->steps[i].key;
		const uint32_t row = row_of[key >> LATENCY_STEP_BITS];

		if (row == MAP_NONE)
			continue;
		steps[count] = latency->steps[i];
		steps[count++].key = (uint64_t)row << LATENCY_STEP_BITS |
		                     (key & (LATENCY_STEPS - 1));
	}
	qsort(steps, count, sizeof(*steps), search_compare);
	for (size_t i = 0, end; i < count; i = end) {
		const uint64_t row = steps[i].key >> LATENCY_STEP_BITS;

		for (end = i; end < count && steps[end].key >> LATENCY_STEP_BITS == row;)
			end++;
		set_percentiles(&maker->rows->rows[row], steps + i, end - i);
	}
	free(steps);
	return true;
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct latency_maker *maker = context;
	const struct latency_row *x = a, *y = b;
	const unsigned count = maker->table->key_count;

	if (x->words[count] != y->words[count])
		return x->words[count] < y->words[count] ? -1 : 1;
	if (x->sum.total != y->sum.total)
		return x->sum.total > y->sum.total ? -1 : 1;
	for (unsigned i = 0; i < count; i++)
		if (x->words[i] != y->words[i])
			return group_compare_words(maker->source->stat->strings,
			                           maker->table->keys[i], x->words[i], y->words[i]);
	return 0;
}

bool latency_rows_make(struct latency_rows *rows, const struct latencystat *latency,
                       const struct group_table *table, const struct group_source *source,
                       struct selection *functions, struct err *err)
{
	struct latency_maker maker = { rows, latency, table, source, functions, err };
	uint32_t *row_of = vec_new(latency->count, sizeof(*row_of), err);
	bool ok = row_of;

	tuples_init(&rows->words, (table->key_count + 1) * sizeof(uint64_t));
	for (size_t i = 0; ok && i < latency->count; i++) {
		row_of[i] = find_row(&maker, tuples_get(&latency->keys, i));
		ok = err->code == ERR_NONE;
		if (row_of[i] != MAP_NONE)
			latency_sum_add(&rows->rows[row_of[i]].sum, &latency->sums[i]);
	}
	ok = ok && make_percentiles(&maker, row_of);
	free(row_of);
	for (size_t i = 0; ok && i < rows->count; i++)
		rows->rows[i].words = tuples_get(&rows->words, i);
	if (ok && rows->count)
		qsort_r(rows->rows, rows->count, sizeof(*rows->rows), compare_rows, &maker);
	return ok;
}
