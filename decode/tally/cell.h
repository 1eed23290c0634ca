/* A cell: samples and period of one place. See funcstat.h. */
#ifndef READPERF_DECODE_TALLY_CELL_H
#define READPERF_DECODE_TALLY_CELL_H

#include "util/types.h"

#define GROUP_ALL 0

struct cell_kind {
	uint32_t event, group, binary;
};

struct cell {
	uint64_t key; /* address in the binary; after settle_places() its place */
	uint64_t period;
	uint32_t samples;
	uint32_t kind;
};

/* After settle_places(): the number of the place of a cell. */
static inline uint32_t cell_place(const struct cell *cell)
{
	return (uint32_t)cell->key;
}

#endif
