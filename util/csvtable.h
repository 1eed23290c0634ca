/* A writer of tables (util/table.h) that makes a CSV file of each table. */
#ifndef READPERF_UTIL_CSVTABLE_H
#define READPERF_UTIL_CSVTABLE_H

#include "util/csv.h"
#include "util/table.h"

#define CSV_NAME_SIZE 80 /* bytes of a file's name */

struct csv_tables {
	struct table_files files;
	bool spreadsheet; /* as csv_open() */
	bool open;        /* a table has been begun and not released yet */
	char name[CSV_NAME_SIZE];
	struct csv csv;
};

/* files is copied; its context must outlive the tables. */
void csv_tables_init(struct csv_tables *tables, const struct table_files *files, bool spreadsheet);
/* A writer to the tables, which must outlive it. */
struct table_writer csv_tables_writer(struct csv_tables *tables);
/* csv_open() with the header of a format. */
bool csv_open_table(struct csv *csv, int fd, const char *name, const struct table_format *format,
                    bool spreadsheet, struct err *err);

#endif
