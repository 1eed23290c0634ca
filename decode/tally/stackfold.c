/*
 * Makes counted stacks smaller when they take too much memory: cells of equal stacks are added up,
 * and inner parts of deep stacks are dropped. No sample is. The log of cells gets the new numbers.
 */
#include "decode/tally/stackstat.h"

#include "util/vec.h"

#include <stdlib.h>

uint64_t stackfold_key(uint64_t seed, const struct stack_cell *cell)
{
	const uint64_t stack = (uint64_t)cell->callers << 32 | cell->group;

	return hash_pair(seed, hash_pair(seed, stack, cell->binary), cell->addr);
}

/* A tree and cells that replace those that have become too large. */
struct smaller {
	struct stack_tree tree;
	struct stack_cells cells;
	uint32_t *node_of, *cell_of; /* by node and cell of the large ones */
};

static bool move_cells(const struct stackstat *stacks, struct smaller *small, struct err *err)
{
	for (size_t i = 0; i < stacks->cells.count; i++) {
		struct stack_cell cell = stacks->cells.items[i];
		uint32_t number;

		cell.callers = small->node_of[cell.callers];
		cell.key = stackfold_key(stacks->seed, &cell);
		number = stack_cells_find(&small->cells, cell.key);
		if (number != MAP_NONE)
			stack_cells_count(&small->cells, number, cell.samples, cell.period);
		else
			number = stack_cells_add(&small->cells, &cell, err);
		if (number == MAP_NONE)
			return false;
		small->cell_of[i] = number;
	}
	return true;
}

#define CELLS_AT_ONCE 1024

/* Updates the cells of logged samples. */
static bool move_log(struct spool *log, const uint32_t *cell_of, struct err *err)
{
	const uint64_t size = log->open ? spool_size(log) : 0;
	uint32_t cells[CELLS_AT_ONCE];
	size_t piece;

	for (uint64_t at = 0; at < size; at += piece) {
		piece = (size_t)u64_min(size - at, sizeof(cells));
		if (!spool_get(log, at, cells, piece, err))
			return false;
		for (size_t i = 0; i < piece / sizeof(*cells); i++)
			if (cells[i] != MAP_NONE)
				cells[i] = cell_of[cells[i]];
		if (!spool_put(log, at, cells, piece, err))
			return false;
	}
	return true;
}

static bool make_smaller(struct stackstat *stacks, struct smaller *small, const bool *uses,
                         size_t depth_most, struct err *err)
{
	return stack_tree_fold(&small->tree, &stacks->tree, uses, depth_most, &small->node_of,
	                       err) &&
	       move_cells(stacks, small, err) && move_log(&stacks->log, small->cell_of, err) &&
	       move_log(&stacks->interval_log, small->cell_of, err);
}

bool stackfold_run(struct stackstat *stacks, size_t depth_most, struct err *err)
{
	const size_t cells = stacks->cells.count;
	struct smaller small = { .node_of = NULL };
	bool *uses = vec_new(stacks->tree.count, sizeof(*uses), err);
	bool ok;

	small.cell_of = vec_new(cells, sizeof(*small.cell_of), err);
	ok = uses && small.cell_of &&
	     (!stacks->flush_intervals || stacks->flush_intervals(stacks->flush_context, err));
	for (size_t i = 0; ok && i < cells; i++)
		uses[stacks->cells.items[i].callers] = true;
	for (size_t i = 0; ok && i < stacks->held.count; i++)
		uses[stacks->held.items[i].callers] = true;
	ok = ok && make_smaller(stacks, &small, uses, depth_most, err);
	for (size_t i = 0; ok && i < stacks->held.count; i++)
		stacks->held.items[i].callers = small.node_of[stacks->held.items[i].callers];
	map_release(&stacks->held.index);
	free(uses);
	free(small.cell_of);
	free(small.node_of);
	stack_tree_release(ok ? &stacks->tree : &small.tree);
	stack_cells_release(ok ? &stacks->cells : &small.cells);
	if (ok) {
		stacks->tree = small.tree;
		stacks->cells = small.cells;
	}
	return ok;
}
