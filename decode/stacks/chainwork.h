/*
 * What the files that read one sample's chain share: chainread.c reads what was recorded as a list,
 * chaincopy.c what was recorded as a copy of the stack.
 */
#ifndef READPERF_DECODE_STACKS_CHAINWORK_H
#define READPERF_DECODE_STACKS_CHAINWORK_H

#include "decode/machine/cpumode.h"
#include "decode/stacks/chain.h"

/* The state of reading the chain of one sample. */
struct chain_work {
	struct chain_reader *reader;
	const struct record *record;
	struct chain *chain;
	struct err *err;
	/* the recorded chain */
	uint64_t user_first, user_end; /* words [user_first, user_end) are its user part */
	size_t user_frame;             /* the first frame of that part */
	uint64_t entries;              /* number of addresses */
	bool has_user;
	enum cpu_mode first_mode; /* of the innermost frame */
};

static inline uint64_t chain_word(const struct chain_work *work, uint64_t at)
{
	return record_word(work->record, work->record->sample.callchain, at);
}

/* Appends a frame. False with err set when memory is refused; the same holds for the others. */
bool chain_append_frame(struct chain_work *work, const struct chain_frame *frame);
/* Appends the frame of an address. A return address is looked up at the call before it. */
bool chain_append_ip(struct chain_work *work, enum cpu_mode mode, uint64_t ip, unsigned flags);
/*
 * Replaces the user part by the frames in the copy of the stack, if there is one; kernel threads
 * have neither registers nor a copy.
 */
bool chain_append_copy(struct chain_work *work);

#endif
