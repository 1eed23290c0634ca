#include "decode/tally/cellsort.h"

#include <string.h>

#define SMALL_PART 12 /* cells; as few are sorted directly */
#define DIGITS_LEAST 16
#define DIGITS 1024

/* The keys in order of significance. */
enum sort_key { BY_BINARY, BY_KEY };

static inline bool is_before(const struct cell_kind *kinds, const struct cell *a,
                             const struct cell *b)
{
	uint32_t x = kinds[a->kind].binary, y = kinds[b->kind].binary;

	return x != y ? x < y : a->key < b->key;
}

static inline void swap_cells(struct cell *a, struct cell *b)
{
	struct cell held = *a;

	*a = *b;
	*b = held;
}

static void insert_cells(const struct cell_kind *kinds, struct cell *cells, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct cell moved = cells[i];
		size_t at = i;

		for (; at && is_before(kinds, &moved, &cells[at - 1]); at--)
			cells[at] = cells[at - 1];
		cells[at] = moved;
	}
}

static inline uint64_t sort_key_of(const struct cell_kind *kinds, const struct cell *cell,
                                   enum sort_key by)
{
	return by == BY_BINARY ? kinds[cell->kind].binary : cell->key;
}

/* The state of a sort. */
struct sort {
	const struct cell_kind *kinds;
	size_t next[DIGITS]; /* during a split: the place for the next cell with a digit */
};

/* A digit of a key: a few bits of its distance from the lowest key. */
struct digit {
	enum sort_key by;
	uint64_t lowest;
	unsigned shift;
	size_t count; /* number of different digits */
};

static inline size_t digit_of(const struct cell_kind *kinds, const struct cell *cell,
                              const struct digit *digit)
{
	return (size_t)((sort_key_of(kinds, cell, digit->by) - digit->lowest) >> digit->shift);
}

/* Sorts the cells by one digit, in place. ends[i] is the end of those with digit i. */
static void split_by_digit(struct sort *sort, struct cell *cells, size_t count,
                           const struct digit *digit, size_t ends[DIGITS])
{
	const struct cell_kind *kinds = sort->kinds;
	size_t *next = sort->next, sum = 0;

	memset(ends, 0, digit->count * sizeof(*ends));
	for (size_t i = 0; i < count; i++)
		ends[digit_of(kinds, &cells[i], digit)]++;
	for (size_t i = 0; i < digit->count; i++) {
		next[i] = sum;
		sum += ends[i];
		ends[i] = sum;
	}
	for (size_t i = 0; i < digit->count; i++) {
		while (next[i] < ends[i]) {
			size_t other = digit_of(kinds, &cells[next[i]], digit);

			if (other != i)
				swap_cells(&cells[next[i]], &cells[next[other]]);
			next[other]++;
		}
	}
}

/*
 * A radix sort, most significant digit first. It works in place, because the cells may be the
 * largest part of the memory. Each digit splits a range into at least two, so it ends soon for any
 * input. With qsort() a whole run takes 4 % more CPU time (1.8 million samples at 207,000
 * addresses), or 12 % more without source files.
 */
static void sort_cells_by(struct sort *sort, struct cell *cells, size_t count, enum sort_key by)
{
	const struct cell_kind *kinds = sort->kinds;
	struct digit digit = { by, UINT64_MAX, 0, DIGITS_LEAST };
	size_t ends[DIGITS], start = 0;
	uint64_t highest = 0;

	if (count <= SMALL_PART) {
		insert_cells(kinds, cells, count);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		digit.lowest = u64_min(digit.lowest, sort_key_of(kinds, &cells[i], by));
		highest = u64_max(highest, sort_key_of(kinds, &cells[i], by));
	}
	if (digit.lowest == highest) {
		if (by == BY_BINARY)
			sort_cells_by(sort, cells, count, BY_KEY);
		return;
	}
	while (digit.count < DIGITS && digit.count < count)
		digit.count *= 2;
	while ((highest - digit.lowest) >> digit.shift >= digit.count)
		digit.shift++;
	split_by_digit(sort, cells, count, &digit, ends);
	for (size_t i = 0; i < digit.count; start = ends[i++])
		sort_cells_by(sort, cells + start, ends[i] - start, by);
}

void cells_sort(struct cell *cells, size_t count, const struct cell_kind *kinds)
{
	struct sort sort;

	sort.kinds = kinds;
	sort_cells_by(&sort, cells, count, BY_BINARY);
}
