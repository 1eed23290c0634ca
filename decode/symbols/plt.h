/* Names for the stubs through which a program calls its shared libraries: name@plt. */
#ifndef READPERF_DECODE_SYMBOLS_PLT_H
#define READPERF_DECODE_SYMBOLS_PLT_H

#include "decode/files/elf.h"
#include "decode/symbols/symtable.h"

/*
 * Puts one item per stub into table, which is sorted, and sorts it again. A file without stubs is
 * no error. Which stub calls what is read from the stub's own jump on x86, where linkers order
 * them as they like, and from the order of the relocations elsewhere (format reference, 8.7, PLT).
 */
bool plt_put(struct symtable *table, const struct elf *elf, struct err *err);

#endif
