#include "decode/compare/mergedcalls.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define KIND_BITS 3 /* bits of enum call_kind in a label */

void merged_calls_init(struct merged_calls *merged, struct strings *strings)
{
	memset(merged, 0, sizeof(*merged));
	merged->strings = strings;
	merged->missing = merged->no_chains = STRING_NONE;
	name_matcher_init(&merged->matcher, strings);
}

void merged_calls_release(struct merged_calls *merged)
{
	for (size_t i = 0; i < merged->run_count; i++)
		free(merged->runs[i].costs);
	free(merged->runs);
	free(merged->nodes);
	map_release(&merged->node_of);
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
	if (!vec_room(&merged->runs, merged->run_count, &merged->run_capacity,
	              sizeof(*merged->runs), err))
		return false;
	merged->runs[merged->run_count++] = (struct merged_run){ .count = 0 };
	return true;
}

/* The number for a name, its binary and its kind. UINT32_MAX with err set. */
static uint32_t label_of(struct merged_calls *merged, const struct call_node *node, struct err *err)
{
	uint32_t number = map_number(&merged->label_of, call_label_key(node), err);

	if (number == MAP_NONE)
		return UINT32_MAX;
	if (number >> (32 - KIND_BITS)) {
		err_set(err, ERR_LIMIT, "the call trees have more functions than fit");
		return UINT32_MAX;
	}
	return number << KIND_BITS | node->kind;
}

uint32_t merged_calls_put(struct merged_calls *merged, uint32_t parent,
                          const struct call_node *wanted, struct err *err)
{
	struct call_node node = *wanted;
	uint32_t label, number;

	node.name = name_matcher_function(&merged->matcher, wanted->name, err);
	node.binary = name_matcher_binary(&merged->matcher, wanted->binary, err);
	label = err->code ? UINT32_MAX : label_of(merged, &node, err);
	if (err->code)
		return CALL_NODE_NONE;
	number = map_number(&merged->node_of, (uint64_t)(uint32_t)(parent + 1) << 32 | label, err);
	if (number != merged->count)
		return number;
	if (!vec_room(&merged->nodes, number, &merged->capacity, sizeof(node), err))
		return CALL_NODE_NONE;
	node.parent = parent;
	node.depth = parent == CALL_NODE_NONE ? 0 : merged->nodes[parent].depth + 1;
	merged->nodes[merged->count++] = node;
	return number;
}

bool merged_calls_add(struct merged_calls *merged, struct map *seen, const struct merged_cost *cost,
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
	const struct call_tree *calls;
	struct map node_of; /* process's node << 32 | node of the call tree -> node */
	struct map seen;    /* see merged_calls_add() */
	uint32_t *path;     /* buffer for a path to the root */
	struct err *err;
};

static uint32_t text_of(struct tree_merger *merger, uint32_t string)
{
	const struct string_entry *entry = &merger->stat->strings->entries[string];

	return strings_put(merger->merged->strings, entry->text, entry->length, merger->err);
}

static uint32_t merge_process(struct tree_merger *merger, const struct stack_group *group)
{
	const struct call_node process = { .name = text_of(merger, group->comm) };

	if (merger->err->code)
		return CALL_NODE_NONE;
	return merged_calls_put(merger->merged, CALL_NODE_NONE, &process, merger->err);
}

static uint32_t merge_call(struct tree_merger *merger, uint32_t parent,
                           const struct call_node *from)
{
	struct call_node node = *from;

	node.name = text_of(merger, from->name);
	node.binary = text_of(merger, from->binary);
	node.file = text_of(merger, from->file);
	if (merger->err->code)
		return CALL_NODE_NONE;
	return merged_calls_put(merger->merged, parent, &node, merger->err);
}

/* The node for a node of the call tree, below a process. CALL_NODE_NONE with err set. */
static uint32_t merge_stack(struct tree_merger *merger, uint32_t process, uint32_t number)
{
	const struct call_node *calls = merger->calls->nodes;
	uint32_t node = process;
	size_t count = 0;

	for (; number != CALL_NODE_NONE; number = calls[number].parent) {
		uint32_t known = map_get(&merger->node_of, (uint64_t)process << 32 | number);

		if (known != MAP_NONE) {
			node = known;
			break;
		}
		merger->path[count++] = number;
	}
	while (count && node != CALL_NODE_NONE) {
		number = merger->path[--count];
		node = merge_call(merger, node, &calls[number]);
		if (node != CALL_NODE_NONE &&
		    !map_put(&merger->node_of, (uint64_t)process << 32 | number, node, merger->err))
			return CALL_NODE_NONE;
	}
	return node;
}

static bool merge_cell(struct tree_merger *merger, size_t number, const uint32_t *events)
{
	const struct stackstat *stacks = merger->stat->stacks;
	const struct stack_cell *cell = &stacks->cells.items[number];
	const struct stack_group *group = stackstat_group(stacks, cell);
	struct merged_cost cost = { .samples = cell->samples, .period = cell->period };
	uint32_t process = merge_process(merger, group);

	if (process == CALL_NODE_NONE)
		return false;
	cost.event = events[call_event_of(merger->stat->session, group->event)];
	cost.node = merge_stack(merger, process, merger->calls->node_of_cell[number]);
	return cost.node != CALL_NODE_NONE &&
	       merged_calls_add(merger->merged, &merger->seen, &cost, merger->err);
}

/* The names of the events as strings; the last one is for samples of an unknown event. */
static uint32_t *event_names(struct tree_merger *merger)
{
	const struct session *session = merger->stat->session;
	uint32_t *events = malloc((session->event_count + 1) * sizeof(*events));

	if (!events) {
		err_nomem(merger->err, session->event_count * sizeof(*events));
		return NULL;
	}
	for (size_t i = 0; i <= session->event_count; i++) {
		const char *name = buildstat_event_name(session, (uint32_t)i);

		events[i] = strings_put_text(merger->merged->strings, name, merger->err);
	}
	return events;
}

static bool merge_cells(struct tree_merger *merger)
{
	const struct stack_cells *cells = &merger->stat->stacks->cells;
	uint32_t *events = event_names(merger);
	bool ok = merger->err->code == ERR_NONE;

	for (size_t i = 0; ok && i < cells->count; i++)
		ok = !cells->items[i].samples || merge_cell(merger, i, events);
	free(events);
	return ok;
}

bool merged_calls_add_tree(struct merged_calls *merged, const struct buildstat *stat,
                           const struct call_tree *calls, uint32_t file, struct err *err)
{
	struct tree_merger merger = { merged, stat, calls, .err = err };
	bool ok;

	if (!merged_calls_begin_run(merged, err))
		return false;
	if (!buildstat_has_chains(stat) && merged->no_chains == STRING_NONE)
		merged->no_chains = file;
	if (!stat->stacks)
		return true;
	merger.path = malloc((calls->count + 1) * sizeof(*merger.path));
	ok = (merger.path || err_nomem(err, calls->count * sizeof(*merger.path))) &&
	     merge_cells(&merger);
	map_release(&merger.node_of);
	map_release(&merger.seen);
	free(merger.path);
	return ok;
}
