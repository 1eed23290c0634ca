/*
 * The tree of stacks by function: who calls what is expensive.
 *
 * In:  the tree of stacks and its cells (struct stackstat), and the names of places.
 * Out: nodes of functions, with what each event has in them (own) and below them (total). All of
 * calltree.csv, callers.csv, the totals of results.csv, flame graphs, folded stacks and profiles
 * are made of it.
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
 *              kind = cells.kinds[cell.kind]            its event, its group
 *              stat->stacks->groups[kind.group]         pid, tid, comm; as stack_options asked for
 *              node = tree.node_of_stack[cell.key]      innermost function; then its parents
 *              cell.samples, cell.period
 *
 * and the addresses: stat->stacks->tree.nodes[cell.key] and its parents, whose places are
 * stat->stacks->places[...].
 */
#ifndef READPERF_DECODE_NAMING_CALLTREE_H
#define READPERF_DECODE_NAMING_CALLTREE_H

#include "decode/naming/placenames.h"
#include "decode/tally/buildstat.h"

#define CALL_NODE_NONE UINT32_MAX
/* In place of a function's number: what stands in a stack and is no function. */
#define CALL_NO_FUNCTION UINT32_MAX

enum call_kind {
	CALL_USER,
	CALL_KERNEL,
	CALL_RUN_TIME, /* code that was made while the program ran */
	CALL_INLINED,
	CALL_UNNAMED, /* no function is known */
	CALL_REMARK   /* "[cut]", "[lost]", "[folded]" */
};

struct call_node {
	uint32_t parent;             /* the caller's; CALL_NODE_NONE: the outermost */
	uint32_t function;           /* the first of those alike, or CALL_NO_FUNCTION */
	uint32_t name, binary, file; /* strings, as results.csv has them */
	uint32_t depth;              /* of the outermost: 0 */
	uint8_t kind;                /* enum call_kind */
	uint8_t origin;              /* enum symbol_origin; of a remark: ORIGIN_COUNT */
};

struct call_count {
	uint64_t samples, period;
};

struct call_tree {
	bool chains;             /* an event was recorded with call chains */
	struct call_node *nodes; /* a parent comes before its children */
	size_t count, capacity;
	size_t event_count; /* of the session, and one more: samples of no known event */
	/* of node n and event e at [n * event_count + e] */
	struct call_count *own, *total;
	/* of function f and event e: samples that have it anywhere in their stack, each once */
	struct call_count *functions;
	size_t function_count;
	uint32_t *node_of_stack; /* by node of the tree of stacks: the innermost function's node */
	struct map node_of;      /* parent << 32 | function -> node; while it is made */
};

/*
 * All zeros is empty, which is what a recording without call chains has; this gives all memory
 * back.
 */
void call_tree_release(struct call_tree *tree);
/* False with err set when memory is refused. */
bool call_tree_make(struct call_tree *tree, const struct buildstat *stat,
                    const struct place_names *names, struct err *err);

/* The index of an event, which may be EVENT_UNKNOWN. */
static inline size_t call_tree_event(const struct call_tree *tree, uint32_t event)
{
	return event < tree->event_count - 1 ? event : tree->event_count - 1;
}

static inline const struct call_count *call_tree_own(const struct call_tree *tree, uint32_t node,
                                                     size_t event)
{
	return &tree->own[node * tree->event_count + event];
}

static inline const struct call_count *call_tree_total(const struct call_tree *tree, uint32_t node,
                                                       size_t event)
{
	return &tree->total[node * tree->event_count + event];
}

/*
 * The nodes that have samples of an event, as a list that reads as a tree: a caller before what it
 * calls, the most expensive first. *order is malloc'd. False with err set when memory is refused.
 */
bool call_tree_order(const struct call_tree *tree, const struct strings *strings, size_t event,
                     uint32_t **order, size_t *count, struct err *err);

/*
 * The numbers that calltree.csv gives to nodes: by node, from 1 in the order of its rows; 0: it has
 * none. malloc'd; NULL with err set when memory is refused.
 */
uint32_t *call_tree_frames(const struct call_tree *tree, const struct strings *strings,
                           struct err *err);

/* A row of callers.csv: samples in whose stack the caller stands directly outside the callee. */
struct call_edge {
	uint32_t caller, callee; /* nodes that have the names; caller CALL_NODE_NONE: the root */
	size_t event;
	struct call_count count;
};

/* All of them, by event, the most expensive first. *edges is malloc'd. */
bool call_tree_edges(const struct call_tree *tree, const struct strings *strings,
                     struct call_edge **edges, size_t *count, struct err *err);

/*
 * A walk through the tree (callwalk.c), each node twice: when it is entered, before its children,
 * and when it is left, after them. So what lies between the two is below the node.
 */
struct call_walk {
	const struct call_tree *tree;
	uint32_t *first, *next; /* by node: its first child, the next of its parent */
	uint32_t first_root;
	uint32_t node; /* the current one; CALL_NODE_NONE: before the first */
	bool entered;  /* or left */
};

/* False when memory is refused. */
bool call_walk_start(struct call_walk *walk, const struct call_tree *tree);
/* Goes on; false after the last node. */
bool call_walk_next(struct call_walk *walk);
void call_walk_end(struct call_walk *walk);

/* The words of chains.csv for how stacks ended. */
enum chain_end {
	CHAIN_COMPLETE,
	CHAIN_KERNEL_ONLY,
	CHAIN_FRAME_POINTERS,
	CHAIN_CUT,
	CHAIN_NO_RULE,
	CHAIN_NO_BINARY,
	CHAIN_OTHER_FILE,
	CHAIN_NO_MAP,
	CHAIN_TOO_DEEP,
	CHAIN_NONE,
	CHAIN_ENDS
};

extern const char *const chain_end_words[CHAIN_ENDS];

/* How the stacks of each event ended: ends[event * CHAIN_ENDS + end], malloc'd. NULL with err set.
 */
struct call_count *chain_ends_count(const struct call_tree *tree, const struct buildstat *stat,
                                    struct err *err);

#endif
