/*
 * One entry of an unwind table: the FDE of a function together with what its CIE says.
 *
 * Enters: a section and an offset in it. Leaves: the entry, whose program cfiprogram.h runs.
 */
#ifndef READPERF_DECODE_STACKS_CFIENTRY_H
#define READPERF_DECODE_STACKS_CFIENTRY_H

#include "decode/stacks/cfirow.h"
#include "util/bytes.h"

/* One of the two sections that hold entries. */
struct cfi_source {
	const struct cfi *cfi;
	const struct cfi_section *section;
	bool eh; /* .eh_frame, which differs from .debug_frame in how entries refer to others */
};

/* What the entries of a CIE have in common. */
struct cfi_common {
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_register;
	uint8_t encoding; /* of addresses */
	bool augmented;   /* entries have data of their own behind their addresses */
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
	CFI_PARSED_END    /* nothing can follow */
};

/* Reads what is at this offset of the section. *next: where the one behind it starts. */
enum cfi_parsed cfi_entry_parse(const struct cfi_source *source, uint64_t offset,
                                struct cfi_entry *entry, uint64_t *next);

/* Reads an encoded pointer at the front of b, which is a part of the section. */
bool cfi_pointer(const struct cfi *cfi, const struct cfi_section *section, struct bytes *b,
                 uint8_t encoding, uint64_t *pointer);

#endif
