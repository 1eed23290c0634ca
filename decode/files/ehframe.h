/*
 * The functions that .eh_frame describes: where each begins and ends. Compilers write an entry for
 * every function, and strip keeps them, so they tell the bounds of functions that have no name.
 * Enters: an open ELF file. Leaves: the entries around an address. Where the linker wrote a table
 * of them into .eh_frame_hdr, only entries that are asked for are decoded. Format: LSB Core 5.0,
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

struct ehframe {
	const uint8_t *table;        /* of .eh_frame_hdr, in header: `count` words and offsets; */
	struct ehframe_entry *items; /* without one: all entries, ascending by start */
	size_t count, capacity;
	uint8_t *data, *header; /* the bytes of both sections */
	size_t size;            /* of data */
	uint64_t addr, header_addr;
	uint32_t cie;     /* offset of the CIE that was decoded last: entries in a row share one */
	uint8_t encoding; /* that it gives for addresses */
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
	EHFRAME_APPLICATION = 0x70,
	EHFRAME_INDIRECT = 0x80,
	EHFRAME_OMIT = 0xff
};

/*
 * Reads elf's .eh_frame; a file without one has no entries. What is damaged ends the list. False
 * with err set only when memory is refused or the file cannot be read. ehframe_release() in any
 * case.
 */
bool ehframe_read(struct ehframe *frames, const struct elf *elf, struct err *err);
void ehframe_release(struct ehframe *frames);
/*
 * The last entry that starts at addr or before it, and the first that starts behind it. All zeros
 * where there is none; of one that is damaged only the start may be known, and it is empty.
 */
void ehframe_around(struct ehframe *frames, uint64_t addr, struct ehframe_entry *before,
                    struct ehframe_entry *after);

#endif
