/*
 * Parses what objdump prints: a line that names a section, then a line for each instruction:
 * blanks (none before a long address), hex digits, a colon, a tab, the text. All of it is foreign;
 * lines that are anything else are skipped, and addresses that are not in the section or not
 * ascending.
 */
#ifndef READPERF_DECODE_CODE_OBJDUMPPARSE_H
#define READPERF_DECODE_CODE_OBJDUMPPARSE_H

#include "decode/code/function.h"
#include "util/errhandler.h"
#include "util/strings.h"

#define OBJDUMP_LINE_MOST 1024 /* bytes; of longer lines the rest is dropped */

/* The caller sets the borrowed fields, and zeros in all others. */
struct objdump_parser {
	struct code_function *functions; /* borrowed, as are the strings */
	size_t first, count;             /* only [first, count) is expected */
	struct strings *strings;
	uint16_t machine;
	struct code_function *current; /* whose section is printed; NULL: none */
	size_t begun;                  /* number of the last function whose section was begun, and
	                                  1; first: none */
	bool unable;                   /* it says that it does not know the machine */
	size_t length;                 /* of the line that is being received */
	char line[OBJDUMP_LINE_MOST];
};

bool objdump_feed(struct objdump_parser *parser, const char *data, size_t size, struct err *err);

#endif
