#define _GNU_SOURCE /* qsort_r() */
#include "decode/naming/rowwords.h"

#include "decode/naming/groupwords.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* The tuples that are compared. */
struct compared {
	const uint64_t *items;
	size_t width;
	const struct word_order *order;
};

static int compare_words(const struct word_order *order, enum group_key key, uint64_t x, uint64_t y)
{
	return key == KEY_COUNT ? u64_order(x, y) : group_compare_words(order->strings, key, x, y);
}

static int compare_tuples(const void *a, const void *b, void *context)
{
	const struct compared *compared = context;
	const struct word_order *by = compared->order;
	const uint64_t *v = compared->items + *(const uint32_t *)a * compared->width + by->first;
	const uint64_t *w = compared->items + *(const uint32_t *)b * compared->width + by->first;
	int order = 0;

	for (size_t i = 0; !order && i < by->count; i++)
		if (v[i] != w[i])
			order = compare_words(by, by->keys[i], v[i], w[i]);
	return order;
}

/* The numbers of tuples in their order; malloc'd, NULL with err set. */
static uint32_t *sort_tuples(struct compared *compared, size_t count, struct err *err)
{
	uint32_t *sorted = vec_new(count, sizeof(*sorted), err);

	for (uint32_t i = 0; sorted && i < count; i++)
		sorted[i] = i;
	if (sorted)
		qsort_r(sorted, count, sizeof(*sorted), compare_tuples, compared);
	return sorted;
}

uint32_t *row_words_fill(struct row_words *words, const struct tuples *tuples,
                         const struct word_order *order, struct err *err)
{
	struct compared compared = { (const void *)tuples->items, words->width, order };
	const size_t count = tuples->count;
	uint32_t *sorted = sort_tuples(&compared, count, err);
	uint32_t *ranks = vec_new(count, sizeof(*ranks), err);

	words->count = count;
	words->items = vec_new(count * words->width, sizeof(uint64_t), err);
	for (size_t i = 0; err->code == ERR_NONE && i < count; i++) {
		ranks[sorted[i]] = (uint32_t)i;
		memcpy(words->items + i * words->width, tuples_get(tuples, sorted[i]),
		       tuples->size);
	}
	free(sorted);
	return ranks;
}

uint32_t *row_words_rank(const struct row_words *words, const struct word_order *order,
                         struct err *err)
{
	struct compared compared = { words->items, words->width, order };
	uint32_t *sorted = sort_tuples(&compared, words->count, err);
	uint32_t *ranks = vec_new(words->count, sizeof(*ranks), err);
	uint32_t rank = 0;

	for (size_t i = 0; sorted && ranks && i < words->count; i++) {
		rank += i && compare_tuples(&sorted[i - 1], &sorted[i], &compared);
		ranks[sorted[i]] = rank;
	}
	free(sorted);
	return ranks;
}
