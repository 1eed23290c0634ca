/*
 * The unwind tables of an ELF file, in memory.
 *
 * In:  the file, and perhaps its separate debug file, which may have a .debug_frame.
 * Out: the tables, and the conversion of file offsets, which are the addresses of binaries, to
 * addresses in the file.
 */
#ifndef READPERF_DECODE_STACKS_CFIFILE_H
#define READPERF_DECODE_STACKS_CFIFILE_H

#include "decode/files/elf.h"
#include "decode/stacks/cfi.h"
#include "decode/stacks/gostack.h"
#include "decode/stacks/stubcode.h"

struct cfi_file {
	enum cfi_machine machine;
	struct frame_index eh, debug; /* .eh_frame and .debug_frame */
	struct go_stack go;
	struct stub_code stubs;
	struct elf_segment *segments;
	size_t segment_count;
	uint64_t entry; /* address where a program starts; 0: none */
};

/*
 * Loads the tables; debug may be NULL. The result is empty for a machine whose stacks cannot be
 * unwound and for a file without tables. cfi_file_release() must be called in any case.
 */
bool cfi_file_load(struct cfi_file *file, struct elf *runtime, struct elf *debug, struct err *err);
void cfi_file_release(struct cfi_file *file);

/*
 * The rule for the byte at this file offset, and the row that it is the short form of; UNWIND_ENTRY
 * if there is none, but a program or the dynamic linker may start there.
 */
struct unwind_rule cfi_file_rule(struct cfi_file *file, uint64_t offset, struct cfi_row *row,
                                 struct err *err);

#endif
