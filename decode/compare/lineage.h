/*
 * Series that go on under another name: binaries whose names hold a version (app-1.2, app-1.3), and
 * functions that were renamed.
 *
 * A binary that is seen first in a version goes on from one that was seen last in the version
 * before, if renamed.h makes them a pair. A function goes on from one of the same event, binary and
 * source file that ended where it began, if both lasted two versions and three runs and their costs
 * there are equal to within 40 %.
 */
#ifndef READPERF_DECODE_COMPARE_LINEAGE_H
#define READPERF_DECODE_COMPARE_LINEAGE_H

#include "decode/compare/history.h"

/* One name that took the place of another one; strings. */
struct succession {
	uint32_t before, now;
	uint32_t version; /* the first one with the new name: number in the history */
	bool binary;      /* names of binaries, not of functions */
};

struct lineage {
	struct succession *items; /* malloc'd; by version */
	size_t count, capacity;
	/* Of each series the number of the series that it is part of, perhaps of a new one. */
	uint32_t *roots;
};

/* All zeros: none. */
void lineage_release(struct lineage *lineage);
/* Finds binaries that go on, and sets the roots. False with err set when memory is refused. */
bool lineage_of_binaries(struct lineage *lineage, struct history *history, struct err *err);

/* Where a row of a trend has samples, in versions that have samples of its event. */
struct row_life {
	uint32_t first, last;    /* versions */
	uint32_t versions, runs; /* with samples of it */
};

/* The runs of one event of a trend, without those that have no samples of it. */
struct event_runs {
	uint32_t *runs;      /* numbers in the comparison */
	uint32_t *versions;  /* of each version that has such runs: its number in the history */
	uint32_t *first_run; /* of each of them, in `runs`, and behind them run_count */
	uint32_t run_count, version_count;
};

/*
 * Finds functions of an event that go on: their rows have the samples of those that they go on
 * from, whose rows have none any more. False with err set when memory is refused.
 */
bool lineage_of_functions(struct lineage *lineage, struct comparison *comparison, uint32_t event,
                          const struct event_runs *runs, struct err *err);

#endif
