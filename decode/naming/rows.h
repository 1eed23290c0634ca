/* The order of rows, for all projections. */
#ifndef READPERF_DECODE_NAMING_ROWS_H
#define READPERF_DECODE_NAMING_ROWS_H

#include "util/strings.h"

/* A row to be compared. qsort() has no context argument, so each has a pointer to the strings. */
struct row_ref {
	const struct strings *strings;
	const void *row;
};

/* Compares by text, so that every run has the same order. */
int rows_compare_texts(const struct strings *strings, uint32_t a, uint32_t b);
/* The most expensive comes first. */
int rows_compare_costs(uint64_t period, uint64_t samples, uint64_t other_period,
                       uint64_t other_samples);
/*
 * Sorts count rows of size bytes. compare receives two struct row_ref. False with err set when
 * memory is refused.
 */
bool rows_sort(const struct strings *strings, void *rows, size_t count, size_t size,
               int (*compare)(const void *, const void *), struct err *err);

#endif
