#include "decode/naming/calltotals.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* Adds up stacks, one after the other. */
struct totaller {
	const struct buildstat *stat;
	const struct place_names *names;
	struct call_totals *totals;
	uint32_t *found; /* by function: the stack in which it was found last, from 1; 0: none */
	/* The current stack: its number, event, and samples. */
	uint32_t stack;
	size_t event;
	struct call_count count;
};

void call_totals_release(struct call_totals *totals)
{
	free(totals->functions);
	memset(totals, 0, sizeof(*totals));
}

/* Adds the samples of the stack to a function in it, once. */
static inline void add_function(struct totaller *totaller, uint32_t number)
{
	const uint32_t function = totaller->names->functions[number].alike;
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
		add_function(totaller, place->function);
		return;
	}
	for (uint32_t i = place->frames;; i++) {
		add_function(totaller, names->frames[i].function);
		if (names->frames[i].outermost)
			break;
	}
}

static void add_stacks(struct totaller *totaller)
{
	const struct stackstat *stacks = totaller->stat->stacks;

	for (uint32_t i = 0; i < stacks->cells.count; i++) {
		const struct stack_cell *cell = &stacks->cells.items[i];
		struct stack_walk walk = stack_walk_from(&stacks->tree, cell->callers);
		uint32_t frame;

		totaller->stack = i + 1;
		totaller->event = call_event_of(totaller->stat->session,
		                                stackstat_group(stacks, cell)->event);
		totaller->count = (struct call_count){ cell->samples, cell->period };
		add_place(totaller, stack_cell_place(cell));
		while (stack_walk_next(&walk, &frame))
			if (stacks->places[frame] != PLACE_NONE)
				add_place(totaller, stacks->places[frame]);
	}
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
	totaller.found = vec_new(names->function_count, sizeof(*totaller.found), err);
	if (err->code == ERR_NONE)
		add_stacks(&totaller);
	free(totaller.found);
	return err->code == ERR_NONE;
}
