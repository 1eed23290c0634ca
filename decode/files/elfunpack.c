/* Unpacks sections of ELF files: gABI's SHF_COMPRESSED, and the older .zdebug of GNU. */
#include "decode/files/elf.h"

#include "util/cursor.h"
#include "util/inflate.h"
#include "util/text.h"

#include <stdlib.h>

/* Sizes of the headers: of gABI with 64 and 32 bit, and "ZLIB" followed by the size, big-endian. */
enum { HEADER_WIDE = 24, HEADER_NARROW = 12, HEADER_GNU = 12 };

bool elf_section_packing(const struct elf *elf, const struct elf_section *section,
                         struct elf_packing *packing, struct err *err)
{
	bool gnu = text_starts(elf_section_name(elf, section), ".zdebug_");
	uint8_t data[HEADER_WIDE] = { 0 };

	*packing = (struct elf_packing){ .kind = ELF_UNPACKED, .size = section->size };
	if (!gnu && !(section->flags & SHF_COMPRESSED))
		return true;
	packing->header = gnu ? HEADER_GNU : elf->wide ? HEADER_WIDE : HEADER_NARROW;
	if (section->size <= packing->header ||
	    !elf_read(elf, section->offset, data, packing->header, err) ||
	    (gnu && memcmp(data, "ZLIB", 4)))
		return err_at(err, ERR_FORMAT, section->offset,
		              "packed ELF section has a bad header");
	packing->kind = gnu ? ELF_PACKED_ZLIB : load_u32(data, elf->swap);
	if (packing->kind == ELF_UNPACKED)
		packing->kind = UINT32_MAX;
	packing->size = gnu         ? load_u64(data + 4, must_swap(true))
	                : elf->wide ? load_u64(data + 8, elf->swap)
	                            : load_u32(data + 4, elf->swap);
	return true;
}

/* As with elf_section_data(), a NUL follows the bytes. */
static uint8_t *unpack_section(const struct elf_packing *packing, const uint8_t *data, size_t size,
                               struct err *err)
{
	uint8_t *out = malloc((size_t)packing->size + 1);

	if (!out) {
		err_nomem(err, (size_t)packing->size + 1);
		return NULL;
	}
	out[packing->size] = 0;
	if (inflate_exact(packing->kind == ELF_PACKED_ZLIB ? INFLATE_ZLIB : INFLATE_ZSTD,
	                  data + packing->header, size - packing->header, out,
	                  (size_t)packing->size, err))
		return out;
	free(out);
	if (err->code == ERR_NONE)
		err_set(err, ERR_UNSUPPORTED, "packed ELF section cannot be unpacked");
	return NULL;
}

uint8_t *elf_section_unpacked(struct elf *elf, const struct elf_section *section, size_t *size,
                              struct err *err)
{
	struct elf_packing packing;
	uint8_t *data, *out;

	if (!elf_section_packing(elf, section, &packing, err))
		return NULL;
	*size = (size_t)packing.size;
	if (packing.kind == ELF_UNPACKED)
		return elf_section_data(elf, section, err);
	if (packing.kind > ELF_PACKED_ZSTD) {
		err_set(err, ERR_UNSUPPORTED, "ELF section is packed in an unknown way");
		return NULL;
	}
	if (!packing.size || packing.size > elf->inflate_left) {
		err_at(err, ERR_FORMAT, section->offset, "packed ELF section has a bad size");
		return NULL;
	}
	elf->inflate_left -= packing.size;
	data = elf_section_data(elf, section, err);
	out = data ? unpack_section(&packing, data, (size_t)section->size, err) : NULL;
	free(data);
	return out;
}
