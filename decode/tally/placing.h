/*
 * Finds the binary that a sample's address belongs to.
 *
 * In:  the sample's process, mode and address; the mappings at that moment.
 * Out: the binary, and the address in the binary's own address space.
 */
#ifndef READPERF_DECODE_TALLY_PLACING_H
#define READPERF_DECODE_TALLY_PLACING_H

#include "decode/machine/mapping.h"
#include "decode/select/request.h"
#include "perffile/record/handler.h"

struct placed {
	uint32_t process, binary;
	uint64_t addr; /* in the binary's address space */
};

/* Samples, and the place of each. */
struct placed_samples {
	const struct sample *samples; /* borrowed */
	const struct placed *placed;  /* borrowed */
	size_t count;
};

/* count of them from the first one on. */
static inline struct placed_samples placed_part(const struct placed_samples *all, size_t first,
                                                size_t count)
{
	return (struct placed_samples){ all->samples + first, all->placed + first, count };
}

/*
 * Finds the binary of an address in placed->process. misc of the sample has the cpumode; format
 * reference, 8.3. False with err set when memory is refused.
 */
bool placing_find(struct mappings *mappings, struct placed *placed, uint16_t misc, uint64_t ip,
                  struct err *err);
/*
 * The same for several samples, and finds their processes, too. No other record may be between
 * them.
 */
bool placing_find_all(struct mappings *mappings, const struct sample *samples, size_t count,
                      struct placed *placed, struct err *err);

#endif
