/* --schema: every column of every table, as a table of file, column, type, unit, meaning. */
#ifndef READPERF_DECODE_TABLES_SCHEMA_H
#define READPERF_DECODE_TABLES_SCHEMA_H

#include "util/table.h"

/*
 * Writes a row for each column, in the order of the tables and of their columns. fd stays the
 * caller's. False with err set.
 */
bool schema_write(int fd, struct err *err);

/* "text", "integer", ... as the schema prints it. */
const char *column_type_name(enum column_type type);

#endif
