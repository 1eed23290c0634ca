/*
 * The innermost frame of each counted sample, as calltree.csv numbers them, for tables with a row
 * for each sample.
 */
#ifndef READPERF_DECODE_TABLES_SAMPLEFRAMES_H
#define READPERF_DECODE_TABLES_SAMPLEFRAMES_H

#include "decode/tables/tables.h"

struct sample_frames {
	const struct report *report; /* borrowed */
	uint32_t *frames; /* by node of the tree of functions; NULL: calltree.csv is not written */
	uint64_t unstacked; /* number of samples before the first one with a stack */
	uint64_t number;    /* of the next sample */
};

/*
 * count: of all counted samples. False with err set; sample_frames_release() must be called in any
 * case.
 */
bool sample_frames_init(struct sample_frames *frames, const struct report *report, uint64_t count,
                        struct err *err);
void sample_frames_release(struct sample_frames *frames);
/* From now on the first sample is the next one. */
bool sample_frames_rewind(struct sample_frames *frames, struct err *err);
/* The innermost frame of the next sample; 0: it has none. */
bool sample_frames_next(struct sample_frames *frames, uint32_t *frame, struct err *err);

#endif
