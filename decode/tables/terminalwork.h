/* What the files that print on a terminal share: terminal.c functions, terminalgroups.c groups. */
#ifndef READPERF_DECODE_TABLES_TERMINALWORK_H
#define READPERF_DECODE_TABLES_TERMINALWORK_H

#include "decode/tables/terminal.h"

#define SHORT_NUMBER_SIZE 24 /* bytes */

/* "3.1 G" for a count; numbers below 10,000 are not shortened. */
void short_count(char text[SHORT_NUMBER_SIZE], uint64_t count);
/* "1.204 s" for the period of a clock, otherwise short_count(). */
void format_period(char text[SHORT_NUMBER_SIZE], uint64_t period, bool clock);
/* Whether the periods of an event are ns. */
bool is_clock(const struct session *session, uint32_t event);
/* Prints " 12.34% " in a colour that says how much it is. */
void print_share_of(FILE *out, const struct terminal *terminal, uint64_t period, uint64_t whole);
/* Prints a line in bold. */
void print_bold(FILE *out, const struct terminal *terminal, const char *text);
/* Prints a name, shortened or padded to so many columns. */
void print_padded(FILE *out, const char *name, size_t width);

#endif
