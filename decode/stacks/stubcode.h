/*
 * Code that linkers write without unwind tables: the stubs of the PLT, through which a program
 * calls shared libraries, and _init and _fini. Their instructions are always the same, so they tell
 * themselves where the return address is. GNU ld describes its stubs for x86-64 in .eh_frame; lld
 * and mold do not, and on aarch64 no linker does.
 *
 * In:  an ELF file, and an address.
 * Out: the row for the address.
 */
#ifndef READPERF_DECODE_STACKS_STUBCODE_H
#define READPERF_DECODE_STACKS_STUBCODE_H

#include "decode/stacks/cfi.h"

enum { STUB_SECTIONS = 6 };

struct stub_section {
	uint64_t addr;
	size_t size;
	uint8_t *code; /* owned */
	bool plt;      /* stubs; else _init or _fini */
};

/* All zeros is valid and empty. */
struct stub_code {
	enum cfi_machine machine;
	struct stub_section sections[STUB_SECTIONS];
	size_t count;
};

/*
 * Reads the code; a section that cannot be read is left out. stub_code_release() must be called in
 * any case.
 */
bool stub_code_load(struct stub_code *stubs, const struct elf *elf, enum cfi_machine machine,
                    struct err *err);
void stub_code_release(struct stub_code *stubs);

/* The row at an address; false if it is not that of a known instruction in such code. */
bool stub_code_row(const struct stub_code *stubs, uint64_t addr, struct cfi_row *row);

#endif
