/*
 * What FINISHED_ROUND records tell of the order (format reference, 7.1): the recorder has then read
 * all ring buffers once, so that nothing is to come that is older than what it had read one round
 * before. Some recordings break this rule.
 */
#ifndef READPERF_PERFFILE_ORDER_ROUNDS_H
#define READPERF_PERFFILE_ORDER_ROUNDS_H

#include "perffile/order/filereader.h"

/* All ns; all zeros: nothing was read. */
struct rounds {
	uint64_t most;     /* the greatest time so far */
	uint64_t last;     /* the same at the last FINISHED_ROUND */
	uint64_t complete; /* the same at the one before: nothing older follows */
};

static inline void rounds_note(struct rounds *rounds, uint64_t time)
{
	rounds->most = u64_max(rounds->most, time);
}

/* At a FINISHED_ROUND. */
static inline void rounds_end(struct rounds *rounds)
{
	rounds->complete = rounds->last;
	rounds->last = rounds->most;
}

/* Notes samples, and the FINISHED_ROUND records between them. */
static inline void rounds_note_span(struct rounds *rounds, const struct sample_span *span)
{
	if (span->last_round) {
		rounds->complete = span->round_before ? u64_max(rounds->most, span->round_before)
		                                      : rounds->last;
		rounds->last = u64_max(rounds->most, span->last_round);
	}
	rounds_note(rounds, span->greatest_time);
}

#endif
