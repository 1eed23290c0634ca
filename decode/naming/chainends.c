/* Counts how stacks ended, in the words of chains.csv. */
#include "decode/naming/calltree.h"

#include <stdlib.h>
#include <string.h>

const char *const chain_end_words[CHAIN_ENDS] = {
	[CHAIN_COMPLETE] = "complete",
	[CHAIN_KERNEL_ONLY] = "kernel-only",
	[CHAIN_FRAME_POINTERS] = "frame-pointers",
	[CHAIN_CUT] = "cut",
	[CHAIN_NO_RULE] = "no-rule",
	[CHAIN_NO_BINARY] = "no-binary",
	[CHAIN_OTHER_FILE] = "other-file",
	[CHAIN_NO_MAP] = "no-map",
	[CHAIN_TOO_DEEP] = "too-deep",
	[CHAIN_NONE] = "none",
};

static const uint8_t words_of_ends[STACK_ENDS] = {
	[STACK_COMPLETE] = CHAIN_COMPLETE,
	[STACK_FP_END] = CHAIN_COMPLETE,
	[STACK_KERNEL_ONLY] = CHAIN_KERNEL_ONLY,
	[STACK_FRAME_POINTERS] = CHAIN_FRAME_POINTERS,
	[STACK_CUT] = CHAIN_CUT,
	[STACK_NO_RULE] = CHAIN_NO_RULE,
	[STACK_NO_PROGRESS] = CHAIN_NO_RULE,
	[STACK_NO_MAP] = CHAIN_NO_MAP,
	[STACK_NO_BINARY] = CHAIN_NO_BINARY,
	[STACK_OTHER_FILE] = CHAIN_OTHER_FILE,
	[STACK_TOO_DEEP] = CHAIN_TOO_DEEP,
	[STACK_DEFERRED_LOST] = CHAIN_CUT,
	[STACK_NO_REGISTERS] = CHAIN_NO_RULE,
	[STACK_NONE] = CHAIN_NONE,
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

/* The end of a stack that the recorder unwound, given its outermost function. */
static enum chain_end end_of_walk(const struct call_tree *tree, const struct strings *strings,
                                  uint32_t outermost)
{
	return outermost != CALL_NODE_NONE &&
	                       is_first_function(strings_get(strings, tree->nodes[outermost].name))
	               ? CHAIN_COMPLETE
	               : CHAIN_FRAME_POINTERS;
}

struct call_count *chain_ends_count(const struct call_tree *tree, const struct buildstat *stat,
                                    struct err *err)
{
	const struct stack_tree *stacks = &stat->stacks->tree;
	const struct cells *cells = &stat->stacks->cells;
	struct call_count *ends = calloc(tree->event_count * CHAIN_ENDS, sizeof(*ends));
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
			words[i] = words_of_ends[i];
		else if (parent == STACK_FRAME_POINTERS)
			words[i] = (uint8_t)end_of_walk(tree, stat->strings,
			                                tree->node_of_stack[i]);
		else
			words[i] = words[parent];
	}
	for (size_t i = 0; i < cells->count; i++) {
		const struct cell *cell = &cells->items[i];
		size_t event = call_tree_event(tree, cells->kinds[cell->kind].event);
		struct call_count *count = &ends[event * CHAIN_ENDS + words[cell->key]];

		count->samples += cell->samples;
		count->period += cell->period;
	}
	free(words);
	return ends;
}
