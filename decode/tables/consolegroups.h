/* The tables of --by on a terminal: the first rows of each event. */
#ifndef READPERF_DECODE_TABLES_CONSOLEGROUPS_H
#define READPERF_DECODE_TABLES_CONSOLEGROUPS_H

#include "decode/tables/grouptables.h"
#include "decode/tables/tables.h"
#include "decode/tables/terminal.h"

/* limit: rows of each event, 0 for all. False with err set when memory is refused. */
bool console_print_groups(FILE *out, const struct terminal *terminal, const struct report *report,
                          size_t limit, struct err *err);

#endif
