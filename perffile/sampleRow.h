/*
 * Rows of samples in overview.csv, by the million: put together from pieces that come again and
 * again, and from the digits that do not.
 */
#ifndef READPERF_PERFFILE_SAMPLEROW_H
#define READPERF_PERFFILE_SAMPLEROW_H

#include "perffile/sample.h"
#include "util/csv.h"

#define WHO_CELLS 64
#define TAIL_CELLS 64
#define TAIL_MOST 128 /* bytes; with a longer name of an event the row is not made here */
#define NUMBER_CELLS 16

/* All of it is for this room. */
struct sample_row_cells {
	struct {
		int32_t pid, tid;
		uint8_t length; /* 0: not in use */
		char text[32];  /* ",SAMPLE,PID,TID,": at most 30 bytes */
	} who[WHO_CELLS];
	struct tail_cell {
		const char *event;  /* its name */
		int32_t cpu;
		uint32_t length;    /* 0: not in use */
		char text[TAIL_MOST]; /* ",CPU,EVENT" */
	} tails[TAIL_CELLS];
	struct number_cell {
		uint64_t value;
		uint32_t length; /* 0: not in use */
		char text[20];
	} period[NUMBER_CELLS], nr[NUMBER_CELLS], time[NUMBER_CELLS]; /* of the last two the upper digits */
};

/* Writes the row of a sample. False, and nothing written, if it is not that simple. */
bool sample_row(struct sample_row_cells *cells, struct csv *csv, const struct session *session,
                const struct sample *sample);

#endif
