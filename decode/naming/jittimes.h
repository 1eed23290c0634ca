/*
 * Samples in code made at run time, whose jitdump file tells when which code came where: memory is
 * used again, so the address alone does not name it.
 */
#ifndef READPERF_DECODE_NAMING_JITTIMES_H
#define READPERF_DECODE_NAMING_JITTIMES_H

#include "decode/tally/buildstat.h"
#include "decode/symbols/symbols.h"

/*
 * After the last record: counts the timed samples of stat, as BINARY_JITDUMP at the place that
 * their code has in its file, or, where none covers them, in the binary that they fell into. False
 * with err set only when memory is refused; what is wrong with a file is told to diag.
 */
bool jit_times_place(struct buildstat *stat, const struct symbol_options *options,
                     struct diag *diag, struct err *err);

#endif
