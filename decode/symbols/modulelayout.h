/*
 * Where the kernel loaded the sections of a module.
 *
 * Their places in struct elf_section are by their order in the file, as the kernel goes about it
 * today. Where the kernel's list of symbols is there, it is the proof: the address of a symbol,
 * minus its place in its section, is the address of the section.
 */
#ifndef READPERF_DECODE_SYMBOLS_MODULELAYOUT_H
#define READPERF_DECODE_SYMBOLS_MODULELAYOUT_H

#include "decode/files/elf.h"
#include "decode/symbols/symtable.h"

/*
 * Makes table, which has symbols from the kernel's list as offsets from the module's start, able to
 * convert such offsets to link-time addresses: places as struct elf_section has them. What lies in
 * no section that a symbol proves gets the address that it had in the kernel, which is that of
 * nothing in the file.
 *
 * *common: whether the two have names in common. Returns how many sections were found; if none was,
 * the table is unchanged, and the file is not the one that was loaded. -1: err is set.
 */
int module_layout_link(struct symtable *table, const struct elf *elf, uint64_t start, bool *common,
                       struct err *err);

#endif
