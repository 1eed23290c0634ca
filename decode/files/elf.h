/*
 * ELF files, 32 and 64 bit, in either byte order. Only the headers are kept in memory; sections are
 * read when they are needed, so memory does not depend on the size of the file. Every offset and
 * size is checked against the file before it is used; whatever is wrong with it is an error.
 * Format: System V ABI, chapters 4 and 5.
 */
#ifndef READPERF_DECODE_FILES_ELF_H
#define READPERF_DECODE_FILES_ELF_H

#include "util/buildid.h"
#include "util/cursor.h"

#include <elf.h>

#ifndef EM_LOONGARCH /* glibc 2.36 */
#define EM_LOONGARCH 258
#endif

/* The type of the section of attributes of ARM and RISC-V; elf.h has only a name for ARM's. */
#define ELF_ATTRIBUTES SHT_ARM_ATTRIBUTES

/*
 * What a module needs only to start is loaded elsewhere, and no file says where: such code has
 * places from here on, beyond those of all other code of a module.
 */
#define ELF_MODULE_INIT (UINT64_C(1) << 32)

struct elf_section {
	uint64_t flags, addr, offset, size, align, entry_size;
	/*
	 * Of a module: where the kernel loads the section, as an offset from the module's first
	 * byte of code. UINT64_MAX: it is no code.
	 */
	uint64_t place;
	uint32_t name; /* offset in the section names */
	uint32_t type, link, info;
};

/* A program header of type PT_LOAD, or PT_TLS. */
struct elf_segment {
	uint64_t vaddr, offset, file_size, memory_size, align;
	uint32_t flags; /* PF_... */
};

struct elf {
	int fd;         /* owned; -1: the file is in memory */
	uint8_t *image; /* owned; the file, if it is in memory */
	uint64_t size;  /* of the file, bytes */
	bool wide;      /* 64 bit */
	bool swap;      /* the other byte order */
	uint16_t type, machine;
	uint64_t entry;           /* address of the first instruction; 0: none */
	struct build_id build_id; /* of GNU's notes; size 0: none */
	struct elf_section *sections;
	size_t section_count;
	struct elf_segment *segments;
	size_t segment_count;
	/* what each thread gets a copy of; memory_size 0: there is none */
	struct elf_segment tls;
	char *names; /* of the sections; ends with a NUL */
	size_t names_size;
	uint64_t inflate_left; /* bytes that packed sections may still unpack to */
};

/*
 * Reads the headers. The elf owns fd or image (malloc'd) from now on, even after a failure: call
 * elf_close() in any case.
 */
bool elf_open(struct elf *elf, int fd, struct err *err);
bool elf_open_memory(struct elf *elf, uint8_t *image, size_t size, struct err *err);
/* elf_open() for a file that may be packed as a whole, as kernel modules are. */
bool elf_open_packed(struct elf *elf, int fd, struct err *err);
void elf_close(struct elf *elf);

/* Copies [offset, offset + size) of the file. */
bool elf_read(const struct elf *elf, uint64_t offset, void *data, size_t size, struct err *err);
/* The bytes of a section, followed by a NUL, malloc'd; NULL with err set. */
uint8_t *elf_section_data(const struct elf *elf, const struct elf_section *section,
                          struct err *err);

enum { ELF_UNPACKED, ELF_PACKED_ZLIB, ELF_PACKED_ZSTD };

/* How a section is packed. */
struct elf_packing {
	uint32_t kind; /* ELF_UNPACKED ...; any higher number: in a way that is not known */
	size_t header; /* bytes before the packed ones */
	uint64_t size; /* of the section when it is unpacked, bytes */
};

/* False with err set if the section's header says so, but is damaged or cannot be read. */
bool elf_section_packing(const struct elf *elf, const struct elf_section *section,
                         struct elf_packing *packing, struct err *err);
/*
 * elf_section_data() for a section that may be packed, as debug information often is; *size is its
 * unpacked size. NULL with err set if it is damaged, if all that was unpacked from this file would
 * become far larger than the file, or (ERR_UNSUPPORTED) if this build cannot unpack it.
 */
uint8_t *elf_section_unpacked(struct elf *elf, const struct elf_section *section, size_t *size,
                              struct err *err);
/* The name, or "". */
const char *elf_section_name(const struct elf *elf, const struct elf_section *section);
/* The first section with that name that has bytes in the file, or NULL. */
const struct elf_section *elf_find_section(const struct elf *elf, const char *name);
/* The first section of that type, or NULL. */
const struct elf_section *elf_find_type(const struct elf *elf, uint32_t type);

/* Converts addr to a file offset; false if no segment has it. */
bool elf_offset_of_addr(const struct elf *elf, uint64_t addr, uint64_t *offset);
/* Whether it has DWARF of its own. */
bool elf_has_dwarf(const struct elf *elf);
/*
 * objcopy --only-keep-debug removes the bytes of the segments and moves the segments together.
 * Computes where they were: linkers put each segment after the one before it, at its address modulo
 * its alignment.
 */
void elf_restore_offsets(struct elf *elf);

/* The n-th word of an item. */
static inline uint64_t elf_load_word(const struct elf *elf, const uint8_t *data, unsigned n)
{
	return elf->wide ? load_u64(data + 8 * n, elf->swap) : load_u32(data + 4 * n, elf->swap);
}

/* An entry of a symbol table. */
struct elf_symbol {
	uint64_t value, size;
	uint32_t name;
	uint16_t section;
	uint8_t type, binding, visibility; /* STT_..., STB_..., STV_... */
};

/* Bytes of each entry of a symbol table. */
static inline size_t elf_symbol_size(const struct elf *elf)
{
	return elf->wide ? 24 : 16;
}

/* data: elf_symbol_size() bytes. */
static inline struct elf_symbol elf_decode_symbol(const struct elf *elf, const uint8_t *data)
{
	const uint8_t *rest = data + (elf->wide ? 4 : 12);

	return (struct elf_symbol){ .name = load_u32(data, elf->swap),
		                    .section = load_u16(rest + 2, elf->swap),
		                    .type = rest[0] & 15,
		                    .binding = rest[0] >> 4,
		                    .visibility = rest[1] & 3,
		                    .value = elf_load_word(elf, data, 1),
		                    .size = elf_load_word(elf, data, 2) };
}

/* An entry of a section of type SHT_REL or SHT_RELA. */
struct elf_relocation {
	uint64_t offset; /* what is relocated: an address or, if not linked, an offset */
	uint64_t addend; /* 0 in SHT_REL, where it is at the place itself */
	uint32_t symbol, type;
};

/* Bytes of each relocation in such a section. */
static inline size_t elf_relocation_size(const struct elf *elf, const struct elf_section *section)
{
	return (elf->wide ? 8u : 4u) * (section->type == SHT_RELA ? 3u : 2u);
}

/* data: elf_relocation_size() bytes. */
struct elf_relocation elf_decode_relocation(const struct elf *elf,
                                            const struct elf_section *section, const uint8_t *data);

/* Finds a GNU build id among notes. align: of the section; anything but 8 means 4. */
bool elf_notes_build_id(const uint8_t *data, size_t size, uint64_t align, bool swap,
                        struct build_id *id);

static inline bool elf_has_bytes(const struct elf_section *section)
{
	return section->type != SHT_NOBITS && section->size;
}

#endif
