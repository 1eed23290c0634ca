/*
 * Names that a recording has with it: those of Android's simpleperf, which stores the symbols of
 * what it sampled. Enters: a binary and the recording's list of files. Leaves: the symbols of the
 * files that are this binary, in its own address space.
 */
#ifndef READPERF_DECODE_SYMBOLS_RECORDEDSYMBOLS_H
#define READPERF_DECODE_SYMBOLS_RECORDEDSYMBOLS_H

#include "decode/symbols/symboloptions.h"
#include "decode/symbols/symtable.h"
#include "util/errhandler.h"

/*
 * Puts them into table, which is sorted then; none where the recording has none. False with err
 * set only when memory is refused.
 */
bool recorded_symbols_put(struct symtable *table, const struct binary *binary,
                          const struct strings *strings, const struct symbol_options *options,
                          struct err *err);

#endif
