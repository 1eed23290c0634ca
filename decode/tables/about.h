/* about.csv: of which recording, and how made, the tables beside it are. */
#ifndef READPERF_DECODE_TABLES_ABOUT_H
#define READPERF_DECODE_TABLES_ABOUT_H

#include "decode/tables/tables.h"

#define RECORDING_ID_SIZE 17 /* 16 hex digits, and the end */

/* What about.csv says and the report does not know. */
struct about {
	const char *file;    /* the recording, as the user named it */
	const char *options; /* those that change what the tables say */
	const struct table_set *set;
	char recording[RECORDING_ID_SIZE];
	int status; /* of the exit */
};

/*
 * Warns if the about.csv that is in the folder tells of another recording, and names those of its
 * tables that will stay as they are.
 */
void about_compare(const char *folder, const struct report *report, struct diag *diag);

#endif
