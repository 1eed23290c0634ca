/* aux.csv: what AUX records say about pieces of a trace (Intel PT, ARM SPE, CoreSight). */
#ifndef READPERF_DECODE_TABLES_AUXPRINTER_H
#define READPERF_DECODE_TABLES_AUXPRINTER_H

#include "perffile/record/handler.h"

struct aux_record {
	uint64_t time; /* ns, or TIME_NONE */
	uint64_t offset, size, flags;
	int32_t cpu, pid, tid;
	bool has_tid;
};

/* All zeros is empty. */
struct aux_records {
	struct aux_record *items;
	size_t count, capacity;
};

void aux_release(struct aux_records *records);
/* A handler that keeps the AUX records. records must outlive it. */
struct record_handler aux_handler(struct aux_records *records);

#endif
