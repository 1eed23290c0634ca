#ifdef HAVE_LIBDW
#include "decode/dwarf/relocate.h"

#include "decode/files/elf.h"

#include <gelf.h>
#include <stdlib.h>

/* Where sections are that are not code, or are not there any more when samples are taken. */
#define FAR_AWAY (UINT64_C(1) << 30)

/* The relocations that stand for an address or offset, whole. */
struct kind {
	uint16_t machine;
	uint16_t type;
	uint8_t size; /* bytes */
};

static const struct kind kinds[] = {
	{ EM_386, R_386_32, 4 },
	{ EM_X86_64, R_X86_64_64, 8 },
	{ EM_X86_64, R_X86_64_32, 4 },
	{ EM_X86_64, R_X86_64_32S, 4 },
	{ EM_ARM, R_ARM_ABS32, 4 },
	{ EM_AARCH64, R_AARCH64_ABS64, 8 },
	{ EM_AARCH64, R_AARCH64_ABS32, 4 },
	{ EM_PPC, R_PPC_ADDR32, 4 },
	{ EM_PPC64, R_PPC64_ADDR64, 8 },
	{ EM_PPC64, R_PPC64_ADDR32, 4 },
	{ EM_S390, R_390_64, 8 },
	{ EM_S390, R_390_32, 4 },
};

struct relocator {
	Elf *elf;
	uint16_t machine;
	bool swap;
	size_t names;    /* index of the section with the sections' names */
	uint64_t *bases; /* where each section is; malloc'd */
	struct err *err;
	size_t count;
	Elf_Data *symbols; /* of .symtab */
	size_t symtab;     /* its index */
	uint64_t left;     /* bytes of relocations to be read: sections may lie over each other */
};

/* What one section's relocations are applied to. */
struct target {
	uint8_t *bytes;
	size_t size;
};

static uint8_t kind_size(uint16_t machine, uint64_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].machine == machine && kinds[i].type == type)
			return kinds[i].size;
	return 0;
}

static bool is_known(uint16_t machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].machine == machine)
			return true;
	return false;
}

static bool find_bases(struct relocator *relocator)
{
	uint64_t end = 0, far_end = FAR_AWAY;
	GElf_Shdr header;

	relocator->bases = calloc(relocator->count, sizeof(*relocator->bases));
	if (!relocator->bases)
		return err_nomem(relocator->err, relocator->count * sizeof(*relocator->bases));
	for (size_t i = 1; i < relocator->count; i++) {
		struct elf_section section = { 0 };
		const char *name;

		if (!gelf_getshdr(elf_getscn(relocator->elf, i), &header))
			continue;
		name = elf_strptr(relocator->elf, relocator->names, header.sh_name);
		section.flags = header.sh_flags;
		section.align = header.sh_addralign;
		section.size = header.sh_size;
		if (header.sh_type == SHT_SYMTAB && !relocator->symtab)
			relocator->symtab = i;
		if (!(header.sh_flags & SHF_ALLOC))
			continue;
		relocator->bases[i] = elf_module_place(&section, name ? name : "", &end);
		if (relocator->bases[i] != UINT64_MAX)
			continue;
		relocator->bases[i] = far_end;
		far_end = u64_add_sat(far_end, header.sh_size);
	}
	if (relocator->symtab)
		relocator->symbols = elf_getdata(elf_getscn(relocator->elf, relocator->symtab),
		                                 NULL);
	return relocator->symbols != NULL;
}

/* Where a symbol is. False: in no section of this file. */
static bool symbol_value(const struct relocator *relocator, uint64_t number, uint64_t *value)
{
	GElf_Sym symbol;

	if (number > INT32_MAX || !gelf_getsym(relocator->symbols, (int)number, &symbol) ||
	    symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= relocator->count ||
	    symbol.st_shndx >= SHN_LORESERVE)
		return false;
	*value = symbol.st_value + relocator->bases[symbol.st_shndx];
	return true;
}

static void apply(const struct relocator *relocator, const struct target *target,
                  const GElf_Rela *entry, bool addend_in_place)
{
	uint8_t size = kind_size(relocator->machine, GELF_R_TYPE(entry->r_info));
	uint64_t value, addend = (uint64_t)entry->r_addend;
	uint32_t half;
	uint8_t *place;

	if (!size || entry->r_offset >= target->size || target->size - entry->r_offset < size ||
	    !symbol_value(relocator, GELF_R_SYM(entry->r_info), &value))
		return;
	place = target->bytes + entry->r_offset;
	if (addend_in_place)
		addend = size == 8 ? load_u64(place, relocator->swap)
		                   : load_u32(place, relocator->swap);
	value += addend;
	half = (uint32_t)value;
	if (size == 8) {
		value = relocator->swap ? __builtin_bswap64(value) : value;
		memcpy(place, &value, sizeof(value));
	} else {
		half = relocator->swap ? __builtin_bswap32(half) : half;
		memcpy(place, &half, sizeof(half));
	}
}

/* The debug section that relocations are for. libdw must read the same bytes as we do. */
static bool find_target(const struct relocator *relocator, size_t number, struct target *target)
{
	Elf_Scn *section = elf_getscn(relocator->elf, number);
	Elf_Data *data, *raw;
	GElf_Shdr header;
	const char *name;

	if (!section || !gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS ||
	    (header.sh_flags & SHF_COMPRESSED))
		return false;
	name = elf_strptr(relocator->elf, relocator->names, header.sh_name);
	if (!name || strncmp(name, ".debug_", 7) != 0)
		return false;
	data = elf_getdata(section, NULL);
	raw = elf_rawdata(section, NULL);
	if (!data || !raw || !raw->d_buf || data->d_buf != raw->d_buf)
		return false;
	*target = (struct target){ raw->d_buf, raw->d_size };
	return true;
}

/* False: the file is not to be used. */
static bool relocate_section(struct relocator *relocator, Elf_Scn *section, const GElf_Shdr *header)
{
	bool rela = header->sh_type == SHT_RELA;
	struct target target;
	Elf_Data *data;
	size_t count;

	if (!find_target(relocator, header->sh_info, &target))
		return true;
	if (!is_known(relocator->machine) || header->sh_size > relocator->left)
		return false;
	relocator->left -= header->sh_size;
	if (!relocator->bases && !find_bases(relocator))
		return false;
	data = elf_getdata(section, NULL);
	if (!data || header->sh_link != relocator->symtab || !header->sh_entsize)
		return false;
	count = (size_t)u64_min(header->sh_size / header->sh_entsize, INT32_MAX);
	for (int i = 0; (size_t)i < count; i++) {
		GElf_Rela entry;
		GElf_Rel short_entry;

		if (rela && !gelf_getrela(data, i, &entry))
			break;
		if (!rela && !gelf_getrel(data, i, &short_entry))
			break;
		if (!rela)
			entry = (GElf_Rela){ short_entry.r_offset, short_entry.r_info, 0 };
		apply(relocator, &target, &entry, !rela);
	}
	return true;
}

bool dwarf_relocate(struct dwarf_file *file, struct err *err)
{
	struct relocator relocator = { .elf = file->elf,
		                       .left = file->image.file_size,
		                       .err = err };
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Ehdr whole;
	bool big, ok = true;

	if (!gelf_getehdr(file->elf, &whole) || elf_getshdrnum(file->elf, &relocator.count) != 0 ||
	    elf_getshdrstrndx(file->elf, &relocator.names) != 0)
		return false;
	big = whole.e_ident[EI_DATA] == ELFDATA2MSB;
	relocator.swap = must_swap(big);
	relocator.machine = whole.e_machine;
	while (ok && (section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_RELA || header.sh_type == SHT_REL))
			ok = relocate_section(&relocator, section, &header);
	/* The changed pages must stay. */
	file->image.changed |= relocator.bases != NULL;
	free(relocator.bases);
	return ok;
}
#else
/* Without libdw this file is empty, which C does not allow. */
extern const int dwarf_relocate_unused;
#endif
