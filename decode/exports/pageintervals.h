/*
 * The intervals that the page of --report shows: those that ended, in the order of their begins,
 * each with its node in the tree of functions.
 */
#ifndef READPERF_DECODE_EXPORTS_PAGEINTERVALS_H
#define READPERF_DECODE_EXPORTS_PAGEINTERVALS_H

#include "decode/tables/tables.h"
#include "decode/tally/intervalstat.h"

/* All zeros is a closed one, without rows. */
struct page_intervals {
	const struct report *report; /* borrowed */
	struct interval_rows rows;
	/* the current one */
	const struct interval_row *row; /* NULL: there are no more */
	uint32_t what;                  /* string */
	uint32_t cell;                  /* of its stack */
	uint32_t node;                  /* of its innermost function */
};

/* How many there are at most. */
uint64_t page_intervals_count(const struct report *report);
/*
 * Goes to the first one, and to the next one. Those whose samples are no durations (--weight) are
 * left out. False with err set; page_intervals_close() in any case.
 */
bool page_intervals_open(struct page_intervals *intervals, const struct report *report,
                         struct err *err);
bool page_intervals_next(struct page_intervals *intervals, struct err *err);
void page_intervals_close(struct page_intervals *intervals);

#endif
