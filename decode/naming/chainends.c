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

static bool is_first_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(first_names); i++)
		if (!strcmp(name, first_names[i]))
			return true;
	return false;
}

/* How stacks end that the recorder unwound. */
struct walk_ends {
	const struct buildstat *stat;
	const struct place_names *names;
	bool *is_first; /* by function */
};

static bool find_first_functions(struct walk_ends *ends, struct err *err)
{
	const struct place_names *names = ends->names;

	ends->is_first = vec_new(names->function_count, sizeof(bool), err);
	for (size_t i = 0; ends->is_first && i < names->function_count; i++)
		ends->is_first[i] = is_first_name(
			strings_get(ends->stat->strings, names->functions[i].name));
	return ends->is_first;
}

/* Given the place of the outermost frame. A stack that reaches a first function is complete. */
static enum stack_end end_of_walk(const struct walk_ends *ends, uint32_t place)
{
	return place != PLACE_NONE && ends->is_first[ends->names->places[place].function]
	               ? STACK_COMPLETE
	               : STACK_FRAME_POINTERS;
}

/* The ends of the stacks that have callers, by node. malloc'd; NULL with err set. */
static uint8_t *ends_of_nodes(const struct walk_ends *how, struct err *err)
{
	const struct stack_tree *tree = &how->stat->stacks->tree;
	const uint32_t *places = how->stat->stacks->places;
	uint8_t *ends = vec_new(tree->count, sizeof(*ends), err);

	for (size_t i = 0; ends && i < tree->count; i++) {
		const struct stack_node *node = &tree->nodes[i];

		if (i < STACK_ENDS)
			ends[i] = (uint8_t)i;
		else if (node->parent == STACK_FRAME_POINTERS)
			ends[i] = (uint8_t)end_of_walk(
				how, places[tree->lists[node->first + node->count - 1]]);
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
	struct walk_ends how = { .stat = stat, .names = names };
	struct call_count *ends = vec_new(count, sizeof(*ends), err);
	uint8_t *end_of_node = find_first_functions(&how, err) ? ends_of_nodes(&how, err) : NULL;

	for (size_t i = 0; err->code == ERR_NONE && i < cells->count; i++) {
		const struct stack_cell *cell = &cells->items[i];
		const uint32_t callers = cell->callers;
		const size_t event = call_event_of(stat->session,
		                                   stackstat_group(stat->stacks, cell)->event);
		const uint32_t end = callers == STACK_FRAME_POINTERS
		                             ? end_of_walk(&how, stack_cell_place(cell))
		                             : end_of_node[callers];

		call_count_add(&ends[event * STACK_ENDS + end],
		               &(struct call_count){ cell->samples, cell->period });
	}
	free(end_of_node);
	free(how.is_first);
	if (err->code == ERR_NONE)
		return ends;
	free(ends);
	return NULL;
}
