#include "decode/naming/calltotals.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* Adds up stacks. Those with the same callers come after each other. */
struct totaller {
	const struct buildstat *stat;
	const struct place_names *names;
	struct call_totals *totals;
	/*
	 * By function: the turn in which it was found last; 0: none. A turn is about the callers of
	 * several stacks, or about the own frame of one of these.
	 */
	uint32_t *found;
	uint32_t callers_turn, turn;
	size_t event;
};

void call_totals_release(struct call_totals *totals)
{
	free(totals->functions);
	memset(totals, 0, sizeof(*totals));
}

/* Adds the samples of stacks to a function in them, once for each stack. */
static inline void add_function(struct totaller *totaller, uint32_t number,
                                const struct call_count *count)
{
	const uint32_t function = totaller->names->functions[number].alike;
	struct call_totals *totals = totaller->totals;

	if (totaller->found[function] == totaller->callers_turn ||
	    totaller->found[function] == totaller->turn)
		return;
	totaller->found[function] = totaller->turn;
	call_count_add(&totals->functions[function * totals->event_count + totaller->event], count);
}

/* Adds them to the functions of a place. */
static inline void add_place(struct totaller *totaller, uint32_t number,
                             const struct call_count *count)
{
	const struct place_names *names = totaller->names;
	const struct place_name *place = &names->places[number];

	if (place->frames == PLACE_NO_FRAMES) {
		add_function(totaller, place->function, count);
		return;
	}
	for (uint32_t i = place->frames;; i++) {
		add_function(totaller, names->frames[i].function, count);
		if (names->frames[i].outermost)
			break;
	}
}

static inline const struct stack_cell *cell_at(const struct totaller *totaller, uint32_t number)
{
	return &totaller->stat->stacks->cells.items[number];
}

/* Adds stacks of one event that have the same callers. */
static void add_alike_stacks(struct totaller *totaller, const uint32_t *cells, size_t count)
{
	struct stack_walk walk = stack_walk_from(&totaller->stat->stacks->tree,
	                                         cell_at(totaller, cells[0])->callers);
	const uint32_t *places = totaller->stat->stacks->places;
	struct call_count sum = { 0, 0 };
	uint32_t frame;

	for (size_t i = 0; i < count; i++) {
		sum.samples += cell_at(totaller, cells[i])->samples;
		sum.period += cell_at(totaller, cells[i])->period;
	}
	totaller->callers_turn = ++totaller->turn;
	while (stack_walk_next(&walk, &frame))
		if (places[frame] != PLACE_NONE)
			add_place(totaller, places[frame], &sum);
	for (size_t i = 0; i < count; i++) {
		const struct stack_cell *cell = cell_at(totaller, cells[i]);

		totaller->turn++;
		add_place(totaller, stack_cell_place(cell),
		          &(struct call_count){ cell->samples, cell->period });
	}
}

/* The numbers of the cells, those with the same callers together. NULL with err set. */
static uint32_t *cells_by_callers(const struct stackstat *stacks, struct err *err)
{
	const struct stack_cells *cells = &stacks->cells;
	uint32_t *sorted = vec_new(cells->count, sizeof(*sorted), err);
	/* by node: at first how many cells it has, then the place of its next one */
	uint32_t *next = vec_new(stacks->tree.count, sizeof(*next), err);
	uint32_t place = 0;

	for (size_t i = 0; sorted && next && i < cells->count; i++)
		next[cells->items[i].callers]++;
	for (size_t i = 0; sorted && next && i < stacks->tree.count; i++) {
		const uint32_t count = next[i];

		next[i] = place;
		place += count;
	}
	for (size_t i = 0; sorted && next && i < cells->count; i++)
		sorted[next[cells->items[i].callers]++] = (uint32_t)i;
	free(next);
	return sorted;
}

static void add_stacks(struct totaller *totaller, const uint32_t *cells)
{
	const struct stackstat *stacks = totaller->stat->stacks;
	size_t end;

	for (size_t first = 0; first < stacks->cells.count; first = end) {
		const struct stack_cell *cell = cell_at(totaller, cells[first]);
		const uint32_t event = stackstat_group(stacks, cell)->event;

		for (end = first + 1; end < stacks->cells.count; end++) {
			const struct stack_cell *next = cell_at(totaller, cells[end]);

			if (next->callers != cell->callers ||
			    stackstat_group(stacks, next)->event != event)
				break;
		}
		totaller->event = call_event_of(totaller->stat->session, event);
		add_alike_stacks(totaller, cells + first, end - first);
	}
}

bool call_totals_make(struct call_totals *totals, const struct buildstat *stat,
                      const struct place_names *names, struct err *err)
{
	const size_t events = stat->session->event_count + 1;
	uint32_t *cells;
	struct totaller totaller = { .stat = stat, .names = names, .totals = totals };

	*totals = (struct call_totals){ .event_count = events };
	if (!stat->stacks)
		return true;
	totals->chains = buildstat_has_chains(stat);
	totals->functions = vec_new(names->function_count * events, sizeof(*totals->functions),
	                            err);
	totaller.found = vec_new(names->function_count, sizeof(*totaller.found), err);
	cells = cells_by_callers(stat->stacks, err);
	if (err->code == ERR_NONE)
		add_stacks(&totaller, cells);
	free(totaller.found);
	free(cells);
	return err->code == ERR_NONE;
}
