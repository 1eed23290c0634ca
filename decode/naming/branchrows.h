/*
 * The rows of branches.csv and blocks.csv: what branchstat counted, with names.
 *
 * In:  the sums of branches and blocks.
 * Out: rows by event, the most frequent first. With --function those of which an end, or the block,
 *      is in one of these functions.
 */
#ifndef READPERF_DECODE_NAMING_BRANCHROWS_H
#define READPERF_DECODE_NAMING_BRANCHROWS_H

#include "decode/naming/naming.h"
#include "decode/tally/branchstat.h"

/* An address with its names; texts are strings. */
struct branch_end {
	uint64_t addr; /* link-time */
	uint32_t function, file, line;
	uint32_t binary; /* number */
};

struct branch_row {
	struct branch_end from, to;
	struct branch_sum sum; /* of all groups */
	uint32_t event, type;
};

/* Strings: the functions of the ends of a branch. */
struct branch_functions {
	uint32_t from, to;
	bool passes; /* --function lets it through */
};

struct block_row {
	struct branch_end start;
	uint64_t end; /* link-time */
	const struct block_sum *sum;
	uint32_t event;
};

/* All zeros is empty. */
struct branch_rows {
	struct branch_row *branches;
	size_t branch_count;
	struct branch_functions *functions; /* of each branch that branchstat counted */
	struct block_row *blocks;
	size_t block_count;
};

/* After naming_run(). False with err set when memory is refused; branch_rows_release() in any case.
 */
bool branch_rows_make(struct branch_rows *rows, struct buildstat *stat,
                      const struct naming_options *options, struct diag *diag, struct err *err);
void branch_rows_release(struct branch_rows *rows);

#endif
