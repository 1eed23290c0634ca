/*
 * What is left where memory is limited (--max-memory, ulimit). Libraries that are refused some end the
 * process, or leave something out without a word: so it is asked for before they are.
 */
#ifndef READPERF_UTIL_MEMORY_H
#define READPERF_UTIL_MEMORY_H

#include "util/errhandler.h"

bool memory_is_limited(void);
/* Whether size more bytes would be granted; always, where memory is not limited. False with err set. */
bool memory_has(size_t size, struct err *err);
/*
 * Where memory is limited: takes what this thread's stack may need, since one that is refused some ends the
 * process. False with err set.
 */
bool memory_take_stack(struct err *err);

#endif
