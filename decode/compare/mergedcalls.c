#include "decode/compare/mergedcalls.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

void merged_calls_init(struct merged_calls *merged, struct strings *strings)
{
	*merged = (struct merged_calls){ .strings = strings,
		                         .matcher = { .strings = strings },
		                         .missing = STRING_NONE,
		                         .no_chains = STRING_NONE };
}

void merged_calls_release(struct merged_calls *merged)
{
	for (size_t i = 0; i < merged->run_count; i++)
		free(merged->runs[i].costs);
	free(merged->runs);
	free(merged->nodes);
	for (size_t i = 0; i < ARRAY_SIZE(merged->node_of); i++)
		map_release(&merged->node_of[i]);
	map_release(&merged->label_of);
	name_matcher_release(&merged->matcher);
	memset(merged, 0, sizeof(*merged));
}

size_t merged_calls_processes(const struct merged_calls *merged)
{
	size_t count = 0;

	for (size_t i = 0; i < merged->count; i++)
		count += merged->nodes[i].parent == CALL_NODE_NONE;
	return count;
}

bool merged_calls_begin_run(struct merged_calls *merged, struct err *err)
{
	const struct merged_run run = { .count = 0 };

	return vec_append(&merged->runs, &merged->run_count, &merged->run_capacity, &run,
	                  sizeof(run), err);
}

uint32_t merged_calls_put(struct merged_calls *merged, uint32_t parent,
                          const struct call_node *wanted, struct err *err)
{
	struct map *node_of = &merged->node_of[wanted->kind];
	struct call_node node = *wanted;
	uint32_t label, number;
	uint64_t key;

	node.name = name_matcher_function(&merged->matcher, wanted->name, err);
	node.binary = name_matcher_binary(&merged->matcher, wanted->binary, err);
	label = map_number(&merged->label_of, call_label_key(&node), err);
	if (err->code)
		return CALL_NODE_NONE;
	key = (uint64_t)(uint32_t)(parent + 1) << 32 | label;
	number = map_get(node_of, key);
	if (number != MAP_NONE)
		return number;
	number = (uint32_t)merged->count;
	node.parent = parent;
	node.depth = parent == CALL_NODE_NONE ? 0 : merged->nodes[parent].depth + 1;
	if (!vec_append(&merged->nodes, &merged->count, &merged->capacity, &node, sizeof(node),
	                err) ||
	    !map_put(node_of, key, number, err))
		return CALL_NODE_NONE;
	return number;
}

bool merged_calls_add(struct merged_calls *merged, struct map *seen, const struct call_cost *cost,
                      struct err *err)
{
	struct merged_run *run = &merged->runs[merged->run_count - 1];
	uint32_t number = map_number(seen, (uint64_t)cost->event << 32 | cost->node, err);

	if (number == MAP_NONE ||
	    !vec_room(&run->costs, number, &run->capacity, sizeof(*cost), err))
		return false;
	if (number == run->count) {
		run->costs[run->count++] = *cost;
		return true;
	}
	run->costs[number].samples = u64_add_sat(run->costs[number].samples, cost->samples);
	run->costs[number].period = u64_add_sat(run->costs[number].period, cost->period);
	return true;
}

/* --- a recording */

struct tree_merger {
	struct merged_calls *merged;
	const struct buildstat *stat;
	const struct process_calls *calls;
	uint32_t *nodes; /* by node of the recording's tree: the one of the merged tree */
	struct map seen; /* see merged_calls_add() */
	struct err *err;
};

static uint32_t text_of(struct tree_merger *merger, uint32_t string)
{
	const struct string_entry *entry = &merger->stat->strings->entries[string];

	return strings_put(merger->merged->strings, entry->text, entry->length, merger->err);
}

static bool merge_nodes(struct tree_merger *merger)
{
	for (size_t i = 0; i < merger->calls->count; i++) {
		struct call_node node = merger->calls->nodes[i];
		const uint32_t parent = node.parent == CALL_NODE_NONE ? CALL_NODE_NONE
		                                                      : merger->nodes[node.parent];

		node.name = text_of(merger, node.name);
		node.binary = text_of(merger, node.binary);
		node.file = text_of(merger, node.file);
		if (merger->err->code)
			return false;
		merger->nodes[i] = merged_calls_put(merger->merged, parent, &node, merger->err);
		if (merger->nodes[i] == CALL_NODE_NONE)
			return false;
	}
	return true;
}

static bool merge_costs(struct tree_merger *merger)
{
	for (size_t i = 0; i < merger->calls->cost_count; i++) {
		struct call_cost cost = merger->calls->costs[i];
		const char *event = buildstat_event_name(merger->stat->session, cost.event);

		cost.node = merger->nodes[cost.node];
		cost.event = strings_put_text(merger->merged->strings, event, merger->err);
		if (merger->err->code ||
		    !merged_calls_add(merger->merged, &merger->seen, &cost, merger->err))
			return false;
	}
	return true;
}

bool merged_calls_add_tree(struct merged_calls *merged, const struct buildstat *stat,
                           const struct process_calls *calls, uint32_t file, struct err *err)
{
	struct tree_merger merger = { merged, stat, calls, .err = err };
	bool ok;

	if (!merged_calls_begin_run(merged, err))
		return false;
	if (!buildstat_has_chains(stat) && merged->no_chains == STRING_NONE)
		merged->no_chains = file;
	if (!stat->stacks)
		return true;
	merger.nodes = malloc((calls->count + 1) * sizeof(*merger.nodes));
	ok = merger.nodes ? merge_nodes(&merger) && merge_costs(&merger)
	                  : err_nomem(err, calls->count * sizeof(*merger.nodes));
	map_release(&merger.seen);
	free(merger.nodes);
	return ok;
}
