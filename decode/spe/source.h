/*
 * What an SPE record says of its data, in the bits of perf's data sources (union
 * perf_mem_data_src), as perf makes them of it.
 */
#ifndef READPERF_DECODE_SPE_SOURCE_H
#define READPERF_DECODE_SPE_SOURCE_H

#include "decode/spe/packet.h"

/* midr: MIDR_EL1 of the processor, which says how it numbers sources; 0: not known. */
uint64_t spe_data_source(const struct spe_record *record, uint64_t midr);

#endif
