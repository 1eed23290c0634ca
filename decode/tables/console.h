/*
 * Prints the most expensive functions of each event, in another form on a terminal, where the
 * answers to --by are shown too.
 */
#ifndef READPERF_DECODE_TABLES_CONSOLE_H
#define READPERF_DECODE_TABLES_CONSOLE_H

#include "decode/tables/grouptables.h"
#include "decode/tables/tables.h"

#include <stdio.h>

struct console_options {
	uint64_t limit;  /* functions per event, and rows of each table of --by */
	bool in_results; /* results.csv, which has the other functions, is written too */
	bool ratios;     /* were asked for */
	bool by_total; /* functions are in the order of their totals, also those without samples */
};

/* False with err set when memory is refused. */
bool console_print(FILE *out, const struct report *report, const struct console_options *options,
                   struct err *err);

#endif
