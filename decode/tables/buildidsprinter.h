/* buildids.csv: the build ids of the recorded binaries. */
#ifndef READPERF_DECODE_TABLES_BUILDIDSPRINTER_H
#define READPERF_DECODE_TABLES_BUILDIDSPRINTER_H

#include "perffile/record/handler.h"
#include "util/hash.h"
#include "util/strings.h"

/* Each pair of a build id and a binary once, in order of first appearance. */
struct buildids {
	struct strings pairs; /* "HEX NAME"; and the empty text, which is none */
	struct map modes;     /* pair -> its first cpumode */
};

bool buildids_init(struct buildids *buildids, struct err *err);
void buildids_release(struct buildids *buildids);

/* A handler that adds the build ids in MMAP2 records. buildids must outlive it. */
struct record_handler buildids_handler(struct buildids *buildids);

#endif
