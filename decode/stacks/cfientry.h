/*
 * An entry of an unwind table: the FDE of a function together with its CIE.
 *
 * In:  a section and an offset in it.
 * Out: the entry, whose program cfiprogram.h executes.
 */
#ifndef READPERF_DECODE_STACKS_CFIENTRY_H
#define READPERF_DECODE_STACKS_CFIENTRY_H

#include "decode/stacks/cfirow.h"
#include "util/bytes.h"

/* One of the two sections with entries. */
struct cfi_source {
	const struct cfi *cfi;
	const struct cfi_section *section;
	/* .eh_frame, in which entries refer to each other differently than in .debug_frame */
	bool eh;
};

/* What all entries of a CIE have in common. */
struct cfi_common {
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_register;
	uint8_t encoding; /* of addresses */
	bool augmented;   /* entries have data of their own after their addresses */
	bool signal;
	struct bytes program;
};

struct cfi_entry {
	struct cfi_common common;
	uint64_t start, end; /* addresses, [start, end) */
	struct bytes program;
};

enum cfi_parsed {
	CFI_PARSED_ENTRY,
	CFI_PARSED_OTHER, /* a CIE, a terminator, or an entry that is damaged */
	CFI_PARSED_END    /* the section ends here */
};

/* Parses the entry at this offset of the section. *next: the offset of the entry after it. */
enum cfi_parsed cfi_entry_parse(const struct cfi_source *source, uint64_t offset,
                                struct cfi_entry *entry, uint64_t *next);

/* Reads an encoded pointer at the front of b, a part of the section. */
bool cfi_pointer(const struct cfi *cfi, const struct cfi_section *section, struct bytes *b,
                 uint8_t encoding, uint64_t *pointer);

#endif
