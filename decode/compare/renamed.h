/*
 * Binaries that have another name on the other side (app-old, app-new): without this every function
 * of theirs would be new and gone.
 *
 * A binary that only the base has and one that only the new side has are the same one if at least
 * half of what both cost is in functions of the same names. The pairs with the largest common cost
 * are taken first.
 *
 * In:  the rows of all runs.
 * Out: pairs of names, by which rows and nodes of call trees are matched.
 */
#ifndef READPERF_DECODE_COMPARE_RENAMED_H
#define READPERF_DECODE_COMPARE_RENAMED_H

#include "decode/compare/mergedcalls.h"

/* Names as match_binary() makes them: strings. */
struct renamed_binary {
	uint32_t base, now;
};

struct renamed {
	struct renamed_binary *items; /* malloc'd; the largest common cost first */
	size_t count, capacity;
	struct map base_of; /* now -> base */
};

/* All zeros: none. */
void renamed_release(struct renamed *renamed);
/* Finds the pairs. False with err set when memory is refused. */
bool renamed_find(struct renamed *renamed, const struct compare_run *runs, size_t run_count,
                  struct strings *strings, struct err *err);
/*
 * Makes nodes of call trees one that differ in nothing but these names; also processes that have
 * the names of such binaries. The runs' costs follow. False with err set when memory is refused.
 */
bool renamed_merge_calls(const struct renamed *renamed, struct merged_calls *calls,
                         struct compare_run *runs, size_t run_count, struct err *err);

#endif
