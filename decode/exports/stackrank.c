#include "decode/exports/stackrank.h"

#include "util/depthfirst.h"

#include <stdlib.h>

/* A node of the tree of stacks with its key for sorting. */
struct ranked_node {
	uint64_t addr;
	uint32_t parent, binary, node; /* parent: + 1; 0: a root */
};

static int compare_ranked_nodes(const void *first, const void *second)
{
	const struct ranked_node *a = first, *b = second;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->binary != b->binary)
		return a->binary < b->binary ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

uint32_t *stack_ranks(const struct stack_tree *tree, struct err *err)
{
	const size_t count = tree->count;
	struct ranked_node *nodes = malloc((count + 1) * sizeof(*nodes));
	uint32_t *ranks = malloc((count + 1) * sizeof(*ranks));
	struct depth_first order;
	bool ok = depth_first_init(&order, count, err) &&
	          ((nodes && ranks) || err_nomem(err, count * sizeof(*nodes)));

	for (uint32_t i = (uint32_t)count; ok && i-- > 0;) {
		const struct stack_node *node = &tree->nodes[i];

		nodes[i] = (struct ranked_node){ node->addr, node->parent + 1, node->binary, i };
		depth_first_add(&order, i, node->parent + 1);
	}
	if (ok)
		qsort(nodes, count, sizeof(*nodes), compare_ranked_nodes);
	/* a parent has a lower number than its children, so it comes before them here */
	for (size_t i = 0; ok && i < count; i++)
		ranks[nodes[i].node] = depth_first_place(&order, nodes[i].node, nodes[i].parent);
	free(nodes);
	depth_first_release(&order);
	if (!ok)
		free(ranks);
	return ok ? ranks : NULL;
}
