/*
 * The tree of functions of one event, with the labels of another program's format.
 *
 * In:  the call trees of processes (decode/naming/calltree.h), or the merged ones of a
 * comparison (decode/compare/mergedcalls.h), and callbacks that write labels. Out: nodes with
 * labels: functions with the same label and the same callers are one node. The outermost nodes are
 * names of processes if these are wanted.
 */
#ifndef READPERF_DECODE_EXPORTS_LABELTREE_H
#define READPERF_DECODE_EXPORTS_LABELTREE_H

#include "decode/tables/tables.h"

#define LABEL_NODE_NONE UINT32_MAX

struct label_node {
	/* first, for depth_first_order() */
	uint32_t parent;          /* always a lower number; LABEL_NODE_NONE: it is outermost */
	uint32_t label;           /* string of the tree */
	uint32_t depth;           /* 0 for the outermost */
	uint64_t samples, period; /* of the node itself; in a comparison those of the new side */
	uint64_t base;            /* in a comparison: the period of the base side */
};

struct label_tree {
	struct strings labels;
	struct label_node *nodes;
	size_t count, capacity;
	uint32_t *order; /* the nodes in order: callers before what they call, siblings by the bytes
	                    of their labels */
};

/*
 * Writes the label of a function, and a NUL, to text, which has enough room; or of a process, which
 * has no parent and no binary.
 */
typedef void label_writer(char *text, const struct call_node *node, const struct strings *strings);

struct label_request {
	const struct report *report;
	size_t event; /* see call_event_of(); or an event of the comparison */
	label_writer *write;
	bool processes; /* stacks begin with their process */
};

/*
 * Bytes that a label_writer may write: this number, plus this number for each byte of the name and
 * the binary.
 */
#define LABEL_ROOM 32
#define LABEL_ROOM_PER_BYTE 4

/*
 * False with err set when memory is refused; label_tree_release() must be called in any case. In a
 * comparison, the periods are means over the runs of a side, scaled as in the comparison, and
 * rounded so that their sum is the rounded sum. With --scale=share or work they are multiplied back
 * to the size of the counted periods.
 */
bool label_tree_make(struct label_tree *tree, const struct label_request *request, struct err *err);
void label_tree_release(struct label_tree *tree);

#endif
