/* about.csv: which recording the tables beside it are of, and how they were made. */
#ifndef READPERF_DECODE_TABLES_ABOUT_H
#define READPERF_DECODE_TABLES_ABOUT_H

#include "decode/tables/tables.h"

#define RECORDING_ID_SIZE 17 /* 16 hex digits, and the end */

/* Of a slice of a stream (--every). */
struct slice_times {
	uint64_t start, end; /* ns of the recording's clock */
	uint64_t to_wall;    /* modulo 2^64: what makes them times of day, ns since 1970 */
	bool has_wall;       /* this is known */
};

/* The UTC time of day: "2026-11-28T01:22:47.123Z". False if it is not known. */
bool slice_time_text(const struct slice_times *slice, uint64_t time, char text[32]);

/* What about.csv contains besides the report. */
struct about {
	const char *file;    /* the recording, as the user named it */
	const char *options; /* those that change the contents of tables */
	const char *tables;  /* that the run writes, as tables_written() lists them */
	char recording[RECORDING_ID_SIZE];
	int status;                      /* exit status */
	const struct slice_times *slice; /* NULL: the recording is no slice of a stream */
};

#endif
