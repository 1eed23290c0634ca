/* The version of the program and of its tables: the only place that says them. */
#ifndef READPERF_DECODE_TABLES_VERSION_H
#define READPERF_DECODE_TABLES_VERSION_H

#define READPERF_VERSION "2.0"

/*
 * Grows when a release has another table or column than the release before; columns are only ever
 * appended. tests/schema/N.csv is the schema of each number. Schema 1 was released as version 1.0.
 */
#define SCHEMA_NUMBER 2

#endif
