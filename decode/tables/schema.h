/* --schema: every column of every table, as a table. */
#ifndef READPERF_DECODE_TABLES_SCHEMA_H
#define READPERF_DECODE_TABLES_SCHEMA_H

#include "util/table.h"

/* file, column, type, unit, meaning */
extern const struct table_format schema_format;

/* Writes a row for each column, in the order of the tables and of their columns. */
void schema_print(struct table_writer *out);

/* "text", "integer", ... as the schema prints it. */
const char *column_type_name(enum column_type type);

#endif
