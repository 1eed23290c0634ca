/* Names for the stubs through which a program calls functions of shared libraries: name@plt. */
#ifndef READPERF_DECODE_SYMBOLS_PLT_H
#define READPERF_DECODE_SYMBOLS_PLT_H

#include "decode/files/elf.h"
#include "decode/symbols/symtable.h"

/*
 * Adds one item per stub to table, which is sorted, and sorts it again. A file without stubs is no
 * error. Which function a stub calls is read from its own jump on x86, where linkers choose any
 * order, and elsewhere from the order of the relocations (format reference, 8.7, PLT).
 */
bool plt_put(struct symtable *table, const struct elf *elf, struct err *err);

#endif
