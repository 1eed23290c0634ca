/*
 * The runtime's description of a Go program, its module data. It has what the table of functions
 * does not tell: where the text is, in Go 1.26 and later, and what the offsets of functions' data
 * count from. Layout: type moduledata in src/runtime/symtab.go.
 */
#include "decode/files/gotable.h"

#include "util/cursor.h"

#include <stdlib.h>

#define CANDIDATES_MAX 16 /* places that may be the description: damaged files have any number */

/* Its words; it begins with the table's address. */
enum module_word {
	MODULE_NAMES = 1,
	MODULE_UNITS = 4,
	MODULE_FILES = 7,
	MODULE_PCS = 10,
	MODULE_TEXT = 22
};

/* Where the address of .rodata is; behind it is that of the functions' data. */
static const unsigned rodata_1_18[] = { 37, 0 };
static const unsigned rodata_1_20[] = { 39, 42 /* from 1.27 on */, 0 };

static uint64_t load_word(const struct gopclntab *go, const uint8_t *bytes)
{
	return go->word == 8 ? load_u64(bytes, go->swap) : load_u32(bytes, go->swap);
}

/*
 * A word of the file at an address, or what the loader puts there. False if there is none, or with
 * err set if relocations cannot be read.
 */
static bool read_word(const struct gopclntab *go, const struct elf *elf, uint64_t addr,
                      uint64_t *value, struct err *err)
{
	struct err problem = { .code = ERR_NONE };
	struct go_relocation relocation = { .place = addr };
	uint8_t bytes[8];
	uint64_t offset;

	if (!elf_offset_of_addr(elf, addr, &offset) ||
	    !elf_read(elf, offset, bytes, go->word, &problem))
		return false;
	*value = load_word(go, bytes);
	if (*value)
		return true;
	if (!go_find_relocation(elf, &relocation, err))
		return false;
	*value = relocation.value;
	return true;
}

/* Whether the words at the address are the description: it has the parts of the table in it. */
static bool is_module(const struct gopclntab *go, const struct elf *elf, uint64_t addr,
                      struct err *err)
{
	const struct {
		unsigned word;
		uint64_t value;
	} known[] = {
		{ MODULE_NAMES, go->addr + go->names },
		{ MODULE_UNITS, go->addr + go->units },
		{ MODULE_FILES, go->addr + go->files },
		{ MODULE_PCS, go->addr + go->pcs },
	};
	uint64_t text;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		uint64_t value;

		if (!read_word(go, elf, addr + known[i].word * go->word, &value, err) ||
		    value != known[i].value)
			return false;
	}
	return read_word(go, elf, addr + MODULE_TEXT * go->word, &text, err) &&
	       (!go->text || text == go->text);
}

/*
 * The description's address in a section of data; 0 if it is not there. *candidates counts the
 * places that were looked at.
 */
static bool find_in_section(const struct gopclntab *go, const struct elf *elf,
                            const struct elf_section *section, uint64_t *addr, unsigned *candidates,
                            struct err *err)
{
	uint8_t *data = elf_section_data(elf, section, err);

	*addr = 0;
	for (uint64_t at = 0; data && !*addr && at + go->word <= section->size; at += go->word)
		if (load_word(go, data + at) == go->addr && *candidates < CANDIDATES_MAX &&
		    ++*candidates && is_module(go, elf, section->addr + at, err))
			*addr = section->addr + at;
	free(data);
	return err->code == ERR_NONE;
}

static bool find_module(const struct gopclntab *go, const struct elf *elf, uint64_t *addr,
                        struct err *err)
{
	struct go_relocation relocation = { .value = go->addr };
	/* sections of a whole file do not overlap */
	uint64_t unread = elf->size;
	unsigned candidates = 0;

	*addr = 0;
	for (size_t i = 0; i < elf->section_count; i++) {
		const struct elf_section *section = &elf->sections[i];

		if (!(section->flags & SHF_WRITE) || !(section->flags & SHF_ALLOC) ||
		    !elf_has_bytes(section) || section->addr % go->word || section->size > unread)
			continue;
		unread -= section->size;
		if (!find_in_section(go, elf, section, addr, &candidates, err) || *addr)
			return *addr != 0;
	}
	/* in position-independent programs the loader writes it */
	if (go_find_relocation(elf, &relocation, err) && is_module(go, elf, relocation.place, err))
		*addr = relocation.place;
	return err->code == ERR_NONE;
}

/* The word behind the address of .rodata; 0 if that is not where it is expected. */
static uint64_t find_data(const struct gopclntab *go, const struct elf *elf, uint64_t module,
                          struct err *err)
{
	const unsigned *places = go->version == GO_1_20 ? rodata_1_20 : rodata_1_18;
	const struct elf_section *rodata = elf_find_section(elf, ".rodata");

	for (; rodata && *places; places++) {
		uint64_t start, data;

		if (read_word(go, elf, module + *places * go->word, &start, err) &&
		    start >= rodata->addr && start - rodata->addr < rodata->size &&
		    read_word(go, elf, module + (*places + 1) * go->word, &data, err))
			return data;
	}
	return 0;
}

bool go_read_module(struct gopclntab *go, const struct elf *elf, struct err *err)
{
	uint64_t module, text;

	if (go->module_read || go->version < GO_1_18)
		return true;
	go->module_read = true;
	if (!find_module(go, elf, &module, err))
		return false;
	if (!module)
		return true;
	if (!go->text && read_word(go, elf, module + MODULE_TEXT * go->word, &text, err))
		go->text = text;
	go->data_addr = find_data(go, elf, module, err);
	return err->code == ERR_NONE;
}
