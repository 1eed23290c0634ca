#include "decode/naming/calltotals.h"

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

/* In place of a caller's function: it has none, or several. */
#define CALLER_UNNAMED UINT32_MAX
#define CALLER_INLINED (UINT32_MAX - 1)

/* Adds up stacks, one after the other. */
struct totaller {
	const struct buildstat *stat;
	const struct place_names *names;
	struct call_totals *totals;
	uint32_t *callers; /* by frame: the first of the functions like its own, or as above */
	uint32_t *found;   /* by function: the stack in which it was found last, from 1; 0: none */
	bool *is_first;    /* by function: whether threads or programs begin in it */
	/* The current stack: its number, event, and samples. */
	uint32_t stack;
	size_t event;
	struct call_count count;
};

void call_totals_release(struct call_totals *totals)
{
	free(totals->functions);
	free(totals->ends);
	memset(totals, 0, sizeof(*totals));
}

/* Adds the samples of the stack to a function in it, the first of those alike, once. */
static inline void add_function(struct totaller *totaller, uint32_t function)
{
	struct call_totals *totals = totaller->totals;

	if (totaller->found[function] == totaller->stack)
		return;
	totaller->found[function] = totaller->stack;
	call_count_add(&totals->functions[function * totals->event_count + totaller->event],
	               &totaller->count);
}

/* Adds them to the functions of a place. */
static inline void add_place(struct totaller *totaller, uint32_t number)
{
	const struct place_names *names = totaller->names;
	const struct place_name *place = &names->places[number];

	if (place->frames == PLACE_NO_FRAMES) {
		add_function(totaller, names->functions[place->function].alike);
		return;
	}
	for (uint32_t i = place->frames;; i++) {
		add_function(totaller, names->functions[names->frames[i].function].alike);
		if (names->frames[i].outermost)
			break;
	}
}

/* Adds the samples of the stack to how it ends, given the place of its outermost frame. */
static void add_end(const struct totaller *totaller, uint32_t root, uint32_t outermost)
{
	const struct place_names *names = totaller->names;

	/* the recorder does not tell whether it reached the outermost function */
	if (root == STACK_FRAME_POINTERS && outermost != PLACE_NONE &&
	    totaller->is_first[names->places[outermost].function])
		root = STACK_COMPLETE;
	call_count_add(&totaller->totals->ends[totaller->event * STACK_ENDS + root],
	               &totaller->count);
}

/* Finds the function of each frame once: stacks have the same frames again and again. */
static void find_callers(struct totaller *totaller)
{
	const struct stackstat *stacks = totaller->stat->stacks;
	const struct place_names *names = totaller->names;

	for (size_t i = 0; i < stacks->tree.frame_count; i++) {
		const uint32_t place = stacks->places[i];

		if (place == PLACE_NONE)
			totaller->callers[i] = CALLER_UNNAMED;
		else if (names->places[place].frames != PLACE_NO_FRAMES)
			totaller->callers[i] = CALLER_INLINED;
		else
			totaller->callers[i] =
				names->functions[names->places[place].function].alike;
	}
}

/* Adds the samples of the stack to the functions of a node's frames. */
static void add_node(struct totaller *totaller, const struct stack_node *node)
{
	const struct stackstat *stacks = totaller->stat->stacks;

	for (size_t i = node->first; i < node->first + node->count; i++) {
		const uint32_t frame = stacks->tree.lists[i], caller = totaller->callers[frame];

		if (caller < CALLER_INLINED)
			add_function(totaller, caller);
		else if (caller == CALLER_INLINED)
			add_place(totaller, stacks->places[frame]);
	}
}

static void add_stack(struct totaller *totaller, const struct stack_cell *cell)
{
	const struct stackstat *stacks = totaller->stat->stacks;
	uint32_t number = cell->callers, outermost = stack_cell_place(cell);

	add_place(totaller, outermost);
	while (number >= STACK_ENDS) {
		const struct stack_node *node = &stacks->tree.nodes[number];

		add_node(totaller, node);
		outermost = stacks->places[stacks->tree.lists[node->first + node->count - 1]];
		number = node->parent;
	}
	add_end(totaller, number, outermost);
}

static void add_stacks(struct totaller *totaller)
{
	const struct stackstat *stacks = totaller->stat->stacks;

	for (uint32_t i = 0; i < stacks->cells.count; i++) {
		const struct stack_cell *cell = &stacks->cells.items[i];

		totaller->stack = i + 1;
		totaller->event = call_event_of(totaller->stat->session,
		                                stackstat_group(stacks, cell)->event);
		totaller->count = (struct call_count){ cell->samples, cell->period };
		add_stack(totaller, cell);
	}
}

/* Finds the functions in which threads or programs begin. NULL with err set. */
static bool *find_first_functions(const struct place_names *names, const struct strings *strings,
                                  struct err *err)
{
	bool *is_first = vec_new(names->function_count, sizeof(*is_first), err);

	for (size_t i = 0; is_first && i < names->function_count; i++)
		for (size_t k = 0; k < ARRAY_SIZE(first_names); k++)
			is_first[i] |= !strcmp(strings_get(strings, names->functions[i].name),
			                       first_names[k]);
	return is_first;
}

bool call_totals_make(struct call_totals *totals, const struct buildstat *stat,
                      const struct place_names *names, struct err *err)
{
	const size_t events = stat->session->event_count + 1;
	struct totaller totaller = { .stat = stat, .names = names, .totals = totals };

	*totals = (struct call_totals){ .event_count = events };
	if (!stat->stacks)
		return true;
	totals->chains = buildstat_has_chains(stat);
	totals->functions = vec_new(names->function_count * events, sizeof(*totals->functions),
	                            err);
	totals->ends = vec_new(STACK_ENDS * events, sizeof(*totals->ends), err);
	totaller.callers = vec_new(stat->stacks->tree.frame_count, sizeof(*totaller.callers), err);
	totaller.found = vec_new(names->function_count, sizeof(*totaller.found), err);
	totaller.is_first = find_first_functions(names, stat->strings, err);
	if (err->code == ERR_NONE) {
		find_callers(&totaller);
		add_stacks(&totaller);
	}
	free(totaller.callers);
	free(totaller.found);
	free(totaller.is_first);
	return err->code == ERR_NONE;
}
