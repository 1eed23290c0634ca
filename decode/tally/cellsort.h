/* Sorts cells by binary and key. */
#ifndef READPERF_DECODE_TALLY_CELLSORT_H
#define READPERF_DECODE_TALLY_CELLSORT_H

#include "decode/tally/cell.h"

/* Sorts in place. kinds: by number. */
void cells_sort(struct cell *cells, size_t count, const struct cell_kind *kinds);

#endif
