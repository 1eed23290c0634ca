/*
 * How often the instruction at an address ran, as far as branches tell.
 *
 * In:  the blocks that branchstat counted.
 * Out: for an address, the sum of the counts of the blocks that cover it.
 */
#ifndef READPERF_DECODE_NAMING_EXECUTED_H
#define READPERF_DECODE_NAMING_EXECUTED_H

#include "decode/tally/branchstat.h"

/* The count of the blocks that start (or end) here, and of all before it. */
struct executed_point {
	uint64_t addr, sum;
	uint32_t event, binary;
};

struct executed {
	struct executed_point *starts, *ends; /* by event, binary, address */
	size_t count;
};

/* False with err set when memory is refused; executed_release() in any case. */
bool executed_make(struct executed *executed, const struct branchstat *branches, struct err *err);
void executed_release(struct executed *executed);
/* Whether there are blocks of the event at all. */
bool executed_known(const struct executed *executed, uint32_t event);
/* addr: in the address space of the binary. */
uint64_t executed_at(const struct executed *executed, uint32_t event, uint32_t binary,
                     uint64_t addr);

#endif
