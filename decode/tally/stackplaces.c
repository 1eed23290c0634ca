/* The places of stacks, after the last record. */
#include "decode/tally/stackstat.h"

bool stackstat_add_places(const struct stackstat *stacks, struct cells *cells, struct err *err)
{
	for (size_t i = 0; i < stacks->cells.count; i++) {
		const struct stack_cell *cell = &stacks->cells.items[i];
		const struct stack_group *group = stackstat_group(stacks, cell);
		uint32_t number;

		if (stacks->files.mappings->binaries->items[cell->binary].kind == BINARY_JIT)
			continue;
		number = cells_kind(cells, group->event, group->choice, cell->binary, err);
		if (number == MAP_NONE ||
		    !cells_add_many(cells, number, cell->addr, cell->samples, cell->period, err))
			return false;
	}
	return true;
}

void stackstat_keep(struct stackstat *stacks, const bool *keep)
{
	for (size_t i = 0; i < stacks->cells.count; i++) {
		struct stack_cell *cell = &stacks->cells.items[i];

		if (!keep[stack_cell_place(cell)])
			cell->samples = cell->period = 0;
	}
}
