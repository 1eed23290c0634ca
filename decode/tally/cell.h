/* A cell: samples and period of one place or stack. See funcstat.h. */
#ifndef READPERF_DECODE_TALLY_CELL_H
#define READPERF_DECODE_TALLY_CELL_H

#include "util/types.h"

#define GROUP_ALL 0
/* In place of a binary's number: the keys of such cells are nodes of the tree of stacks. */
#define CELL_STACKS UINT32_MAX

struct cell_kind {
	uint32_t event, group, binary;
};

struct cell {
	uint64_t key; /* address in the binary, or node of a stack; after cells_settle() the address
	                 becomes a place */
	uint64_t period;
	uint32_t samples; /* 0: the slot is free */
	uint32_t kind;
};

/* After cells_settle(): the number of the place of a cell that is not about a stack. */
static inline uint32_t cell_place(const struct cell *cell)
{
	return (uint32_t)cell->key;
}

#endif
