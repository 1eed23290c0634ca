/* A tally in the order of binary, address, event: what tests look at. */
#ifndef READPERF_TESTS_UNIT_SORTED_H
#define READPERF_TESTS_UNIT_SORTED_H

#include "decode/tally/funcstat.h"

static inline bool sort_all(struct tally *tally, struct err *err)
{
	if (!tally_group(tally, err))
		return false;
	for (size_t i = 0, end; i < tally->count; i = end) {
		uint32_t binary = tally->targets[tally->entries[i].target].binary;

		for (end = i + 1; end < tally->count; end++)
			if (tally->targets[tally->entries[end].target].binary != binary)
				break;
		tally_sort(tally, tally->entries + i, end - i);
	}
	return true;
}

#endif
