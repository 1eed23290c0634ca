/*
 * How many threads of the recording were on a CPU when a sample was taken, by its switches, but not
 * more than there are CPUs: the key `parallelism`, and --weight=wall, the period divided by it.
 *
 * In:  every record in order of time.
 * Out: the number for the sample that was passed last.
 */
#ifndef READPERF_DECODE_TALLY_PARALLEL_H
#define READPERF_DECODE_TALLY_PARALLEL_H

#include "decode/intervals/schedreader.h"

struct parallel {
	bool wanted;   /* parallel_init() was called */
	bool divides;  /* periods are divided */
	bool known;    /* switches are recorded */
	size_t asked;  /* events that were asked whether they are switches */
	uint32_t cpus; /* of the recorded machine; 0: not known */
	struct sched_reader reader;
	uint64_t now; /* threads on a CPU; 0: not known, or only idle ones */
};

/* Before the first record; both are borrowed. False with err set; release it in any case. */
bool parallel_init(struct parallel *parallel, struct session *session, struct strings *strings,
                   struct err *err);
void parallel_release(struct parallel *parallel);
/* A sample that was passed to samples(), and a record that was passed to record(). */
bool parallel_sample(struct parallel *parallel, const struct sample *sample, struct err *err);
bool parallel_record(struct parallel *parallel, const struct record *record, struct err *err);
/* The part of a period that counts for one of these threads; the period, if periods are whole. */
static inline uint64_t parallel_weigh(const struct parallel *parallel, uint64_t period)
{
	return parallel->divides && parallel->now ? period / parallel->now : period;
}
/* After the last record: warns if nothing tells what ran. */
void parallel_report(const struct parallel *parallel, struct diag *diag);

#endif
