/*
 * Gives places to what was counted, after the last record.
 *
 * In:  cells of both kinds with addresses, and frames of stacks.
 * Out: places; cells with places instead of addresses, those of places in their order, and one for
 * each kind and place; the places of frames.
 */
#include "decode/tally/stackstat.h"

#include "util/search.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* What gets places: cells; behind them the frames of stacks, and cells of stacks. */
struct settling {
	struct cells *cells;
	struct group_sums *sums;  /* or NULL */
	struct stackstat *stacks; /* or NULL */
	struct numbered_place *items;
	size_t count;
	uint32_t *place_of; /* by number: as above */
};

static void list_cells(struct settling *settling)
{
	const struct cells *cells = settling->cells;

	for (size_t i = 0; i < cells->count; i++)
		settling->items[settling->count++] = (struct numbered_place){
			cells->items[i].key, cells_kind_at(cells, cells->items[i].kind)->binary,
			(uint32_t)i
		};
}

/* Lists the frames. What stands for folded ones is no code, and has no place. */
static void list_frames(struct settling *settling)
{
	const struct stack_tree *tree = &settling->stacks->tree;
	const size_t first = settling->cells->count;

	for (size_t i = 0; i < tree->frame_count; i++) {
		const struct stack_frame *frame = &tree->frames[i];

		settling->place_of[first + i] = PLACE_NONE;
		if (frame->binary != tree->folded)
			settling->items[settling->count++] = (struct numbered_place){
				frame->addr, frame->binary, (uint32_t)(first + i)
			};
	}
}

static void list_stack_cells(struct settling *settling)
{
	const struct stackstat *stacks = settling->stacks;
	const size_t first = settling->cells->count + stacks->tree.frame_count;

	for (size_t i = 0; i < stacks->cells.count; i++) {
		const struct stack_cell *cell = &stacks->cells.items[i];

		settling->items[settling->count++] = (struct numbered_place){
			cell->addr, cell->binary, (uint32_t)(first + i)
		};
	}
}

/* Keeps the places of frames, and replaces the addresses of cells of stacks by theirs. */
static bool place_stacks(const struct settling *settling, struct err *err)
{
	struct stackstat *stacks = settling->stacks;
	const uint32_t *place_of = settling->place_of + settling->cells->count;

	stacks->places = vec_new(stacks->tree.frame_count, sizeof(*stacks->places), err);
	if (!stacks->places)
		return false;
	memcpy(stacks->places, place_of, stacks->tree.frame_count * sizeof(*stacks->places));
	for (size_t i = 0; i < stacks->cells.count; i++)
		stacks->cells.items[i].addr = place_of[stacks->tree.frame_count + i];
	return true;
}

/* Adds up sorted cells with the same key, unless that is too much for a counter. */
static void merge_cells(struct cells *cells)
{
	size_t used = 0;

	for (size_t i = 0; i < cells->count; i++) {
		const struct cell *cell = &cells->items[i];
		struct cell *last = used ? &cells->items[used - 1] : NULL;

		if (last && last->key == cell->key && last->samples <= UINT32_MAX - cell->samples) {
			last->samples += cell->samples;
			last->period += cell->period;
		} else {
			cells->items[used++] = *cell;
		}
	}
	cells->count = used;
}

/* Sorts cells by their places, and those of one place by their kinds, and adds up equal ones. */
static bool sort_cells(struct cells *cells, struct err *err)
{
	for (size_t i = 0; i < cells->count; i++)
		cells->items[i].key = cells->items[i].key * cells->kinds.count +
		                      cells->items[i].kind;
	cells->capacity = cells->count;
	if (!radix_sort_array(&cells->items, cells->count, sizeof(*cells->items), err))
		return false;
	merge_cells(cells);
	for (size_t i = 0; i < cells->count; i++)
		cells->items[i].key /= cells->kinds.count;
	return true;
}

/* Replaces the addresses of cells by places. */
static bool place_cells(const struct settling *settling, size_t place_count, struct err *err)
{
	const struct stackstat *stacks = settling->stacks;
	struct cells *cells = settling->cells;

	for (size_t i = 0; i < cells->count; i++)
		cells->items[i].key = settling->place_of[i];
	return (!stacks || !stacks->makes_cells ||
	        stackstat_add_places(stacks, place_count, cells, settling->sums, err)) &&
	       (!settling->sums || group_sums_settle(settling->sums, cells, err)) &&
	       sort_cells(cells, err);
}

bool settle_places(struct cells *cells, struct group_sums *sums, struct stackstat *stacks,
                   struct places *places, struct err *err)
{
	struct settling settling = { .cells = cells, .sums = sums, .stacks = stacks };
	size_t count = cells->count;
	bool ok;

	if (stacks)
		count += stacks->tree.frame_count + stacks->cells.count;
	settling.items = vec_new(count, sizeof(*settling.items), err);
	settling.place_of = vec_new(count, sizeof(*settling.place_of), err);
	ok = settling.items && settling.place_of;
	if (ok)
		list_cells(&settling);
	if (ok && stacks) {
		list_stack_cells(&settling);
		list_frames(&settling);
	}
	ok = ok && places_make(places, settling.items, settling.count, settling.place_of, err);
	free(settling.items);
	ok = ok && (!stacks || place_stacks(&settling, err)) &&
	     place_cells(&settling, places->count, err);
	free(settling.place_of);
	return ok;
}
