/*
 * The tree of functions of one event, by what another program's format calls them.
 *
 * In:  the named call tree and its cells (decode/naming/calltree.h), or the merged call tree of a
 *      comparison (decode/compare/mergedcalls.h), and a text for each function.
 * Out: nodes of texts: functions that have the same text and the same callers are one node. The
 * outermost nodes are names of processes where those are wanted.
 */
#ifndef READPERF_DECODE_EXPORTS_LABELTREE_H
#define READPERF_DECODE_EXPORTS_LABELTREE_H

#include "decode/tables/tables.h"

#define LABEL_NODE_NONE UINT32_MAX

struct label_node {
	uint32_t parent;          /* always a lower number; LABEL_NODE_NONE: it is outermost */
	uint32_t label;           /* string of the tree */
	uint32_t depth;           /* 0 for the outermost */
	uint64_t samples, period; /* in the node itself; of a comparison: on the new side */
	uint64_t base;            /* of a comparison: the period on the base side */
};

struct label_tree {
	struct strings labels;
	struct label_node *nodes;
	size_t count, capacity;
	uint32_t *order; /* the nodes in order: callers before what they call, siblings by the bytes
	                    of their labels */
};

/* Writes the label of a function, and a NUL, to text, which has enough room. */
typedef void label_writer(char *text, const struct call_node *node, const struct strings *strings);

struct label_request {
	const struct report *report;
	size_t event;           /* see call_tree_event(); or of the comparison */
	label_writer *function; /* what functions are called */
	/*
	 * Writes the label of a stack's process, of which only the name is set; NULL: processes are
	 * not distinguished.
	 */
	label_writer *process;
};

/*
 * Bytes that a label_writer may write: this number, plus this number for each byte of the name and
 * the binary.
 */
#define LABEL_ROOM 32
#define LABEL_ROOM_PER_BYTE 4

/*
 * False with err set when memory is refused; label_tree_release() in any case. Of a comparison, the
 * periods are means of each side's runs, scaled as the comparison does, and rounded so that their
 * sum is the rounded sum. With --scale=share or work they are given back the size that they were
 * counted with.
 */
bool label_tree_make(struct label_tree *tree, const struct label_request *request, struct err *err);
void label_tree_release(struct label_tree *tree);

#endif
