/*
 * The listing of functions on the console: each instruction with its share of the function's
 * period, the source lines between them, and on a terminal arrows for jumps.
 */
#ifndef READPERF_DECODE_TABLES_LISTING_H
#define READPERF_DECODE_TABLES_LISTING_H

#include "decode/tables/tables.h"
#include "decode/tables/terminal.h"

/* limit: functions of an event. False with err set when memory is refused. */
bool listing_print(FILE *out, const struct terminal *terminal, const struct report *report,
                   uint64_t limit, struct err *err);

#endif
