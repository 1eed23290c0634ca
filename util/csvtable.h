/*
 * A writer of tables (util/table.h) that makes a CSV file of each table; for spreadsheets, as many
 * files (NAME.csv, NAME-2.csv ...) as the rows require.
 */
#ifndef READPERF_UTIL_CSVTABLE_H
#define READPERF_UTIL_CSVTABLE_H

#include "util/csv.h"
#include "util/table.h"

#define CSV_NAME_SIZE 80 /* bytes of a file's name */

struct csv_tables {
	struct table_files files;
	bool spreadsheet;                  /* as csv_open() */
	bool two_threads;                  /* as csv_use_two_threads(); may be changed */
	bool open;                         /* a table was begun, and is not released */
	const struct table_format *format; /* of the open table */
	bool full;                         /* the sheet has no room for another row */
	unsigned file_number; /* for spreadsheets: number of the current file, from 1 */
	struct err err;       /* error of opening a further file */
	char name[CSV_NAME_SIZE];
	struct csv csv;
};

/* files is copied; its context must outlive the tables. */
void csv_tables_init(struct csv_tables *tables, const struct table_files *files, bool spreadsheet);
/* A writer to the tables, which must outlive it. */
struct table_writer csv_tables_writer(struct csv_tables *tables);
/*
 * The file of the open table, for rows that are made as text (csv_room()) because there may be
 * millions; NULL: the writer is not CSV, or is for spreadsheets.
 */
struct csv *csv_of_writer(const struct table_writer *out);

#endif
