/* The way without libdw: one addr2line process per binary, fed all its addresses. */
#ifndef READPERF_DECODE_SOURCE_ADDR2LINEPROCESS_H
#define READPERF_DECODE_SOURCE_ADDR2LINEPROCESS_H

#include "decode/source/addr2line.h"

/*
 * As source_lookup(), for SYMBOLIZER_ADDR2LINE. An addr2line that is missing, crashes, hangs or
 * answers nonsense is a warning; what it answered before that counts.
 */
bool addr2line_lookup(struct source_query *query, struct diag *diag, struct err *err);

#endif
