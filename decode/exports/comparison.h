/* Prints the result of a comparison on the console, in a form like benchstat's. */
#ifndef READPERF_DECODE_EXPORTS_COMPARISON_H
#define READPERF_DECODE_EXPORTS_COMPARISON_H

#include "decode/exports/verdicttext.h"
#include "decode/tables/terminal.h"

/*
 * One table per event: [total], then functions by verdict, the largest change first; ~ means within
 * noise. Functions below the minimum share are left out. On a terminal each row fits into a line,
 * without the interval if the terminal is narrow; elsewhere (columns 0) everything is printed.
 */
void comparison_print(FILE *out, const struct verdict_report *report,
                      const struct terminal *terminal);

/* A line per rule: whether it is met, and by how much. */
void rules_print(FILE *out, const struct verdict_report *report);

#endif
