#define _GNU_SOURCE /* qsort_r() */
#include "util/depthfirst.h"

#include <stdlib.h>
#include <string.h>

/* Lists by number + 1; the outermost nodes have parent 0. */
struct ordering {
	const struct depth_first *tree;
	uint32_t *sizes;    /* the number of nodes below the node, and the node itself */
	uint32_t *next;     /* the place of its next child */
	uint32_t *ends;     /* behind its last child in `siblings` */
	uint32_t *siblings; /* by parent, the outermost first; each group in its order */
};

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

/* Puts the nodes beside their siblings. Returns how many are listed. */
static uint32_t group_siblings(struct ordering *ordering)
{
	const struct depth_first *tree = ordering->tree;
	uint32_t *ends = ordering->ends, start = 0;

	for (size_t i = tree->count; i-- > 0;)
		if (is_listed(tree, i)) {
			ends[parent_of(tree, i)]++;
			ordering->sizes[i + 1]++;
			ordering->sizes[parent_of(tree, i)] += ordering->sizes[i + 1];
		}
	for (size_t i = 0; i <= tree->count; i++) {
		start += ends[i];
		ends[i] = start - ends[i];
	}
	for (size_t i = 0; i < tree->count; i++)
		if (ordering->sizes[i + 1])
			ordering->siblings[ends[parent_of(tree, i)]++] = (uint32_t)i;
	return start;
}

static int compare_siblings(const void *first, const void *second, void *context)
{
	const uint32_t *a = first, *b = second;
	const struct ordering *ordering = context;

	return ordering->tree->compare(ordering->tree->context, *a, *b);
}

/* Most groups of siblings are small, so this takes few comparisons. */
static void sort_siblings(struct ordering *ordering)
{
	uint32_t start = 0;

	for (size_t i = 0; i <= ordering->tree->count; start = ordering->ends[i++])
		if (ordering->ends[i] - start > 1)
			qsort_r(ordering->siblings + start, ordering->ends[i] - start,
			        sizeof(*ordering->siblings), compare_siblings, ordering);
}

/* The place of a node follows from the sizes of the subtrees before it. */
static void put_in_order(struct ordering *ordering, uint32_t *order, size_t count)
{
	/* a parent has a lower number than its children, so it comes before them here */
	for (size_t i = 0; i < count; i++) {
		const uint32_t node = ordering->siblings[i];
		uint32_t *next = &ordering->next[parent_of(ordering->tree, node)];

		order[*next] = node;
		ordering->next[node + 1] = *next + 1;
		*next += ordering->sizes[node + 1];
	}
}

uint32_t *depth_first_order(const struct depth_first *tree, size_t *listed, struct err *err)
{
	const size_t count = tree->count + 1;
	struct ordering ordering = { .tree = tree,
		                     .sizes = calloc(count, sizeof(uint32_t)),
		                     .next = calloc(count, sizeof(uint32_t)),
		                     .ends = calloc(count, sizeof(uint32_t)),
		                     .siblings = malloc(count * sizeof(uint32_t)) };
	uint32_t *order = NULL;

	if (ordering.sizes && ordering.next && ordering.ends && ordering.siblings)
		order = malloc(count * sizeof(*order));
	if (order) {
		*listed = group_siblings(&ordering);
		if (tree->compare)
			sort_siblings(&ordering);
		put_in_order(&ordering, order, *listed);
	} else {
		err_nomem(err, count * sizeof(*ordering.siblings));
	}
	free(ordering.sizes);
	free(ordering.next);
	free(ordering.ends);
	free(ordering.siblings);
	return order;
}
