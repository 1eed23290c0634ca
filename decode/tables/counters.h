/*
 * What `perf stat record` counted, for counters.csv and ratios.csv. From records STAT_CONFIG, STAT,
 * STAT_ROUND, CPU_MAP and THREAD_MAP; format reference, sections 5.1 and 5.2.
 */
#ifndef READPERF_DECODE_TABLES_COUNTERS_H
#define READPERF_DECODE_TABLES_COUNTERS_H

#include "perffile/perffile.h"
#include "perffile/record/collector.h"

struct report;

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

/* Keeps them: a struct counters. Names and units of the session are used only by the printer. */
extern const struct collector counters_collector;
/* What it kept: never NULL, because the console needs it with any tables. */
const struct counters *report_counters(const struct report *report);

/* Number of the event of the session, or EVENT_UNKNOWN. */
uint32_t counter_event(const struct counters *counters, const struct counter *counter);
/* The CPU; -1: any. */
int64_t counter_cpu(const struct counters *counters, const struct counter *counter);
/*
 * For each counter the index of the one before it of the same event, CPU and thread, or MAP_NONE.
 * malloc'd; NULL with err set when memory is refused.
 */
uint32_t *counters_previous(const struct counters *counters, struct err *err);
/* The difference to the counter's previous value; previous: NULL if there is none. */
struct counter counter_since(const struct counter *counter, const struct counter *previous);
/* A count in the unit of its event, which has that scale. */
double counter_in_unit(double value, double scale);

#endif
