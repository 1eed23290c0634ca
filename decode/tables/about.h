/* about.csv: which recording the tables beside it are of, and how they were made. */
#ifndef READPERF_DECODE_TABLES_ABOUT_H
#define READPERF_DECODE_TABLES_ABOUT_H

#include "decode/tables/grouptables.h"
#include "decode/tables/tables.h"

#define RECORDING_ID_SIZE 17 /* 16 hex digits, and the end */

/* What about.csv contains besides the report. */
struct about {
	const char *file;    /* the recording, as the user named it */
	const char *options; /* those that change the contents of tables */
	const struct table_set *set;
	const char *suffix; /* of packed tables, else empty */
	char recording[RECORDING_ID_SIZE];
	int status; /* exit status */
};

/*
 * If the folder has an about.csv of another recording, warns, and names the tables of that
 * recording that will stay in the folder.
 */
void about_compare(const char *folder, const struct report *report, struct diag *diag);

#endif
