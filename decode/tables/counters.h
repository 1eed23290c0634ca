/*
 * counters.csv: what `perf stat record` counted. From records STAT_CONFIG, STAT, STAT_ROUND,
 * CPU_MAP and THREAD_MAP; format reference, sections 5.1 and 5.2.
 */
#ifndef READPERF_DECODE_TABLES_COUNTERS_H
#define READPERF_DECODE_TABLES_COUNTERS_H

#include "perffile/perffile.h"

#define COUNTERS_CPUS_MAX 65536 /* CPU_MAP has 16 bits for a number */

/* A STAT record. */
struct counter {
	uint64_t time; /* ns since the start, of its round; TIME_NONE: it has no round */
	uint64_t id;
	uint64_t value, enabled, running; /* enabled and running in ns */
	uint32_t cpu, thread;             /* as recorded */
};

struct number_list {
	int32_t *items; /* malloc'd */
	size_t count, capacity;
};

struct counters {
	const struct session *session; /* borrowed */
	struct counter *items;
	size_t count, capacity;
	size_t waiting;             /* the first counter whose round has not been read */
	struct number_list threads; /* THREAD_MAP: tid by index, -1: any */
	struct number_list cpus;    /* CPU_MAP: the CPUs in order, -1: any */
	uint8_t cpu_known[COUNTERS_CPUS_MAX / 8]; /* bit n: CPU n is one of them */
	uint32_t range_first, range_count; /* a range of CPUs that follows those in the map */
	bool scale;                        /* STAT_CONFIG: scaling was not disabled */
};

/* session is borrowed; its names and units are used only by the printer. */
void counters_init(struct counters *counters, const struct session *session);
void counters_release(struct counters *counters);

/* counters must outlive the handler. */
struct record_handler counters_handler(struct counters *counters);

#endif
