/*
 * Which cache lines of several processes are one: those in memory that the processes share.
 *
 * In:  accesses, each with its line as the process sees it.
 * Out: the same, with one process and address for all that are in one line.
 */
#ifndef READPERF_DECODE_NAMING_SHAREDLINES_H
#define READPERF_DECODE_NAMING_SHAREDLINES_H

#include "decode/tally/buildstat.h"

/* An access as a part of a cache line. */
struct line_part {
	uint64_t line, offset;
	int32_t pid;
	uint32_t event, access; /* access: its number */
	uint32_t shared;        /* number of the shared memory that it is in; 0: it is not shared */
};

/*
 * line_size: bytes, a power of two. diag is told of lines that may be the same. False with err set
 * when memory is refused.
 */
bool shared_lines_join(struct line_part *parts, size_t count, const struct buildstat *stat,
                       uint64_t line_size, struct diag *diag, struct err *err);

#endif
