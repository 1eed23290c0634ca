/* What readperf prints on standard output: the costliest functions of each event. */
#ifndef READPERF_DECODE_TABLES_CONSOLE_H
#define READPERF_DECODE_TABLES_CONSOLE_H

#include "decode/tables/tables.h"

#include <stdio.h>

/*
 * Writes the most expensive functions of each event to out; limit: of each event, 0 for all.
 * in_results: results.csv, which has the others, is written too.
 */
void console_print(FILE *out, const struct report *report, size_t limit, bool in_results);

#endif
