/*
 * How many samples of each group were in each cell. While records are read, cells have groups
 * (funcstat.h). Where short processes come and go there are soon too many, of groups that get no
 * more samples. So they are folded: cells without groups stay, and how much each had of which
 * group goes to a list, which is in a temporary file if it is long. Cells of one group may be in
 * it several times.
 *
 * In:  cells with groups, often; after the last record once more.
 * Out: cells without groups, of which most tables are made; and the list, for tables with groups.
 */
#ifndef READPERF_DECODE_TALLY_GROUPSUMS_H
#define READPERF_DECODE_TALLY_GROUPSUMS_H

#include "decode/tally/funcstat.h"
#include "util/spill.h"

/*
 * Number of cells with groups at which they are folded, and of sums in memory: 10 MB. There is room
 * for the samples that are handled together, so that no array has twice that size. With 500,000,
 * which the processor's caches do not hold, 18 million samples of short processes take a fifth more
 * CPU time.
 */
#define GROUP_CELLS ((size_t)120000)

struct group_sum {
	uint64_t period, samples, group;
	uint64_t cell; /* its number, from 0, until cells are sorted */
};

/* Made by group_sums_init(); all zeros is an empty one. */
struct group_sums {
	bool wanted;        /* cells have groups */
	size_t limit;       /* GROUP_CELLS, except in tests; SIZE_MAX if it is not wanted */
	struct cells cells; /* without groups */
	struct spill spill; /* the first sums; then those in memory follow */
	struct group_sum *items;
	size_t count, capacity;
	/* After settle_places(): of each cell, by its number in sums. */
	struct group_place {
		uint32_t event, place; /* place: PLACE_NONE if no samples there are wanted */
	} * places;
	size_t place_count;
};

/* dir: borrowed, a folder for a temporary file */
void group_sums_init(struct group_sums *sums, bool wanted, size_t limit, const char *dir);
void group_sums_release(struct group_sums *sums);
/* Appends a sum. False with err set; the same holds for all functions below. */
bool group_sums_add(struct group_sums *sums, const struct group_sum *sum, struct err *err);
/* Takes over the cells, which are empty then. */
bool group_sums_fold(struct group_sums *sums, struct cells *cells, struct err *err);
/* After the last sample: folds cells, which become those without groups. */
bool group_sums_finish(struct group_sums *sums, struct cells *cells, struct err *err);
/* After places were settled: notes the event and the place of cells, before they are sorted. */
bool group_sums_settle(struct group_sums *sums, const struct cells *cells, struct err *err);

/* Reads the sums in the order in which they were appended. All zeros is a closed one. */
struct group_sum_cursor {
	const struct group_sums *sums; /* borrowed; nothing is appended while it is read */
	struct spill_reader reader;
	size_t next; /* of those in memory */
};

/* group_sum_cursor_close() in any case. */
bool group_sum_cursor_open(struct group_sum_cursor *cursor, const struct group_sums *sums,
                           struct err *err);
void group_sum_cursor_close(struct group_sum_cursor *cursor);
/* The next sum, which is valid until the next call; NULL: there is none, or err is set. */
const struct group_sum *group_sum_next(struct group_sum_cursor *cursor, struct err *err);

#endif
