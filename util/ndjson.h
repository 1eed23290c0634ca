/*
 * A writer of tables (util/table.h) that makes one JSON object of each row, on a line of its own:
 * NAME.ndjson. Its members are the columns, in their order; an empty cell is null, numbers are
 * numbers, addresses are texts ("0x..."), and texts are escaped as in CSV before they become JSON.
 */
#ifndef READPERF_UTIL_NDJSON_H
#define READPERF_UTIL_NDJSON_H

#include "util/csv.h"

/* A writer that uses the files and the buffer of csv, which must outlive it. Not for spreadsheets.
 */
struct table_writer ndjson_writer(struct csv *csv);

#endif
