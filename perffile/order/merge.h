/*
 * Merges spans of samples that overlap in time. What is left of the spans is kept ordered by its
 * first sample, so the oldest sample is in the first span, up to where the second one begins.
 */
#ifndef READPERF_PERFFILE_ORDER_MERGE_H
#define READPERF_PERFFILE_ORDER_MERGE_H

#include "perffile/order/span.h"

/* One allocation for two tables: of spans, and of their order, in which only pointers move. */
struct merge_slot {
	struct record_span left;
	struct record_span *in_order;
};

/* All zeros is an empty merge. */
struct merge {
	struct merge_slot *slots; /* from `first` to `count`: the order of what is left */
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
