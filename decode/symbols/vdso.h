/* Symbols of the vdso, the code that the kernel maps into every process. */
#ifndef READPERF_DECODE_SYMBOLS_VDSO_H
#define READPERF_DECODE_SYMBOLS_VDSO_H

#include "decode/symbols/symboloptions.h"
#include "decode/symbols/symtable.h"

/*
 * Reads the vdso's functions into table: from the build-id cache, or from this process's own vdso
 * if it is the recorded one. False with err set only when memory is refused; *reason says why there
 * are none.
 */
bool vdso_load(struct symtable *table, const struct binary *binary,
               const struct symbol_options *options, enum symbol_origin *reason, struct err *err);

#endif
