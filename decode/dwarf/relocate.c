#include "decode/dwarf/relocate.h"

#include "util/cursor.h"
#include "util/vec.h"

#include <stdlib.h>

/*
 * Sections that hold no code, and those that the kernel drops after a module has started, have no
 * place among the code that samples can hit. They get addresses from here on, far behind that code.
 */
#define FAR_AWAY (UINT64_C(1) << 30)

#define ANY_TYPE UINT64_MAX

/* The relocations of a whole address or offset. */
struct kind {
	uint16_t machine;
	uint16_t type;
	uint8_t size; /* bytes */
};

static const struct kind kinds[] = {
	{ EM_386, R_386_32, 4 },
	{ EM_PPC, R_PPC_ADDR32, 4 },
	{ EM_PPC64, R_PPC64_ADDR32, 4 },
	{ EM_PPC64, R_PPC64_ADDR64, 8 },
	{ EM_S390, R_390_32, 4 },
	{ EM_S390, R_390_64, 8 },
	{ EM_ARM, R_ARM_ABS32, 4 },
	{ EM_X86_64, R_X86_64_64, 8 },
	{ EM_X86_64, R_X86_64_32, 4 },
	{ EM_X86_64, R_X86_64_32S, 4 },
	{ EM_AARCH64, R_AARCH64_ABS64, 8 },
	{ EM_AARCH64, R_AARCH64_ABS32, 4 },
};

/* The size of values of this type, or of any type of the machine; 0: not known. */
static uint8_t kind_size(uint16_t machine, uint64_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].machine == machine && (type == ANY_TYPE || kinds[i].type == type))
			return kinds[i].size;
	return 0;
}

static bool find_bases(struct relocator *relocator, struct err *err)
{
	const struct elf *elf = relocator->elf;
	uint64_t far_end = FAR_AWAY;

	relocator->bases = vec_new(elf->section_count, sizeof(*relocator->bases), err);
	if (!relocator->bases)
		return false;
	for (size_t i = 1; i < elf->section_count; i++) {
		const struct elf_section *section = &elf->sections[i];

		if (!(section->flags & SHF_ALLOC))
			continue;
		relocator->bases[i] = section->place;
		if (section->place != UINT64_MAX)
			continue;
		relocator->bases[i] = far_end;
		far_end = u64_add_sat(far_end, section->size);
	}
	return true;
}

bool relocator_init(struct relocator *relocator, const struct elf *elf, struct err *err)
{
	struct err damage = { .code = ERR_NONE };
	const struct elf_section *symtab = elf_find_type(elf, SHT_SYMTAB);

	*relocator = (struct relocator){ .elf = elf, .left = elf->size };
	if (!kind_size(elf->machine, ANY_TYPE) || !symtab)
		return false;
	if (!find_bases(relocator, err))
		return false;
	relocator->symtab = (size_t)(symtab - elf->sections);
	relocator->symbols = elf_section_data(elf, symtab, &damage);
	relocator->symbol_count = (size_t)symtab->size / elf_symbol_size(elf);
	err_pass_nomem(err, &damage);
	return relocator->symbols != NULL;
}

void relocator_release(struct relocator *relocator)
{
	free(relocator->bases);
	free(relocator->symbols);
	*relocator = (struct relocator){ 0 };
}

/* The value of a symbol. False: it is in no section of this file. */
static bool symbol_value(const struct relocator *relocator, uint64_t number, uint64_t *value)
{
	const struct elf *elf = relocator->elf;
	struct elf_symbol symbol;

	if (number >= relocator->symbol_count)
		return false;
	symbol = elf_decode_symbol(elf, relocator->symbols + number * elf_symbol_size(elf));
	if (symbol.section == SHN_UNDEF || symbol.section >= elf->section_count ||
	    symbol.section >= SHN_LORESERVE)
		return false;
	*value = symbol.value + relocator->bases[symbol.section];
	return true;
}

/* addend_in_place: the addend is at the place of the value. */
static void apply_entry(const struct relocator *relocator, uint8_t *data, size_t size,
                        const struct elf_relocation *entry, bool addend_in_place)
{
	bool swap = relocator->elf->swap;
	uint8_t width = kind_size(relocator->elf->machine, entry->type);
	uint64_t value, addend = entry->addend;
	uint32_t half;
	uint8_t *place;

	if (!width || entry->offset >= size || size - entry->offset < width ||
	    !symbol_value(relocator, entry->symbol, &value))
		return;
	place = data + entry->offset;
	if (addend_in_place)
		addend = width == 8 ? load_u64(place, swap) : load_u32(place, swap);
	value += addend;
	half = (uint32_t)value;
	if (width == 8) {
		value = swap ? __builtin_bswap64(value) : value;
		memcpy(place, &value, sizeof(value));
	} else {
		half = swap ? __builtin_bswap32(half) : half;
		memcpy(place, &half, sizeof(half));
	}
}

/* Applies one section of relocations. False: see relocator_apply(). */
static bool apply_section(struct relocator *relocator, const struct elf_section *section,
                          uint8_t *data, size_t size, struct err *err)
{
	const struct elf *elf = relocator->elf;
	size_t entry_size = elf_relocation_size(elf, section);
	struct err damage = { .code = ERR_NONE };
	uint8_t *entries;

	if (section->size > relocator->left || section->link != relocator->symtab)
		return false;
	relocator->left -= section->size;
	entries = elf_section_data(elf, section, &damage);
	err_pass_nomem(err, &damage);
	if (!entries)
		return false;
	for (size_t i = 0; i < section->size / entry_size; i++) {
		struct elf_relocation entry = elf_decode_relocation(elf, section,
		                                                    entries + i * entry_size);

		apply_entry(relocator, data, size, &entry, section->type == SHT_REL);
	}
	free(entries);
	return true;
}

bool relocator_apply(struct relocator *relocator, size_t number, uint8_t *data, size_t size,
                     struct err *err)
{
	const struct elf *elf = relocator->elf;

	for (size_t i = 0; i < elf->section_count; i++) {
		const struct elf_section *section = &elf->sections[i];

		if (section->info == number && section->size &&
		    (section->type == SHT_RELA || section->type == SHT_REL) &&
		    !apply_section(relocator, section, data, size, err))
			return false;
	}
	return true;
}
