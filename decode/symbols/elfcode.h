/*
 * Bytes of code in ELF files, at addresses in the address space of the binary, for disassemblers;
 * and where code of ARM and RISC-V changes its kind, which its bytes do not say.
 */
#ifndef READPERF_DECODE_SYMBOLS_ELFCODE_H
#define READPERF_DECODE_SYMBOLS_ELFCODE_H

#include "decode/symbols/elfsymbols.h"

/*
 * Copies up to size bytes from addr on. link: what is added to addr, but for ELF_SPACE_OFFSET, to
 * get a link-time address; of modules, places as struct elf_section has them. Returns how many
 * there are in the file; 0: none, or the file cannot be read.
 */
size_t elf_read_code(const struct elf *elf, enum elf_space space, uint64_t addr, uint64_t link,
                     uint8_t *bytes, size_t size);

/* The flags of the machine in the header; 0: it cannot be read. */
uint32_t elf_machine_flags(const struct elf *elf);

/* From this link-time address on: 'a' ARM, 't' Thumb, 'x' AArch64 or RISC-V, 'd' data. */
struct elf_mark {
	uint64_t addr;
	char kind;
	/* of RISC-V: the extensions of the code behind it, as "rv64i2p1_v1p0"; NULL: not said */
	const char *extensions;
};

/* Whether files for its machine have mapping symbols. */
bool elf_may_have_marks(const struct elf *elf);
/*
 * The mapping symbols of a file for such a machine, ascending; where ARM files have none, the kinds
 * of functions. *marks: malloc'd, as *texts, which they borrow; it may be NULL. Damaged tables have
 * none. False with err set when memory is refused.
 */
bool elf_read_marks(const struct elf *elf, struct elf_mark **marks, size_t *count, uint8_t **texts,
                    struct err *err);

#endif
