/*
 * What a data source says, one word for each question, so that tables can be grouped by them; and
 * what perf c2c counts of it.
 * Format: union perf_mem_data_src, include/uapi/linux/perf_event.h, Linux 6.12.
 */
#ifndef READPERF_DECODE_NAMING_DATAWORDS_H
#define READPERF_DECODE_NAMING_DATAWORDS_H

#include "util/types.h"

#define DATA_WORD_SIZE 160 /* bytes, whatever bits are set */

enum data_question {
	DATA_OPERATION, /* load, store, prefetch, exec */
	DATA_LEVEL,     /* L1, LFB, L2, L3, RAM, remote RAM ...; with " miss" behind it */
	DATA_SNOOP,     /* none, hit, miss, hitm, fwd, peer */
	DATA_TLB,       /* L1, L2, walker, fault; with " miss" behind it */
	DATA_LOCKED,    /* yes, no */
	DATA_BLOCKED,   /* data, address */
	DATA_QUESTIONS
};

/* Sets text to the answer, "" if it was not recorded. */
void data_word(uint64_t source, enum data_question question, char text[DATA_WORD_SIZE]);

/* The counters of perf c2c that a cache line has. */
struct line_counts {
	uint64_t samples, loads, stores, local_hitm, remote_hitm, local_peer, remote_peer;
	uint64_t l1, lfb, l2, llc, local_dram, remote_dram;
};

/* Counts accesses with this source, to an address; of address 0 only samples are counted. */
void line_counts_add(struct line_counts *counts, uint64_t source, uint64_t addr, uint64_t samples);
/* Whether it loads or stores at all. */
bool data_source_is_access(uint64_t source);

#endif
