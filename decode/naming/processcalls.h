/*
 * The call tree of each process: the outermost nodes are names of processes, and below each is the
 * part of the call tree that samples of these processes have. Flame graphs, folded stacks and the
 * merged call trees of a comparison are made of it.
 */
#ifndef READPERF_DECODE_NAMING_PROCESSCALLS_H
#define READPERF_DECODE_NAMING_PROCESSCALLS_H

#include "decode/naming/calltree.h"

/* Samples in the node itself. */
struct call_cost {
	uint32_t node, event; /* event: see call_event_of() */
	uint64_t samples, period;
};

/* All zeros: not made yet. */
struct process_calls {
	/*
	 * Each node comes after its parent. Of a process only parent and name are set; the others
	 * are nodes of the call tree, but for their parents.
	 */
	struct call_node *nodes;
	size_t count, capacity;
	struct call_cost *costs; /* of one node and event there may be several */
	size_t cost_count;
};

/*
 * Makes it, unless that was done before. Processes have their names if stacks were counted by them,
 * otherwise there is one without a name. False with err set when memory is refused.
 */
bool process_calls_make(struct process_calls *made, const struct buildstat *stat,
                        const struct call_tree *calls, struct err *err);
void process_calls_release(struct process_calls *made);

#endif
