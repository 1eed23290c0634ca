/*
 * Writes rows of samples in overview.csv, of which there may be millions. Parts that many rows
 * share (process and thread; event and CPU) are kept as text and copied.
 */
#ifndef READPERF_PERFFILE_OVERVIEW_SAMPLEROW_H
#define READPERF_PERFFILE_OVERVIEW_SAMPLEROW_H

#include "perffile/record/sample.h"
#include "util/csv.h"

#define SAMPLE_ROW_COLUMNS 12 /* of overview.csv, each of which sample_rows() writes */

/* Without these cells, -t overview of 3 million samples takes 8 % more CPU time. */
#define WHO_CELLS 64
/*
 * One cell for each event on each CPU, up to this number. With only 64 cells, making tails again
 * was 28 to 41 % of all instructions for the overview.csv of eight events.
 */
#define TAIL_CELLS 1024
#define TAIL_MOST 128 /* bytes; an event with a longer name is not handled here */

/*
 * The kept texts. All zeros is valid. A cell of length 0 is empty. Only samplerow.c uses the
 * fields.
 */
struct sample_row_cells {
	struct who_cell {
		int32_t pid, tid;
		uint32_t length;
		char text[32]; /* ",SAMPLE,PID,TID,": at most 30 bytes */
	} who[WHO_CELLS];
	struct tail_cell {
		const char *event; /* its name */
		uint64_t period;
		int32_t cpu;
		uint32_t length, cut; /* cut: where the text continues after the period */
		char text[TAIL_MOST]; /* ",,,PERIOD,CPU,EVENT" and the line's end */
	} tails[TAIL_CELLS];
	/* the highest CPU seen + 2: there is one more slot for samples without a CPU */
	uint32_t cpus;
};

/*
 * Writes the rows of samples, at most SAMPLES_MOST, up to the first one that cannot be written this
 * way (long or missing names, no process). Returns how many. Not for spreadsheets.
 */
size_t sample_rows(struct sample_row_cells *cells, struct csv *csv, const struct session *session,
                   const struct sample *samples, size_t count);

#endif
