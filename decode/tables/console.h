/*
 * Prints the most expensive functions of each event, in another form on a terminal, where the
 * answers to --by are shown too.
 */
#ifndef READPERF_DECODE_TABLES_CONSOLE_H
#define READPERF_DECODE_TABLES_CONSOLE_H

#include "decode/tables/grouptables.h"
#include "decode/tables/tables.h"

#include <stdio.h>

/*
 * limit: functions per event, and rows of each table of --by. in_results: results.csv,
 * which has the other functions, is written too. False with err set
 * when memory is refused.
 */
bool console_print(FILE *out, const struct report *report, uint64_t limit, bool in_results,
                   struct err *err);

#endif
