/* The tables that console.c prints on a terminal. */
#ifndef READPERF_DECODE_TABLES_TERMINALTABLES_H
#define READPERF_DECODE_TABLES_TERMINALTABLES_H

#include "decode/tables/grouptables.h"
#include "decode/tables/tables.h"
#include "decode/tables/terminal.h"

/* Prints the rows of one event, as console_print() does for what is no terminal. */
void terminal_print_event(FILE *out, const struct terminal *terminal, const struct report *report,
                          const struct result_row *rows, size_t count, size_t limit,
                          bool in_results);
/*
 * Prints the first `limit` rows of each event of the tables of --by; 0: all. False with err set
 * when memory is refused.
 */
bool terminal_print_groups(FILE *out, const struct terminal *terminal, const struct report *report,
                           const struct group_tables *list, size_t limit, struct err *err);

#endif
