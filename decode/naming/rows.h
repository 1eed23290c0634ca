/* The order of rows, for all projections. */
#ifndef READPERF_DECODE_NAMING_ROWS_H
#define READPERF_DECODE_NAMING_ROWS_H

#include "util/strings.h"

/* Compares by text, so that every run has the same order. */
int rows_compare_texts(const struct strings *strings, uint32_t a, uint32_t b);
/* The most expensive comes first. */
int rows_compare_costs(uint64_t period, uint64_t samples, uint64_t other_period,
                       uint64_t other_samples);
#endif
