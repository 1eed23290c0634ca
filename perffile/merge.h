/*
 * Stretches of samples, brought into one order. Those that follow each other in time are one chain, as what
 * a CPU wrote mostly is: however many stretches lie side by side, there are few chains to choose from.
 */
#ifndef READPERF_PERFFILE_MERGE_H
#define READPERF_PERFFILE_MERGE_H

#include "perffile/stream.h"

struct sample;

/*
 * Records to deliver. Those with samples set lie one behind the other in a block, and their times
 * ascend; stretches of them that follow each other may overlap in time, and anything else stands
 * alone, where all before it are older and all behind it younger.
 */
struct stretch {
	const uint8_t *data; /* the first record */
	uint64_t nr;         /* its position in the recording */
	uint64_t time;       /* ns, or TIME_NONE */
	uint64_t last_time;  /* ns, of the last one; of samples */
	uint32_t count;      /* records */
	bool samples;
	struct block *block;          /* one use of it ends with this stretch; NULL: none does */
	const struct sample *decoded; /* what the samples say; NULL: that is still to be seen */
};

static inline bool stretch_before(const struct stretch *a, const struct stretch *b)
{
	return a->time != b->time ? a->time < b->time : a->nr < b->nr;
}

struct chain {
	struct stretch left; /* of the stretch at work */
	uint32_t next, last; /* stretches of it: the one behind that, its last one */
};

/* Three tables side by side: of chains, of the heap, and of stretches. None has more entries than those. */
struct merge_slot {
	struct chain chain;
	struct chain *heap; /* those with something left, the oldest first */
	uint32_t next;      /* of a stretch: the one behind it in its chain */
};

/* All zeros: empty. */
struct merge {
	const struct stretch *stretches; /* borrowed */
	struct merge_slot *slots;
	size_t capacity;
	size_t chain_count, heap_count;
	bool decoded; /* all stretches are */
};

/* Takes stretches of samples, at least one; they stay where they are. False with err set when memory is refused. */
bool merge_start(struct merge *merge, const struct stretch *stretches, size_t count,
                 struct err *err);
/*
 * The stretch with the oldest sample, NULL when none is left. It is the caller's to move on, as long as it
 * comes before *second (NULL: to its end), up to the next call.
 */
struct stretch *merge_first(struct merge *merge, const struct stretch **second);
/* For who takes from the chains himself: goes on behind a stretch that is used up. False: it was the last. */
bool merge_go_on(const struct merge *merge, struct chain *chain);
void merge_release(struct merge *merge);

#endif
