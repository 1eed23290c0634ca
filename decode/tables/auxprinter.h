/* aux.csv: what AUX records say about pieces of a trace (Intel PT, ARM SPE, CoreSight). */
#ifndef READPERF_DECODE_TABLES_AUXPRINTER_H
#define READPERF_DECODE_TABLES_AUXPRINTER_H

#include "perffile/record/collector.h"

struct aux_record {
	uint64_t time; /* ns, or TIME_NONE */
	uint64_t offset, size, flags;
	int32_t cpu, pid, tid;
	bool has_tid;
};

struct aux_records {
	struct aux_record *items;
	size_t count, capacity;
};

/* Keeps the AUX records: a struct aux_records. */
extern const struct collector aux_collector;

#endif
