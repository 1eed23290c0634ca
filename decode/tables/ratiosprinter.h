/* ratios.csv on the console. */
#ifndef READPERF_DECODE_TABLES_RATIOSPRINTER_H
#define READPERF_DECODE_TABLES_RATIOSPRINTER_H

#include "decode/tables/tables.h"

/*
 * Prints up to `limit` ratios of the whole recording, or of functions. False with err set when
 * memory is refused.
 */
bool ratios_print(FILE *out, const struct report *report, uint64_t limit, struct err *err);

#endif
