#include "decode/naming/results.h"

#include "util/hash.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024

/* What a row is about; what a table does not have is 0. */
struct row_key {
	uint64_t addr;
	uint32_t event, binary, function, file, line;
};

/* The key of a row of the table that an index is of. */
typedef struct row_key key_of(const void *rows, size_t row);

static struct row_key key_of_result(const void *rows, size_t row)
{
	const struct result_row *r = (const struct result_row *)rows + row;

	return (struct row_key){ 0, r->event, r->binary, r->function, r->file, 0 };
}

static struct row_key key_of_place(const void *rows, size_t row)
{
	const struct place_row *r = (const struct place_row *)rows + row;

	return (struct row_key){ r->addr, r->event, r->binary, r->function, r->file, r->line };
}

static bool same_key(const struct row_key *a, const struct row_key *b)
{
	return a->addr == b->addr && a->event == b->event && a->binary == b->binary &&
	       a->function == b->function && a->file == b->file && a->line == b->line;
}

void results_init(struct results *results)
{
	memset(results, 0, sizeof(*results));
	results->index.seed = results->lines.index.seed = results->addresses.index.seed =
		hash_seed();
}

static void release_index(struct row_index *index)
{
	free(index->slots);
	*index = (struct row_index){ 0 };
}

static void release_indexes(struct results *results)
{
	release_index(&results->index);
	release_index(&results->lines.index);
	release_index(&results->addresses.index);
}

void results_release(struct results *results)
{
	release_indexes(results);
	free(results->rows);
	free(results->lines.items);
	free(results->addresses.items);
	memset(results, 0, sizeof(*results));
}

/* The slot of the row with that key, or the free one where it belongs. */
static uint32_t *find_slot(const struct row_index *index, const void *rows, key_of *key_at,
                           const struct row_key *key)
{
	uint64_t hash = hash_pair(index->seed, (uint64_t)key->event << 32 | key->binary,
	                          (uint64_t)key->function << 32 | key->file);
	size_t slot = (size_t)hash_pair(index->seed, hash ^ key->addr, key->line) &
	              (index->capacity - 1);

	for (; index->slots[slot]; slot = (slot + 1) & (index->capacity - 1)) {
		struct row_key found = key_at(rows, index->slots[slot] - 1);

		if (same_key(&found, key))
			break;
	}
	return &index->slots[slot];
}

/* find_slot() with room for one more beside the count rows that are there; NULL with err set. */
static uint32_t *find_or_open(struct row_index *index, size_t count, const void *rows,
                              key_of *key_at, const struct row_key *key, struct err *err)
{
	size_t capacity = index->capacity ? 2 * index->capacity : FIRST_SLOTS;
	uint32_t *slots;

	if (count >= index->capacity / 2) {
		slots = calloc(capacity, sizeof(*slots));
		if (!slots) {
			err_nomem(err, capacity * sizeof(*slots));
			return NULL;
		}
		free(index->slots);
		index->slots = slots;
		index->capacity = capacity;
		for (size_t i = 0; i < count; i++) {
			struct row_key old = key_at(rows, i);

			*find_slot(index, rows, key_at, &old) = (uint32_t)i + 1;
		}
	}
	return find_slot(index, rows, key_at, key);
}

static void add_to(struct result_row *row, const struct result_row *added)
{
	/* a function may be named from several tables: the one of most samples is told */
	if (added->samples > row->samples)
		row->origin = added->origin;
	row->samples += added->samples;
	row->period += added->period;
}

bool results_add(struct results *results, const struct result_row *added, struct err *err)
{
	const struct row_key key = key_of_result(added, 0);
	struct row_key last;
	struct result_row *rows;
	uint32_t *slot;

	if (results->row_count) {
		last = key_of_result(results->rows, results->last_row);
		if (same_key(&last, &key)) {
			add_to(&results->rows[results->last_row], added);
			return true;
		}
	}
	slot = find_or_open(&results->index, results->row_count, results->rows, key_of_result, &key,
	                    err);
	if (!slot)
		return false;
	if (*slot) {
		results->last_row = *slot - 1;
		add_to(&results->rows[results->last_row], added);
		return true;
	}
	rows = vec_grow(results->rows, results->row_count, &results->row_capacity, sizeof(*rows),
	                err);
	if (!rows)
		return false;
	results->rows = rows;
	results->last_row = results->row_count;
	rows[results->row_count++] = *added;
	*slot = (uint32_t)results->row_count;
	return true;
}

bool results_add_place(struct place_rows *places, const struct place_row *added, struct err *err)
{
	const struct row_key key = key_of_place(added, 0);
	struct place_row *items;
	uint32_t *slot;

	slot = find_or_open(&places->index, places->count, places->items, key_of_place, &key, err);
	if (!slot)
		return false;
	if (*slot) {
		places->items[*slot - 1].samples += added->samples;
		places->items[*slot - 1].period += added->period;
		return true;
	}
	items = vec_grow(places->items, places->count, &places->capacity, sizeof(*items), err);
	if (!items)
		return false;
	places->items = items;
	items[places->count++] = *added;
	*slot = (uint32_t)places->count;
	return true;
}

/* Ties are ordered by what the table shows, so that every run prints the same. */
static int compare_texts(const struct strings *strings, uint32_t a, uint32_t b)
{
	return a == b ? 0 : strcmp(strings_get(strings, a), strings_get(strings, b));
}

/* qsort() has no context: rows are sorted through records that carry their strings. */
struct sortable {
	const struct strings *strings;
	const void *row;
};

/* The most expensive comes first. */
static int compare_costs(uint64_t period, uint64_t samples, uint64_t other_period,
                         uint64_t other_samples)
{
	if (period != other_period)
		return period > other_period ? -1 : 1;
	return samples > other_samples ? -1 : samples < other_samples;
}

static int compare_rows(const void *a, const void *b)
{
	const struct strings *strings = ((const struct sortable *)a)->strings;
	const struct result_row *x = ((const struct sortable *)a)->row;
	const struct result_row *y = ((const struct sortable *)b)->row;
	int order;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	order = compare_costs(x->period, x->samples, y->period, y->samples);
	if (!order)
		order = compare_texts(strings, x->binary, y->binary);
	if (!order)
		order = compare_texts(strings, x->function, y->function);
	return order ? order : compare_texts(strings, x->file, y->file);
}

static int compare_places(const void *a, const void *b)
{
	const struct strings *strings = ((const struct sortable *)a)->strings;
	const struct place_row *x = ((const struct sortable *)a)->row;
	const struct place_row *y = ((const struct sortable *)b)->row;
	int order;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	order = compare_costs(x->period, x->samples, y->period, y->samples);
	if (!order)
		order = compare_texts(strings, x->binary, y->binary);
	if (!order && x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (!order)
		order = compare_texts(strings, x->file, y->file);
	if (!order && x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return order ? order : compare_texts(strings, x->function, y->function);
}

/* Sorts count rows of size bytes, which may move. */
static bool sort_rows(const struct strings *strings, void **rows, size_t count, size_t size,
                      int (*compare)(const void *, const void *), struct err *err)
{
	struct sortable *order = calloc(count ? count : 1, sizeof(*order));
	uint8_t *sorted = malloc(count ? count * size : 1);

	if (!order || !sorted) {
		free(order);
		free(sorted);
		return err_nomem(err, count * size);
	}
	for (size_t i = 0; i < count; i++)
		order[i] = (struct sortable){ strings, (uint8_t *)*rows + i * size };
	qsort(order, count, sizeof(*order), compare);
	for (size_t i = 0; i < count; i++)
		memcpy(sorted + i * size, order[i].row, size);
	free(order);
	free(*rows);
	*rows = sorted;
	return true;
}

static bool sort_places(const struct strings *strings, struct place_rows *places, struct err *err)
{
	void *items = places->items;
	bool ok = sort_rows(strings, &items, places->count, sizeof(*places->items), compare_places,
	                    err);

	places->items = items;
	return ok;
}

bool results_sort(struct results *results, const struct strings *strings, struct err *err)
{
	void *rows = results->rows;
	bool ok = sort_rows(strings, &rows, results->row_count, sizeof(*results->rows),
	                    compare_rows, err);

	results->rows = rows;
	ok = ok && sort_places(strings, &results->lines, err) &&
	     sort_places(strings, &results->addresses, err);
	release_indexes(results);
	return ok;
}
