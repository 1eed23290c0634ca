/* processes.csv: one row per process and event. */
#ifndef READPERF_DECODE_TABLES_PROCESSPRINTER_H
#define READPERF_DECODE_TABLES_PROCESSPRINTER_H

#include "decode/tally/buildstat.h"
#include "util/csv.h"

#define PROCESSES_CSV_HEADER "pid,comm,mmaps,fork,exit,samples,period,event,ppid,threads"

/* Writes all rows, by pid, fork time and event. False with err set on failure. */
bool processes_print(struct csv *csv, const struct buildstat *stat, struct err *err);

#endif
