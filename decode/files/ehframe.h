/*
 * The functions that .eh_frame describes: where each begins and ends, and where its description is.
 * Compilers write one for every function, and strip keeps them, so they tell the bounds of
 * functions that have no name. Enters: an open ELF file. Leaves: entries in the order of their
 * addresses. Format: LSB Core 5.0, chapter 10.6; DWARF 5, 6.4.1.
 */
#ifndef READPERF_DECODE_FILES_EHFRAME_H
#define READPERF_DECODE_FILES_EHFRAME_H

#include "decode/files/elf.h"

/* A frame description entry (FDE). */
struct ehframe_entry {
	uint64_t start, end; /* [start, end): link-time virtual addresses; never empty */
	uint32_t fde, cie;   /* offsets in the section, of the entries' length fields */
};

struct ehframe {
	struct ehframe_entry *items; /* ascending by start */
	size_t count, capacity;
	uint8_t *data; /* the section's bytes, for who reads the rules of an entry */
	size_t size;
	uint64_t addr;   /* of the section, link time */
	bool wide, swap; /* as in struct elf */
};

/* How pointers are written, of which the FDEs' starts are one kind (DW_EH_PE_...). */
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

/* What a common information entry (CIE) says about all its FDEs. */
struct ehframe_cie {
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t return_register;
	uint8_t encoding;    /* of the FDEs' addresses */
	uint8_t lsda;        /* encoding of the language's own pointer, or EHFRAME_OMIT */
	bool augmented;      /* its FDEs have augmentation data, with a length before it */
	bool signal;         /* of a signal handler's frame */
	bool plain;          /* all of its augmentation is known */
	uint32_t rules, end; /* [rules, end): its instructions, offsets in the section */
};

/*
 * Reads the entries of elf's .eh_frame; a file without one has none. What is damaged ends the list.
 * False with err set only when memory is refused or the file cannot be read. ehframe_release() in
 * any case.
 */
bool ehframe_read(struct ehframe *frames, const struct elf *elf, struct err *err);
void ehframe_release(struct ehframe *frames);
/* The entry that covers an address, or NULL. */
const struct ehframe_entry *ehframe_find(const struct ehframe *frames, uint64_t addr);
/* Decodes the CIE at that offset; false if it is damaged, or of a kind that is not known. */
bool ehframe_cie(const struct ehframe *frames, uint32_t offset, struct ehframe_cie *cie);
/*
 * Where an entry's own instructions are: [*rules, *end), offsets in the section. False if it is
 * damaged.
 */
bool ehframe_rules(const struct ehframe *frames, const struct ehframe_entry *entry,
                   const struct ehframe_cie *cie, uint32_t *rules, uint32_t *end);

#endif
