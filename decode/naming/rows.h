/* What all projections need: to find the row of a key, and the order of rows. */
#ifndef READPERF_DECODE_NAMING_ROWS_H
#define READPERF_DECODE_NAMING_ROWS_H

#include "util/hash.h"
#include "util/strings.h"

/* A row to be compared. qsort() has no context argument, so each has a pointer to the strings. */
struct row_ref {
	const struct strings *strings;
	const void *row;
};

/* Compares by text, so that every run has the same order. */
int rows_compare_texts(const struct strings *strings, uint32_t a, uint32_t b);
/* The most expensive comes first. */
int rows_compare_costs(uint64_t period, uint64_t samples, uint64_t other_period,
                       uint64_t other_samples);
/*
 * Sorts count rows of size bytes. compare receives two struct row_ref. False with err set when
 * memory is refused.
 */
bool rows_sort(const struct strings *strings, void *rows, size_t count, size_t size,
               int (*compare)(const void *, const void *), struct err *err);

/*
 * The numbers of rows by their keys, while rows are added up. The rows themselves are the caller's.
 * All zeros is empty.
 */
struct row_index {
	struct row_slot {
		uint32_t hash, row; /* row: its number + 1; 0: free */
	} * slots;
	size_t count, slot_count; /* slot_count: a power of two, or 0 */
};

/* Whether the row with that number has the key that is looked for. */
typedef bool row_matcher(const void *context, uint32_t row);

/*
 * The number of the row with a key, whose hash is given; if there is none, it is `row` from now on.
 * MAP_NONE with err set when memory is refused.
 */
uint32_t row_index_put(struct row_index *index, uint64_t hash, uint32_t row, row_matcher *matches,
                       const void *context, struct err *err);
void row_index_release(struct row_index *index);

#endif
