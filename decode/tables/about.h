/* about.csv: which recording the tables beside it are of, and how they were made. */
#ifndef READPERF_DECODE_TABLES_ABOUT_H
#define READPERF_DECODE_TABLES_ABOUT_H

#include "decode/tables/tables.h"

#define RECORDING_ID_SIZE 17 /* 16 hex digits, and the end */

/* What about.csv contains besides the report. */
struct about {
	const char *file;    /* the recording, as the user named it */
	const char *options; /* those that change the contents of tables */
	const char *tables;  /* that the run writes, as tables_written() lists them */
	char recording[RECORDING_ID_SIZE];
	int status; /* exit status */
};

#endif
