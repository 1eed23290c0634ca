/*
 * Merges spans of samples that overlap in time. What is left of the spans is kept ordered by its
 * first sample, so the oldest sample is in the first span, up to where the second one begins.
 */
#ifndef READPERF_PERFFILE_ORDER_MERGE_H
#define READPERF_PERFFILE_ORDER_MERGE_H

#include "perffile/order/span.h"

/* All zeros is an empty merge. */
struct merge {
	struct record_span *spans; /* from `first` to `count`: what is left, ordered */
	size_t first, count, capacity;
};

/*
 * Starts merging spans of samples, which are copied. False with err set when memory is refused.
 */
bool merge_start(struct merge *merge, const struct record_span *spans, size_t count,
                 struct err *err);
/*
 * The span with the oldest sample, or NULL when none is left. The caller takes the samples before
 * *end from it, at least one, and calls again.
 */
struct record_span *merge_next(struct merge *merge, struct order_key *end);
void merge_release(struct merge *merge);

#endif
