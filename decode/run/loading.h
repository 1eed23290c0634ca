/*
 * --generate of a loader with a folder of folders recording=ID: statements that load each table of
 * all of them as one.
 */
#ifndef READPERF_DECODE_RUN_LOADING_H
#define READPERF_DECODE_RUN_LOADING_H

#include "decode/options/options.h"

/*
 * Looks which tables are there, and prints to standard output. --tables selects from them, and
 * those of --by are loaded if it is given as it was for the tables; warns of others. False with err
 * set.
 */
bool loading_run(const struct options *options, struct diag *diag, struct err *err);

#endif
