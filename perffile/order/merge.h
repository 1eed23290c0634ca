/*
 * Spans of samples, brought into one order. Those that follow each other in time are one chain, as what
 * a CPU wrote mostly is: however many spans lie side by side, there are few chains to choose from.
 */
#ifndef READPERF_PERFFILE_ORDER_MERGE_H
#define READPERF_PERFFILE_ORDER_MERGE_H

#include "perffile/input/stream.h"

struct sample;

/*
 * Records to deliver. Those with samples set lie one behind the other in a block, and their times
 * ascend; spans of them that follow each other may overlap in time, and anything else stands
 * alone, where all before it are older and all behind it younger.
 */
struct record_span {
	const uint8_t *data; /* the first record */
	uint64_t nr;         /* its position in the recording */
	uint64_t time;       /* ns, or TIME_NONE */
	uint64_t last_time;  /* ns, of the last one; of samples */
	uint32_t count;      /* records */
	bool samples;
	struct block *block;          /* one use of it ends with this span; NULL: none does */
	const struct sample *decoded; /* what the samples say; NULL: that is still to be seen */
};

static inline bool span_before(const struct record_span *a, const struct record_span *b)
{
	return a->time != b->time ? a->time < b->time : a->nr < b->nr;
}

struct chain {
	struct record_span left; /* of the span at work */
	uint32_t next, last;     /* spans of it: the one behind that, its last one */
};

/* Three tables side by side: of chains, of the heap, and of spans. None has more entries than those. */
struct merge_slot {
	struct chain chain;
	struct chain *heap; /* those with something left, the oldest first */
	uint32_t next;      /* of a span: the one behind it in its chain */
};

/* All zeros: empty. */
struct merge {
	const struct record_span *spans; /* borrowed */
	struct merge_slot *slots;
	size_t capacity;
	size_t chain_count, heap_count;
	bool decoded; /* all spans are */
};

/* Takes spans of samples, at least one; they stay where they are. False with err set when memory is refused. */
bool merge_start(struct merge *merge, const struct record_span *spans, size_t count,
                 struct err *err);
/*
 * The span with the oldest sample, NULL when none is left. It is the caller's to move on, as long as it
 * comes before *second (NULL: to its end), up to the next call.
 */
struct record_span *merge_first(struct merge *merge, const struct record_span **second);
/* For who takes from the chains himself: goes on behind a span that is used up. False: it was the last. */
bool merge_go_on(const struct merge *merge, struct chain *chain);
void merge_release(struct merge *merge);

#endif
