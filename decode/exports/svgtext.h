/* Names in pictures: escaped for XML, and cut to a width. */
#ifndef READPERF_DECODE_EXPORTS_SVGTEXT_H
#define READPERF_DECODE_EXPORTS_SVGTEXT_H

#include "util/types.h"

#include <stdio.h>

/*
 * Whether the character is printed as U+FFFD, which is as long: U+FFFE and U+FFFF, which are valid
 * UTF-8 but not allowed in XML, and those that turn the direction of the text behind them.
 */
bool svg_is_replaced(const char *text);

/* Prints so many columns of a text without control bytes, which ends at its end or at a tab. */
void svg_print(FILE *out, const char *text, size_t columns);
/* The same, with ".." where it is cut. */
void svg_print_cut(FILE *out, const char *text, size_t columns);
/*
 * Prints the name of a function in so many columns: without template arguments, then without
 * namespaces, then without its end, as flame.js does.
 */
void svg_print_function(FILE *out, const char *name, size_t columns);

#endif
