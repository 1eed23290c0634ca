#include "decode/compare/mergedcalls.h"

#include "decode/compare/comparison.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

void merged_calls_init(struct merged_calls *merged, struct strings *strings)
{
	*merged = (struct merged_calls){ .strings = strings,
		                         .matcher = { .strings = strings },
		                         .missing = STRING_NONE,
		                         .no_chains = STRING_NONE };
	tuples_init(&merged->keys, 4 * sizeof(uint32_t));
}

void merged_calls_release(struct merged_calls *merged)
{
	free(merged->nodes);
	tuples_release(&merged->keys);
	map_release(&merged->label_of);
	map_release(&merged->cost_of);
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

uint32_t merged_calls_put(struct merged_calls *merged, uint32_t parent,
                          const struct call_node *wanted, struct err *err)
{
	struct call_node node = *wanted;
	uint32_t number;

	node.parent = parent;
	node.name = name_matcher_function(&merged->matcher, wanted->name, err);
	node.binary = name_matcher_binary(&merged->matcher, wanted->binary, err);
	node.function = map_number(&merged->label_of, call_label_key(&node), err);
	if (err->code)
		return CALL_NODE_NONE;
	number = tuples_put(&merged->keys,
	                    (const uint32_t[]){ parent, node.name, node.binary, node.kind }, err);
	if (number != merged->count)
		return number;
	node.depth = parent == CALL_NODE_NONE ? 0 : merged->nodes[parent].depth + 1;
	return vec_append(&merged->nodes, &merged->count, &merged->capacity, &node, sizeof(node),
	                  err)
	               ? number
	               : CALL_NODE_NONE;
}

bool merged_calls_add(struct merged_calls *merged, struct compare_run *run,
                      const struct call_cost *cost, struct err *err)
{
	uint32_t number = map_number(&merged->cost_of, (uint64_t)cost->event << 32 | cost->node,
	                             err);

	if (number == MAP_NONE)
		return false;
	if (number == run->cost_count)
		return vec_append(&run->costs, &run->cost_count, &run->cost_capacity, cost,
		                  sizeof(*cost), err);
	run->costs[number].samples = u64_add_sat(run->costs[number].samples, cost->samples);
	run->costs[number].period = u64_add_sat(run->costs[number].period, cost->period);
	return true;
}

/* --- a recording */

/* The text, a string of the recording, as a string of the comparison. */
static uint32_t own_string(const struct merged_calls *merged, const struct strings *strings,
                           uint32_t string, struct err *err)
{
	const struct string_entry *entry = &strings->entries[string];

	return strings_put(merged->strings, entry->text, entry->length, err);
}

/* numbers: by node of the recording's tree: set to the one of the merged tree. */
static bool merge_nodes(struct merged_calls *merged, const struct strings *strings,
                        const struct process_calls *calls, uint32_t *numbers, struct err *err)
{
	for (size_t i = 0; err->code == ERR_NONE && i < calls->count; i++) {
		struct call_node node = calls->nodes[i];
		const bool outermost = node.parent == CALL_NODE_NONE;

		node.name = own_string(merged, strings, node.name, err);
		node.binary = own_string(merged, strings, node.binary, err);
		node.file = own_string(merged, strings, node.file, err);
		if (err->code == ERR_NONE)
			numbers[i] = merged_calls_put(
				merged, outermost ? CALL_NODE_NONE : numbers[node.parent], &node,
				err);
	}
	return err->code == ERR_NONE;
}

bool merged_calls_add_tree(struct merged_calls *merged, struct compare_run *run,
                           const struct buildstat *stat, const struct process_calls *calls,
                           struct err *err)
{
	uint32_t *numbers;
	bool ok;

	map_release(&merged->cost_of);
	if (!buildstat_has_chains(stat) && merged->no_chains == STRING_NONE)
		merged->no_chains = run->file;
	if (!stat->stacks)
		return true;
	numbers = vec_new(calls->count, sizeof(*numbers), err);
	ok = numbers && merge_nodes(merged, stat->strings, calls, numbers, err);
	for (size_t i = 0; ok && i < calls->cost_count; i++) {
		struct call_cost cost = calls->costs[i];

		cost.node = numbers[cost.node];
		cost.event = strings_put_text(merged->strings,
		                              buildstat_event_name(stat->session, cost.event), err);
		ok = cost.event != STRING_NONE && merged_calls_add(merged, run, &cost, err);
	}
	free(numbers);
	return ok;
}

/* --- a comparison */

double merged_unit(const struct comparison *comparison, uint32_t number)
{
	const struct compare_event *event = &comparison->events[number];
	double counted = 0, scaled = 0;

	if (comparison->options.scale == SCALE_ROBUST || comparison->options.scale == SCALE_NONE)
		return 1;
	for (size_t run = 0; run < comparison->run_count; run++) {
		counted += (double)event->runs[run].period;
		scaled += (double)event->runs[run].period * event->runs[run].scale;
	}
	return scaled > 0 ? counted / scaled : 1;
}

struct merged_sum *merged_calls_sum(const struct comparison *comparison, uint32_t event_number,
                                    struct err *err)
{
	const struct merged_calls *calls = comparison->options.calls;
	const struct compare_event *event = &comparison->events[event_number];
	const double unit = merged_unit(comparison, event_number);
	struct merged_sum *sums = vec_new(calls->count, sizeof(*sums), err);

	if (!sums)
		return NULL;
	for (size_t number = 0; number < comparison->run_count; number++) {
		const struct compare_run *run = &comparison->runs[number];
		const double scale = event->runs[number].scale;

		for (size_t i = 0; i < run->cost_count; i++) {
			const struct call_cost *cost = &run->costs[i];
			struct merged_sum *sum = &sums[cost->node];

			if (cost->event != event->name)
				continue;
			sum->samples[run->side] = u64_add_sat(sum->samples[run->side],
			                                      cost->samples);
			sum->cost[run->side] += (double)cost->period * scale;
		}
	}
	for (size_t i = 0; i < calls->count; i++)
		for (unsigned side = 0; side < SIDE_COUNT; side++)
			if (event->side_runs[side])
				sums[i].cost[side] *= unit / event->side_runs[side];
	return sums;
}
