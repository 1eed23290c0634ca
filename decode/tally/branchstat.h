/*
 * Counts recorded branches (`perf record -b`, `-j any`), and the code that ran between them.
 *
 * In:  samples with a branch stack, in order of time, once they are selected.
 * Out: a sum for each (event, from, to, type) and, if groups are asked for, group; and one for each
 * block: code that ran without a taken branch, from the target of one branch to the source of the
 * next newer one.
 *
 *      entries of a sample, newest first:    from <- to  (cycles since the branch before)
 *          [0]  0x1140 -> 0x1100   3         block 0x1120..0x1140, 3 cycles
 *          [1]  0x1110 -> 0x1120   2
 */
#ifndef READPERF_DECODE_TALLY_BRANCHSTAT_H
#define READPERF_DECODE_TALLY_BRANCHSTAT_H

#include "decode/machine/mapping.h"
#include "decode/tally/placing.h"
#include "perffile/record/record.h"
#include "util/tuples.h"

/* More is no code without a branch, but two branches that do not belong together. */
#define BLOCK_MOST 0x10000 /* bytes */

/* One end of a branch, in the binary's address space. */
struct branch_place {
	uint64_t addr;
	uint32_t binary, zero;
};

struct branch_key {
	struct branch_place from, to;
	uint32_t event, type; /* type: see branch_type_word() */
	uint32_t group, zero; /* group: of the sample */
};

struct branch_sum {
	uint64_t count, mispredicted, in_transaction, aborts;
	uint64_t samples; /* that have it */
	uint64_t last;    /* number of the last of these samples */
};

struct block_key {
	uint64_t start, end; /* end: address of the branch behind it */
	uint32_t binary, event;
};

struct block_sum {
	uint64_t count, cycles,
		cycles_count; /* cycles_count: of these count, how many say cycles */
};

struct branchstat {
	struct session *session;   /* borrowed */
	struct mappings *mappings; /* borrowed */
	struct tuples branches;    /* struct branch_key */
	struct branch_sum *branch_sums;
	size_t branch_capacity;
	struct tuples blocks; /* struct block_key */
	struct block_sum *block_sums;
	size_t block_capacity;
	uint64_t samples;          /* with branches */
	uint64_t pairs, odd_pairs; /* of entries that follow each other; odd: no block */
	bool *predicted;           /* by event: whether an entry says how it was predicted */
	size_t predicted_count, predicted_capacity;
	bool call_stacks;     /* samples had open calls (--call-graph lbr), which are no branches */
	struct placed placed; /* of the current sample: its process */
};

void branchstat_init(struct branchstat *stat, struct session *session, struct mappings *mappings);
void branchstat_release(struct branchstat *stat);
/* Whether samples of the event have branches. */
bool branchstat_has(const struct session *session, uint32_t event);
/* Counts the branches of a sample of a process, in a group. False with err set when memory is
 * refused. */
bool branchstat_add(struct branchstat *stat, const struct record *record, uint32_t process,
                    uint32_t group, struct err *err);
/* Whether an entry of the event says whether it was predicted; of some processors none does. */
bool branchstat_predicts(const struct branchstat *stat, uint32_t event);
/* "cond", "call" ...; NULL: it was not recorded. */
const char *branch_type_word(uint32_t type);

#endif
