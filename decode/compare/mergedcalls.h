/*
 * The call trees of all runs of a comparison as one tree: functions of the same name in binaries of
 * the same name, called by the same functions, are one node, as compare/match.h has it.
 *
 * In:  call trees of named recordings, or the calltree.csv of tables, run after run.
 * Out: the nodes, and the costs of each run in them (struct compare_run). Flame graphs and folded
 * stacks of a comparison, and the totals of functions that have no samples of their own, are made
 * from them.
 *
 * The outermost nodes are processes, by the name that each had when it was sampled. Tables do not
 * hold these names: a run from tables is one process without a name.
 */
#ifndef READPERF_DECODE_COMPARE_MERGEDCALLS_H
#define READPERF_DECODE_COMPARE_MERGEDCALLS_H

#include "decode/compare/match.h"
#include "decode/compare/run.h"
#include "util/tuples.h"

/* What is the same in nodes of one label. */
static inline uint64_t call_label_key(const struct call_node *node)
{
	return (uint64_t)node->name << 32 | node->binary;
}

struct merged_calls {
	struct strings *strings; /* borrowed: of the names */
	struct name_matcher matcher;
	/*
	 * The nodes; callers come before what they call. Only name, binary and kind identify a
	 * node; the other fields are those of the first run with the node. `function` is the number
	 * of the pair of name and binary.
	 */
	struct call_node *nodes;
	size_t count, capacity;
	struct tuples keys;     /* of each node: parent, name, binary, kind */
	struct map label_of;    /* name << 32 | binary -> number of the pair */
	struct map cost_of;     /* event << 32 | node -> cost in the current run */
	bool without_processes; /* a run does not have processes */
	/*
	 * strings: the first folder that has no calltree.csv, or an empty one; the first recording
	 * without call chains
	 */
	uint32_t missing, no_chains; /* STRING_NONE: none */
};

void merged_calls_init(struct merged_calls *merged, struct strings *strings);
void merged_calls_release(struct merged_calls *merged);

/* Whether every run has a call tree made from call chains; NULL: call trees are not needed. */
static inline bool merged_calls_complete(const struct merged_calls *merged)
{
	return merged && merged->missing == STRING_NONE && merged->no_chains == STRING_NONE;
}

/* The number of processes, or of names of processes. */
size_t merged_calls_processes(const struct merged_calls *merged);

/*
 * The node for `wanted` below a node (CALL_NODE_NONE: outermost), which is added if it is new. Its
 * texts are strings of the comparison, as recorded. CALL_NODE_NONE with err set.
 */
uint32_t merged_calls_put(struct merged_calls *merged, uint32_t parent,
                          const struct call_node *wanted, struct err *err);
/* Adds to the cost of a node in the current run. */
bool merged_calls_add(struct merged_calls *merged, struct compare_run *run,
                      const struct call_cost *cost, struct err *err);

/* Adds the costs of a named recording to a run without any. */
bool merged_calls_add_tree(struct merged_calls *merged, struct compare_run *run,
                           const struct buildstat *stat, const struct process_calls *calls,
                           struct err *err);
/*
 * The same for the tables of a folder (calltable.c), of which the run has what the other tables
 * say. False with err set if calltree.csv is damaged, or has other sums than results.csv; the run
 * then counts as one without it.
 */
bool merged_calls_add_folder(struct merged_calls *merged, struct compare_run *run,
                             const char *folder, struct err *err);

/* The costs of a node itself on both sides. */
struct merged_sum {
	double cost[2];      /* mean per run of the side, scaled, see merged_calls_sum() */
	uint64_t samples[2]; /* of all runs of the side */
};

struct comparison;
/*
 * The factor from scaled costs of an event to periods: 1 if the scale only compensates for the
 * machines.
 */
double merged_unit(const struct comparison *comparison, uint32_t event);
/*
 * The costs of an event in each node of the comparison's call trees, malloc'd; NULL with err set.
 * With --scale=share and work, whose costs are no periods, all are multiplied by the factor that
 * makes their mean over all runs equal to that of the counted periods.
 */
struct merged_sum *merged_calls_sum(const struct comparison *comparison, uint32_t event,
                                    struct err *err);

#endif
