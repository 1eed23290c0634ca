/*
 * The innermost frame of each counted sample, for tables with a row for each sample: as a node of
 * the tree of functions, or as calltree.csv numbers them.
 */
#ifndef READPERF_DECODE_TABLES_SAMPLEFRAMES_H
#define READPERF_DECODE_TABLES_SAMPLEFRAMES_H

#include "decode/tables/tables.h"

struct sample_nodes {
	const struct report *report; /* borrowed */
	bool logged;                 /* stacks were kept for each sample */
	uint64_t unstacked;          /* number of samples before the first one with a stack */
	uint64_t number;             /* of the next sample */
};

/* count: of all counted samples. */
void sample_nodes_init(struct sample_nodes *nodes, const struct report *report, uint64_t count);
/* From now on the first sample is the next one. False with err set. */
bool sample_nodes_rewind(struct sample_nodes *nodes, struct err *err);
/* The innermost node of the next sample; CALL_NODE_NONE: it has no stack. False with err set. */
bool sample_nodes_next(struct sample_nodes *nodes, uint32_t *node, struct err *err);

struct sample_frames {
	struct sample_nodes nodes;
	uint32_t *frames; /* by node of the tree of functions; NULL: calltree.csv is not written */
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
