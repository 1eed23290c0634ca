/*
 * The call tree in the page of --report: the nodes that samples have, and their functions.
 *
 * In:  the tree of functions, and the nodes of samples (pagesamples.h).
 * Out: nodes in depth-first order, siblings by their names; functions and texts, numbered in the
 *      order in which nodes have them, so that every run numbers them alike.
 */
#ifndef READPERF_DECODE_EXPORTS_PAGETREE_H
#define READPERF_DECODE_EXPORTS_PAGETREE_H

#include "decode/exports/pagesamples.h"

struct page_node {
	uint32_t parent;   /* first; in the numbers of struct page_samples; CALL_NODE_NONE */
	uint32_t function; /* number in `functions` */
	uint32_t depth;
	uint8_t kind; /* enum call_kind */
	uint8_t origin;
	bool used;
};

#define PAGE_KINDS (CALL_REMARK + 1u) /* of nodes */

struct page_function {
	uint32_t name, binary, file; /* strings, as results.csv has them */
};

struct page_tree {
	const struct report *report;   /* borrowed */
	const struct strings *strings; /* borrowed: names and texts are numbers of them */
	struct page_node *nodes;       /* in the numbers of struct page_samples */
	size_t node_count;
	uint32_t *rows;  /* by node: how many rows of samples it has */
	uint32_t *order; /* the used nodes, callers first */
	size_t count;
	uint32_t *number;        /* by node: its place in the order */
	struct tuples functions; /* struct page_function */
	struct tuples texts;     /* uint32_t: string */
};

/* An empty tree, to be filled without the samples of a recording. */
void page_tree_init(struct page_tree *tree, const struct report *report,
                    const struct strings *strings);
/* False with err set when memory is refused; page_tree_release() in any case. */
bool page_tree_make(struct page_tree *tree, const struct report *report,
                    const struct page_samples *samples, struct err *err);
/* Counts the rows of nodes. False with err set. */
bool page_tree_count(struct page_tree *tree, const struct page_samples *samples, struct err *err);
/* Orders the nodes that are `used`, and numbers functions anew. False with err set. */
bool page_tree_order(struct page_tree *tree, struct err *err);
void page_tree_release(struct page_tree *tree);

/* The number of a function of the recording; it is added if no node has it. MAP_NONE with err. */
uint32_t page_tree_function(struct page_tree *tree, uint32_t function, struct err *err);
/* The number of a string, which is added if it is new. MAP_NONE with err set. */
uint32_t page_tree_text(struct page_tree *tree, uint32_t string, struct err *err);

static inline const struct page_function *page_function_at(const struct page_tree *tree,
                                                           size_t number)
{
	return tuples_get(&tree->functions, number);
}

/* For arrays by function and kind of a node, which PAGE_KINDS times the functions are enough for.
 */
static inline size_t page_node_label(const struct page_node *node)
{
	return (size_t)node->function * PAGE_KINDS + node->kind;
}

#endif
