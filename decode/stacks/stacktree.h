/*
 * The tree of stacks. A stack is where a sample was, its own frame, and the callers, which are a
 * node of the tree. Samples of one function often differ in their own frames alone.
 *
 *      roots, one per end        complete              cut
 *                               /        \               \
 *      nodes of 1 to 16    [main _start]  [work clone]   [parse ... parse]
 *      callers                                            |
 *                                                        [scan parse]
 *
 * A node has up to STACK_PART callers, the innermost first, and what called the outermost of them
 * is in its parent. So deep stacks share most of their frames, and others are found in one step.
 * The frames of callers, (binary, address), are numbered; own frames are not part of the tree.
 *
 * In: chains of samples. Out: stacks. Most samples have a chain that was seen before; they
 * are counted without a look at its frames (chainkey.h).
 *
 * Memory is limited: a tree that grows too large is folded, see stack_tree_fold().
 */
#ifndef READPERF_DECODE_STACKS_STACKTREE_H
#define READPERF_DECODE_STACKS_STACKTREE_H

#include "decode/stacks/chain.h"
#include "util/hash.h"

#define STACK_NODE_NONE UINT32_MAX
/* Frames of a node, at most; only the innermost node of a stack has fewer. */
#define STACK_PART 16

struct stack_frame {
	uint64_t addr; /* in the binary's address space */
	uint32_t binary;
};

/* Nodes number [0, STACK_ENDS) are the roots: how the stacks below them ended. */
struct stack_node {
	uint32_t parent; /* always the lower number; STACK_NODE_NONE: a root */
	uint32_t count;  /* of frames; of a root: 0 */
	size_t first;    /* in the tree's lists */
};

struct stack_tree {
	struct stack_frame *frames; /* by number */
	size_t frame_count, frame_capacity;
	uint32_t *lists; /* of numbers of frames: those of each node, the innermost first */
	size_t list_count, list_capacity;
	struct stack_node *nodes;
	size_t count, capacity;
	struct hash_index frame_index, index; /* of the frames; of all nodes but the roots */
	uint64_t seed;
	struct stack_frame *path; /* those of the stack that is put into the tree */
	size_t path_capacity;
	size_t depth_most; /* outer frames of a stack that are kept; SIZE_MAX: all */
	uint32_t folded;   /* the binary that stands for frames that were dropped */
};

/* folded: the number of a binary named "[folded]". */
bool stack_tree_init(struct stack_tree *tree, uint32_t folded, struct err *err);
void stack_tree_release(struct stack_tree *tree);
/* After the last chain: frees what only finds nodes. */
void stack_tree_finish(struct stack_tree *tree);
/* Memory of the tree in bytes. */
size_t stack_tree_size(const struct stack_tree *tree);

/* The node of a chain's callers, which is added if it is new. STACK_NODE_NONE with err set. */
uint32_t stack_tree_callers(struct stack_tree *tree, const struct chain *chain, struct err *err);

/*
 * Makes another tree, *small, of the nodes that are used (uses: by node): of each, depth_most outer
 * frames are kept, with one frame "[folded]" for the others. *moved, to be freed by the caller, has
 * the new number of each such node.
 */
bool stack_tree_fold(struct stack_tree *small, const struct stack_tree *tree, const bool *uses,
                     size_t depth_most, uint32_t **moved, struct err *err);

/* Walks through the frames of a node and its parents, the innermost first. */
struct stack_walk {
	const struct stack_tree *tree;
	uint32_t node;  /* that has the next frame; behind the outermost one: the root */
	uint32_t place; /* of the next frame, in its node */
};

static inline struct stack_walk stack_walk_from(const struct stack_tree *tree, uint32_t node)
{
	return (struct stack_walk){ tree, node, 0 };
}

/* Sets *frame to the number of the next frame; false if there is none. */
static inline bool stack_walk_next(struct stack_walk *walk, uint32_t *frame)
{
	const struct stack_node *node = &walk->tree->nodes[walk->node];

	if (walk->node < STACK_ENDS)
		return false;
	*frame = walk->tree->lists[node->first + walk->place++];
	if (walk->place == node->count) {
		walk->node = node->parent;
		walk->place = 0;
	}
	return true;
}

#endif
