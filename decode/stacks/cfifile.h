/*
 * The unwind tables of an ELF file, in memory.
 *
 * Enters: the file, and perhaps its separate debug file, which may have a .debug_frame. Leaves: the
 * tables, and how offsets in the file, which binaries' addresses are, become addresses of the file.
 */
#ifndef READPERF_DECODE_STACKS_CFIFILE_H
#define READPERF_DECODE_STACKS_CFIFILE_H

#include "decode/files/elf.h"
#include "decode/stacks/cfi.h"

struct cfi_file {
	struct cfi cfi;
	uint8_t *sections[3]; /* owned */
	struct elf_segment *segments;
	size_t segment_count;
	uint64_t entry; /* where a program starts; 0: none */
};

/*
 * Loads the tables; debug may be NULL. False with err set when memory is refused. A machine that
 * cannot be unwound and a file without tables give none. cfi_file_release() in any case.
 */
bool cfi_file_load(struct cfi_file *file, const struct elf *runtime, const struct elf *debug,
                   struct err *err);
void cfi_file_release(struct cfi_file *file);

/* The address that the byte at this offset of the file is loaded to; false: it is not. */
bool cfi_file_addr(const struct cfi_file *file, uint64_t offset, uint64_t *addr);

/*
 * The rule for the byte at this offset. Where a program or the dynamic linker starts there may be
 * none; that is an end too.
 */
bool cfi_file_rule(struct cfi_file *file, uint64_t offset, struct unwind_rule *rule,
                   struct err *err);

#endif
