/*
 * The code of the kernel in which a thread waits, whoever made it wait: the scheduler's and that of
 * locks. The stack of a switch always ends there; what people want to know is who called it.
 */
#ifndef READPERF_DECODE_STACKS_WAITCODE_H
#define READPERF_DECODE_STACKS_WAITCODE_H

#include "decode/stacks/chain.h"

/* All zeros is empty. */
struct wait_code {
	uint32_t binary; /* the kernel */
	struct wait_range {
		uint64_t start, end; /* [start, end), in the binary's address space */
	} * ranges;                  /* malloc'd; ascending, without overlap */
	size_t count, capacity;
};

void wait_code_release(struct wait_code *code);
/*
 * How many of the innermost frames are such code. 0 if all of them are: then the stack stays as it
 * is.
 */
size_t wait_code_frames(const struct wait_code *code, const struct chain *chain);

#endif
