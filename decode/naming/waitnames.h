/*
 * Finds the kernel's code in which threads wait (decode/stacks/waitcode.h) by its symbols: what
 * lies between __sched_text_start and __sched_text_end, and the same of __lock_text; where these
 * are not known, functions with such names.
 */
#ifndef READPERF_DECODE_NAMING_WAITNAMES_H
#define READPERF_DECODE_NAMING_WAITNAMES_H

#include "decode/naming/naming.h"
#include "decode/stacks/waitcode.h"

/*
 * Before the first sample, when the kernel's mapping is known. Empty if its symbols are not found.
 * False with err set when memory is refused; wait_code_release() must be called in any case.
 */
bool wait_code_find(struct wait_code *code, struct buildstat *stat,
                    const struct naming_options *options, struct err *err);

#endif
