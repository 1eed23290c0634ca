/*
 * Answers from the addr2line of binutils, one process per binary, which receives all its addresses.
 * It serves as a second opinion, and reads compressed debug information that this build cannot.
 */
#ifndef READPERF_DECODE_SOURCE_ADDR2LINE_H
#define READPERF_DECODE_SOURCE_ADDR2LINE_H

#include "decode/source/source.h"

/*
 * Answers all questions; unknown answers stay empty. If addr2line is missing, crashes, hangs or
 * answers nonsense, this is a warning, and its earlier answers are used.
 */
bool addr2line_lookup(struct source_query *query, struct diag *diag, struct err *err);

#endif
