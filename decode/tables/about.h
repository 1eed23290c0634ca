/* about.csv: which recording the tables beside it are of, and how they were made. */
#ifndef READPERF_DECODE_TABLES_ABOUT_H
#define READPERF_DECODE_TABLES_ABOUT_H

#include "decode/tables/grouptables.h"
#include "decode/tables/tables.h"
#include "util/output.h"

#define RECORDING_ID_SIZE 17 /* 16 hex digits, and the end */

/* What about.csv contains besides the report. */
struct about {
	const char *file;    /* the recording, as the user named it */
	const char *options; /* those that change the contents of tables */
	const struct table_set *set;
	char recording[RECORDING_ID_SIZE];
	int status; /* exit status */
};

/*
 * When all tables are written, but do not have their names yet: if the folder has an about.csv of
 * another recording than the one written, warns, and names its tables that will stay in the folder.
 */
void about_compare(const char *folder, const char *written, const struct outputs *outputs,
                   struct diag *diag);

#endif
