/* The order of a tree of functions in tables: as a tree, and by pairs of functions. */
#define _GNU_SOURCE /* qsort_r() */
#include "decode/naming/calltree.h"
#include "decode/naming/rows.h"
#include "util/depthfirst.h"
#include "util/tuples.h"
#include "util/vec.h"

#include <stdlib.h>

static int compare_names(const struct strings *strings, const struct call_node *a,
                         const struct call_node *b)
{
	int order = rows_compare_texts(strings, a->name, b->name);

	if (!order)
		order = rows_compare_texts(strings, a->binary, b->binary);
	if (!order)
		order = rows_compare_texts(strings, a->file, b->file);
	return order ? order : (a->kind > b->kind) - (a->kind < b->kind);
}

/* The nodes that have samples of an event. */
struct event_nodes {
	const struct call_tree *tree;
	const struct strings *strings;
	size_t event;
};

/* The most expensive first. */
static int compare_siblings(const void *context, uint32_t a, uint32_t b)
{
	const struct event_nodes *nodes = context;
	const struct call_count *x = call_tree_total(nodes->tree, a, nodes->event);
	const struct call_count *y = call_tree_total(nodes->tree, b, nodes->event);
	int order = rows_compare_costs(x->period, x->samples, y->period, y->samples);

	return order ? order
	             : compare_names(nodes->strings, &nodes->tree->nodes[a],
	                             &nodes->tree->nodes[b]);
}

static bool has_samples(const void *context, uint32_t node)
{
	const struct event_nodes *nodes = context;

	return call_tree_total(nodes->tree, node, nodes->event)->samples != 0;
}

uint32_t *call_tree_frames(const struct call_tree *tree, const struct strings *strings,
                           call_row *row, void *context, struct err *err)
{
	uint32_t *frames = vec_new(tree->count, sizeof(*frames), err), next = 1;
	struct event_nodes nodes = { tree, strings, 0 };
	const struct depth_first by_cost = { .parents = tree->nodes,
		                             .size = sizeof(*tree->nodes),
		                             .count = tree->count,
		                             .context = &nodes,
		                             .compare = compare_siblings,
		                             .is_listed = has_samples };
	bool ok = frames;
	size_t count;

	for (; ok && nodes.event < tree->event_count; nodes.event++) {
		uint32_t *order = depth_first_order(&by_cost, &count, err);

		ok = order != NULL;
		for (size_t i = 0; ok && i < count; i++) {
			if (!frames[order[i]])
				frames[order[i]] = next++;
			if (row)
				row(context, order[i], nodes.event, frames);
		}
		free(order);
	}
	if (ok)
		return frames;
	free(frames);
	return NULL;
}

/* A pair of functions in a tree. A node that is no function is known by its name. */
struct call_pair {
	uint32_t caller, caller_name, callee, callee_name;
};

/* The number of the pair of a node and its parent, or MAP_NONE. */
static uint32_t put_pair(struct tuples *pairs, const struct call_tree *tree, uint32_t node,
                         struct err *err)
{
	static const struct call_node root = { .function = CALL_NO_FUNCTION, .name = STRING_NONE };
	const struct call_node *callee = &tree->nodes[node];
	const struct call_node *caller = callee->parent == CALL_NODE_NONE
	                                         ? &root
	                                         : &tree->nodes[callee->parent];
	const struct call_pair pair = { caller->function, caller->name, callee->function,
		                        callee->name };

	return tuples_put(pairs, &pair, err);
}

static int compare_edges(const void *first, const void *second, void *context)
{
	const struct strings *strings = *(const struct strings *const *)context;
	const struct call_edge *a = first, *b = second;
	int order;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	order = rows_compare_costs(a->count.period, a->count.samples, b->count.period,
	                           b->count.samples);
	if (!order)
		order = compare_names(strings, a->callee, b->callee);
	if (order || a->caller == b->caller)
		return order;
	if (!a->caller || !b->caller)
		return !a->caller ? -1 : 1;
	return compare_names(strings, a->caller, b->caller);
}

/*
 * Makes an edge of each pair and event with samples; returns how many. callees: a node of each
 * pair; counts: of pair p and event e at [p * events + e].
 */
static size_t make_edges(const struct call_tree *tree, const uint32_t *callees, size_t pairs,
                         const struct call_count *counts, struct call_edge *edges)
{
	const size_t events = tree->event_count;
	size_t count = 0;

	for (size_t i = 0; i < pairs * events; i++) {
		const struct call_node *callee = &tree->nodes[callees[i / events]];

		if (counts[i].samples)
			edges[count++] = (struct call_edge){ callee->parent == CALL_NODE_NONE
				                                     ? NULL
				                                     : &tree->nodes[callee->parent],
				                             callee, i % events, counts[i] };
	}
	return count;
}

bool call_tree_edges(const struct call_tree *tree, const struct strings *strings,
                     struct call_edge **edges, size_t *count, struct err *err)
{
	uint32_t *labels = vec_new(tree->count, sizeof(*labels), err);
	uint32_t *callees = vec_new(tree->count, sizeof(*callees), err); /* by pair */
	struct tuples pairs;                                             /* struct call_pair */
	struct call_count *counts;
	bool ok = labels && callees;

	tuples_init(&pairs, sizeof(struct call_pair));
	for (uint32_t i = 0; ok && i < tree->count; i++) {
		labels[i] = put_pair(&pairs, tree, i, err);
		ok = labels[i] != MAP_NONE;
		if (ok)
			callees[labels[i]] = i;
	}
	counts = ok ? call_tree_sum(tree, labels, pairs.count, err) : NULL;
	*edges = counts ? vec_new(pairs.count * tree->event_count, sizeof(**edges), err) : NULL;
	*count = *edges ? make_edges(tree, callees, pairs.count, counts, *edges) : 0;
	if (*edges)
		qsort_r(*edges, *count, sizeof(**edges), compare_edges, &strings);
	tuples_release(&pairs);
	free(callees);
	free(labels);
	free(counts);
	return *edges;
}
