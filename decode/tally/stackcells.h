/*
 * The counted stacks: a cell is what samples of one stack and one group (which includes the event)
 * add up to. Tables of stacks are made from these cells, as others are from those of places
 * (funcstat.h), which are themselves made from these where stacks are counted.
 *
 * In:  stacks, with keys by which they are found again.
 * Out: cells, in the order in which they first appeared. A stack may have several.
 */
#ifndef READPERF_DECODE_TALLY_STACKCELLS_H
#define READPERF_DECODE_TALLY_STACKCELLS_H

#include "util/hash.h"

struct stack_cell {
	uint64_t key;     /* a hash with a random seed */
	uint64_t samples; /* 0: a selection dropped them */
	uint64_t period;
	uint64_t addr;    /* where the samples were; after settle_places() their place */
	uint32_t binary;  /* of this address */
	uint32_t callers; /* node of the tree of stacks; a root, if nothing is known to have called
	                     it */
	uint32_t group;   /* number of a struct stack_group */
};

/* After settle_places(): the number of the place of a cell. */
static inline uint32_t stack_cell_place(const struct stack_cell *cell)
{
	return (uint32_t)cell->addr;
}

/* All zeros is empty. */
struct stack_cells {
	struct stack_cell *items;
	size_t count, capacity;
	struct hash_index index; /* by key */
};

void stack_cells_release(struct stack_cells *cells);
/* After the last sample: frees what only finds cells. */
void stack_cells_finish(struct stack_cells *cells);
/* Their memory in bytes. */
size_t stack_cells_size(const struct stack_cells *cells);

/* The number of the cell with this key, or MAP_NONE. */
uint32_t stack_cells_find(const struct stack_cells *cells, uint64_t key);

/* The cell that stack_cells_find() will look at first: its key may be another one. Or NULL. */
static inline const struct stack_cell *stack_cells_first(const struct stack_cells *cells,
                                                         uint64_t key)
{
	const uint32_t number = hash_index_first(&cells->index, key);

	return number == MAP_NONE ? NULL : &cells->items[number];
}

/* Adds a cell whose key no other one has, and returns its number. MAP_NONE with err set. */
uint32_t stack_cells_add(struct stack_cells *cells, const struct stack_cell *cell, struct err *err);

static inline void stack_cells_count(struct stack_cells *cells, uint32_t number, uint64_t samples,
                                     uint64_t period)
{
	cells->items[number].samples += samples;
	cells->items[number].period += period;
}

#endif
