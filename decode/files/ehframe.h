/*
 * The functions described by .eh_frame: where each begins and ends. Compilers write an entry for
 * every function, and strip keeps them, so they give the bounds even of functions without a name.
 * In: an open ELF file. Out: the entries around an address. If the linker wrote a table of them
 * into .eh_frame_hdr, only the entries that are looked up are decoded. Format: LSB Core 5.0,
 * chapter 10.6; DWARF 5, 6.4.1.
 */
#ifndef READPERF_DECODE_FILES_EHFRAME_H
#define READPERF_DECODE_FILES_EHFRAME_H

#include "decode/files/elf.h"

/* A frame description entry (FDE). */
struct ehframe_entry {
	uint64_t start, end; /* [start, end): link-time virtual addresses */
	uint32_t fde, cie;   /* offsets in the section, of the entries' length fields */
};

struct bytes;

struct ehframe {
	const uint8_t *table; /* of .eh_frame_hdr, inside of header: `count` words and offsets */
	/* if there is no such table: all entries, ascending by start */
	struct ehframe_entry *items;
	size_t count, capacity;
	uint8_t *data, *header; /* the bytes of both sections */
	size_t size;            /* of data */
	uint64_t addr, header_addr;
	uint32_t cie; /* offset of the CIE that was decoded last; consecutive entries share one */
	uint8_t encoding; /* its encoding of addresses */
	bool cie_known, cie_good;
	bool wide, swap; /* as in struct elf */
};

/* Encodings of pointers, such as the starts of FDEs (DW_EH_PE_...). */
enum ehframe_encoding {
	EHFRAME_ABSPTR = 0x00,
	EHFRAME_ULEB128 = 0x01,
	EHFRAME_UDATA2 = 0x02,
	EHFRAME_UDATA4 = 0x03,
	EHFRAME_UDATA8 = 0x04,
	EHFRAME_SLEB128 = 0x09,
	EHFRAME_SDATA2 = 0x0a,
	EHFRAME_SDATA4 = 0x0b,
	EHFRAME_SDATA8 = 0x0c,
	EHFRAME_FORM = 0x0f,
	EHFRAME_PCREL = 0x10,
	EHFRAME_TEXTREL = 0x20,
	EHFRAME_DATAREL = 0x30,
	EHFRAME_APPLICATION = 0x70,
	EHFRAME_INDIRECT = 0x80,
	EHFRAME_OMIT = 0xff
};

/*
 * Reads a value in one of the forms, sign-extended if the form is signed. wide: addresses have 8
 * bytes. False if the form is unknown, or the bytes end.
 */
bool ehframe_form(struct bytes *b, uint8_t form, bool wide, uint64_t *value);

/*
 * Reads the .eh_frame of elf; a file without one has no entries. Damage ends the list. False with
 * err set only when memory is refused or the file cannot be read. ehframe_release() must be called
 * in any case.
 */
bool ehframe_read(struct ehframe *frames, const struct elf *elf, struct err *err);
void ehframe_release(struct ehframe *frames);
/*
 * The last entry that starts at or before addr, and the first one that starts after it. All zeros
 * if there is none; of a damaged entry only the start may be known, and it is empty.
 */
void ehframe_around(struct ehframe *frames, uint64_t addr, struct ehframe_entry *before,
                    struct ehframe_entry *after);

#endif
