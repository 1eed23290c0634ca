/*
 * The tree of functions of one event, by what another program's format calls them.
 *
 * In:  the named call tree and its cells (decode/naming/calltree.h), and a text for each function.
 * Out: nodes of texts: functions that have the same text and the same callers are one node. The
 * outermost nodes are names of processes where those are wanted.
 */
#ifndef READPERF_DECODE_EXPORTS_LABELTREE_H
#define READPERF_DECODE_EXPORTS_LABELTREE_H

#include "decode/naming/calltree.h"

#define LABEL_NODE_NONE UINT32_MAX

struct label_node {
	uint32_t parent;          /* always the lower number; LABEL_NODE_NONE: the outermost */
	uint32_t label;           /* string of the tree */
	uint32_t depth;           /* of the outermost: 0 */
	uint64_t samples, period; /* in the node itself */
};

struct label_tree {
	struct strings labels;
	struct label_node *nodes;
	size_t count, capacity;
	uint32_t *order; /* the nodes: a caller before what it calls, siblings by the bytes of their
	                    labels */
};

/* Writes what a function is called, and a NUL, to text, which has room for it. */
typedef void label_writer(char *text, const struct call_node *node, const struct strings *strings);

struct label_request {
	const struct call_tree *calls;
	const struct buildstat *stat;
	size_t event;           /* see call_tree_event() */
	label_writer *function; /* what functions are called */
	/*
	 * What the process of a stack is called, of which only the name is set; NULL: processes are
	 * not told apart.
	 */
	label_writer *process;
};

/* Bytes that a label_writer may write: so much, and this for each byte of the name and the binary.
 */
#define LABEL_ROOM 32
#define LABEL_ROOM_PER_BYTE 4

/* False with err set when memory is refused; label_tree_release() in any case. */
bool label_tree_make(struct label_tree *tree, const struct label_request *request, struct err *err);
void label_tree_release(struct label_tree *tree);

#endif
