/*
 * Debug sections of files that are not linked, such as kernel modules: their addresses and offsets
 * into other sections stand in relocations.
 * Format: System V ABI, chapter 4 ("Relocation"), and the supplements of the machines.
 */
#ifndef READPERF_DECODE_DWARF_RELOCATE_H
#define READPERF_DECODE_DWARF_RELOCATE_H

#include "decode/dwarf/file.h"

/*
 * Relocates the debug sections of an open file of type ET_REL in memory: addresses of code count
 * from the first byte that the kernel loads of a module, as ELF_SPACE_MODULE. What names no place
 * in the file stays as it is. False if nothing of it can be trusted, since the machine's relocations
 * are not known, or, with err set, if memory is refused.
 */
bool dwarf_relocate(struct dwarf_file *file, struct err *err);

#endif
