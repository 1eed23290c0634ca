/*
 * What is passed from the window to the handlers: spans of records, and the key that orders them.
 */
#ifndef READPERF_PERFFILE_ORDER_SPAN_H
#define READPERF_PERFFILE_ORDER_SPAN_H

#include "perffile/record/decode.h"
#include "perffile/record/sample.h"

/* Records are ordered by time; those of equal times by their position in the recording. */
struct order_key {
	uint64_t time; /* ns, or TIME_NONE */
	uint64_t nr;   /* position in the recording, counting from 0 */
};

static inline bool key_before(struct order_key a, struct order_key b)
{
	return a.time != b.time ? a.time < b.time : a.nr < b.nr;
}

/*
 * Records that are passed on together: one record, or samples whose times ascend. Consecutive spans
 * of samples may overlap in time. All records before a span that is no samples are older than it,
 * and all after it are younger.
 */
struct record_span {
	struct order_key first;       /* of its first record */
	const struct sample *samples; /* NULL: one record */
	uint32_t record;              /* the number of that one in its batch */
	uint32_t count;               /* records */
	bool is_sample;               /* SAMPLE records that have a time */
	struct block *block; /* releasing this span releases one use of the block; NULL: none */
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
