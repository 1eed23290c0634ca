#include "decode/stacks/stacktree.h"

#include "util/hash.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 4096
#define SEEN_FIRST 4096
#define SEEN_MOST ((size_t)1 << 20) /* of 16 bytes */
/* Frames kept on the outer side when a tree is folded for the first time. */
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
	tree->seen = calloc(SEEN_FIRST, sizeof(*tree->seen));
	tree->seen_count = SEEN_FIRST;
	if (!tree->nodes || !tree->seen || !tree->last)
		return err_nomem(err, FIRST_SLOTS * sizeof(*tree->nodes));
	for (; tree->count < STACK_ENDS; tree->count++)
		tree->nodes[tree->count] = (struct stack_node){ 0, 0, STACK_NODE_NONE };
	return grow_slots(tree, err);
}

void stack_tree_release(struct stack_tree *tree)
{
	for (size_t i = 0; tree->last && i < STACK_PATHS; i++)
		free(tree->last[i].nodes);
	free(tree->nodes);
	free(tree->slots);
	free(tree->seen);
	free(tree->last);
	memset(tree, 0, sizeof(*tree));
}

size_t stack_tree_size(const struct stack_tree *tree)
{
	return tree->capacity * sizeof(*tree->nodes) + tree->slot_count * sizeof(*tree->slots) +
	       tree->seen_count * sizeof(*tree->seen);
}

/* The slot of the node, or the free one where it belongs. */
static uint32_t *slot_of_node(const struct stack_tree *tree, uint32_t parent, uint32_t binary,
                              uint64_t addr)
{
	uint64_t key = addr ^ (uint64_t)binary << 44 ^ (uint64_t)parent * 0x9e3779b97f4a7c15u;
	size_t slot = (size_t)hash_keyed(tree->seed, key) & (tree->slot_count - 1);

	for (; tree->slots[slot]; slot = (slot + 1) & (tree->slot_count - 1)) {
		const struct stack_node *node = &tree->nodes[tree->slots[slot]];

		if (node->addr == addr && node->parent == parent && node->binary == binary)
			break;
	}
	return &tree->slots[slot];
}

static bool grow_slots(struct stack_tree *tree, struct err *err)
{
	size_t slot_count = tree->slot_count ? 2 * tree->slot_count : FIRST_SLOTS;
	uint32_t *slots = calloc(slot_count, sizeof(*slots));

	if (!slots)
		return err_nomem(err, slot_count * sizeof(*slots));
	free(tree->slots);
	tree->slots = slots;
	tree->slot_count = slot_count;
	for (size_t i = STACK_ENDS; i < tree->count; i++) {
		const struct stack_node *node = &tree->nodes[i];

		*slot_of_node(tree, node->parent, node->binary, node->addr) = (uint32_t)i;
	}
	return true;
}

uint32_t stack_tree_child(struct stack_tree *tree, uint32_t parent, uint32_t binary, uint64_t addr,
                          struct err *err)
{
	struct stack_node *nodes;
	uint32_t *slot = slot_of_node(tree, parent, binary, addr);

	if (*slot)
		return *slot;
	if (tree->count >= tree->slot_count / 3 * 2) {
		if (!grow_slots(tree, err))
			return STACK_NODE_NONE;
		slot = slot_of_node(tree, parent, binary, addr);
	}
	nodes = vec_grow(tree->nodes, tree->count, &tree->capacity, sizeof(*nodes), err);
	if (!nodes)
		return STACK_NODE_NONE;
	tree->nodes = nodes;
	nodes[tree->count] = (struct stack_node){ addr, binary, parent };
	*slot = (uint32_t)tree->count++;
	return *slot;
}

/* Notes the node of a frame, counted from the root, of the chain that is put in. */
static bool note_last(struct stack_path *last, size_t depth, uint32_t node, struct err *err)
{
	uint32_t *nodes = vec_grow(last->nodes, depth, &last->capacity, sizeof(*nodes), err);

	if (!nodes)
		return false;
	last->nodes = nodes;
	nodes[depth] = node;
	last->count = depth + 1;
	return true;
}

/* The node at that depth of the chain before, if it is this frame of this parent. */
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

uint32_t stack_tree_put(struct stack_tree *tree, const struct chain *chain, uint32_t thread,
                        struct err *err)
{
	struct stack_path *last = &tree->last[thread % STACK_PATHS];
	const struct chain_frame *innermost = chain->frames;
	uint32_t node = chain->end, next;
	size_t depth = 0;

	for (size_t i = chain->count; i > 1 && depth < tree->depth_most; i--, depth++) {
		const struct chain_frame *frame = &innermost[i - 1];

		next = shared_node(tree, last, depth, node, frame);
		if (next == STACK_NODE_NONE) {
			next = stack_tree_child(tree, node, frame->binary, frame->addr, err);
			if (next == STACK_NODE_NONE || !note_last(last, depth, next, err))
				return STACK_NODE_NONE;
		}
		node = next;
	}
	if (depth + 1 < chain->count) {
		tree->folded_chains++;
		node = stack_tree_child(tree, node, tree->folded, 0, err);
		if (node == STACK_NODE_NONE)
			return node;
	}
	return stack_tree_child(tree, node, innermost->binary, innermost->addr, err);
}

/* One to one for a given word, and for a given sum. */
static inline uint64_t add_word(uint64_t sum, uint64_t odd, uint64_t word)
{
	sum = (sum ^ word) * odd;
	return sum ^ sum >> 29;
}

/* Two sums, of every other word each, that do not wait for each other. */
struct stack_hash stack_tree_hash(const struct stack_tree *tree,
                                  const struct stack_context *context, const uint8_t *words,
                                  uint64_t count)
{
	const uint64_t odd = tree->seed | 1;
	uint64_t a = tree->seed, b = ~tree->seed, first, second, i;

	for (i = 0; i < ARRAY_SIZE(context->values); i++)
		a = add_word(a, odd, context->values[i]);
	for (i = 0; i + 1 < count; i += 2) {
		memcpy(&first, words + 8 * i, 8);
		memcpy(&second, words + 8 * i + 8, 8);
		a = add_word(a, odd, first);
		b = add_word(b, odd, second);
	}
	if (i < count) {
		memcpy(&first, words + 8 * i, 8);
		a = add_word(a, odd, first);
	}
	a = hash_keyed(tree->seed, a + count);
	b = hash_keyed(~tree->seed, b);
	first = a + b;
	return (struct stack_hash){ first ? first : 1, (uint32_t)(hash_keyed(b, a) >> 32) };
}

struct stack_hash stack_tree_hash_more(const struct stack_tree *tree, struct stack_hash hash,
                                       uint64_t more)
{
	uint64_t a = hash_pair(tree->seed, hash.hash, more);

	return (struct stack_hash){ a ? a : 1, (uint32_t)hash_pair(tree->seed, hash.check, more) };
}

/* The cache is doubled as long as its lists find room in half of it. */
static void grow_seen(struct stack_tree *tree)
{
	size_t count = 2 * tree->seen_count;
	struct stack_seen *seen = calloc(count, sizeof(*seen));

	tree->seen_used = 0;
	if (!seen)
		return;
	for (size_t i = 0; i < tree->seen_count; i++)
		if (tree->seen[i].hash) {
			seen[tree->seen[i].hash & (count - 1)] = tree->seen[i];
			tree->seen_used++;
		}
	free(tree->seen);
	tree->seen = seen;
	tree->seen_count = count;
}

void stack_tree_remember(struct stack_tree *tree, struct stack_hash hash, uint32_t node)
{
	struct stack_seen *seen;

	if (tree->seen_used > tree->seen_count / 2 && tree->seen_count < SEEN_MOST)
		grow_seen(tree);
	seen = &tree->seen[hash.hash & (tree->seen_count - 1)];
	tree->seen_used += !seen->hash;
	*seen = (struct stack_seen){ hash.hash, hash.check, node };
}

/* Where the stack of a node is in the small tree. path: room for all depths of the tree. */
static uint32_t fold_node(struct stack_tree *small, const struct stack_tree *tree, uint32_t number,
                          uint32_t *path, struct err *err)
{
	const struct stack_node *leaf = &tree->nodes[number];
	size_t count = 0, depth = 0;
	uint32_t node, at = leaf->parent;
	bool folded = false;

	for (; at >= STACK_ENDS; at = tree->nodes[at].parent)
		path[count++] = at;
	node = at;
	for (; count && depth < small->depth_most && node != STACK_NODE_NONE; count--, depth++) {
		const struct stack_node *frame = &tree->nodes[path[count - 1]];

		folded = frame->binary == tree->folded;
		node = stack_tree_child(small, node, frame->binary, frame->addr, err);
	}
	if (count && node != STACK_NODE_NONE && !folded)
		node = stack_tree_child(small, node, tree->folded, 0, err);
	return node == STACK_NODE_NONE
	               ? node
	               : stack_tree_child(small, node, leaf->binary, leaf->addr, err);
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
