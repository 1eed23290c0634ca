/* What goes from the window to the handlers: spans of records, and the order that they come in. */
#ifndef READPERF_PERFFILE_ORDER_SPAN_H
#define READPERF_PERFFILE_ORDER_SPAN_H

#include "perffile/record/decode.h"
#include "perffile/record/sample.h"

/* Records are in order of time; those of one time are in the order of the recording. */
struct order_key {
	uint64_t time; /* ns, or TIME_NONE */
	uint64_t nr;   /* position in the recording, counting from 0 */
};

static inline bool key_before(struct order_key a, struct order_key b)
{
	return a.time != b.time ? a.time < b.time : a.nr < b.nr;
}

/*
 * Records that are handed over together: one raw record, or decoded samples whose times ascend.
 * Spans of samples that follow each other may overlap in time. All records before a span of another
 * kind are older than it, and all behind it are younger.
 */
struct record_span {
	struct order_key first;       /* of its first record */
	const struct sample *samples; /* NULL: one raw record */
	const uint8_t *data;          /* the raw record */
	uint32_t count;               /* records */
	bool is_sample;               /* SAMPLE records, decoded or raw, that have a time */
	struct block *block;          /* one use of it ends with this span; NULL: none does */
};

static inline struct order_key sample_key(const struct sample *sample)
{
	return (struct order_key){ sample->time, sample->nr };
}

static inline struct order_key span_last(const struct record_span *span)
{
	return span->samples ? sample_key(&span->samples[span->count - 1]) : span->first;
}

#endif
