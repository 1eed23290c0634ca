/* Puts cells in the order of their binaries and keys. */
#ifndef READPERF_DECODE_TALLY_CELLSORT_H
#define READPERF_DECODE_TALLY_CELLSORT_H

#include "decode/tally/cell.h"

/* Sorts in place. kinds: of the cells, by number. */
void cells_sort(struct cell *cells, size_t count, const struct cell_kind *kinds);

#endif
