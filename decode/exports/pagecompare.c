#include "decode/exports/pagecompare.h"

#include "decode/compare/comparison.h"
#include "decode/compare/mergedcalls.h"
#include "decode/exports/labeltree.h"
#include "decode/tables/eventfile.h"
#include "util/text.h"
#include "util/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct compared {
	const struct report *report;
	const struct comparison *comparison;
	struct page_samples *samples;
	struct page_tree *tree;
	struct map rows; /* function << 32 | home of its binary -> the first row of diff.csv */
	struct err *err;
};

static uint64_t function_key(uint32_t name, uint32_t home)
{
	return (uint64_t)name << 32 | home;
}

/* Finds the rows of functions, which say what results.csv and diff.csv say of binary and file. */
static bool find_rows(struct compared *compared)
{
	const struct compare_family *own = &compared->comparison->own;

	for (size_t i = 0; i < own->count; i++) {
		const struct compare_row *row = &own->rows[i];
		const uint64_t key = function_key(row->function, row->home);

		if (!row->is_total && map_get(&compared->rows, key) == MAP_NONE &&
		    !map_put(&compared->rows, key, (uint32_t)i, compared->err))
			return false;
	}
	return true;
}

/* The number of a function in the page. MAP_NONE with err set. */
static uint32_t function_of(struct compared *compared, uint32_t name, uint32_t home, uint32_t file)
{
	const uint32_t number = map_get(&compared->rows, function_key(name, home));
	struct page_function function = { name, home, file };

	if (number != MAP_NONE) {
		const struct compare_row *row = &compared->comparison->own.rows[number];

		function.binary = row->binary;
		function.file = row->file;
	}
	return tuples_put(&compared->tree->functions, &function, compared->err);
}

static bool make_nodes(struct compared *compared, size_t count)
{
	compared->tree->node_count = count;
	compared->tree->nodes = vec_new(count, sizeof(*compared->tree->nodes), compared->err);
	return compared->tree->nodes;
}

/* Adds what a node costs in an event. */
static bool put_cost(struct compared *compared, uint32_t event, uint32_t node,
                     const struct label_node *cost)
{
	struct page_samples *samples = compared->samples;
	const struct page_task task = { 0, -1, event };
	struct err *err = compared->err;
	uint32_t number;

	if (!cost->period && !cost->base && !cost->samples)
		return true;
	number = tuples_put(&samples->tasks, &task, err);
	if (number == MAP_NONE || !vec_append(&samples->nodes, &samples->count,
	                                      &samples->node_capacity, &node, sizeof(node), err))
		return false;
	samples->untimed++;
	return page_planes_put(&samples->task, page_recent_put(&samples->recent, number), err) &&
	       page_planes_put(&samples->weight, cost->period, err) &&
	       page_planes_put(&samples->base, cost->base, err) &&
	       page_planes_put(&samples->samples, cost->samples, err);
}

/* --- with call chains: the merged trees */

/* Different functions have different labels, which say how siblings are ordered. */
static void write_label(char *text, const struct call_node *node, const struct strings *strings)
{
	const char *name = strings_get(strings, node->name);
	const char *binary = strings_get(strings, node->binary);

	text = format_escaped(text, name, strlen(name));
	*text++ = '\t';
	text = format_escaped(text, binary, strlen(binary));
	*text++ = '\t';
	*text++ = (char)('0' + node->kind);
	*text = '\0';
}

/* The label of a node, a string of `labels`. STRING_NONE with err set. */
static uint32_t label_of(const struct call_node *node, const struct strings *strings,
                         struct strings *labels, struct err *err)
{
	const size_t length = (size_t)strings->entries[node->name].length +
	                      strings->entries[node->binary].length;
	char *text = vec_new(length * LABEL_ROOM_PER_BYTE + LABEL_ROOM, 1, err);
	uint32_t label = STRING_NONE;

	if (text) {
		write_label(text, node, strings);
		label = strings_put_text(labels, text, err);
	}
	free(text);
	return label;
}

/* Finds a node of the merged trees for each label: label -> node. */
static bool find_labels(const struct merged_calls *calls, struct strings *labels,
                        struct map *node_of, struct err *err)
{
	for (uint32_t i = 0; i < calls->count; i++) {
		uint32_t label;

		if (calls->nodes[i].parent == CALL_NODE_NONE)
			continue; /* a process */
		label = label_of(&calls->nodes[i], calls->strings, labels, err);
		if (label == STRING_NONE)
			return false;
		if (map_get(node_of, label) == MAP_NONE && !map_put(node_of, label, i, err))
			return false;
	}
	return true;
}

static bool take_nodes(struct compared *compared, struct label_tree *labels)
{
	const struct merged_calls *calls = compared->comparison->options.calls;
	struct map node_of = { .slots = NULL };
	bool ok = make_nodes(compared, labels->count) &&
	          find_labels(calls, &labels->labels, &node_of, compared->err);

	for (size_t i = 0; ok && i < labels->count; i++) {
		const struct label_node *from = &labels->nodes[i];
		const struct call_node *call = &calls->nodes[map_get(&node_of, from->label)];

		compared->tree->nodes[i] = (struct page_node){
			.parent = from->parent,
			.depth = from->depth,
			.kind = call->kind,
			.origin = call->origin,
			.used = true,
			.function = function_of(compared, call->name, call->binary, call->file),
		};
		ok = compared->err->code == ERR_NONE;
	}
	map_release(&node_of);
	return ok;
}

/* The trees of all events have the same nodes. */
static bool take_calls(struct compared *compared, uint32_t event)
{
	const struct label_request request = { compared->report, event, write_label, false };
	struct label_tree labels;
	bool ok = label_tree_make(&labels, &request, compared->err) &&
	          (compared->tree->nodes || take_nodes(compared, &labels));

	for (size_t i = 0; ok && i < labels.count; i++)
		ok = put_cost(compared, event, labels.order[i], &labels.nodes[labels.order[i]]);
	label_tree_release(&labels);
	return ok;
}

/* --- without call chains: the rows of diff.csv */

static bool take_functions(struct compared *compared)
{
	const struct compare_family *own = &compared->comparison->own;

	if (!make_nodes(compared, own->count))
		return false;
	for (size_t i = 0; i < own->count; i++) {
		const struct compare_row *row = &own->rows[i];
		struct page_node *node = &compared->tree->nodes[i];

		*node = (struct page_node){ .parent = CALL_NODE_NONE, .kind = CALL_USER };
		if (row->is_total)
			continue;
		node->function = function_of(compared, row->function, row->home, row->file);
		/* one node for the function in all events */
		node->used = map_get(&compared->rows, function_key(row->function, row->home)) == i;
	}
	return compared->err->code == ERR_NONE;
}

static bool take_rows(struct compared *compared, uint32_t event)
{
	const struct compare_family *own = &compared->comparison->own;
	const double unit = merged_unit(compared->comparison, event);
	long double base = 0, now = 0, base_done = 0, now_done = 0;
	bool ok = compared->tree->nodes || take_functions(compared);

	for (size_t i = 0; ok && i < own->count; i++) {
		const struct compare_row *row = &own->rows[i];
		struct label_node cost = { .samples = row->samples[SIDE_NEW] };

		if (row->is_total || row->event != event)
			continue;
		/* so that the sum is the rounded sum */
		base += row->cost[SIDE_BASE] * unit;
		now += row->cost[SIDE_NEW] * unit;
		cost.base = (uint64_t)(roundl(base) - base_done);
		cost.period = (uint64_t)(roundl(now) - now_done);
		base_done += (long double)cost.base;
		now_done += (long double)cost.period;
		ok = put_cost(compared, event,
		              map_get(&compared->rows, function_key(row->function, row->home)),
		              &cost);
	}
	return ok;
}

bool page_compared_make(struct page_samples *samples, struct page_tree *tree,
                        const struct report *report, struct err *err)
{
	const struct comparison *comparison = report->comparison;
	const struct page_thread nobody = { -1, -1, STRING_EMPTY, STRING_EMPTY };
	struct compared compared = { report, comparison, samples, tree, { .slots = NULL }, err };
	bool ok;

	page_samples_init(samples);
	samples->unit = 1;
	samples->sliced = samples->has_base = true;
	page_tree_init(tree, report, comparison->strings);
	ok = find_rows(&compared) && tuples_put(&samples->threads, &nobody, err) != MAP_NONE;
	for (uint32_t i = 0; ok && i < comparison->event_count; i++)
		ok = report_has_chains(report) ? take_calls(&compared, i) : take_rows(&compared, i);
	map_release(&compared.rows);
	return ok && page_tree_count(tree, samples, err) && page_tree_order(tree, err);
}
