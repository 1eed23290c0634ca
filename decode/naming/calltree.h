/*
 * The tree of stacks by function: who calls what is expensive.
 *
 * In:  the tree of stacks and its cells (struct stackstat), and the names of places.
 * Out: nodes of functions, with what each event has in them (own) and below them (total). All of
 * calltree.csv, callers.csv, flame graphs, folded stacks and profiles are made of it.
 *
 * Stacks that differ in addresses alone become one node. With --inline the functions that are
 * inlined at an address are nodes of their own, the innermost has the samples. A stack that is not
 * whole begins with a node that says so ("[cut]", "[lost]"); where the tree had to be folded there
 * is a node "[folded]".
 *
 * To write another program's format, either walk the nodes (a parent has a lower number than its
 * children), taking `own` of each; or, to tell threads or names of processes apart, walk the cells:
 *
 *      for each cell of stat->stacks->cells:
 *              stackstat_group(stat->stacks, cell)      its event; pid, tid, comm if asked for
 *              node = tree.node_of_cell[its number]     innermost function; then its parents
 *              cell.samples, cell.period
 *
 * The places of a cell are its own, stack_cell_place(), and those of the frames of its callers,
 * stack_walk_from(&stat->stacks->tree, cell.callers). The place of a frame is
 * stat->stacks->places[frame]. A cell without samples was not selected.
 */
#ifndef READPERF_DECODE_NAMING_CALLTREE_H
#define READPERF_DECODE_NAMING_CALLTREE_H

#include "decode/naming/calltotals.h"

#define CALL_NODE_NONE UINT32_MAX
/* In place of a function's number: the node is no function. */
#define CALL_NO_FUNCTION UINT32_MAX

enum call_kind {
	CALL_USER,
	CALL_KERNEL,
	CALL_RUN_TIME, /* code made at run time */
	CALL_INLINED,
	CALL_UNNAMED, /* the function is not known */
	CALL_STATE,   /* what a thread does while it does not run: "[sleeping]" */
	CALL_REMARK   /* "[cut]", "[lost]", "[folded]" */
};

struct call_node {
	/* first, for depth_first_order() */
	uint32_t parent;   /* the node of the caller; CALL_NODE_NONE: it is outermost */
	uint32_t function; /* the first one of those with the same name, or CALL_NO_FUNCTION */
	uint32_t name, binary, file; /* strings, as results.csv has them */
	uint32_t depth;              /* 0 for the outermost */
	uint8_t kind;                /* enum call_kind */
	uint8_t origin;              /* enum symbol_origin; of a remark: ORIGIN_COUNT */
};

struct call_tree {
	struct call_node *nodes; /* each node comes after its parent */
	size_t count;
	size_t event_count; /* as in struct call_totals */
	/*
	 * Of node n and event e at [e * count + n], so that events without samples need no memory:
	 * their pages are never touched.
	 */
	struct call_count *own, *total;
	bool *has_samples;                /* by event */
	uint32_t node_of_end[STACK_ENDS]; /* with which stacks of that end begin, "[cut]", even if
	                                     there are none; or CALL_NODE_NONE */
	uint32_t *node_of_cell; /* by number of a stack_cell: the node of its innermost function */
};

/* What kind a node of that function is. */
enum call_kind call_kind_of(const struct buildstat *stat, const struct function_name *function);

/* All zeros is an empty tree, as of a recording without call chains; this frees everything. */
void call_tree_release(struct call_tree *tree);
/* False with err set when memory is refused. */
bool call_tree_make(struct call_tree *tree, const struct buildstat *stat,
                    const struct place_names *names, struct err *err);

static inline const struct call_count *call_tree_own(const struct call_tree *tree, uint32_t node,
                                                     size_t event)
{
	return &tree->own[event * tree->count + node];
}

static inline const struct call_count *call_tree_total(const struct call_tree *tree, uint32_t node,
                                                       size_t event)
{
	return &tree->total[event * tree->count + node];
}

/* A row of calltree.csv. frames: the numbers of this node and of those of earlier rows. */
typedef void call_row(void *context, uint32_t node, size_t event, const uint32_t *frames);
/*
 * Calls row, which may be NULL, for each event and node that has samples of it, so that they read
 * as a tree: callers before what they call, siblings by cost. Returns the numbers of nodes: by
 * node, from 1 in the order of the rows; 0: it has none. malloc'd; NULL with err set when memory is
 * refused.
 */
uint32_t *call_tree_frames(const struct call_tree *tree, const struct strings *strings,
                           call_row *row, void *context, struct err *err);

/* A row of callers.csv: samples whose stack contains a call from the caller to the callee. */
struct call_edge {
	const struct call_node *caller, *callee; /* caller NULL: the callee is outermost */
	size_t event;
	struct call_count count;
};

/* Lists all pairs by event, the most expensive first. *edges is malloc'd. */
bool call_tree_edges(const struct call_tree *tree, const struct strings *strings,
                     struct call_edge **edges, size_t *count, struct err *err);

/* In place of a label. */
#define CALL_NO_LABEL UINT32_MAX
/*
 * Removes the label of each node that lies below another one with the same label, so that a
 * recursive function counts once on each path from the root. labels: by node, below label_count.
 * Only parents are used of the nodes. False with err set when memory is refused.
 */
bool call_tree_keep_outermost(const struct call_tree *tree, uint32_t *labels, size_t label_count,
                              struct err *err);
/*
 * The totals of each label and event, at [label * event_count + event]: of the nodes that keep
 * their label, as above. malloc'd; NULL with err set when memory is refused.
 */
struct call_count *call_tree_sum(const struct call_tree *tree, uint32_t *labels, size_t label_count,
                                 struct err *err);

/* Samples in the node itself. */
struct call_cost {
	uint32_t node, event; /* event: see call_event_of() */
	uint64_t samples, period;
};

/*
 * The call tree of each process: the outermost nodes are names of processes, and below each is the
 * part of the call tree that samples of these processes have. Flame graphs, folded stacks and the
 * merged call trees of a comparison are made of it. All zeros: not made yet.
 */
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
