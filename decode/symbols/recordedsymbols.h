/*
 * Names that are stored in the recording: Android's simpleperf stores the symbols of what it
 * sampled. In: a binary, and the recording's list of files. Out: the symbols of the files that are
 * this binary, in the binary's own address space.
 */
#ifndef READPERF_DECODE_SYMBOLS_RECORDEDSYMBOLS_H
#define READPERF_DECODE_SYMBOLS_RECORDEDSYMBOLS_H

#include "decode/symbols/symboloptions.h"
#include "decode/symbols/symtable.h"
#include "util/errhandler.h"

/* Fills the empty table and sorts it; adds no symbols if the recording has none. */
bool recorded_symbols_put(struct symtable *table, const struct symbol_query *query,
                          struct err *err);

#endif
