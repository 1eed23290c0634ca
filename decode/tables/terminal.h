/*
 * How texts and numbers are printed on a terminal: each line fits its width, and numbers are
 * short.
 */
#ifndef READPERF_DECODE_TABLES_TERMINAL_H
#define READPERF_DECODE_TABLES_TERMINAL_H

#include "perffile/session/session.h"

#include <stdio.h>

#define SHORT_NUMBER_SIZE 24 /* bytes */

struct terminal {
	size_t columns; /* 0: it is no terminal */
	bool colour;
};

/* Examines out. Obeys NO_COLOR in the environment. */
struct terminal terminal_of(FILE *out);

/* How many characters a UTF-8 text has. */
size_t text_characters(const char *text);
/*
 * Shortens clean UTF-8 text to that many characters by dropping its middle. Malloc'd; NULL when
 * memory is refused.
 */
char *shortened(const char *name, size_t most);
/* "3.1 G" for a count; numbers below 10,000 are not shortened. */
void short_count(char text[SHORT_NUMBER_SIZE], uint64_t count);
/* Whether the periods of an event are ns. */
bool is_clock(const struct session *session, uint32_t event);
/* "1.204 s" for the period of a clock, otherwise short_count(). */
void format_period(char text[SHORT_NUMBER_SIZE], uint64_t period, bool clock);

/* Prints " 12.34% " in a colour that says how much it is. */
void print_share_of(FILE *out, const struct terminal *terminal, uint64_t period, uint64_t whole);
/* Prints a line in bold. */
void print_bold(FILE *out, const struct terminal *terminal, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Prints a name, shortened or padded to so many columns. */
void print_padded(FILE *out, const char *name, size_t width);

#endif
