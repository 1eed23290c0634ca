/* --schema: all columns of all tables, as a table with file, column, type, unit and meaning. */
#ifndef READPERF_DECODE_TABLES_SCHEMA_H
#define READPERF_DECODE_TABLES_SCHEMA_H

#include "util/table.h"

/*
 * Writes a row for each column, in the order of tables and columns. fd is not closed. False with
 * err set.
 */
bool schema_write(int fd, struct err *err);

#endif
