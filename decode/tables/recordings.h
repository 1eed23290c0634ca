/* recordings.csv: a row for each recording of a folder of recordings. */
#ifndef READPERF_DECODE_TABLES_RECORDINGS_H
#define READPERF_DECODE_TABLES_RECORDINGS_H

#include "util/table.h"

enum recordings_column {
	RECORDINGS_RECORDING,
	RECORDINGS_FILE,
	RECORDINGS_HOST,
	RECORDINGS_OS_RELEASE,
	RECORDINGS_ARCH,
	RECORDINGS_CPU,
	RECORDINGS_PERF_VERSION,
	RECORDINGS_CMDLINE,
	RECORDINGS_START,
	RECORDINGS_DURATION,
	RECORDINGS_SAMPLES,
	RECORDINGS_LOST,
	RECORDINGS_UNKNOWN_PERCENT,
	RECORDINGS_STATUS,
	RECORDINGS_MESSAGE,
	RECORDINGS_COLUMNS
};

/* A row. Its cells are texts, numbers in decimal digits; "": unknown. Borrowed. */
struct recordings_row {
	const char *cells[RECORDINGS_COLUMNS];
};

extern const struct table_format recordings_format;

#endif
