/* The tables: which there are, and what each of their columns means. */
#ifndef READPERF_DECODE_TABLES_SCHEMA_H
#define READPERF_DECODE_TABLES_SCHEMA_H

#include "util/csv.h"

#define SCHEMA_NUMBER 1 /* columns are only ever appended; the number grows when they are */

enum table_id {
	TABLE_STAT,
	TABLE_OVERVIEW,
	TABLE_PROCESSES,
	TABLE_RESULTS,
	TABLE_HEADER,
	TABLE_EVENTS,
	TABLE_BUILDIDS,
	TABLE_LINES,
	TABLE_ADDRESSES,
	TABLE_COUNTERS,
	TABLE_COUNT
};

#define TABLES_DEFAULT \
	(1u << TABLE_STAT | 1u << TABLE_OVERVIEW | 1u << TABLE_PROCESSES | 1u << TABLE_RESULTS)

struct table {
	const char *name;   /* as --tables names it; the file is name.csv */
	const char *header; /* column names, comma-separated */
};

extern const struct table tables[TABLE_COUNT];

/* Writes the schema as a table: file, column, type, unit, meaning. */
void schema_print(struct csv *csv);

#define SCHEMA_CSV_HEADER "file,column,type,unit,meaning"

#endif
