/*
 * The cells of stacks, by keys. In: stacks, with keys by which they are found again. Out: cells, in
 * the order in which they first appeared. A stack may have several.
 */
#include "decode/tally/stackstat.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

void stack_cells_finish(struct stack_cells *cells)
{
	hash_index_release(&cells->index);
}

void stack_cells_release(struct stack_cells *cells)
{
	stack_cells_finish(cells);
	free(cells->items);
	memset(cells, 0, sizeof(*cells));
}

size_t stack_cells_size(const struct stack_cells *cells)
{
	/* half of the slots of the index are used */
	return cells->count * (sizeof(*cells->items) + 2 * sizeof(*cells->index.slots));
}

struct cell_search {
	const struct stack_cell *items;
	uint64_t key;
};

static bool has_key(const void *context, uint32_t number)
{
	const struct cell_search *search = context;

	return search->items[number].key == search->key;
}

uint32_t stack_cells_find(const struct stack_cells *cells, uint64_t key)
{
	const struct cell_search search = { cells->items, key };

	return hash_index_find(&cells->index, key, has_key, &search);
}

uint32_t stack_cells_add(struct stack_cells *cells, const struct stack_cell *cell, struct err *err)
{
	struct cell_search search = { .key = cell->key };
	uint32_t number;

	if (!vec_room(&cells->items, cells->count, &cells->capacity, sizeof(*cells->items), err))
		return MAP_NONE;
	search.items = cells->items;
	number = hash_index_put(&cells->index, cell->key, (uint32_t)cells->count, has_key, &search,
	                        err);
	if (number != MAP_NONE)
		cells->items[cells->count++] = *cell;
	return number;
}
