/*
 * overview.csv: every kernel record, in the order of delivery; and the rows of stat.csv. A
 * record_handler.
 */
#ifndef READPERF_PERFFILE_OVERVIEW_OVERVIEWPRINTER_H
#define READPERF_PERFFILE_OVERVIEW_OVERVIEWPRINTER_H

#include "perffile/record/handler.h"
#include "util/csv.h"

#define OVERVIEW_CSV_HEADER "nr,type,pid,tid,time,info,address,size,offset,period,cpu,event"
#define STAT_CSV_HEADER "record,count,bytes"

struct overview;

/* Where the rows of the next file go, if one is full. Returns a descriptor, or -1 with err set. */
struct overview_files {
	void *context;
	int (*open)(void *context, const char *name, struct err *err);
};

#define SPREADSHEET_ROWS 1048576u /* that a sheet can have */

/*
 * session is borrowed. spreadsheet: as csv_open(), and no file has more rows than a sheet has. NULL
 * with err set on failure.
 */
struct overview *overview_new(const struct session *session, const struct overview_files *files,
                              bool spreadsheet, struct err *err);
void overview_free(struct overview *overview);
struct record_handler overview_handler(struct overview *overview);
/* After the last record: all rows are in the file. False with err set if one could not be written. */
bool overview_finish(struct overview *overview, struct err *err);

/* Writes all rows of stat.csv. */
void stat_print(struct csv *csv, const struct read_summary *summary);

#endif
