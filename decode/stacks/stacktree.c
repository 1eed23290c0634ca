#include "decode/stacks/stacktree.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

bool stack_tree_init(struct stack_tree *tree, uint32_t folded, struct err *err)
{
	memset(tree, 0, sizeof(*tree));
	tree->seed = hash_seed();
	tree->folded = folded;
	tree->depth_most = SIZE_MAX;
	if (!vec_reserve(&tree->nodes, STACK_ENDS, &tree->capacity, sizeof(*tree->nodes), err))
		return false;
	for (; tree->count < STACK_ENDS; tree->count++)
		tree->nodes[tree->count] = (struct stack_node){ .parent = STACK_NODE_NONE };
	return true;
}

void stack_tree_finish(struct stack_tree *tree)
{
	hash_index_release(&tree->frame_index);
	hash_index_release(&tree->index);
	free(tree->path);
	tree->path = NULL;
	tree->path_capacity = 0;
}

void stack_tree_release(struct stack_tree *tree)
{
	stack_tree_finish(tree);
	free(tree->frames);
	free(tree->lists);
	free(tree->nodes);
	memset(tree, 0, sizeof(*tree));
}

size_t stack_tree_size(const struct stack_tree *tree)
{
	/* half of the slots of an index are used */
	const size_t slots = 2 * sizeof(*tree->index.slots);

	return tree->frame_count * (sizeof(*tree->frames) + slots) +
	       tree->count * (sizeof(*tree->nodes) + slots) +
	       tree->list_count * sizeof(*tree->lists);
}

struct frame_search {
	const struct stack_tree *tree;
	struct stack_frame wanted;
};

static bool is_wanted_frame(const void *context, uint32_t number)
{
	const struct frame_search *search = context;
	const struct stack_frame *frame = &search->tree->frames[number];

	return frame->addr == search->wanted.addr && frame->binary == search->wanted.binary;
}

/* The number of a frame, which is added if it is new. MAP_NONE with err set. */
static uint32_t put_frame(struct stack_tree *tree, uint32_t binary, uint64_t addr, struct err *err)
{
	const struct frame_search search = { tree, { addr, binary } };
	uint32_t number;

	if (!vec_room(&tree->frames, tree->frame_count, &tree->frame_capacity,
	              sizeof(*tree->frames), err))
		return MAP_NONE;
	number = hash_index_put(&tree->frame_index, hash_pair(tree->seed, binary, addr),
	                        (uint32_t)tree->frame_count, is_wanted_frame, &search, err);
	if (number == tree->frame_count)
		tree->frames[tree->frame_count++] = search.wanted;
	return number;
}

struct node_search {
	const struct stack_tree *tree;
	const uint32_t *frames;
	uint32_t parent, count;
};

static bool is_wanted_node(const void *context, uint32_t number)
{
	const struct node_search *search = context;
	const struct stack_node *node = &search->tree->nodes[number];

	return node->parent == search->parent && node->count == search->count &&
	       !memcmp(search->tree->lists + node->first, search->frames,
	               search->count * sizeof(*search->frames));
}

/* The node of at most STACK_PART frames below a parent. STACK_NODE_NONE with err set. */
static uint32_t put_node(struct stack_tree *tree, uint32_t parent, const uint32_t *frames,
                         uint32_t count, struct err *err)
{
	const struct node_search search = { tree, frames, parent, count };
	uint64_t hash = parent;
	uint32_t number;

	for (uint32_t i = 0; i < count; i++)
		hash = ((hash ^ frames[i]) * (tree->seed | 1)) ^ hash >> 32;
	if (!vec_room(&tree->nodes, tree->count, &tree->capacity, sizeof(*tree->nodes), err) ||
	    !vec_reserve(&tree->lists, tree->list_count + count, &tree->list_capacity,
	                 sizeof(*tree->lists), err))
		return STACK_NODE_NONE;
	number = hash_index_put(&tree->index, hash_keyed(tree->seed, hash), (uint32_t)tree->count,
	                        is_wanted_node, &search, err);
	if (number != tree->count)
		return number;
	tree->nodes[tree->count++] = (struct stack_node){ parent, count, tree->list_count };
	memcpy(tree->lists + tree->list_count, frames, count * sizeof(*frames));
	tree->list_count += count;
	return number;
}

/* The node of the first count frames of the path, which begins with the innermost one. */
static uint32_t put_path(struct stack_tree *tree, uint32_t root, size_t count, struct err *err)
{
	uint32_t node = root;

	while (count && node != STACK_NODE_NONE) {
		const uint32_t part = count < STACK_PART ? (uint32_t)count : STACK_PART;

		count -= part;
		node = put_node(tree, node, tree->path + count, part, err);
	}
	return node;
}

uint32_t stack_tree_callers(struct stack_tree *tree, const struct chain *chain, struct err *err)
{
	const size_t callers = chain->count - 1;
	const size_t kept = callers < tree->depth_most ? callers : tree->depth_most;
	size_t count = 0;

	/* one more for those that are dropped */
	if (!vec_reserve(&tree->path, kept + 1, &tree->path_capacity, sizeof(*tree->path), err))
		return STACK_NODE_NONE;
	if (kept < callers)
		tree->path[count++] = put_frame(tree, tree->folded, 0, err);
	for (size_t i = chain->count - kept; i < chain->count; i++)
		tree->path[count++] = put_frame(tree, chain->frames[i].binary,
		                                chain->frames[i].addr, err);
	return err->code == ERR_NONE ? put_path(tree, chain->end, count, err) : STACK_NODE_NONE;
}

/* The node in the small tree for a node. chain: memory for its frames. */
static uint32_t fold_node(struct stack_tree *small, const struct stack_tree *tree, uint32_t node,
                          struct chain *chain, struct err *err)
{
	struct stack_walk walk = stack_walk_from(tree, node);
	uint32_t number;

	chain->count = 1; /* the sample's own frame, which is not looked at */
	while (stack_walk_next(&walk, &number)) {
		const struct stack_frame *frame = &tree->frames[number];

		if (!vec_room(&chain->frames, chain->count, &chain->capacity,
		              sizeof(*chain->frames), err))
			return STACK_NODE_NONE;
		chain->frames[chain->count++] = (struct chain_frame){ .binary = frame->binary,
			                                              .addr = frame->addr };
	}
	chain->end = (enum stack_end)walk.node;
	return stack_tree_callers(small, chain, err);
}

bool stack_tree_fold(struct stack_tree *small, const struct stack_tree *tree, const bool *uses,
                     size_t depth_most, uint32_t **moved, struct err *err)
{
	uint32_t *numbers = vec_new(tree->count, sizeof(*numbers), err);
	struct chain chain = { .frames = NULL };

	*moved = numbers;
	if (!numbers || !stack_tree_init(small, tree->folded, err))
		return false;
	small->depth_most = depth_most;
	for (size_t i = 0; i < tree->count && err->code == ERR_NONE; i++)
		if (uses[i])
			numbers[i] = fold_node(small, tree, (uint32_t)i, &chain, err);
	chain_release(&chain);
	return err->code == ERR_NONE;
}
