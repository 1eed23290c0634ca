/* What projections have in common: how their rows are ordered. */
#ifndef READPERF_DECODE_NAMING_ROWS_H
#define READPERF_DECODE_NAMING_ROWS_H

#include "util/strings.h"

/* A row to be compared; qsort() has no context, so each carries its strings. */
struct row_ref {
	const struct strings *strings;
	const void *row;
};

/* By texts, so that every run prints the same. */
int rows_compare_texts(const struct strings *strings, uint32_t a, uint32_t b);
/* The most expensive comes first. */
int rows_compare_costs(uint64_t period, uint64_t samples, uint64_t other_period,
                       uint64_t other_samples);
/*
 * Sorts count rows of size bytes; *rows is malloc'd, and replaced. compare is given two struct
 * row_ref. False with err set when memory is refused.
 */
bool rows_sort(const struct strings *strings, void **rows, size_t count, size_t size,
               int (*compare)(const void *, const void *), struct err *err);

#endif
