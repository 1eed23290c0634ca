#include "decode/exports/stackrank.h"

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
	uint32_t *sizes = calloc(count + 1, sizeof(*sizes)); /* by node + 1: nodes in its subtree */
	uint32_t *next = calloc(count + 1, sizeof(*next));   /* the same: place of its next child */
	uint32_t *ranks = malloc((count + 1) * sizeof(*ranks));
	bool ok = (nodes && sizes && next && ranks) || err_nomem(err, count * sizeof(*nodes));

	for (uint32_t i = (uint32_t)count; ok && i-- > 0;) {
		const struct stack_node *node = &tree->nodes[i];

		nodes[i] = (struct ranked_node){ node->addr, node->parent + 1, node->binary, i };
		sizes[i + 1]++;
		sizes[node->parent + 1] += sizes[i + 1];
	}
	if (ok)
		qsort(nodes, count, sizeof(*nodes), compare_ranked_nodes);
	/* a parent has a lower number than its children, so it comes before them here */
	for (size_t i = 0; ok && i < count; i++) {
		uint32_t node = nodes[i].node, *at = &next[nodes[i].parent];

		ranks[node] = *at;
		next[node + 1] = *at + 1;
		*at += sizes[node + 1];
	}
	free(nodes);
	free(sizes);
	free(next);
	if (!ok)
		free(ranks);
	return ok ? ranks : NULL;
}
