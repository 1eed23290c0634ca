/*
 * Merges spans of samples that overlap in time. Spans that follow each other in time form one
 * sequence; most of what one CPU wrote is one. So even if there are many spans, the next sample is
 * chosen from few sequences.
 */
#ifndef READPERF_PERFFILE_ORDER_MERGE_H
#define READPERF_PERFFILE_ORDER_MERGE_H

#include "perffile/order/span.h"

struct sequence {
	struct record_span left;   /* the rest of the span that is being merged */
	uint32_t next, last_span;  /* next: the span after that one, or SEQUENCE_END; last_span: the
	                              last one of the sequence */
	struct order_key last_key; /* of its last record */
};

#define SEQUENCE_END UINT32_MAX

/*
 * One allocation for three tables: of sequences, of their order, and of spans. None has more
 * entries than there are spans.
 */
struct merge_slot {
	struct sequence sequence;
	struct sequence *in_order; /* ordered by their next sample, the oldest first */
	uint32_t next;             /* of a span: the next one in its sequence */
};

/* All zeros is an empty merge. */
struct merge {
	const struct record_span *spans; /* borrowed */
	struct merge_slot *slots;
	size_t capacity;
	size_t first,
		sequence_count; /* the first ones, in order, are those that have samples left */
};

/*
 * Starts merging spans of samples, at least one; they are not copied. False with err set when
 * memory is refused.
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
