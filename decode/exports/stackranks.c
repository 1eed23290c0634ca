#include "decode/exports/stackranks.h"

#include "util/depthfirst.h"
#include "util/vec.h"

#include <stdlib.h>

static int compare_frames(const struct stack_tree *tree, uint32_t a, uint32_t b)
{
	const struct stack_frame *x = &tree->frames[a], *y = &tree->frames[b];
	const int order = u64_order(x->addr, y->addr);

	return order ? order : u64_order(x->binary, y->binary);
}

static int compare_stack_nodes(const void *context, uint32_t a, uint32_t b)
{
	const struct stack_tree *tree = context;
	const struct stack_node *x = &tree->nodes[a], *y = &tree->nodes[b];
	/* of nodes without frames there may be no list at all */
	const uint32_t *frames = x->count ? tree->lists + x->first + x->count : NULL;
	const uint32_t *others = y->count ? tree->lists + y->first + y->count : NULL;

	for (uint32_t i = 1; i <= x->count && i <= y->count; i++) {
		const int order = compare_frames(tree, *(frames - i), *(others - i));

		if (order)
			return order;
	}
	return x->count != y->count ? u64_order(x->count, y->count) : u64_order(a, b);
}

uint32_t *stack_ranks(const struct stack_tree *tree, struct err *err)
{
	const struct depth_first by_addr = { .parents = &tree->nodes->parent,
		                             .size = sizeof(*tree->nodes),
		                             .count = tree->count,
		                             .context = tree,
		                             .compare = compare_stack_nodes };
	size_t count = 0;
	uint32_t *order = depth_first_order(&by_addr, &count, err);
	uint32_t *ranks = order ? vec_new(tree->count, sizeof(*ranks), err) : NULL;

	for (uint32_t i = 0; ranks && i < count; i++)
		ranks[order[i]] = i;
	free(order);
	return ranks;
}
