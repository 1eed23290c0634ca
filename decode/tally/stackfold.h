/*
 * Makes counted stacks smaller when they take too much memory: cells of equal stacks are added up,
 * and inner parts of deep stacks are dropped. No sample is.
 *
 * In:  the tree of stacks and its cells.
 * Out: others in their place; the log of cells has the new numbers.
 */
#ifndef READPERF_DECODE_TALLY_STACKFOLD_H
#define READPERF_DECODE_TALLY_STACKFOLD_H

#include "decode/stacks/stacktree.h"
#include "decode/tally/stackcells.h"
#include "util/spool.h"

/* All of it is borrowed. */
struct stackfold {
	struct stack_tree *tree;
	struct stack_cells *cells;
	struct spool *log; /* of numbers of cells; it need not be open */
	uint64_t seed;     /* of the keys that cells get */
};

/*
 * Keeps depth_most outer frames of each stack; SIZE_MAX: all. The cells, of which there is one for
 * each stack and group now, have other keys: see stackfold_key(). False with err set when memory is
 * refused.
 */
bool stackfold_run(const struct stackfold *fold, size_t depth_most, struct err *err);
/* The key of a cell after stackfold_run(), which depends on its stack and group alone. */
uint64_t stackfold_key(uint64_t seed, const struct stack_cell *cell);

#endif
