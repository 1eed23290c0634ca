/*
 * Computes a number that identifies a recording: it is the same wherever the file lies, packed or
 * not, from a file or a pipe, in either byte order. A record_handler.
 *
 * In:  the attributes of the events, and every kernel record; of `perf stat record`, its counters.
 * Out: the sum of their hashes, so that their order does not matter.
 */
#ifndef READPERF_PERFFILE_OVERVIEW_IDENTITY_H
#define READPERF_PERFFILE_OVERVIEW_IDENTITY_H

#include "perffile/record/handler.h"

struct identity {
	const struct session *session; /* borrowed */
	uint64_t sum;
};

void identity_init(struct identity *identity, const struct session *session);
/* identity must outlive the handler. */
struct record_handler identity_handler(struct identity *identity);
/* After the last record. */
uint64_t identity_number(const struct identity *identity);

#endif
