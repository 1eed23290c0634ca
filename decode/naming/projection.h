/*
 * A projection of the cells by the keys of a table: what its rows say, and the sums of each.
 *
 * In:  cells, their groups, and the names of their places.
 * Out: the words of samples and of places, in the order of the table; the sum of each pair of them.
 */
#ifndef READPERF_DECODE_NAMING_PROJECTION_H
#define READPERF_DECODE_NAMING_PROJECTION_H

#include "decode/naming/branchrows.h"
#include "decode/naming/calltree.h"
#include "decode/naming/groupkeys.h"
#include "decode/naming/placenames.h"
#include "decode/naming/rowwords.h"
#include "decode/tally/buildstat.h"
#include "util/sorter.h"

/* What rows are made of. */
struct group_source {
	const struct buildstat *stat;
	const struct place_names *names; /* not used by a table whose keys are all of the sample */
	const struct call_tree *calls;   /* of the same names; NULL: callers are unknown */
	const char *temp_dir;            /* folder for temporary files */
	size_t limit;                    /* rows in memory: SORTER_LIMIT, except in tests */
	const struct branch_rows *branches; /* for tables that count branches */
};

/* The samples of a row. */
struct row_sum {
	/*
	 * The number of its words of samples and, in the lower bits, that of its words of places,
	 * or the other way round.
	 */
	uint64_t key;
	uint64_t period, samples;
};

/* All zeros is empty. */
struct projection {
	const struct group_table *table; /* borrowed */
	struct row_words groups;         /* words of keys of the sample, as the table has them */
	struct row_words places;         /* words of the other keys, and at last the event */
	uint32_t *binaries; /* by number of these: the first binary with such a place */
	bool places_first;  /* in keys of rows: the lower bits are those of the groups */
	unsigned low_bits;
	uint64_t *whole;    /* by event: all branches; NULL: it is no table of branches */
	struct sorter sums; /* struct row_sum, by key */
};

/* The table must live as long. False with err set; projection_release() must be called in any case.
 */
bool projection_make(struct projection *projection, const struct group_table *table,
                     const struct group_source *source, struct err *err);
void projection_release(struct projection *projection);

/* The parts of a key. */
static inline size_t projection_group(const struct projection *projection, uint64_t key)
{
	return (size_t)(projection->places_first ? key & (((uint64_t)1 << projection->low_bits) - 1)
	                                         : key >> projection->low_bits);
}

static inline size_t projection_place(const struct projection *projection, uint64_t key)
{
	return (size_t)(projection->places_first
	                        ? key >> projection->low_bits
	                        : key & (((uint64_t)1 << projection->low_bits) - 1));
}

#endif
