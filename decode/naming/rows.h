/* The order of rows, for all projections. */
#ifndef READPERF_DECODE_NAMING_ROWS_H
#define READPERF_DECODE_NAMING_ROWS_H

#include "util/strings.h"

#include <string.h>

/* Compares by text, so that every run has the same order. */
static inline int rows_compare_texts(const struct strings *strings, uint32_t a, uint32_t b)
{
	return a == b ? 0 : strcmp(strings_get(strings, a), strings_get(strings, b));
}

/* The most expensive comes first. */
static inline int rows_compare_costs(uint64_t period, uint64_t samples, uint64_t other_period,
                                     uint64_t other_samples)
{
	if (period != other_period)
		return period > other_period ? -1 : 1;
	return samples > other_samples ? -1 : samples < other_samples;
}

#endif
