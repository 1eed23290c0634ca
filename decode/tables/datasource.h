/* The data source of a sample (PERF_SAMPLE_DATA_SRC) in the words that perf mem uses. */
#ifndef READPERF_DECODE_TABLES_DATASOURCE_H
#define READPERF_DECODE_TABLES_DATASOURCE_H

#include "util/types.h"

#define DATA_SOURCE_SIZE 400 /* bytes, with the NUL: whatever bits are set */

/*
 * "OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK N/A", as perf script -F data_src says.
 * Format: union perf_mem_data_src, include/uapi/linux/perf_event.h, Linux 6.12.
 */
void data_source_format(uint64_t value, char text[DATA_SOURCE_SIZE]);

#endif
