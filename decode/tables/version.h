/* The version of the program and of its tables; all other code uses these. */
#ifndef READPERF_DECODE_TABLES_VERSION_H
#define READPERF_DECODE_TABLES_VERSION_H

#define READPERF_VERSION "2.0"

/*
 * Raised when a release has other tables or columns than the release before; columns are only
 * appended. tests/schema/N.csv is the schema with number N. Version 1.0 had schema 1, 2.0 schema 2.
 */
#define SCHEMA_NUMBER 3

#endif
