/*
 * --generate of a loader with a folder of tables, or of folders recording=ID or start=TIME:
 * statements that load each table of all of them as one.
 */
#ifndef READPERF_DECODE_RUN_LOADING_H
#define READPERF_DECODE_RUN_LOADING_H

#include "decode/options/options.h"

/*
 * Looks which tables are there, and prints to standard output. --tables selects from them, and
 * --by names tables of --by beside those of --tables; the columns of these are what the files say.
 * Warns of files that are no tables of readperf. False with err set.
 */
bool loading_run(const struct options *options, struct diag *diag, struct err *err);

#endif
