/* Prints the most expensive functions of each event, in another form on a terminal. */
#ifndef READPERF_DECODE_TABLES_CONSOLE_H
#define READPERF_DECODE_TABLES_CONSOLE_H

#include "decode/tables/tables.h"

#include <stdio.h>

/*
 * limit: functions per event, 0 for all. in_results: results.csv, which has the other functions, is
 * written too.
 */
void console_print(FILE *out, const struct report *report, size_t limit, bool in_results);

#endif
