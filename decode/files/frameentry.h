/*
 * The entries of .eh_frame and .debug_frame: a CIE has what many functions have in common, an FDE
 * describes one function.
 *
 * In:  a section and an offset in it.
 * Out: the FDE with its CIE: the bounds of a function, and the programs that describe its frame.
 * No byte is trusted. Format: DWARF 5, 6.4.1; Linux Standard Base 5.0 Core, chapter 10.6, by which
 * the field that tells CIEs from FDEs has 4 bytes in .eh_frame even if the length has 8. (LLVM
 * reads it so, too. readelf and elfutils expect 8 bytes, but nothing writes such entries.)
 */
#ifndef READPERF_DECODE_FILES_FRAMEENTRY_H
#define READPERF_DECODE_FILES_FRAMEENTRY_H

#include "util/bytes.h"

struct frame_section {
	const uint8_t *data; /* borrowed */
	size_t size;
	uint64_t addr; /* where it is loaded, according to the ELF file */
	bool eh;       /* .eh_frame, in which entries refer to each other differently */
	bool wide;     /* addresses have 8 bytes */
	bool swap;     /* the file's byte order differs from ours */
};

/* What all entries of a CIE have in common. */
struct frame_common {
	uint64_t offset; /* of its length field */
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_register;
	uint8_t encoding; /* of addresses */
	bool augmented;   /* entries have data of their own after their addresses */
	bool signal;      /* of a trampoline to which signal handlers return */
	bool good;        /* it could be parsed */
	struct bytes program;
};

struct frame_entry {
	struct frame_common common;
	uint64_t start, end; /* link-time addresses, [start, end) */
	struct bytes program;
};

enum frame_parsed {
	FRAME_ENTRY,
	FRAME_OTHER, /* a CIE, a terminator, or an entry that is damaged */
	FRAME_END    /* the section ends here */
};

/*
 * Parses the entry at this offset of the section. *next: the offset of the entry after it. *entry
 * is all zeros at first; then it holds the last entry of this section, which may share its CIE.
 */
enum frame_parsed frame_entry_parse(const struct frame_section *section, uint64_t offset,
                                    struct frame_entry *entry, uint64_t *next);

/* Encodings of pointers (DW_EH_PE_...): a form, and what the value is relative to. */
enum {
	FRAME_ABSPTR = 0x00,
	FRAME_SDATA4 = 0x0b,
	FRAME_PCREL = 0x10,
	FRAME_DATAREL = 0x30,
	FRAME_OMIT = 0xff
};

/* Reads an encoded pointer, absolute or relative to its place, at the front of b. */
bool frame_pointer(const struct frame_section *section, struct bytes *b, uint8_t encoding,
                   uint64_t *pointer);

#endif
