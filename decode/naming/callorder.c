/* The order of a tree of functions in tables: as a tree, and by pairs of functions. */
#include "decode/naming/calltree.h"
#include "decode/naming/rows.h"
#include "util/depthfirst.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* A node with its key for sorting. */
struct sibling {
	const struct strings *strings;
	const struct call_node *about;
	const struct call_count *total;
	uint32_t node;
};

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

/* The most expensive first. */
static int compare_siblings(const void *first, const void *second)
{
	const struct sibling *a = first, *b = second;
	int order = rows_compare_costs(a->total->period, a->total->samples, b->total->period,
	                               b->total->samples);

	return order ? order : compare_names(a->strings, a->about, b->about);
}

/* The siblings of a tree, and what puts them in order. Both lists are malloc'd. */
struct sibling_order {
	struct sibling *siblings; /* by parent, the outermost first; each group in its order */
	size_t count;
	/* by node + 1: behind the last of the node's children in `siblings`; 0: the outermost */
	uint32_t *ends;
	struct depth_first tree;
};

/* Places the nodes that have samples of the event by their parents. */
static void group_siblings(struct sibling_order *order, const struct call_tree *tree,
                           const struct strings *strings, size_t event)
{
	uint32_t *ends = order->ends, start = 0;

	for (size_t i = tree->count; i-- > 0;) {
		const uint32_t parent = tree->nodes[i].parent + 1;

		if (!call_tree_total(tree, (uint32_t)i, event)->samples)
			continue;
		ends[parent]++;
		depth_first_add(&order->tree, (uint32_t)i, parent);
	}
	for (size_t i = 0; i <= tree->count; i++) {
		start += ends[i];
		ends[i] = start - ends[i];
	}
	order->count = start;
	for (size_t i = 0; i < tree->count; i++) {
		const struct call_count *total = call_tree_total(tree, (uint32_t)i, event);

		if (total->samples)
			order->siblings[ends[tree->nodes[i].parent + 1]++] = (struct sibling){
				strings, &tree->nodes[i], total, (uint32_t)i
			};
	}
}

/* Sorts each group of siblings. Most are small, so this takes few comparisons. */
static void sort_siblings(struct sibling_order *order, size_t parents)
{
	uint32_t start = 0;

	for (size_t i = 0; i < parents; i++) {
		if (order->ends[i] - start > 1)
			qsort(order->siblings + start, order->ends[i] - start,
			      sizeof(*order->siblings), compare_siblings);
		start = order->ends[i];
	}
}

/* Puts siblings in the order of the tree: behind each node, what it calls. */
static void put_in_order(struct sibling_order *order, uint32_t *numbers)
{
	/* a parent has a lower number than its children, so it comes before them here */
	for (size_t i = 0; i < order->count; i++) {
		const uint32_t node = order->siblings[i].node;

		numbers[depth_first_place(&order->tree, node,
		                          order->siblings[i].about->parent + 1)] = node;
	}
}

bool call_tree_order(const struct call_tree *tree, const struct strings *strings, size_t event,
                     uint32_t **numbers, size_t *count, struct err *err)
{
	const size_t most = tree->count + 1;
	struct sibling_order order = { .siblings = malloc(most * sizeof(*order.siblings)),
		                       .ends = calloc(most, sizeof(*order.ends)) };
	bool ok;

	*numbers = malloc(most * sizeof(**numbers));
	ok = depth_first_init(&order.tree, tree->count, err) &&
	     ((order.siblings && order.ends && *numbers) ||
	      err_nomem(err, most * sizeof(*order.siblings)));
	if (ok) {
		group_siblings(&order, tree, strings, event);
		sort_siblings(&order, most);
		put_in_order(&order, *numbers);
	}
	*count = order.count;
	free(order.siblings);
	free(order.ends);
	depth_first_release(&order.tree);
	return ok;
}

uint32_t *call_tree_frames(const struct call_tree *tree, const struct strings *strings,
                           struct err *err)
{
	uint32_t *frames = calloc(tree->count + 1, sizeof(*frames)), *order, next = 1;
	size_t count;

	if (!frames) {
		err_nomem(err, tree->count * sizeof(*frames));
		return NULL;
	}
	for (size_t event = 0; event < tree->event_count; event++) {
		order = NULL;
		if (!call_tree_order(tree, strings, event, &order, &count, err)) {
			free(order);
			free(frames);
			return NULL;
		}
		for (size_t i = 0; i < count; i++)
			if (!frames[order[i]])
				frames[order[i]] = next++;
		free(order);
	}
	return frames;
}

/* A caller and a callee, as callers.csv has them. */
struct pair {
	uint32_t caller, callee; /* the first nodes of these functions */
};

struct edge_maker {
	const struct call_tree *tree;
	uint32_t *names; /* by node: the first node of the same function */
	struct pair *pairs;
	size_t count, capacity;
	struct map number_of;      /* caller + 1 << 32 | callee -> number */
	struct call_count *counts; /* of pair p and event e at [p * event_count + e] */
	size_t counts_capacity;
	struct err *err;
};

/* Finds the first node of each function, and of each remark by its text. */
static bool find_first_nodes(struct edge_maker *maker)
{
	const struct call_tree *tree = maker->tree;
	struct map first = { 0 };
	bool ok = true;
	maker->names = malloc((tree->count + 1) * sizeof(*maker->names));
	if (!maker->names)
		ok = err_nomem(maker->err, tree->count * sizeof(*maker->names));
	for (size_t i = 0; ok && i < tree->count; i++) {
		const struct call_node *node = &tree->nodes[i];
		uint64_t key = node->function == CALL_NO_FUNCTION ? (uint64_t)1 << 32 | node->name
		                                                  : node->function;
		uint32_t number = map_get(&first, key);

		maker->names[i] = number == MAP_NONE ? (uint32_t)i : number;
		ok = number != MAP_NONE || map_put(&first, key, (uint32_t)i, maker->err);
	}
	map_release(&first);
	return ok;
}

static bool grow_counts(struct edge_maker *maker)
{
	const size_t events = maker->tree->event_count;
	size_t capacity = maker->capacity * events;
	struct call_count *counts;

	if (capacity <= maker->counts_capacity)
		return true;
	counts = realloc(maker->counts, capacity * sizeof(*counts));
	if (!counts)
		return err_nomem(maker->err, capacity * sizeof(*counts));
	memset(counts + maker->counts_capacity, 0,
	       (capacity - maker->counts_capacity) * sizeof(*counts));
	maker->counts = counts;
	maker->counts_capacity = capacity;
	return true;
}

/* The number of the pair of a node and its parent, or MAP_NONE. */
static uint32_t put_pair(struct edge_maker *maker, uint32_t node)
{
	uint32_t parent = maker->tree->nodes[node].parent, number;
	struct pair pair = { .callee = maker->names[node] };
	uint64_t key;

	pair.caller = parent == CALL_NODE_NONE ? CALL_NODE_NONE : maker->names[parent];
	key = (uint64_t)(uint32_t)(pair.caller + 1) << 32 | pair.callee;
	number = map_get(&maker->number_of, key);
	if (number != MAP_NONE)
		return number;
	number = (uint32_t)maker->count;
	if (!vec_room(&maker->pairs, number, &maker->capacity, sizeof(pair), maker->err) ||
	    !grow_counts(maker) || !map_put(&maker->number_of, key, number, maker->err))
		return MAP_NONE;
	maker->pairs[maker->count++] = pair;
	return number;
}

/* Adds up the nodes of each pair. */
static bool count_pairs(struct edge_maker *maker)
{
	const struct call_tree *tree = maker->tree;
	const size_t events = tree->event_count, size = (tree->count + 1) * sizeof(uint32_t);
	uint32_t *pairs = malloc(size);
	bool ok = pairs || err_nomem(maker->err, size);

	for (uint32_t i = 0; ok && i < tree->count; i++) {
		pairs[i] = put_pair(maker, i);
		ok = pairs[i] != MAP_NONE;
	}
	ok = ok && call_tree_keep_outermost(tree, pairs, maker->count, maker->err);
	for (uint32_t i = 0; ok && i < tree->count; i++)
		for (size_t event = 0; pairs[i] != CALL_NO_LABEL && event < events; event++) {
			struct call_count *count = &maker->counts[pairs[i] * events + event];

			count->samples += call_tree_total(tree, i, event)->samples;
			count->period += call_tree_total(tree, i, event)->period;
		}
	free(pairs);
	return ok;
}

/* An edge with its key for sorting. */
struct edge_row {
	struct call_edge edge;
	const struct call_tree *tree;
	const struct strings *strings;
};

static int compare_edges(const void *first, const void *second)
{
	const struct edge_row *x = first, *y = second;
	const struct call_edge *a = &x->edge, *b = &y->edge;
	const struct call_node *nodes = x->tree->nodes;
	int order;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	order = rows_compare_costs(a->count.period, a->count.samples, b->count.period,
	                           b->count.samples);
	if (!order)
		order = compare_names(x->strings, &nodes[a->callee], &nodes[b->callee]);
	if (order || a->caller == b->caller)
		return order;
	if (a->caller == CALL_NODE_NONE || b->caller == CALL_NODE_NONE)
		return a->caller == CALL_NODE_NONE ? -1 : 1;
	return compare_names(x->strings, &nodes[a->caller], &nodes[b->caller]);
}

static bool make_edges(struct edge_maker *maker, const struct strings *strings,
                       struct call_edge **edges, size_t *count)
{
	const size_t events = maker->tree->event_count, most = maker->count * events;
	struct edge_row *rows = malloc((most + 1) * sizeof(*rows));

	*edges = malloc((most + 1) * sizeof(**edges));
	if (!rows || !*edges) {
		free(rows);
		return err_nomem(maker->err, most * sizeof(*rows));
	}
	for (size_t i = 0; i < maker->count; i++)
		for (size_t event = 0; event < events; event++)
			if (maker->counts[i * events + event].samples)
				rows[(*count)++] = (struct edge_row){
					{ maker->pairs[i].caller, maker->pairs[i].callee, event,
					  maker->counts[i * events + event] },
					maker->tree,
					strings
				};
	qsort(rows, *count, sizeof(*rows), compare_edges);
	for (size_t i = 0; i < *count; i++)
		(*edges)[i] = rows[i].edge;
	free(rows);
	return true;
}

bool call_tree_edges(const struct call_tree *tree, const struct strings *strings,
                     struct call_edge **edges, size_t *count, struct err *err)
{
	struct edge_maker maker = { .tree = tree, .err = err };
	bool ok;

	*edges = NULL;
	*count = 0;
	ok = find_first_nodes(&maker) && count_pairs(&maker) &&
	     make_edges(&maker, strings, edges, count);
	map_release(&maker.number_of);
	free(maker.names);
	free(maker.pairs);
	free(maker.counts);
	return ok;
}
