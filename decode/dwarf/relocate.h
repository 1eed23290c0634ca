/*
 * Debug sections of files that are not linked, such as kernel modules: their addresses and offsets
 * into other sections stand in relocations.
 * Format: System V ABI, chapter 4 ("Relocation"), and the supplements of the machines.
 */
#ifndef READPERF_DECODE_DWARF_RELOCATE_H
#define READPERF_DECODE_DWARF_RELOCATE_H

#include "decode/files/elf.h"

struct relocator {
	const struct elf *elf; /* borrowed */
	uint64_t *bases;       /* where each section is */
	uint8_t *symbols;      /* of .symtab */
	size_t symbol_count;
	size_t symtab; /* number of that section */
	uint64_t left; /* bytes of relocations to be read: sections may lie over each other */
};

/*
 * Prepares for a file of type ELF_REL. False if its relocations cannot be applied, since those of
 * its machine are not known, or, with err set, if memory is refused. For relocator_release() in any
 * case.
 */
bool relocator_init(struct relocator *relocator, const struct elf *elf, struct err *err);
void relocator_release(struct relocator *relocator);
/*
 * Relocates the bytes of the section with this number: addresses of code count from the first byte
 * that the kernel loads of a module. What names no place in the file stays as it is. False if
 * nothing of it can be trusted, or, with err set, if memory is refused.
 */
bool relocator_apply(struct relocator *relocator, size_t number, uint8_t *data, size_t size,
                     struct err *err);

#endif
