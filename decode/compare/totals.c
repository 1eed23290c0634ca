/* Computes the totals of functions: the cost of each with all that it calls, each sample once. */
#include "decode/compare/mergedcalls.h"
#include "decode/compare/steps.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* Processes and remarks are not functions. */
static bool is_function_node(const struct call_node *node)
{
	return node->parent != CALL_NODE_NONE && node->kind != CALL_REMARK;
}

/* Marks the nodes that are anywhere in the stacks of a run's samples of an event. */
static void mark_nodes(const struct comparison *comparison, uint32_t event, bool *marks)
{
	const struct merged_calls *calls = comparison->options.calls;

	memset(marks, 0, calls->count);
	for (size_t run = 0; run < comparison->run_count; run++)
		for (size_t i = 0; i < comparison->runs[run].cost_count; i++) {
			const struct call_cost *cost = &comparison->runs[run].costs[i];

			marks[cost->node] |= cost->event == comparison->events[event].name;
		}
	for (size_t i = calls->count; i-- > 0;)
		if (marks[i] && calls->nodes[i].parent != CALL_NODE_NONE)
			marks[calls->nodes[i].parent] = true;
}

static bool add_call_row(struct comparison *comparison, uint32_t event,
                         const struct call_node *node, struct err *err)
{
	struct compare_family *totals = &comparison->totals;
	const size_t before = totals->count;
	const uint32_t number = compare_row_put(comparison, totals, event, node->name, node->binary,
	                                        err);

	if (number == before)
		totals->rows[number].file = node->file;
	return number != MAP_NONE;
}

/* Adds a row for each function and event of which only callees have samples. */
static bool add_call_rows(struct comparison *comparison, struct err *err)
{
	const struct merged_calls *calls = comparison->options.calls;
	bool *marks = vec_new(calls->count, sizeof(*marks), err), ok = marks;

	for (uint32_t event = 0; ok && event < comparison->event_count; event++) {
		mark_nodes(comparison, event, marks);
		for (size_t i = 0; ok && i < calls->count; i++)
			if (marks[i] && is_function_node(&calls->nodes[i]))
				ok = add_call_row(comparison, event, &calls->nodes[i], err);
	}
	free(marks);
	return ok;
}

/* --- from call trees */

/* What is needed to add the nodes of one event up to rows. */
struct totalling {
	struct comparison *comparison;
	const struct merged_calls *calls;
	uint32_t *labels; /* by node; CALL_NO_LABEL: no function, or a caller has the same name */
	uint32_t *rows;   /* by node, for the current event; MAP_NONE: it counts for no row */
	struct observation *seen; /* by node, for the current event and run */
};

/* A recursive function counts at its outermost call. */
static bool find_outermost(struct totalling *totalling, struct err *err)
{
	const struct merged_calls *calls = totalling->calls;
	const struct call_tree tree = { .nodes = calls->nodes, .count = calls->count };

	for (size_t i = 0; i < calls->count; i++)
		totalling->labels[i] = is_function_node(&calls->nodes[i]) ? calls->nodes[i].function
		                                                          : CALL_NO_LABEL;
	return call_tree_keep_outermost(&tree, totalling->labels, calls->label_of.count, err);
}

static void total_run(struct totalling *totalling, uint32_t event, size_t run)
{
	const struct merged_calls *calls = totalling->calls;
	struct comparison *comparison = totalling->comparison;
	const struct compare_run *source = &comparison->runs[run];

	memset(totalling->seen, 0, calls->count * sizeof(*totalling->seen));
	for (size_t i = 0; i < source->cost_count; i++)
		if (source->costs[i].event == comparison->events[event].name)
			observation_add(&totalling->seen[source->costs[i].node],
			                source->costs[i].samples, source->costs[i].period);
	for (size_t i = calls->count; i-- > 0;) {
		const struct observation *seen = &totalling->seen[i];
		uint32_t parent = calls->nodes[i].parent;

		if (parent != CALL_NODE_NONE)
			observation_add(&totalling->seen[parent], seen->samples, seen->period);
		if (totalling->rows[i] != MAP_NONE)
			observation_add(&comparison->totals.rows[totalling->rows[i]].seen[run],
			                seen->samples, seen->period);
	}
}

static void total_event(struct totalling *totalling, uint32_t event)
{
	const struct merged_calls *calls = totalling->calls;
	struct comparison *comparison = totalling->comparison;

	for (size_t i = 0; i < calls->count; i++)
		totalling->rows[i] = totalling->labels[i] == CALL_NO_LABEL
		                             ? MAP_NONE
		                             : map_get(&comparison->events[event].row_of,
		                                       call_label_key(&calls->nodes[i]));
	for (size_t run = 0; run < comparison->run_count; run++)
		if (comparison->events[event].runs[run].present)
			total_run(totalling, event, run);
}

static bool total_call_trees(struct comparison *comparison, struct err *err)
{
	const struct merged_calls *calls = comparison->options.calls;
	const size_t count = calls->count;
	struct totalling totalling = { comparison, calls,
		                       vec_new(count, sizeof(*totalling.labels), err),
		                       vec_new(count, sizeof(*totalling.rows), err),
		                       vec_new(count, sizeof(*totalling.seen), err) };
	bool ok = err->code == ERR_NONE && find_outermost(&totalling, err);

	for (uint32_t event = 0; ok && event < comparison->event_count; event++)
		total_event(&totalling, event);
	free(totalling.labels);
	free(totalling.rows);
	free(totalling.seen);
	return ok;
}

/* --- from columns of results.csv */

static bool has_columns(const struct comparison *comparison)
{
	for (size_t run = 0; run < comparison->run_count; run++)
		for (size_t i = 0; i < comparison->runs[run].row_count; i++)
			if (!comparison->runs[run].rows[i].has_totals)
				return false;
	return true;
}

/* If a function has no samples of its own, the run's table does not have its total. */
static bool is_in_all_runs(const struct comparison *comparison, const struct compare_row *row)
{
	const struct compare_event *event = &comparison->events[row->event];

	for (size_t run = 0; run < comparison->run_count; run++)
		if (event->runs[run].present && !row->seen[run].samples)
			return false;
	return true;
}

static void total_columns(struct comparison *comparison)
{
	struct compare_family *totals = &comparison->totals;
	size_t kept = 0;

	for (size_t run = 0; run < comparison->run_count; run++)
		for (size_t i = 0; i < comparison->runs[run].row_count; i++) {
			const struct run_row *row = &comparison->runs[run].rows[i];

			observation_add(&totals->rows[row->row].seen[run], row->total_samples,
			                row->total_period);
		}
	for (size_t i = 0; i < totals->count; i++)
		if (is_in_all_runs(comparison, &totals->rows[i]))
			totals->rows[kept++] = totals->rows[i];
	totals->count = kept;
}

bool totals_merge(struct comparison *comparison, struct err *err)
{
	const struct compare_family *own = &comparison->own;
	struct compare_family *totals = &comparison->totals;
	bool trees = merged_calls_complete(comparison->options.calls);

	if (!trees && !has_columns(comparison))
		return true;
	totals->rows = vec_new(own->count, sizeof(*totals->rows), err);
	if (!totals->rows)
		return false;
	totals->count = totals->capacity = own->count;
	for (size_t i = 0; i < own->count; i++)
		totals->rows[i] = own->rows[i];
	if ((trees && !add_call_rows(comparison, err)) ||
	    !family_alloc_seen(comparison, totals, err))
		return false;
	for (size_t event = 0; event < comparison->event_count; event++) {
		const size_t at = comparison->events[event].total_row;

		memcpy(totals->rows[at].seen, own->rows[at].seen,
		       comparison->run_count * sizeof(*totals->seen));
	}
	if (trees)
		return total_call_trees(comparison, err);
	total_columns(comparison);
	return true;
}
