/*
 * Samples in code made at run time. Memory is reused, so an address alone does not identify the
 * code; a jitdump file says what was loaded where at which time.
 */
#ifndef READPERF_DECODE_NAMING_JITTIMES_H
#define READPERF_DECODE_NAMING_JITTIMES_H

#include "decode/tally/buildstat.h"
#include "decode/symbols/symbols.h"

/*
 * After the last record: counts the timed samples of stat: as BINARY_JITDUMP at the offset of their
 * code in the file or, if no code covers them, in the binary they fell into. False with err set
 * only when memory is refused; problems of a file are reported to diag.
 */
bool jit_times_place(struct buildstat *stat, const struct symbol_options *options,
                     struct diag *diag, struct err *err);

#endif
