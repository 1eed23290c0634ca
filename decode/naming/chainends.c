/* Counts how stacks ended, in the words of chains.csv. */
#include "decode/naming/calltree.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

const char *const chain_end_words[STACK_ENDS] = {
	[STACK_COMPLETE] = "complete",
	[STACK_KERNEL_ONLY] = "kernel-only",
	[STACK_FRAME_POINTERS] = "frame-pointers",
	[STACK_CUT] = "cut",
	[STACK_NO_RULE] = "no-rule",
	[STACK_NO_BINARY] = "no-binary",
	[STACK_OTHER_FILE] = "other-file",
	[STACK_NO_MAP] = "no-map",
	[STACK_TOO_DEEP] = "too-deep",
	[STACK_NONE] = "none",
};

/* Functions in which threads or programs begin, in C libraries or in Go. */
static const char *const first_names[] = { "_start",         "__clone",
	                                   "clone",          "__clone3",
	                                   "clone3",         "start_thread",
	                                   "runtime.goexit", "runtime.goexit.abi0",
	                                   "runtime.mstart", "runtime.mstart.abi0" };

/*
 * How a stack ends that the recorder unwound, given the place of its outermost frame: one that
 * reaches a first function is complete.
 */
static enum stack_end end_of_walk(const struct buildstat *stat, const struct place_names *names,
                                  uint32_t place)
{
	const char *name;

	if (place == PLACE_NONE)
		return STACK_FRAME_POINTERS;
	name = strings_get(stat->strings, names->functions[names->places[place].function].name);
	for (size_t i = 0; i < ARRAY_SIZE(first_names); i++)
		if (!strcmp(name, first_names[i]))
			return STACK_COMPLETE;
	return STACK_FRAME_POINTERS;
}

/* The ends of the stacks that have callers, by node. malloc'd; NULL with err set. */
static uint8_t *ends_of_nodes(const struct buildstat *stat, const struct place_names *names,
                              struct err *err)
{
	const struct stack_tree *tree = &stat->stacks->tree;
	const uint32_t *places = stat->stacks->places;
	uint8_t *ends = vec_new(tree->count, sizeof(*ends), err);

	for (size_t i = 0; ends && i < tree->count; i++) {
		const struct stack_node *node = &tree->nodes[i];

		if (i < STACK_ENDS)
			ends[i] = (uint8_t)i;
		else if (node->parent == STACK_FRAME_POINTERS)
			ends[i] = (uint8_t)end_of_walk(
				stat, names, places[tree->lists[node->first + node->count - 1]]);
		else
			ends[i] = ends[node->parent];
	}
	return ends;
}

struct call_count *chain_ends_count(const struct buildstat *stat, const struct place_names *names,
                                    struct err *err)
{
	const struct stack_cells *cells = &stat->stacks->cells;
	const size_t count = (stat->session->event_count + 1) * STACK_ENDS;
	struct call_count *ends = vec_new(count, sizeof(*ends), err);
	uint8_t *end_of_node = ends_of_nodes(stat, names, err);

	for (size_t i = 0; err->code == ERR_NONE && i < cells->count; i++) {
		const struct stack_cell *cell = &cells->items[i];
		const uint32_t callers = cell->callers;
		const size_t event = call_event_of(stat->session,
		                                   stackstat_group(stat->stacks, cell)->event);
		const uint32_t end = callers == STACK_FRAME_POINTERS
		                             ? end_of_walk(stat, names, stack_cell_place(cell))
		                             : end_of_node[callers];

		call_count_add(&ends[event * STACK_ENDS + end],
		               &(struct call_count){ cell->samples, cell->period });
	}
	free(end_of_node);
	if (err->code == ERR_NONE)
		return ends;
	free(ends);
	return NULL;
}
