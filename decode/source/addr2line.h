/*
 * Answers from one addr2line process of binutils per binary, which is fed all its addresses: the
 * second opinion, and what reads the compressions that this build cannot.
 */
#ifndef READPERF_DECODE_SOURCE_ADDR2LINE_H
#define READPERF_DECODE_SOURCE_ADDR2LINE_H

#include "decode/source/source.h"

/*
 * Answers all questions. What is not known stays empty. An addr2line that is missing, crashes,
 * hangs or answers nonsense is a warning; what it answered before that counts. False with err set
 * only when memory is refused.
 */
bool addr2line_lookup(struct source_query *query, struct diag *diag, struct err *err);

#endif
