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
	if (!tree->nodes)
		return err_nomem(err, FIRST_NODES * sizeof(*tree->nodes));
	for (; tree->count < STACK_ENDS; tree->count++)
		tree->nodes[tree->count] = (struct stack_node){ 0, 0, STACK_NODE_NONE };
	return true;
}

void stack_tree_finish(struct stack_tree *tree)
{
	hash_index_release(&tree->index);
}

void stack_tree_release(struct stack_tree *tree)
{
	stack_tree_finish(tree);
	free(tree->nodes);
	memset(tree, 0, sizeof(*tree));
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

/* A node, and a hash of the frames from its root to it. */
struct step {
	uint32_t node;
	uint64_t hash;
};

static inline struct step step_at_root(uint32_t root)
{
	return (struct step){ root, root };
}

/*
 * Goes to the node of a frame called from there, which is added if it is new. False with err set,
 * and the node STACK_NODE_NONE, when memory is refused. The index is asked by the hash of all
 * frames, not of the parent's number, so that the processor can look for the next frame before it
 * has found this one: 6 % of the time of 1.0 million samples of gcc at work.
 */
static bool put_frame(struct stack_tree *tree, struct step *step, uint32_t binary, uint64_t addr,
                      struct err *err)
{
	const struct stack_node wanted = { addr, binary, step->node };
	const struct node_search search = { tree, &wanted };

	step->hash = hash_pair(tree->seed, step->hash + binary, addr);
	step->node = STACK_NODE_NONE;
	if (!vec_room(&tree->nodes, tree->count, &tree->capacity, sizeof(wanted), err))
		return false;
	step->node = hash_index_put(&tree->index, step->hash, (uint32_t)tree->count, is_wanted_node,
	                            &search, err);
	if (step->node == tree->count)
		tree->nodes[tree->count++] = wanted;
	return step->node != STACK_NODE_NONE;
}

uint32_t stack_tree_single(struct stack_tree *tree, uint32_t binary, uint64_t addr, struct err *err)
{
	struct step step = step_at_root(STACK_NONE);

	put_frame(tree, &step, binary, addr, err);
	return step.node;
}

uint32_t stack_tree_put(struct stack_tree *tree, const struct chain *chain, struct err *err)
{
	/* number of callers, which are frames [first, count) */
	const size_t callers = chain->count - 1;
	const size_t first = 1 + (callers > tree->depth_most ? callers - tree->depth_most : 0);
	struct step step = step_at_root(chain->end);

	for (size_t i = chain->count; i-- > first;)
		if (!put_frame(tree, &step, chain->frames[i].binary, chain->frames[i].addr, err))
			return STACK_NODE_NONE;
	if (first > 1 && !put_frame(tree, &step, tree->folded, 0, err))
		return STACK_NODE_NONE;
	put_frame(tree, &step, chain->frames[0].binary, chain->frames[0].addr, err);
	return step.node;
}

/* The node in the small tree for the stack of a node. path: room for the deepest stack. */
static uint32_t fold_node(struct stack_tree *small, const struct stack_tree *tree, uint32_t number,
                          uint32_t *path, struct err *err)
{
	const struct stack_node *leaf = &tree->nodes[number];
	uint32_t outer = leaf->parent;
	size_t count = 0, left;
	bool folded = false;
	struct step step;

	for (; outer >= STACK_ENDS; outer = tree->nodes[outer].parent)
		path[count++] = outer;
	step = step_at_root(outer);
	left = count > small->depth_most ? count - small->depth_most : 0;
	for (; count > left; count--) {
		const struct stack_node *frame = &tree->nodes[path[count - 1]];

		folded = frame->binary == tree->folded;
		if (!put_frame(small, &step, frame->binary, frame->addr, err))
			return STACK_NODE_NONE;
	}
	if (left && !folded && !put_frame(small, &step, tree->folded, 0, err))
		return STACK_NODE_NONE;
	put_frame(small, &step, leaf->binary, leaf->addr, err);
	return step.node;
}

static size_t deepest_path(const struct stack_tree *tree, uint32_t *depths)
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
	most = deepest_path(tree, numbers);
	path = malloc((most + 1) * sizeof(*path));
	if (!path)
		return err_nomem(err, most * sizeof(*path));
	if (!stack_tree_init(small, tree->folded, err)) {
		free(path);
		return false;
	}
	small->depth_most = tree->depth_most == SIZE_MAX ? FOLD_FIRST : tree->depth_most / 2;
	for (size_t i = 0; i < tree->count && err->code == ERR_NONE; i++) {
		numbers[i] = (uint32_t)i;
		if (i >= STACK_ENDS && uses[i])
			numbers[i] = fold_node(small, tree, (uint32_t)i, path, err);
	}
	free(path);
	return err->code == ERR_NONE;
}
