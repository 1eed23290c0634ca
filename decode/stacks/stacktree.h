/*
 * The tree of stacks: every stack that was seen is a node, a number, whose parent is the stack of
 * its caller. Counting stacks is then counting numbers (struct cells).
 *
 *      roots, one per end     complete        cut
 *                             /      \          \
 *                         _start    clone      work   ...
 *                           |
 *                          main                nodes: (parent, binary, address)
 *
 * Enters: chains of samples. Leaves: their nodes. Most samples have a chain that was seen before:
 * struct whole_chains knows those again without a walk through the tree.
 *
 * Memory is limited: a tree that grows too large is folded, see stack_tree_fold().
 */
#ifndef READPERF_DECODE_STACKS_STACKTREE_H
#define READPERF_DECODE_STACKS_STACKTREE_H

#include "decode/stacks/chain.h"
#include "util/hash.h"

#define STACK_NODE_NONE UINT32_MAX

/* Nodes number [0, STACK_ENDS) are the roots: how the stacks below them ended. */
struct stack_node {
	uint64_t addr; /* in the binary's address space; of a root: 0 */
	uint32_t binary;
	uint32_t parent; /* always the lower number; STACK_NODE_NONE: a root */
};

struct stack_tree {
	struct stack_node *nodes;
	size_t count, capacity;
	struct hash_index index; /* of all nodes but the roots */
	uint64_t seed;
	size_t depth_most; /* outer frames of a stack that are kept; SIZE_MAX: all */
	uint32_t folded;   /* the binary that stands for frames that were dropped */
};

/* folded: the number of a binary named "[folded]". */
bool stack_tree_init(struct stack_tree *tree, uint32_t folded, struct err *err);
void stack_tree_release(struct stack_tree *tree);
/* After the last chain: frees what only finds nodes. */
void stack_tree_finish(struct stack_tree *tree);

/* The node of a sample without a chain; it is added if it is new. STACK_NODE_NONE with err set. */
uint32_t stack_tree_single(struct stack_tree *tree, uint32_t binary, uint64_t addr,
                           struct err *err);
/* The node of a chain, which is added if it is new. */
uint32_t stack_tree_put(struct stack_tree *tree, const struct chain *chain, struct err *err);

/*
 * Makes a smaller tree, *small: of each stack that has samples, only the innermost frame and half
 * as many outer frames as before are kept, with one frame "[folded]" between them. uses: whether a
 * node has samples. *moved, to be freed by the caller, has the new number of each such node.
 */
bool stack_tree_fold(struct stack_tree *small, const struct stack_tree *tree, const bool *uses,
                     uint32_t **moved, struct err *err);

#endif
