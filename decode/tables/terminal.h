/* The console's tables on a terminal: each row fits into a line, and numbers are short. */
#ifndef READPERF_DECODE_TABLES_TERMINAL_H
#define READPERF_DECODE_TABLES_TERMINAL_H

#include "decode/tables/tables.h"

#include <stdio.h>

struct terminal {
	size_t columns; /* 0: out is no terminal, so console_print() is to be used */
	bool colour;
};

/* Examines out. Obeys NO_COLOR in the environment. */
struct terminal terminal_of(FILE *out);
/* console_print() for a terminal. */
void terminal_print(FILE *out, const struct terminal *terminal, const struct report *report,
                    size_t limit, bool in_results);

/*
 * Shortens clean UTF-8 text to that many characters by dropping its middle. Malloc'd; NULL when
 * memory is refused.
 */
char *shortened(const char *name, size_t most);
/* How many characters a UTF-8 text has. */
size_t text_characters(const char *text);

#endif
