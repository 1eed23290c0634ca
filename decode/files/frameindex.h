/*
 * The functions that .eh_frame or .debug_frame describes, by address. Compilers write an entry for
 * every function, and strip keeps those of .eh_frame, so they give the bounds even of functions
 * without a name.
 *
 * In:  an ELF file, and addresses.
 * Out: the entries around an address, or the one that covers it. If the linker wrote a table of
 * them into .eh_frame_hdr, only the entries that are looked up are decoded (frameentry.h).
 */
#ifndef READPERF_DECODE_FILES_FRAMEINDEX_H
#define READPERF_DECODE_FILES_FRAMEINDEX_H

#include "decode/files/elf.h"
#include "decode/files/frameentry.h"

/* The bounds of a function. */
struct frame_range {
	uint64_t start, end; /* [start, end): link-time virtual addresses */
	uint64_t entry;      /* offset of its FDE in the section */
};

/* All zeros is valid and empty. */
struct frame_index {
	struct frame_section section;
	/*
	 * Inside of .eh_frame_hdr: starts of functions in ascending order, and where their FDEs
	 * are, as words relative to table_addr. NULL: there is no table of the usual kind.
	 */
	const uint8_t *table;
	uint64_t table_addr;
	/* without a table: all functions by start, once they are listed */
	struct frame_range *ranges;
	bool listed;
	size_t count, capacity; /* of functions in the table or the list */
	uint8_t *data, *header; /* owned: the bytes of both sections */
};

/*
 * Loads .eh_frame or, without eh, .debug_frame. A section that is missing or cannot be read has no
 * entries, and neither has a file that is not linked, in which addresses are not known.
 * frame_index_release() must be called in any case.
 */
bool frame_index_load(struct frame_index *index, struct elf *elf, bool eh, struct err *err);
/* Uses the table in a header like .eh_frame_hdr, if it is one of this section. */
void frame_index_use_table(struct frame_index *index, const struct frame_section *header);
void frame_index_release(struct frame_index *index);
/*
 * The last function that starts at or before addr, and the first one that starts after it. All
 * zeros if there is none; of a damaged entry only the start may be known, and it is empty.
 */
bool frame_index_around(struct frame_index *index, uint64_t addr, struct frame_range *before,
                        struct frame_range *after, struct err *err);
/* The entry of the innermost function that covers addr. False if there is none. */
bool frame_index_find(struct frame_index *index, uint64_t addr, struct frame_entry *entry,
                      struct err *err);

#endif
