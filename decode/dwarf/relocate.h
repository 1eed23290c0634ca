/*
 * Relocates debug sections of files that are not linked, such as kernel modules: their addresses,
 * and their offsets into other sections, are in relocations. Format: System V ABI, chapter 4
 * ("Relocation"), and the supplements for the machines.
 */
#ifndef READPERF_DECODE_DWARF_RELOCATE_H
#define READPERF_DECODE_DWARF_RELOCATE_H

#include "decode/files/elf.h"

struct relocator {
	const struct elf *elf; /* borrowed */
	uint64_t *bases;       /* the address of each section */
	uint8_t *symbols;      /* bytes of .symtab */
	size_t symbol_count;
	size_t symtab; /* its section number */
	uint64_t left; /* bytes of relocations that may still be read, since sections may overlap */
};

/*
 * Prepares for a file of type ET_REL. False if its relocations cannot be applied because those of
 * its machine are not known. relocator_release() must be called in any case.
 */
bool relocator_init(struct relocator *relocator, const struct elf *elf, struct err *err);
void relocator_release(struct relocator *relocator);
/*
 * Relocates the bytes of the section with this number; addresses of code are relative to the first
 * byte that the kernel loads of a module. Relocations without a place in the file are not applied.
 * False if the bytes cannot be trusted.
 */
bool relocator_apply(struct relocator *relocator, size_t number, uint8_t *data, size_t size,
                     struct err *err);

#endif
