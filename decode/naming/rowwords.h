/*
 * What the rows of a table say of their samples, or of their places: each tuple of words once, in
 * the order of the table.
 */
#ifndef READPERF_DECODE_NAMING_ROWWORDS_H
#define READPERF_DECODE_NAMING_ROWWORDS_H

#include "decode/naming/groupkeys.h"
#include "util/strings.h"

/* All zeros is empty. */
struct row_words {
	uint64_t *items;
	size_t width, count; /* width: words of each */
};

static inline const uint64_t *row_words_at(const struct row_words *words, size_t number)
{
	return words->width ? words->items + number * words->width : NULL;
}

/* By which words of tuples these are compared, one after the other. */
struct word_order {
	const struct strings *strings;      /* borrowed */
	size_t first, count;                /* of the words in a tuple */
	enum group_key keys[KEY_COUNT + 1]; /* of these words; KEY_COUNT: the event */
};

/*
 * Sets words, of which the width is set, to the tuples in their order. Returns the rank of each
 * tuple, malloc'd; NULL with err set.
 */
uint32_t *row_words_fill(struct row_words *words, const struct tuples *tuples,
                         const struct word_order *order, struct err *err);
/*
 * The rank of each by a part of their words, which are equal for some: malloc'd; NULL with err set.
 */
uint32_t *row_words_rank(const struct row_words *words, const struct word_order *order,
                         struct err *err);

#endif
