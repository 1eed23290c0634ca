/* What needs no recording: --help, --version, --schema, --generate. */
#ifndef READPERF_DECODE_OPTIONS_HELP_H
#define READPERF_DECODE_OPTIONS_HELP_H

#include "decode/options/options.h"

#include <stdio.h>

/* Made from option_list; no line has more than 80 columns. */
void help_print(FILE *out);
/*
 * Prints what the options ask for to standard output; their action is not ACTION_RUN. False with
 * err set if that cannot be written.
 */
bool options_answer(const struct options *options, struct err *err);

#endif
