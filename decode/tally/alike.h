/*
 * Brings samples together that are equal in all that is asked of them, so that each group is chosen
 * once for many samples. For handlers that take samples in any order.
 *
 * In:  a batch of samples with their places.
 * Out: the same samples in another order, in runs of equal ones.
 */
#ifndef READPERF_DECODE_TALLY_ALIKE_H
#define READPERF_DECODE_TALLY_ALIKE_H

#include "decode/tally/choice.h"

#define ALIKE_WORDS (3 + FIELD_KEYS_MOST)

struct alike_samples {
	struct sample samples[SAMPLES_MOST];
	struct placed placed[SAMPLES_MOST];
	uint16_t lengths[SAMPLES_MOST]; /* of the runs */
	size_t run_count;
	/* the kinds of samples of the batch, by number; and their numbers by a hash */
	uint64_t words[SAMPLES_MOST][ALIKE_WORDS];
	uint16_t slots[2 * SAMPLES_MOST]; /* number of a kind, from 1; 0: none */
	uint16_t kinds[SAMPLES_MOST];     /* by sample */
};

/* Whether samples may be brought together by what is asked of them. */
bool alike_is_possible(const struct choice *choice);
/* False with err set when memory is refused. */
bool alike_order(struct alike_samples *alike, struct choice *choice,
                 const struct placed_samples *all, struct err *err);

#endif
