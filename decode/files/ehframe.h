/*
 * The functions described by .eh_frame: where each begins and ends. Compilers write an entry for
 * every function, and strip keeps them, so they give the bounds even of functions without a name.
 * In: an open ELF file. Out: the entries around an address. If the linker wrote a table of them
 * into .eh_frame_hdr, only the entries that are looked up are decoded (frameentry.h).
 */
#ifndef READPERF_DECODE_FILES_EHFRAME_H
#define READPERF_DECODE_FILES_EHFRAME_H

#include "decode/files/elf.h"
#include "decode/files/frameentry.h"

/* A frame description entry (FDE). */
struct ehframe_entry {
	uint64_t start, end; /* [start, end): link-time virtual addresses */
	uint32_t fde, cie;   /* offsets in the section, of the entries' length fields */
};

struct ehframe {
	struct frame_section section;
	struct frame_table table; /* of .eh_frame_hdr */
	/* if there is no such table: all entries, ascending by start */
	struct ehframe_entry *items;
	size_t count, capacity;
	uint8_t *data, *header;  /* the bytes of both sections */
	struct frame_entry last; /* the entry that was parsed last; consecutive ones share a CIE */
};

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
