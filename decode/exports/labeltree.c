#include "decode/exports/labeltree.h"

#include "decode/compare/comparison.h"
#include "decode/compare/mergedcalls.h"
#include "util/depthfirst.h"
#include "util/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROCESS_KIND (CALL_REMARK + 1) /* in place of a call's kind: it is a process */

struct tree_maker {
	struct label_tree *tree;
	const struct label_request *request;
	/* below processes: of the recording, or the merged ones of the comparison */
	const struct call_node *nodes;
	size_t node_count;
	const struct strings *strings;
	/* by kind: name << 32 | binary -> label; nodes of one function have the same */
	struct map label_of[PROCESS_KIND + 1];
	struct map node_of; /* parent + 1 << 32 | label -> node */
	uint32_t *placed;   /* by node below processes: its node, or LABEL_NODE_NONE */
	char *text;         /* buffer for one label */
	size_t text_size;
	struct err *err;
};

void label_tree_release(struct label_tree *tree)
{
	strings_release(&tree->labels);
	free(tree->nodes);
	free(tree->order);
	memset(tree, 0, sizeof(*tree));
}

/* The label of a function or process, or STRING_NONE with err set. */
static uint32_t label_of_call(struct tree_maker *maker, const struct call_node *node)
{
	const struct strings *strings = maker->strings;
	const bool is_process = node->parent == CALL_NODE_NONE;
	struct map *label_of = &maker->label_of[is_process ? PROCESS_KIND : node->kind];
	const uint64_t key = (uint64_t)node->name << 32 | node->binary;
	size_t size = (size_t)strings->entries[node->name].length +
	              strings->entries[node->binary].length;
	uint32_t label = map_get(label_of, key);

	if (label != MAP_NONE)
		return label;
	size = size * LABEL_ROOM_PER_BYTE + LABEL_ROOM;
	if (!vec_reserve(&maker->text, size, &maker->text_size, 1, maker->err))
		return STRING_NONE;
	maker->request->write(maker->text, node, strings);
	label = strings_put_text(&maker->tree->labels, maker->text, maker->err);
	return label != STRING_NONE && map_put(label_of, key, label, maker->err) ? label
	                                                                         : STRING_NONE;
}

/*
 * The child of parent for a function or a process, which is added if no other one has the same
 * label. LABEL_NODE_NONE with err set.
 */
static uint32_t put_call(struct tree_maker *maker, uint32_t parent, const struct call_node *node)
{
	struct label_tree *tree = maker->tree;
	const uint32_t label = label_of_call(maker, node);
	uint32_t number;

	if (label == STRING_NONE)
		return LABEL_NODE_NONE;
	number = map_number(&maker->node_of, (uint64_t)(uint32_t)(parent + 1) << 32 | label,
	                    maker->err);
	if (number != tree->count)
		return number;
	if (!vec_room(&tree->nodes, number, &tree->capacity, sizeof(*tree->nodes), maker->err))
		return LABEL_NODE_NONE;
	tree->nodes[tree->count++] = (struct label_node){
		.parent = parent,
		.label = label,
		.depth = parent == LABEL_NODE_NONE ? 0 : tree->nodes[parent].depth + 1
	};
	return number;
}

/* Adds the nodes that are wanted (NULL: all). Processes may be left out. */
static bool put_nodes(struct tree_maker *maker, const bool *wanted)
{
	maker->placed = vec_new(maker->node_count, sizeof(*maker->placed), maker->err);
	if (!maker->placed)
		return false;
	for (size_t i = 0; i < maker->node_count; i++) {
		const struct call_node *node = &maker->nodes[i];
		const bool is_process = node->parent == CALL_NODE_NONE;

		maker->placed[i] = LABEL_NODE_NONE;
		if ((wanted && !wanted[i]) || (is_process && !maker->request->processes))
			continue;
		maker->placed[i] = put_call(
			maker, is_process ? LABEL_NODE_NONE : maker->placed[node->parent], node);
		if (maker->err->code)
			return false;
	}
	return true;
}

static int compare_labels(const void *context, uint32_t a, uint32_t b)
{
	const struct label_tree *tree = context;

	return strcmp(strings_get(&tree->labels, tree->nodes[a].label),
	              strings_get(&tree->labels, tree->nodes[b].label));
}

static bool order_nodes(struct label_tree *tree, struct err *err)
{
	const struct depth_first by_label = { .parents = tree->nodes,
		                              .size = sizeof(*tree->nodes),
		                              .count = tree->count,
		                              .context = tree,
		                              .compare = compare_labels };
	size_t listed;

	tree->order = depth_first_order(&by_label, &listed, err);
	return tree->order != NULL;
}

static void mark_stack(const struct process_calls *calls, uint32_t node, bool *marks)
{
	for (; node != CALL_NODE_NONE && !marks[node]; node = calls->nodes[node].parent)
		marks[node] = true;
}

static bool put_recording(struct tree_maker *maker)
{
	const struct process_calls *calls = maker->request->report->processes;
	const uint32_t event = (uint32_t)maker->request->event;
	bool *marks = vec_new(calls->count, sizeof(*marks), maker->err), ok;

	if (!marks)
		return false;
	maker->nodes = calls->nodes;
	maker->node_count = calls->count;
	maker->strings = maker->request->report->stat->strings;
	for (size_t i = 0; i < calls->cost_count; i++)
		if (calls->costs[i].event == event)
			mark_stack(calls, calls->costs[i].node, marks);
	ok = put_nodes(maker, marks);
	free(marks);
	for (size_t i = 0; ok && i < calls->cost_count; i++) {
		const struct call_cost *cost = &calls->costs[i];
		const uint32_t node = maker->placed[cost->node];

		if (cost->event != event || node == LABEL_NODE_NONE)
			continue;
		maker->tree->nodes[node].samples += cost->samples;
		maker->tree->nodes[node].period += cost->period;
	}
	return ok && order_nodes(maker->tree, maker->err);
}

/*
 * Rounds numbers so that their sums are rounded sums: what is cut off one number is added to the
 * next.
 */
static void round_periods(struct label_tree *tree, const struct merged_sum *sums)
{
	long double base = 0, now = 0, base_done = 0, now_done = 0;

	for (size_t i = 0; i < tree->count; i++) {
		struct label_node *node = &tree->nodes[tree->order[i]];

		base += sums[tree->order[i]].cost[SIDE_BASE];
		now += sums[tree->order[i]].cost[SIDE_NEW];
		node->base = (uint64_t)(roundl(base) - base_done);
		node->period = (uint64_t)(roundl(now) - now_done);
		base_done += (long double)node->base;
		now_done += (long double)node->period;
	}
}

static bool put_comparison(struct tree_maker *maker)
{
	const struct comparison *comparison = maker->request->report->comparison;
	struct label_tree *tree = maker->tree;
	struct merged_sum *of_calls, *sums = NULL;
	bool ok;

	maker->nodes = comparison->options.calls->nodes;
	maker->node_count = comparison->options.calls->count;
	maker->strings = comparison->strings;
	of_calls = merged_calls_sum(comparison, (uint32_t)maker->request->event, maker->err);
	ok = of_calls && put_nodes(maker, NULL) && order_nodes(tree, maker->err) &&
	     (sums = vec_new(tree->count, sizeof(*sums), maker->err));
	for (size_t i = 0; ok && i < maker->node_count; i++) {
		const uint32_t node = maker->placed[i];

		if (node == LABEL_NODE_NONE)
			continue;
		sums[node].cost[SIDE_BASE] += of_calls[i].cost[SIDE_BASE];
		sums[node].cost[SIDE_NEW] += of_calls[i].cost[SIDE_NEW];
		tree->nodes[node].samples += of_calls[i].samples[SIDE_NEW];
	}
	if (ok)
		round_periods(tree, sums);
	free(sums);
	free(of_calls);
	return ok;
}

bool label_tree_make(struct label_tree *tree, const struct label_request *request, struct err *err)
{
	struct tree_maker maker = { .tree = tree, .request = request, .err = err };
	bool ok;

	memset(tree, 0, sizeof(*tree));
	ok = strings_init(&tree->labels, err) &&
	     (request->report->comparison ? put_comparison(&maker) : put_recording(&maker));
	map_release(&maker.node_of);
	free(maker.placed);
	for (size_t i = 0; i <= PROCESS_KIND; i++)
		map_release(&maker.label_of[i]);
	free(maker.text);
	return ok;
}
