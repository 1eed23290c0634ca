/* The rows of memory.csv, cachelines.csv and cacheoffsets.csv. */
#ifndef READPERF_DECODE_NAMING_MEMORYROW_H
#define READPERF_DECODE_NAMING_MEMORYROW_H

#include "decode/naming/datawords.h"
#include "decode/tally/memorystat.h"

#define LINE_SIZE_USUAL 64 /* bytes, if the recording does not say it */

struct memory_row {
	uint32_t function, binary, data_symbol, data_binary; /* strings */
	uint32_t words[DATA_QUESTIONS];                      /* strings */
	uint32_t event;
	struct access_sum sum;
};

/* A cache line of a process, or an offset in it. */
struct line_row {
	uint64_t line, physical; /* addresses; physical 0: not recorded */
	int32_t pid;             /* -1: of the kernel, or of several processes */
	uint32_t event;
	uint32_t offset;                                   /* of an offset */
	uint32_t function, binary;                         /* strings; of an offset */
	uint32_t data_symbol, data_binary;                 /* strings; of a line */
	uint32_t threads, cpus, nodes, functions, offsets; /* how many different ones */
	size_t first_row, row_count;                       /* of a line: its rows of offsets */
	uint64_t weight;
	struct line_counts counts;
};

/* Loads of data that was in another core's cache, modified or not. */
static inline uint64_t line_contention(const struct line_row *row)
{
	return row->counts.local_hitm + row->counts.remote_hitm + row->counts.local_peer +
	       row->counts.remote_peer;
}

/* All zeros is empty. */
struct memory_rows {
	struct memory_row *rows;
	size_t row_count, row_capacity;
	struct line_row *lines, *offsets;
	size_t line_count, line_capacity, offset_count, offset_capacity;
	uint64_t line_size; /* bytes */
};

/* What the recording says of the machine. */
struct memory_machine {
	uint64_t line_size;     /* of the cache, bytes; a power of two */
	const int16_t *node_of; /* by CPU: its NUMA node; -1: not known */
	size_t cpu_count;
};

#endif
