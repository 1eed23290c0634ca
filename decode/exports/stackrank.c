#include "decode/exports/stackrank.h"

#include "util/depthfirst.h"

#include <stdlib.h>

static int compare_stack_nodes(const void *first, const void *second)
{
	const struct sibling *a = first, *b = second;
	const struct stack_tree *tree = a->context;
	const struct stack_node *x = &tree->nodes[a->node], *y = &tree->nodes[b->node];

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->binary != y->binary)
		return x->binary < y->binary ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
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
	uint32_t *ranks = malloc((tree->count + 1) * sizeof(*ranks));

	if (!ranks)
		err_nomem(err, tree->count * sizeof(*ranks));
	for (uint32_t i = 0; order && ranks && i < count; i++)
		ranks[order[i]] = i;
	if (!order) {
		free(ranks);
		ranks = NULL;
	}
	free(order);
	return ranks;
}
