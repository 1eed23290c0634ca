/*
 * Gives places to what was counted, after the last record.
 *
 * In:  cells of both kinds with addresses, and frames of stacks.
 * Out: places; cells with places instead of addresses, those of places in their order, and one for
 * each kind and place; the places of frames.
 */
#ifndef READPERF_DECODE_TALLY_SETTLE_H
#define READPERF_DECODE_TALLY_SETTLE_H

#include "decode/tally/stackstat.h"

/*
 * After cells_finish(); nothing can be added afterwards. stacks: NULL if stacks are not counted.
 * False with err set when memory is refused.
 */
bool settle_places(struct cells *cells, struct stackstat *stacks, struct places *places,
                   struct err *err);

#endif
