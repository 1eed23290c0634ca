/* Reads the command line. Nothing is printed here. */
#ifndef READPERF_DECODE_OPTIONS_COMMANDLINE_H
#define READPERF_DECODE_OPTIONS_COMMANDLINE_H

#include "decode/options/options.h"

/*
 * Sets options from the command line, which they borrow; argv may be reordered. False with err set
 * if it is wrong. options_release() must be called in any case.
 */
bool options_parse(struct options *options, int argc, char **argv, struct err *err);
void options_release(struct options *options);
/* Warns of each option that was given and has no effect beside the others. */
void options_warn_of_idle(const struct options *options, struct diag *diag);

#endif
