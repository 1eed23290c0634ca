/*
 * The bytes of sections of an ELF file with debug information: read when they are needed and as far
 * as they are needed, unpacked and relocated. Files are not mapped, since others may truncate them.
 */
#ifndef READPERF_DECODE_DWARF_SECTION_H
#define READPERF_DECODE_DWARF_SECTION_H

#include "decode/dwarf/relocate.h"
#include "util/bytes.h"

/* The file that sections are of. */
struct section_file {
	struct elf elf;
	struct err *err;       /* borrowed; set when memory is refused */
	uint64_t inflate_left; /* bytes that may still come of packed sections */
	bool changed;          /* the file has become shorter, or cannot be read any more */
	bool packed;           /* a section is packed in a way that this build cannot unpack */
	bool relocates;        /* bytes must be relocated */
	struct relocator relocator;
};

struct section {
	struct section_file *file; /* borrowed; NULL: there is no such section */
	size_t number;             /* in the ELF file */
	uint64_t offset, size;     /* bytes in the file; if it is packed, as they are packed */
	uint64_t full_size;        /* bytes when unpacked; else the same as size */
	uint32_t packing;          /* 0: none */
	uint8_t *data;             /* room for all bytes; NULL: nothing was needed yet */
	uint8_t *blocks;           /* a bit for each block that was read; NULL: all of data */
	bool borrowed;             /* data is another section's */
	bool bad;                  /* it cannot be read */
};

/*
 * Takes over fd, -1: there is none. False if this is no ELF file that can be read, or, with err
 * set, if memory is refused. For section_file_close() in any case.
 */
bool section_file_open(struct section_file *file, int fd, struct err *err);
void section_file_close(struct section_file *file);

/* The section with this number; false if it has no bytes. */
bool section_find(struct section *section, struct section_file *file, size_t number);
/* A part of a section as a section of its own, which the other must outlive. */
bool section_cut(struct section *part, struct section *section, uint64_t offset, uint64_t size);
void section_release(struct section *section);
/* Gives back the memory of what can be read again; pointers into it are void. */
void section_forget(struct section *section);

/* All bytes; none if there is no such section, or it cannot be read. */
struct bytes section_whole(struct section *section);
/* size bytes from offset on; they are bad if they cannot be read. */
struct bytes section_part(struct section *section, uint64_t offset, uint64_t size);
/* The text at offset; NULL: there is none. */
const char *section_text(struct section *section, uint64_t offset);
/*
 * Reads size bytes from offset on to where the caller wants them. False if they cannot be read. Not
 * for sections that are packed or relocated: see section_is_plain().
 */
bool section_copy(struct section *section, uint64_t offset, uint64_t size, uint8_t *to);

/* Whether its bytes stand in the file as they are. */
static inline bool section_is_plain(const struct section *section)
{
	return !section->packing && !section->data && section->file && !section->file->relocates;
}

#endif
