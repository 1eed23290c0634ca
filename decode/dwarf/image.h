/*
 * An ELF file in memory whose compressed debug sections lie inflated behind its end, and whose
 * section headers say so: libelf and libdw see a file that was never compressed. They would inflate
 * every debug section, each with zlib and into a block of its own, beside the compressed one.
 */
#ifndef READPERF_DECODE_DWARF_IMAGE_H
#define READPERF_DECODE_DWARF_IMAGE_H

#include "util/errhandler.h"

struct dwarf_image {
	uint8_t *data; /* a private map: changes stay here */
	size_t size;   /* with what was inflated */
	size_t file_size;
	bool changed;    /* had compressed sections: memory is not the same as the file */
	uint64_t lowest; /* lowest address of code; 0 if not known */
};

/*
 * Sections that cannot be inflated here stay as they are, those that no answer needs lose their
 * name. False if there is no such ELF file, only changed is set then; with err set if memory is
 * refused.
 */
bool dwarf_image_open(struct dwarf_image *image, const char *path, struct err *err);
/* The same for a file descriptor, which is closed in any case; -1: there is no file. */
bool dwarf_image_open_fd(struct dwarf_image *image, int fd, struct err *err);
void dwarf_image_close(struct dwarf_image *image);
/* Gives back the file's pages that are in memory; they are read again when needed. */
void dwarf_image_forget(const struct dwarf_image *image);

#endif
