#define _GNU_SOURCE /* qsort_r() */
#include "util/depthfirst.h"

#include <stdlib.h>
#include <string.h>

/* The number of the parent + 1; 0: the node is outermost. */
static uint32_t parent_of(const struct depth_first *tree, size_t node)
{
	uint32_t parent;

	memcpy(&parent, (const uint8_t *)tree->parents + node * tree->size, sizeof(parent));
	return parent + 1;
}

static bool is_listed(const struct depth_first *tree, size_t node)
{
	return !tree->is_listed || tree->is_listed(tree->context, (uint32_t)node);
}

/*
 * Puts the nodes beside their siblings, the outermost ones first. ends: all zeros; by parent_of(),
 * the place behind the last child. Returns how many nodes are listed.
 */
static uint32_t group_siblings(const struct depth_first *tree, uint32_t *siblings, uint32_t *ends)
{
	uint32_t start = 0;

	for (size_t i = 0; i < tree->count; i++)
		if (is_listed(tree, i))
			ends[parent_of(tree, i)]++;
	for (size_t i = 0; i <= tree->count; i++) {
		start += ends[i];
		ends[i] = start - ends[i];
	}
	for (size_t i = 0; i < tree->count; i++)
		if (is_listed(tree, i))
			siblings[ends[parent_of(tree, i)]++] = (uint32_t)i;
	return start;
}

static int compare_siblings(const void *first, const void *second, void *context)
{
	const uint32_t *a = first, *b = second;
	const struct depth_first *tree = context;

	return tree->compare(tree->context, *a, *b);
}

/* Most groups of siblings are small, so this takes few comparisons. */
static void sort_siblings(struct depth_first tree, uint32_t *siblings, const uint32_t *ends)
{
	uint32_t start = 0;

	for (size_t i = 0; tree.compare && i <= tree.count; start = ends[i++])
		if (ends[i] - start > 1)
			qsort_r(siblings + start, ends[i] - start, sizeof(*siblings),
			        compare_siblings, &tree);
}

/* The end of `order` holds what is still to be put in order: it shrinks as the front grows. */
static void put_in_order(const uint32_t *siblings, const uint32_t *ends, uint32_t *order,
                         size_t count)
{
	const uint32_t *end = order + count;
	uint32_t *rest = memcpy(order + count - ends[0], siblings, ends[0] * sizeof(*rest));

	while (rest < end) {
		const uint32_t node = *rest++, first = ends[node];
		const size_t children = ends[node + 1] - first;

		*order++ = node;
		rest = memcpy(rest - children, siblings + first, children * sizeof(*rest));
	}
}

uint32_t *depth_first_order(const struct depth_first *tree, size_t *listed, struct err *err)
{
	const size_t count = tree->count + 1;
	uint32_t *siblings = malloc(count * sizeof(*siblings));
	uint32_t *ends = calloc(count, sizeof(*ends));
	uint32_t *order = siblings && ends ? malloc(count * sizeof(*order)) : NULL;

	if (order) {
		*listed = group_siblings(tree, siblings, ends);
		sort_siblings(*tree, siblings, ends);
		put_in_order(siblings, ends, order, *listed);
	} else {
		err_nomem(err, count * sizeof(*order));
	}
	free(siblings);
	free(ends);
	return order;
}
