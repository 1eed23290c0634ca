/* What header.csv says of the machine's memory, as numbers: for tables of memory accesses. */
#ifndef READPERF_DECODE_RUN_MACHINEFACTS_H
#define READPERF_DECODE_RUN_MACHINEFACTS_H

#include "perffile/facts/facts.h"

/* Bytes of a cache line of level 1; 0: the recording does not say it, or it is no power of two. */
uint64_t facts_line_size(const struct facts *facts);

#define FACTS_CPUS 4096 /* CPUs whose nodes are known */

/* Sets the NUMA node of each CPU; -1: the recording does not say it. */
void facts_nodes(const struct facts *facts, int16_t node_of[FACTS_CPUS]);

#endif
