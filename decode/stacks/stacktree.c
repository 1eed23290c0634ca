#include "decode/stacks/stacktree.h"

#include "util/hash.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 4096
/* Outer frames that are kept when a tree is folded for the first time. */
#define FOLD_FIRST 64

static bool grow_slots(struct stack_tree *tree, struct err *err);

bool stack_tree_init(struct stack_tree *tree, uint32_t folded, struct err *err)
{
	memset(tree, 0, sizeof(*tree));
	tree->seed = hash_seed();
	tree->folded = folded;
	tree->depth_most = SIZE_MAX;
	tree->capacity = FIRST_SLOTS;
	tree->nodes = malloc(tree->capacity * sizeof(*tree->nodes));
	tree->last = calloc(STACK_PATHS, sizeof(*tree->last));
	if (!tree->nodes || !tree->last)
		return err_nomem(err, FIRST_SLOTS * sizeof(*tree->nodes));
	for (; tree->count < STACK_ENDS; tree->count++)
		tree->nodes[tree->count] = (struct stack_node){ 0, 0, STACK_NODE_NONE };
	return grow_slots(tree, err);
}

void stack_tree_finish(struct stack_tree *tree)
{
	for (size_t i = 0; tree->last && i < STACK_PATHS; i++)
		free(tree->last[i].nodes);
	free(tree->slots);
	free(tree->last);
	tree->slots = NULL;
	tree->last = NULL;
	tree->slot_count = 0;
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

static inline size_t first_slot(const struct stack_tree *tree, uint64_t way)
{
	return (size_t)(uint32_t)way & (tree->slot_count - 1);
}

/* The slot of the node, or the free slot where it belongs. */
static inline struct stack_slot *slot_of_node(const struct stack_tree *tree, uint64_t way,
                                              const struct stack_node *wanted)
{
	size_t at = first_slot(tree, way);

	for (; tree->slots[at].node; at = (at + 1) & (tree->slot_count - 1)) {
		const struct stack_slot *slot = &tree->slots[at];
		const struct stack_node *node = &tree->nodes[slot->node];

		if (slot->hash == (uint32_t)way && node->addr == wanted->addr &&
		    node->parent == wanted->parent && node->binary == wanted->binary)
			break;
	}
	return &tree->slots[at];
}

static bool grow_slots(struct stack_tree *tree, struct err *err)
{
	size_t slot_count = tree->slot_count ? 2 * tree->slot_count : FIRST_SLOTS;
	struct stack_slot *slots = calloc(slot_count, sizeof(*slots));

	if (!slots)
		return err_nomem(err, slot_count * sizeof(*slots));
	for (size_t i = 0; i < tree->slot_count; i++) {
		size_t at = tree->slots[i].hash & (slot_count - 1);

		if (!tree->slots[i].node)
			continue;
		while (slots[at].node)
			at = (at + 1) & (slot_count - 1);
		slots[at] = tree->slots[i];
	}
	free(tree->slots);
	tree->slots = slots;
	tree->slot_count = slot_count;
	return true;
}

/*
 * The node of a frame, given the hash of its path; it is added if it is new. STACK_NODE_NONE with
 * err set.
 */
static uint32_t put_node(struct stack_tree *tree, uint64_t way, const struct stack_node *wanted,
                         struct err *err)
{
	struct stack_slot *slot = slot_of_node(tree, way, wanted);

	if (slot->node)
		return slot->node;
	if (tree->count >= tree->slot_count / 3 * 2) {
		if (!grow_slots(tree, err))
			return STACK_NODE_NONE;
		slot = slot_of_node(tree, way, wanted);
	}
	if (!vec_room(&tree->nodes, tree->count, &tree->capacity, sizeof(*wanted), err))
		return STACK_NODE_NONE;
	tree->nodes[tree->count] = *wanted;
	*slot = (struct stack_slot){ (uint32_t)tree->count, (uint32_t)way };
	return (uint32_t)tree->count++;
}

/*
 * The hash of a node's path. The recursion is limited, because a chain fits into a record of 64 KB.
 */
static uint64_t way_of(const struct stack_tree *tree, uint32_t number)
{
	const struct stack_node *node = &tree->nodes[number];

	if (number < STACK_ENDS)
		return number;
	return hash_way(tree, way_of(tree, node->parent), node->binary, node->addr);
}

uint32_t stack_tree_child(struct stack_tree *tree, uint32_t parent, uint32_t binary, uint64_t addr,
                          struct err *err)
{
	const struct stack_node node = { addr, binary, parent };

	return put_node(tree, hash_way(tree, way_of(tree, parent), binary, addr), &node, err);
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
