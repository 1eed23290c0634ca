/*
 * The bytes of sections of an ELF file with debug information. They are read, unpacked and
 * relocated when they are needed, and only as far as they are needed. Files are not mapped into
 * memory, because other processes may truncate them.
 */
#ifndef READPERF_DECODE_DWARF_SECTION_H
#define READPERF_DECODE_DWARF_SECTION_H

#include "decode/dwarf/point.h"
#include "decode/dwarf/relocate.h"
#include "util/bytes.h"

/* A file with sections. */
struct section_file {
	struct elf elf;
	struct err *err; /* borrowed; set when memory is refused */
	bool changed;    /* the file has become shorter, or cannot be read any more */
	bool packed;     /* a section is packed in a way that this build cannot unpack */
	bool relocates;  /* sections must be relocated */
	struct relocator relocator;
};

struct section {
	struct section_file *file; /* borrowed; NULL: there is no such section */
	size_t number;             /* in the ELF file */
	uint64_t offset;           /* in the file; not of a packed section */
	uint64_t full_size;        /* bytes, unpacked */
	bool packed;
	uint8_t *data;   /* memory for all bytes; NULL: nothing has been read yet */
	uint8_t *blocks; /* a bit for each block that has been read; NULL: all of data has */
	bool borrowed;   /* data belongs to another section */
	bool bad;        /* it cannot be read */
};

/*
 * Takes over fd; -1: there is none. False if it is no readable ELF file. section_file_close() must
 * be called in any case.
 */
bool section_file_open(struct section_file *file, int fd, struct err *err);
void section_file_close(struct section_file *file);

/* Opens the section with this number; false if it has no bytes. */
bool section_find(struct section *section, struct section_file *file, size_t number);
/* Makes a section of a part of another one, which must outlive it. */
bool section_cut(struct section *part, struct section *section, uint64_t offset, uint64_t size);
void section_release(struct section *section);
/* Releases memory that can be read again; pointers into it become invalid. */
void section_forget(struct section *section);

/* All bytes; none if there is no such section, or if it cannot be read. */
struct bytes section_whole(struct section *section);
/* size bytes starting at offset; the result is bad if they cannot be read. */
struct bytes section_part(struct section *section, uint64_t offset, uint64_t size);
/* The text at offset; NULL: there is none. Texts may share bytes, so they cost steps. */
const char *section_text(struct section *section, uint64_t offset, struct points *points);
/*
 * section_part() of more than 0 bytes, in memory of the caller unless the section is in memory
 * anyway, since it is packed or relocated. *copy: that memory, malloc'd, or NULL; what was there
 * before is freed.
 */
struct bytes section_fetch(struct section *section, uint64_t offset, uint64_t size, uint8_t **copy);

#endif
