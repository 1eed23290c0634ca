/*
 * The console's tables on a terminal, for console.c: each row fits into a line, and numbers are
 * short.
 */
#ifndef READPERF_DECODE_TABLES_TERMINAL_H
#define READPERF_DECODE_TABLES_TERMINAL_H

#include "decode/tables/tables.h"

#include <stdio.h>

struct terminal {
	size_t columns; /* 0: it is no terminal */
	bool colour;
};

/* Examines out. Obeys NO_COLOR in the environment. */
struct terminal terminal_of(FILE *out);
/* Prints the rows of one event, as console_print() does for what is no terminal. */
void terminal_print_event(FILE *out, const struct terminal *terminal, const struct report *report,
                          const struct result_row *rows, size_t count, size_t limit,
                          bool in_results);

struct group_tables;
/*
 * Prints the first `limit` rows of each event of the tables of --by; 0: all. False with err set
 * when memory is refused.
 */
bool terminal_print_groups(FILE *out, const struct terminal *terminal, const struct report *report,
                           const struct group_tables *list, size_t limit, struct err *err);

/*
 * Shortens clean UTF-8 text to that many characters by dropping its middle. Malloc'd; NULL when
 * memory is refused.
 */
char *shortened(const char *name, size_t most);
/* How many characters a UTF-8 text has. */
size_t text_characters(const char *text);

#endif
