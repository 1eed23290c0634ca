/*
 * Rows of samples in overview.csv, by the million: put together from pieces that come again and
 * again, and from the digits that do not.
 */
#ifndef READPERF_PERFFILE_OVERVIEW_SAMPLEROW_H
#define READPERF_PERFFILE_OVERVIEW_SAMPLEROW_H

#include "perffile/record/sample.h"
#include "util/csv.h"

#define WHO_CELLS 64
#define UPPER_CELLS 16
/*
 * One cell for each event on each CPU, as long as there are no more of them. With 64 cells, making tails anew
 * was 28 to 41 % of all instructions that overview.csv of eight events took.
 */
#define TAIL_CELLS 1024
#define TAIL_MOST 128 /* bytes; with a longer name of an event the row is not made here */

/* All of it is for this room; zeros to begin with. A cell of length 0 is not in use. */
struct sample_row_cells {
	struct who_cell {
		int32_t pid, tid;
		uint32_t length;
		char text[32]; /* ",SAMPLE,PID,TID,": at most 30 bytes */
	} who[WHO_CELLS];
	struct upper_cell { /* all digits of a number but the last few */
		uint64_t upper;
		uint32_t length;
		char text[16];
	} nr[UPPER_CELLS], time[UPPER_CELLS];
	struct tail_cell {
		const char *event; /* its name */
		uint64_t period;
		int32_t cpu;
		uint32_t length, cut; /* cut: where the text goes on behind the period */
		char text[TAIL_MOST]; /* ",,,PERIOD,CPU,EVENT" and the line's end */
	} tails[TAIL_CELLS];
	uint32_t cpus; /* the highest CPU seen, and one for samples without, and one */
};

/*
 * Writes the rows of samples, at most SAMPLES_MOST, up to one that is not that simple. Returns how
 * many. Not for spreadsheets.
 */
size_t sample_rows(struct sample_row_cells *cells, struct csv *csv, const struct session *session,
                   const struct sample *samples, size_t count);

#endif
