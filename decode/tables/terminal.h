/*
 * How texts and numbers are printed on a terminal: each line fits its width, and numbers are
 * short.
 */
#ifndef READPERF_DECODE_TABLES_TERMINAL_H
#define READPERF_DECODE_TABLES_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SHORT_NUMBER_SIZE 24 /* bytes */

struct terminal {
	size_t columns; /* 0: it is no terminal */
	bool colour;
};

/* Examines out. Obeys NO_COLOR in the environment. */
struct terminal terminal_of(FILE *out);

/*
 * How many columns of a terminal a UTF-8 text takes: two for a Chinese character, none for a mark
 * that combines with the character before it. Needs a LC_CTYPE with UTF-8; without it, every
 * character beyond ASCII counts as one.
 */
size_t text_columns(const char *text);
/*
 * A name with escapes, because it comes from the recorded machine and may be hostile to the
 * terminal, in so many columns: first without template arguments, then without its middle.
 * Malloc'd; NULL when memory is refused.
 */
char *shortened(const char *name, size_t most);
/* The same for the name of a binary, whose start says more than its end. */
char *shortened_binary(const char *name, size_t most);
/* "3.1 G" for a count; numbers below 10,000 are not shortened. */
void short_count(char text[SHORT_NUMBER_SIZE], uint64_t count);
/* "1.204 s" for ns. */
void short_time(char text[SHORT_NUMBER_SIZE], uint64_t ns);
/* Prints "12.34% " for a part of the whole, in so many columns and 2, coloured as perf does. */
void print_share(FILE *out, uint64_t part, uint64_t whole, int width, bool coloured);

#endif
