#include "decode/exports/labeltree.h"

#include "decode/compare/comparison.h"
#include "decode/compare/mergedcalls.h"
#include "util/depthfirst.h"
#include "util/radix.h"
#include "util/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROCESS_KIND (CALL_REMARK + 1) /* in place of a call's kind: it is a process */

struct tree_maker {
	struct label_tree *tree;
	const struct label_request *request;
	/* from the report's call tree, or from the merged one */
	const struct call_node *nodes;
	size_t node_count;
	const struct strings *strings;
	/* by kind: name << 32 | binary -> label; nodes of one function have the same */
	struct map label_of[PROCESS_KIND + 1];
	struct map node_of; /* parent + 1 << 32 | label -> node */
	/*
	 * By node of the call tree: its node below the process that had it last, and the number of
	 * that process, or 0.
	 */
	struct placed_call {
		uint32_t process, node;
	} * placed;
	char *text; /* buffer for one label */
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
static uint32_t write_label(struct tree_maker *maker, label_writer *writer,
                            const struct call_node *node)
{
	const struct strings *strings = maker->strings;
	size_t size = (size_t)strings->entries[node->name].length +
	              strings->entries[node->binary].length;

	size = size * LABEL_ROOM_PER_BYTE + LABEL_ROOM;
	if (!vec_reserve(&maker->text, size, &maker->text_size, 1, maker->err))
		return STRING_NONE;
	writer(maker->text, node, strings);
	return strings_put_text(&maker->tree->labels, maker->text, maker->err);
}

/*
 * The child of parent with that label, which is added if it is new. LABEL_NODE_NONE with err set.
 */
static uint32_t put_label(struct tree_maker *maker, uint32_t parent, uint32_t label)
{
	struct label_tree *tree = maker->tree;
	uint32_t number = map_number(&maker->node_of,
	                             (uint64_t)(uint32_t)(parent + 1) << 32 | label, maker->err);

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

/*
 * The node for a function, given the node for its caller, or for a process. LABEL_NODE_NONE with
 * err set.
 */
static uint32_t put_call(struct tree_maker *maker, uint32_t parent, const struct call_node *node,
                         bool is_process)
{
	struct map *label_of = &maker->label_of[is_process ? PROCESS_KIND : node->kind];
	const uint64_t key = (uint64_t)node->name << 32 | node->binary;
	uint32_t label = map_get(label_of, key);

	if (label == MAP_NONE) {
		label = write_label(maker,
		                    is_process ? maker->request->process : maker->request->function,
		                    node);
		if (label == STRING_NONE || !map_put(label_of, key, label, maker->err))
			return LABEL_NODE_NONE;
	}
	return put_label(maker, parent, label);
}

/* A cell of the event. */
struct wanted_cell {
	uint64_t comm; /* string; 0 if processes are not distinguished; first, for radix_sort() */
	uint32_t number;
};

/* The stacks of one process; of all, if processes are not distinguished. */
struct process_stacks {
	uint32_t number; /* from 1 */
	uint32_t node;   /* LABEL_NODE_NONE: processes are not distinguished */
};

/* The node for a stack of a process. path: room for the deepest stack. */
static uint32_t put_stack(struct tree_maker *maker, const struct process_stacks *process,
                          uint32_t number, uint32_t *path)
{
	const struct call_node *calls = maker->nodes;
	uint32_t node = process->node;
	size_t count = 0;

	for (; number != CALL_NODE_NONE; number = calls[number].parent) {
		if (maker->placed[number].process == process->number) {
			node = maker->placed[number].node;
			break;
		}
		path[count++] = number;
	}
	while (count) {
		number = path[--count];
		node = put_call(maker, node, &calls[number], false);
		if (node == LABEL_NODE_NONE)
			break;
		maker->placed[number] = (struct placed_call){ process->number, node };
	}
	return node;
}

static bool put_cell(struct tree_maker *maker, const struct process_stacks *process,
                     uint32_t number, uint32_t *path)
{
	const struct report *report = maker->request->report;
	const struct stack_cell *cell = &report->stat->stacks->cells.items[number];
	uint32_t node = put_stack(maker, process, report->calls->node_of_cell[number], path);

	if (node != LABEL_NODE_NONE) {
		maker->tree->nodes[node].samples += cell->samples;
		maker->tree->nodes[node].period += cell->period;
	}
	return maker->err->code == ERR_NONE;
}

/* Adds the wanted cells, which are sorted by their processes. */
static bool put_cells(struct tree_maker *maker, const struct wanted_cell *cells, size_t count,
                      uint32_t *path)
{
	struct process_stacks process = { 0, LABEL_NODE_NONE };

	for (size_t i = 0; i < count; i++) {
		if (!i || cells[i].comm != cells[i - 1].comm) {
			const struct call_node named = { .name = (uint32_t)cells[i].comm };

			process.number++;
			if (maker->request->process)
				process.node = put_call(maker, LABEL_NODE_NONE, &named, true);
		}
		if (maker->err->code != ERR_NONE ||
		    !put_cell(maker, &process, cells[i].number, path))
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

/* Lists the cells that have samples of the event. Returns how many. */
static size_t list_cells(const struct label_request *request, struct wanted_cell *wanted)
{
	const struct report *report = request->report;
	const struct stackstat *stacks = report->stat->stacks;
	size_t count = 0;

	for (size_t i = 0; i < stacks->cells.count; i++) {
		const struct stack_cell *cell = &stacks->cells.items[i];
		const struct stack_group *group = stackstat_group(stacks, cell);

		if (cell->samples && call_event_of(report->session, group->event) == request->event)
			wanted[count++] = (struct wanted_cell){ request->process ? group->comm : 0,
				                                (uint32_t)i };
	}
	return count;
}

/* Adds the stacks of the recording, which has some. */
static bool put_stacks(struct tree_maker *maker)
{
	const size_t most = maker->request->report->stat->stacks->cells.count + 1;
	struct wanted_cell *wanted = malloc(2 * most * sizeof(*wanted)), *sorted;
	uint32_t *path = malloc((maker->node_count + 1) * sizeof(*path));
	bool ok = false;

	maker->placed = calloc(maker->node_count + 1, sizeof(*maker->placed));
	if (wanted && path && maker->placed) {
		const size_t count = list_cells(maker->request, wanted);

		sorted = radix_sort(wanted, wanted + most, count, sizeof(*wanted));
		ok = put_cells(maker, sorted, count, path);
	} else {
		err_nomem(maker->err, (most + maker->node_count) * sizeof(*wanted));
	}
	free(wanted);
	free(path);
	return ok;
}

static bool put_recording(struct tree_maker *maker)
{
	return (!maker->request->report->stat->stacks || put_stacks(maker)) &&
	       order_nodes(maker->tree, maker->err);
}

/*
 * Adds the nodes of the merged call tree. placed is malloc'd, by node. Processes may be left out.
 */
static bool put_merged_nodes(struct tree_maker *maker, uint32_t **placed)
{
	*placed = malloc((maker->node_count + 1) * sizeof(**placed));
	if (!*placed)
		return err_nomem(maker->err, maker->node_count * sizeof(**placed));
	for (size_t i = 0; i < maker->node_count; i++) {
		const struct call_node *node = &maker->nodes[i];
		const bool is_process = node->parent == CALL_NODE_NONE;

		(*placed)[i] = LABEL_NODE_NONE;
		if (!is_process || maker->request->process)
			(*placed)[i] = put_call(
				maker, is_process ? LABEL_NODE_NONE : (*placed)[node->parent], node,
				is_process);
		if (maker->err->code)
			return false;
	}
	return true;
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
	uint32_t *placed = NULL;
	bool ok;

	of_calls = merged_calls_sum(comparison, (uint32_t)maker->request->event, maker->err);
	ok = of_calls && put_merged_nodes(maker, &placed) && order_nodes(tree, maker->err);
	if (ok && !(sums = calloc(tree->count + 1, sizeof(*sums))))
		ok = err_nomem(maker->err, tree->count * sizeof(*sums));
	for (size_t i = 0; ok && i < maker->node_count; i++) {
		const uint32_t node = placed[i];

		if (node == LABEL_NODE_NONE)
			continue;
		sums[node].cost[SIDE_BASE] += of_calls[i].cost[SIDE_BASE];
		sums[node].cost[SIDE_NEW] += of_calls[i].cost[SIDE_NEW];
		tree->nodes[node].samples += of_calls[i].samples[SIDE_NEW];
	}
	if (ok)
		round_periods(tree, sums);
	free(placed);
	free(sums);
	free(of_calls);
	return ok;
}

bool label_tree_make(struct label_tree *tree, const struct label_request *request, struct err *err)
{
	struct tree_maker maker = { .tree = tree, .request = request, .err = err };
	const struct comparison *comparison = request->report->comparison;
	bool ok;

	memset(tree, 0, sizeof(*tree));
	maker.nodes = comparison ? comparison->options.calls->nodes : request->report->calls->nodes;
	maker.node_count = comparison ? comparison->options.calls->count
	                              : request->report->calls->count;
	maker.strings = comparison ? comparison->strings : request->report->stat->strings;
	ok = strings_init(&tree->labels, err) &&
	     (comparison ? put_comparison(&maker) : put_recording(&maker));
	map_release(&maker.node_of);
	free(maker.placed);
	for (size_t i = 0; i <= PROCESS_KIND; i++)
		map_release(&maker.label_of[i]);
	free(maker.text);
	return ok;
}
