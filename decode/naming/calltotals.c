#include "decode/naming/calltotals.h"

#include <stdlib.h>
#include <string.h>

/* Adds up the stacks, one after the other. */
struct totaller {
	const struct place_names *names;
	struct call_totals *totals;
	uint32_t
		*last; /* by function: the number of the stack that it was found in last; 0: none */
	uint32_t stack;
	size_t event;
	struct call_count count;
};

void call_totals_release(struct call_totals *totals)
{
	free(totals->functions);
	memset(totals, 0, sizeof(*totals));
}

static inline void add_function(struct totaller *totaller, uint32_t number)
{
	const uint32_t function = totaller->names->functions[number].alike;
	struct call_totals *totals = totaller->totals;

	if (totaller->last[function] == totaller->stack)
		return;
	totaller->last[function] = totaller->stack;
	call_count_add(&totals->functions[function * totals->event_count + totaller->event],
	               &totaller->count);
}

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

static void add_stacks(struct totaller *totaller, const struct buildstat *stat)
{
	const struct stackstat *stacks = stat->stacks;
	const struct stack_node *nodes = stacks->tree.nodes;

	for (size_t i = 0; i < stacks->cells.count; i++) {
		const struct cell *cell = &stacks->cells.items[i];

		totaller->stack = (uint32_t)i + 1;
		totaller->event = call_event_of(stat->session,
		                                stacks->cells.kinds[cell->kind].event);
		totaller->count = (struct call_count){ cell->samples, cell->period };
		for (uint32_t at = (uint32_t)cell->key; at >= STACK_ENDS; at = nodes[at].parent)
			if (stacks->places[at] != PLACE_NONE)
				add_place(totaller, stacks->places[at]);
	}
}

bool call_totals_make(struct call_totals *totals, const struct buildstat *stat,
                      const struct place_names *names, struct err *err)
{
	const size_t events = stat->session->event_count + 1;
	struct totaller totaller = { .names = names, .totals = totals };

	*totals = (struct call_totals){ .event_count = events };
	if (!stat->stacks)
		return true;
	totals->chains = buildstat_has_chains(stat);
	totals->functions = calloc(names->function_count * events + 1, sizeof(*totals->functions));
	totaller.last = calloc(names->function_count + 1, sizeof(*totaller.last));
	if (totals->functions && totaller.last)
		add_stacks(&totaller, stat);
	else
		err_nomem(err, names->function_count * events * sizeof(*totals->functions));
	free(totaller.last);
	return err->code == ERR_NONE;
}
