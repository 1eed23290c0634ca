/* Counts how stacks ended, in the words of chains.csv. */
#include "decode/naming/calltree.h"

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

/*
 * Whether threads or programs begin in this function, in C libraries or in Go. A stack that reaches
 * it is complete.
 */
static bool is_first_function(const char *name)
{
	static const char *const names[] = { "_start",         "__clone",
		                             "clone",          "__clone3",
		                             "clone3",         "start_thread",
		                             "runtime.goexit", "runtime.goexit.abi0",
		                             "runtime.mstart", "runtime.mstart.abi0" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* The end of a stack that the recorder unwound, given its outermost place. */
static enum stack_end end_of_walk(const struct place_names *names, const struct strings *strings,
                                  uint32_t place)
{
	uint32_t function;

	if (place == PLACE_NONE)
		return STACK_FRAME_POINTERS;
	function = names->places[place].function;
	return is_first_function(strings_get(strings, names->functions[function].name))
	               ? STACK_COMPLETE
	               : STACK_FRAME_POINTERS;
}

struct call_count *chain_ends_count(const struct buildstat *stat, const struct place_names *names,
                                    struct err *err)
{
	const struct stack_tree *stacks = &stat->stacks->tree;
	const struct cells *cells = &stat->stacks->cells;
	struct call_count *ends = calloc((stat->session->event_count + 1) * STACK_ENDS,
	                                 sizeof(*ends));
	uint8_t *words = malloc(stacks->count);

	if (!ends || !words) {
		err_nomem(err, stacks->count);
		free(ends);
		free(words);
		return NULL;
	}
	for (size_t i = 0; i < stacks->count; i++) {
		uint32_t parent = stacks->nodes[i].parent;

		if (i < STACK_ENDS)
			words[i] = (uint8_t)i;
		else if (parent == STACK_FRAME_POINTERS)
			words[i] = (uint8_t)end_of_walk(names, stat->strings,
			                                stat->stacks->places[i]);
		else
			words[i] = words[parent];
	}
	for (size_t i = 0; i < cells->count; i++) {
		const struct cell *cell = &cells->items[i];
		size_t event = call_event_of(stat->session, cells->kinds[cell->kind].event);
		struct call_count *count = &ends[event * STACK_ENDS + words[cell->key]];

		count->samples += cell->samples;
		count->period += cell->period;
	}
	free(words);
	return ends;
}
