/*
 * Sorts more items than memory should hold: full parts are sorted and written to a temporary file,
 * and all of them are merged while they are read. A few items never leave memory.
 *
 * In:  items of one size, in any order.
 * Out: the items in their order; equal ones may be added up.
 */
#ifndef READPERF_UTIL_SORTER_H
#define READPERF_UTIL_SORTER_H

#include "util/spill.h"

#define SORTER_LIMIT ((size_t)1 << 17) /* items in memory, except in tests: a few MB */

/* What the items are. */
struct sorter_how {
	size_t size; /* of an item, bytes: those of SPILL_WORDS_MOST u64 or fewer */
	/*
	 * Sorts items; room: for as many. Returns the one of the two that has the result, as
	 * radix_sort() does.
	 */
	void *(*sort)(const void *context, void *items, void *room, size_t count);
	/* Below 0: a comes before b; 0: they are equal. */
	int (*compare)(const void *context, const void *a, const void *b);
	/* Adds an item to an equal one; NULL: equal items are kept. */
	void (*add)(void *to, const void *item);
	const void *context; /* borrowed */
};

/* Made by sorter_init(); all zeros is an empty one. */
struct sorter {
	struct sorter_how how;
	size_t limit;    /* items in memory */
	uint8_t *items;  /* the last part */
	uint8_t *room;   /* for as many items, to sort them */
	size_t count;    /* items in the last part */
	size_t capacity; /* of items */
	size_t room_capacity;
	struct spill spill; /* the parts before: each is a block, and sorted */
};

/* dir: borrowed, a folder for a temporary file; limit: items in memory, at least 2 */
void sorter_init(struct sorter *sorter, const struct sorter_how *how, const char *dir,
                 size_t limit);
void sorter_release(struct sorter *sorter);
/* False with err set; the same holds for all functions below. */
bool sorter_add(struct sorter *sorter, const void *item, struct err *err);
/* After the last item. */
bool sorter_finish(struct sorter *sorter, struct err *err);

/* Reads the items in their order. All zeros is a closed one. */
struct sorter_cursor {
	const struct sorter *sorter; /* borrowed */
	struct sorter_source {
		const uint8_t *item; /* the next one; NULL: there are no more */
		struct spill_reader reader;
	} * sources;    /* the blocks, and behind them the part in memory */
	size_t *losers; /* a tournament of the sources; [0]: the one with the first item */
	size_t count;   /* of sources */
	size_t next;    /* number of the next item of the part in memory */
	bool taken;     /* the first item was returned */
	uint64_t sum[SPILL_WORDS_MOST]; /* of equal items */
};

/* After sorter_finish(); any number of cursors may read. sorter_cursor_close() in any case. */
bool sorter_cursor_open(struct sorter_cursor *cursor, const struct sorter *sorter, struct err *err);
void sorter_cursor_close(struct sorter_cursor *cursor);
/* The next item, which is valid until the next call; NULL: there is none, or err is set. */
const void *sorter_next(struct sorter_cursor *cursor, struct err *err);

#endif
