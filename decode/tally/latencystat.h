/*
 * How long intervals are: sums and a histogram for each event, group and place, for latency.csv.
 *
 * In:  intervals, with their group and place.
 * Out: sums, and counts of durations in 64 steps for each power of two.
 */
#ifndef READPERF_DECODE_TALLY_LATENCYSTAT_H
#define READPERF_DECODE_TALLY_LATENCYSTAT_H

#include "decode/tally/intervallog.h"
#include "util/tuples.h"

#define LATENCY_RECENT 256 /* keys that are compared before others are looked up by their hash */
/*
 * Counts that are not yet in the histogram, by the low bits of key and step; a power of two.
 * Looking each one up takes 8 % of the CPU time of `-t latency` of 610,000 samples of switches and
 * wakeups.
 */
#define LATENCY_WAITING 4096

/* What has sums of its own. */
struct latency_key {
	uint32_t event, group; /* group: of choice.latency */
	uint32_t binary;       /* 0 with addr 0, if places are not asked for */
	uint32_t zero;
	uint64_t addr;
};

/* Durations and times in ns. */
struct latency_sum {
	uint64_t count, unfinished, errors;
	uint64_t total, min;
	/* the first of those that took longest */
	struct latency_longest {
		uint64_t duration;
		uint64_t time, nr; /* of its begin */
		int32_t pid, tid;
		uint32_t thread; /* string */
	} longest;
};

struct latencystat {
	struct tuples keys;       /* struct latency_key */
	struct latency_sum *sums; /* by number of the key */
	size_t count, capacity;
	struct map step_of; /* number << LATENCY_STEP_BITS | step -> index in steps */
	struct latency_count {
		uint64_t key, count; /* key: as in the map */
	} * steps;
	size_t step_count, step_capacity;
	struct latency_count *waiting;   /* LATENCY_WAITING; count 0: none waits there */
	uint32_t recent[LATENCY_RECENT]; /* numbers of keys + 1; 0: none */
};

#define LATENCY_STEP_BITS 12
#define LATENCY_STEPS 4096

void latencystat_init(struct latencystat *stat);
void latencystat_release(struct latencystat *stat);
/* The number of a key; MAP_NONE with err set when memory is refused. */
uint32_t latencystat_number(struct latencystat *stat, const struct latency_key *key,
                            struct err *err);
/* Adds an interval that has ended to the sums of a key; false with err set, as above. */
bool latencystat_add(struct latencystat *stat, uint32_t number, const struct interval_row *row,
                     bool error, struct err *err);
void latencystat_add_unfinished(struct latencystat *stat, uint32_t number);

/* After the last one: the histogram is complete. False with err set when memory is refused. */
bool latencystat_finish(struct latencystat *stat, struct err *err);

/* The greatest duration in a step. */
uint64_t latency_step_end(unsigned step);
/* Adds the sums of another key. */
void latency_sum_add(struct latency_sum *sum, const struct latency_sum *added);

#endif
