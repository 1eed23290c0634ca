/*
 * Samples that read counters: computes by how much each counter has grown since its last sample.
 *
 * In:  the values of a sample, one by one.
 * Out: the event of each value, and the period that it stands for.
 */
#ifndef READPERF_DECODE_TALLY_READVALUES_H
#define READPERF_DECODE_TALLY_READVALUES_H

#include "perffile/record/sample.h"
#include "util/hash.h"

struct read_values {
	struct map numbers; /* id, or a hash of id and tid -> index of its last value */
	uint64_t *values;
	size_t count, capacity;
	uint64_t seed; /* of that hash */
};

void read_values_init(struct read_values *reads);
void read_values_release(struct read_values *reads);
/* Handles value `number` of a sample. False with err set when memory is refused. */
bool read_values_take(struct read_values *reads, const struct session *session,
                      const struct record *record, uint64_t number, uint32_t *event,
                      uint64_t *period, struct err *err);

#endif
