/* The console's tables as people want them on a terminal: a row is a line, numbers are short. */
#ifndef READPERF_DECODE_TABLES_TERMINAL_H
#define READPERF_DECODE_TABLES_TERMINAL_H

#include "decode/tables/tables.h"

#include <stdio.h>

struct terminal {
	size_t columns; /* 0: it is none, and console_print() is right */
	bool colour;
};

/* What out is. NO_COLOR in the environment is obeyed. */
struct terminal terminal_of(FILE *out);
/* console_print() for it. */
void terminal_print(FILE *out, const struct terminal *terminal, const struct report *report,
                    size_t limit, bool in_results);

#define SHORT_NUMBER_SIZE 24 /* bytes */

/* "3.1 G" of a count, "1.204 s" of ns; what is below 10,000 is written as it is. */
void short_count(char text[SHORT_NUMBER_SIZE], uint64_t count);
void short_time(char text[SHORT_NUMBER_SIZE], uint64_t ns);
/*
 * Clean UTF-8 text in at most that many characters: what is longer loses its middle. Malloc'd; NULL
 * when memory is refused.
 */
char *shortened(const char *name, size_t most);
/* How many characters a UTF-8 text has. */
size_t text_characters(const char *text);

#endif
