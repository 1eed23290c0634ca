#include "decode/stacks/stacktree.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_NODES 4096
/* Outer frames that are kept when a tree is folded for the first time. */
#define FOLD_FIRST 64

bool stack_tree_init(struct stack_tree *tree, uint32_t folded, struct err *err)
{
	memset(tree, 0, sizeof(*tree));
	tree->seed = hash_seed();
	tree->folded = folded;
	tree->depth_most = SIZE_MAX;
	tree->capacity = FIRST_NODES;
	tree->nodes = malloc(tree->capacity * sizeof(*tree->nodes));
	tree->last = calloc(STACK_PATHS, sizeof(*tree->last));
	if (!tree->nodes || !tree->last)
		return err_nomem(err, FIRST_NODES * sizeof(*tree->nodes));
	for (; tree->count < STACK_ENDS; tree->count++)
		tree->nodes[tree->count] = (struct stack_node){ 0, 0, STACK_NODE_NONE };
	return true;
}

void stack_tree_finish(struct stack_tree *tree)
{
	for (size_t i = 0; tree->last && i < STACK_PATHS; i++)
		free(tree->last[i].nodes);
	hash_index_release(&tree->index);
	free(tree->last);
	tree->last = NULL;
}

void stack_tree_release(struct stack_tree *tree)
{
	stack_tree_finish(tree);
	free(tree->nodes);
	memset(tree, 0, sizeof(*tree));
}

/*
 * The hash of a frame's path from the root; it includes the hash of the caller's path. It has a
 * random seed, so addresses cannot be chosen to collide. For a whole chain it is computed without
 * looking at the tree.
 */
static inline uint64_t hash_way(const struct stack_tree *tree, uint64_t callers, uint32_t binary,
                                uint64_t addr)
{
	return hash_pair(tree->seed, callers + binary, addr);
}

struct node_search {
	const struct stack_tree *tree;
	const struct stack_node *wanted;
};

static bool is_wanted_node(const void *context, uint32_t number)
{
	const struct node_search *search = context;
	const struct stack_node *node = &search->tree->nodes[number], *wanted = search->wanted;

	return node->addr == wanted->addr && node->parent == wanted->parent &&
	       node->binary == wanted->binary;
}

/*
 * The node of a frame, given the hash of its path; it is added if it is new. STACK_NODE_NONE with
 * err set.
 */
static uint32_t put_node(struct stack_tree *tree, uint64_t way, const struct stack_node *wanted,
                         struct err *err)
{
	const struct node_search search = { tree, wanted };
	uint32_t number;

	if (!vec_room(&tree->nodes, tree->count, &tree->capacity, sizeof(*wanted), err))
		return STACK_NODE_NONE;
	number = hash_index_put(&tree->index, way, (uint32_t)tree->count, is_wanted_node, &search,
	                        err);
	if (number == tree->count)
		tree->nodes[tree->count++] = *wanted;
	return number;
}

/* Notes the node of one frame of the chain that is being added, by its depth from the root. */
static bool note_last(struct stack_path *last, size_t depth, uint32_t node, struct err *err)
{
	if (!vec_room(&last->nodes, depth, &last->capacity, sizeof(node), err))
		return false;
	last->nodes[depth] = node;
	last->count = depth + 1;
	return true;
}

/* The node at that depth of the previous chain, if it is this frame with this parent. */
static uint32_t shared_node(const struct stack_tree *tree, const struct stack_path *last,
                            size_t depth, uint32_t parent, const struct chain_frame *frame)
{
	const struct stack_node *node;

	if (depth >= last->count)
		return STACK_NODE_NONE;
	node = &tree->nodes[last->nodes[depth]];
	return node->parent == parent && node->addr == frame->addr && node->binary == frame->binary
	               ? last->nodes[depth]
	               : STACK_NODE_NONE;
}

/* How far a chain has been found in the tree, from the root inwards. */
struct chain_place {
	uint32_t node;
	uint64_t way; /* hash of the path to it */
	size_t depth;
};

/* Goes one frame further inwards. False with err set when memory is refused. */
static bool put_next(struct stack_tree *tree, struct chain_place *place, uint32_t binary,
                     uint64_t addr, struct err *err)
{
	const struct stack_node node = { addr, binary, place->node };

	place->way = hash_way(tree, place->way, binary, addr);
	place->node = put_node(tree, place->way, &node, err);
	place->depth++;
	return place->node != STACK_NODE_NONE;
}

uint32_t stack_tree_single(struct stack_tree *tree, uint32_t binary, uint64_t addr, struct err *err)
{
	struct chain_place place = { STACK_NONE, STACK_NONE, 0 };

	put_next(tree, &place, binary, addr, err);
	return place.node;
}

/*
 * Goes from the root along frames [first, chain->count), as far as the previous chain has the same.
 */
static struct chain_place follow_last(const struct stack_tree *tree, const struct stack_path *last,
                                      const struct chain *chain, size_t first)
{
	struct chain_place place = { chain->end, chain->end, 0 };

	for (size_t i = chain->count; i > first; i--) {
		const struct chain_frame *frame = &chain->frames[i - 1];
		uint32_t next = shared_node(tree, last, place.depth, place.node, frame);

		if (next == STACK_NODE_NONE)
			break;
		place.node = next;
		place.way = hash_way(tree, place.way, frame->binary, frame->addr);
		place.depth++;
	}
	return place;
}

/* Adds the remaining frames up to the innermost. False with err set when memory is refused. */
static bool put_callers(struct stack_tree *tree, struct stack_path *last, const struct chain *chain,
                        size_t first, struct chain_place *place, struct err *err)
{
	for (size_t i = chain->count - place->depth; i-- > first;) {
		const struct chain_frame *frame = &chain->frames[i];
		const size_t depth = place->depth;

		if (!put_next(tree, place, frame->binary, frame->addr, err) ||
		    !note_last(last, depth, place->node, err))
			return false;
	}
	return true;
}

uint32_t stack_tree_put(struct stack_tree *tree, const struct chain *chain, uint32_t thread,
                        struct err *err)
{
	struct stack_path *last = &tree->last[thread % STACK_PATHS];
	const struct chain_frame *innermost = chain->frames;
	/* number of callers, which are frames [first, count) */
	const size_t callers = chain->count - 1;
	const size_t first = 1 + (callers > tree->depth_most ? callers - tree->depth_most : 0);
	struct chain_place place = follow_last(tree, last, chain, first);

	if (!put_callers(tree, last, chain, first, &place, err))
		return STACK_NODE_NONE;
	tree->folded_chains += first > 1;
	if (first > 1 && !put_next(tree, &place, tree->folded, 0, err))
		return STACK_NODE_NONE;
	put_next(tree, &place, innermost->binary, innermost->addr, err);
	return place.node;
}

/* The node in the small tree for the stack of a node. path: room for the deepest stack. */
static uint32_t fold_node(struct stack_tree *small, const struct stack_tree *tree, uint32_t number,
                          uint32_t *path, struct err *err)
{
	const struct stack_node *leaf = &tree->nodes[number];
	struct chain_place place = { .depth = 0 };
	uint32_t at = leaf->parent;
	size_t count = 0;
	bool folded = false;

	for (; at >= STACK_ENDS; at = tree->nodes[at].parent)
		path[count++] = at;
	place.node = at;
	place.way = at;
	for (; count && place.depth < small->depth_most; count--) {
		const struct stack_node *frame = &tree->nodes[path[count - 1]];

		folded = frame->binary == tree->folded;
		if (!put_next(small, &place, frame->binary, frame->addr, err))
			return STACK_NODE_NONE;
	}
	if (count && !folded && !put_next(small, &place, tree->folded, 0, err))
		return STACK_NODE_NONE;
	put_next(small, &place, leaf->binary, leaf->addr, err);
	return place.node;
}

static size_t deepest(const struct stack_tree *tree, uint32_t *depths)
{
	size_t most = 0;

	for (size_t i = 0; i < tree->count; i++) {
		depths[i] = i < STACK_ENDS ? 0 : depths[tree->nodes[i].parent] + 1;
		most = depths[i] > most ? depths[i] : most;
	}
	return most;
}

bool stack_tree_fold(struct stack_tree *small, const struct stack_tree *tree, const bool *uses,
                     uint32_t **moved, struct err *err)
{
	uint32_t *numbers = malloc(tree->count * sizeof(*numbers)), *path;
	size_t most;

	*moved = numbers;
	if (!numbers)
		return err_nomem(err, tree->count * sizeof(*numbers));
	most = deepest(tree, numbers);
	path = malloc((most + 1) * sizeof(*path));
	if (!path)
		return err_nomem(err, most * sizeof(*path));
	if (!stack_tree_init(small, tree->folded, err)) {
		free(path);
		return false;
	}
	small->depth_most = tree->depth_most == SIZE_MAX ? FOLD_FIRST : tree->depth_most / 2;
	small->folded_chains = tree->folded_chains;
	for (size_t i = 0; i < tree->count && err->code == ERR_NONE; i++) {
		numbers[i] = (uint32_t)i;
		if (i >= STACK_ENDS && uses[i])
			numbers[i] = fold_node(small, tree, (uint32_t)i, path, err);
	}
	free(path);
	return err->code == ERR_NONE;
}
