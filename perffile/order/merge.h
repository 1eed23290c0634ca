/*
 * Merges spans of samples that overlap in time. Spans that follow each other in time are one
 * sequence, as most of what one CPU wrote is: however many spans there are, there are few sequences
 * to choose from.
 */
#ifndef READPERF_PERFFILE_ORDER_MERGE_H
#define READPERF_PERFFILE_ORDER_MERGE_H

#include "perffile/order/span.h"

struct sequence {
	struct record_span left;   /* of the span that is merged now */
	uint32_t next, last_span;  /* the span behind that one, or SEQUENCE_END; its last span */
	struct order_key last_key; /* of its last record */
};

#define SEQUENCE_END UINT32_MAX

/*
 * Three tables side by side: of sequences, of their order, and of spans. None has more entries than
 * there are spans.
 */
struct merge_slot {
	struct sequence sequence;
	struct sequence *in_order; /* by what is left of them, the oldest first */
	uint32_t next;             /* of a span: the one behind it in its sequence */
};

/* All zeros: empty. */
struct merge {
	const struct record_span *spans; /* borrowed */
	struct merge_slot *slots;
	size_t capacity;
	size_t first,
		sequence_count; /* those with something left are from the first on, in order */
};

/*
 * Takes spans of samples, at least one; they stay where they are. False with err set when memory is
 * refused.
 */
bool merge_start(struct merge *merge, const struct record_span *spans, size_t count,
                 struct err *err);
/*
 * The span with the oldest record, or NULL when none is left. The caller takes from it what comes
 * before *end, at least one record, and calls again.
 */
struct record_span *merge_next(struct merge *merge, struct order_key *end);
void merge_release(struct merge *merge);

#endif
