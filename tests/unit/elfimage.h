/*
 * For unit tests: ELF files of any class, byte order and machine, put together from sections. Code
 * is at file offset N and address ELF_BASE + N.
 */
#ifndef READPERF_TESTS_ELFIMAGE_H
#define READPERF_TESTS_ELFIMAGE_H

#include "tests/unit/recording.h"

#include <elf.h>

#define ELF_BASE 0x10000u

/* Data as it is in the file. The n-th part is section n + 1, behind the null section. */
struct elf_part {
	const char *name;
	uint32_t type;
	uint64_t flags;
	uint64_t addr;    /* 0: not loaded; else in ascending order, before those that are not */
	const void *data; /* NULL: zeros */
	size_t size;
	uint32_t link, info;
	uint64_t entry_size, align;
	uint64_t said_size, said_offset; /* what the header says, if not 0, instead of the truth */
};

struct elf_whole {
	bool wide, big_endian;
	uint16_t type, machine;
	const struct elf_part *parts;
	size_t count;
};

/* Fills image, which the function initializes. .shstrtab comes last; a PT_LOAD covers all. */
void elf_image(struct image *image, const struct elf_whole *whole);

struct elf_name {
	const char *name;
	uint64_t value, size;
	unsigned type, binding, section;
};

/* A symbol table and its names, both initialized here, of the class that whole says. */
void elf_name_images(struct image *symbols, struct image *names, const struct elf_whole *whole,
                     const struct elf_name *list, size_t count);

/* A word of the file's class. */
void elf_word(struct image *image, bool wide, uint64_t value);

/* A GNU build id note with these bytes. */
void elf_build_id_image(struct image *note, bool big_endian, const void *id, size_t size);

#endif
