/* Unpacks sections of ELF files: gABI's SHF_COMPRESSED, and the older .zdebug of GNU. */
#include "decode/files/elf.h"

#include "util/cursor.h"
#include "util/inflate.h"

#include <stdlib.h>

enum { PACKED_ZLIB = 1, PACKED_ZSTD = 2 };
/* Deflate packs at most 1032 bytes into one; a larger size in the header is wrong. */
#define RATIO_MAX 1032
#define GNU_HEADER 12

/* Where the packed bytes begin, how they are packed, and their unpacked size. */
struct packed_section {
	size_t header;
	uint32_t kind;
	uint64_t size;
};

static bool read_header(const struct elf *elf, const uint8_t *data, size_t size, bool gnu,
                        struct packed_section *packed)
{
	packed->header = gnu || !elf->wide ? GNU_HEADER : 24;
	if (size <= packed->header || (gnu && memcmp(data, "ZLIB", 4)))
		return false;
	packed->kind = gnu ? PACKED_ZLIB : load_u32(data, elf->swap);
	packed->size = gnu         ? load_u64(data + 4, must_swap(true))
	               : elf->wide ? load_u64(data + 8, elf->swap)
	                           : load_u32(data + 4, elf->swap);
	return (packed->kind == PACKED_ZLIB || packed->kind == PACKED_ZSTD) && packed->size &&
	       packed->size / RATIO_MAX <= size;
}

/* As with elf_section_data(), a NUL follows the bytes. */
static uint8_t *unpack_section(const struct packed_section *packed, const uint8_t *data,
                               size_t size, struct err *err)
{
	uint8_t *out = malloc((size_t)packed->size + 1);

	if (!out) {
		err_nomem(err, (size_t)packed->size + 1);
		return NULL;
	}
	out[packed->size] = 0;
	if (inflate_exact(packed->kind == PACKED_ZLIB ? INFLATE_ZLIB : INFLATE_ZSTD,
	                  data + packed->header, size - packed->header, out, (size_t)packed->size,
	                  err))
		return out;
	free(out);
	if (err->code == ERR_NONE)
		err_set(err, ERR_UNSUPPORTED, "packed ELF section cannot be unpacked");
	return NULL;
}

uint8_t *elf_section_unpacked(const struct elf *elf, const struct elf_section *section,
                              size_t *size, struct err *err)
{
	bool gnu = !strncmp(elf_section_name(elf, section), ".zdebug", 7);
	uint8_t *data = elf_section_data(elf, section, err), *out = NULL;
	struct packed_section packed;

	*size = (size_t)section->size;
	if (!data || (!gnu && !(section->flags & ELF_SHF_COMPRESSED)))
		return data;
	if (!read_header(elf, data, *size, gnu, &packed)) {
		err_at(err, ERR_FORMAT, section->offset, "packed ELF section has a bad header");
	} else {
		out = unpack_section(&packed, data, *size, err);
		*size = (size_t)packed.size;
	}
	free(data);
	return out;
}
