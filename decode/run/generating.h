/*
 * --generate of a loader with a FILE: the statements also for the tables of its tracepoints, whose
 * columns only the recording knows; with a folder of recordings, for all that is in it.
 */
#ifndef READPERF_DECODE_RUN_GENERATING_H
#define READPERF_DECODE_RUN_GENERATING_H

#include "decode/run/tableoutputs.h"

/* Reads the recording and prints to standard output. False with err set. */
bool generating_run(struct recording *recording, struct table_outputs *outputs,
                    const struct read_options *how, struct err *err);

#endif
