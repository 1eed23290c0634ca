#include "decode/symbols/plt.h"

#include "decode/symbols/elfsymbols.h"
#include "util/cursor.h"
#include "util/search.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plt {
	const struct elf *elf;
	const struct elf_section *got, *got_plt; /* NULL: there is none */
	uint64_t got_base; /* what a program of x86 with 32 bit adds to offsets in the GOT */
	struct symtable *table;
	/*
	 * Words in the GOT, which the dynamic linker fills in: in file order, those of .rel(a).plt
	 * first. Without a symbol, the addend is the address of the word's resolver.
	 */
	struct elf_relocation *slots;
	size_t slot_count, slot_capacity;
	size_t plt_count; /* number of those of .rel(a).plt */
	uint8_t *dynsym;
	size_t dynsym_count;
	char *dynstr;
	size_t dynstr_size;
	uint64_t names_left; /* bytes of names that may still be copied */
	size_t first;        /* the first item that was added to the table */
};

static bool is_in(const struct elf_section *section, uint64_t addr)
{
	return section && addr - section->addr < section->size;
}

/*
 * Whether a stub may jump through this word: only words in the GOT are used, of the many that are
 * relocated.
 */
static bool is_for_stubs(const struct plt *plt, uint64_t addr)
{
	return (!plt->got && !plt->got_plt) || is_in(plt->got, addr) || is_in(plt->got_plt, addr);
}

/* Adds the relocations of a section; all: also those that no stub can use. */
static bool add_relocations(struct plt *plt, const struct elf_section *section, bool all,
                            struct err *err)
{
	const struct elf *elf = plt->elf;
	size_t size = elf_relocation_size(elf, section);
	uint8_t *data;
	bool ok = true;

	if (section->type != SHT_RELA && section->type != SHT_REL)
		return true;
	data = elf_section_data(elf, section, err);
	if (!data)
		return false;
	for (size_t i = 0; ok && i < section->size / size; i++) {
		struct elf_relocation slot = elf_decode_relocation(elf, section, data + i * size);

		if (all || is_for_stubs(plt, slot.offset))
			ok = vec_append(&plt->slots, &plt->slot_count, &plt->slot_capacity, &slot,
			                sizeof(slot), err);
	}
	free(data);
	return ok;
}

static bool read_slots(struct plt *plt, struct err *err)
{
	static const char *const names[] = { ".rela.plt", ".rel.plt", ".rela.dyn", ".rel.dyn" };
	const size_t count = elf_find_section(plt->elf, ".plt.got") ? ARRAY_SIZE(names) : 2;

	for (size_t i = 0; i < count; i++) {
		const struct elf_section *section = elf_find_section(plt->elf, names[i]);

		if (section && !add_relocations(plt, section, i < 2, err))
			return false;
		if (i < 2)
			plt->plt_count = plt->slot_count;
	}
	return true;
}

static bool read_dynamic_symbols(struct plt *plt, struct err *err)
{
	const struct elf *elf = plt->elf;
	const struct elf_section *section = elf_find_type(elf, SHT_DYNSYM);

	if (!section || section->link >= elf->section_count)
		return true;
	plt->dynsym = elf_section_data(elf, section, err);
	if (!plt->dynsym)
		return false;
	plt->dynsym_count = (size_t)section->size / elf_symbol_size(elf);
	plt->dynstr = (char *)elf_section_data(elf, &elf->sections[section->link], err);
	plt->dynstr_size = (size_t)elf->sections[section->link].size + 1;
	plt->names_left = elf_names_limit(plt->dynstr_size);
	return plt->dynstr != NULL;
}

static bool put_stub(struct plt *plt, uint64_t start, uint64_t size, const char *name,
                     const char *suffix, struct err *err)
{
	/* .symtab may have a version: memcpy@@GLIBC_2.14 */
	size_t length = strcspn(name, "@");
	struct symtable_item item = { .start = start,
		                      .size = (uint32_t)size,
		                      .type = STT_FUNC,
		                      .binding = STB_GLOBAL,
		                      .origin = ORIGIN_PLT };

	return size > UINT32_MAX || (symtable_add_name(plt->table, name, length, &item.name, err) &&
	                             symtable_extend_name(plt->table, suffix, err) &&
	                             symtable_put(plt->table, &item, err));
}

static bool put_slot_stub(struct plt *plt, const struct elf_relocation *slot, uint64_t start,
                          uint64_t size, struct err *err)
{
	const char *name = NULL;
	char text[40];
	uint64_t resolver;

	if (slot->symbol && slot->symbol < plt->dynsym_count) {
		const uint8_t *data = plt->dynsym + slot->symbol * elf_symbol_size(plt->elf);
		struct elf_symbol symbol = elf_decode_symbol(plt->elf, data);

		name = symbol.name < plt->dynstr_size ? plt->dynstr + symbol.name : NULL;
	} else if (!slot->symbol && elf_offset_of_addr(plt->elf, slot->addend, &resolver)) {
		name = symtable_name_at(plt->table, plt->first, resolver);
	}
	if (name && !elf_names_pay(&plt->names_left, name, err))
		return false;
	if (!name || !*name) {
		snprintf(text, sizeof(text), "*ABS*+0x%" PRIx64, slot->addend);
		name = text;
	}
	return put_stub(plt, start, size, name, "@plt", err);
}

/* The address of the GOT word that the stub jumps through; false if it has no indirect jump. */
static bool x86_got(const struct plt *plt, const uint8_t *code, size_t size, uint64_t addr,
                    uint64_t *got)
{
	bool wide = plt->elf->machine == EM_X86_64;

	for (size_t i = 0; i + 6 <= size; i++) {
		uint32_t operand = load_u32(code + i + 2, plt->elf->swap);

		if (code[i] != 0xff || (code[i + 1] != 0x25 && (wide || code[i + 1] != 0xa3)))
			continue;
		if (wide)
			*got = addr + i + 6 + (uint64_t)(int64_t)(int32_t)operand;
		else
			*got = (uint32_t)(code[i + 1] == 0x25 ? operand : operand + plt->got_base);
		return true;
	}
	return false;
}

/*
 * The size of a stub. Of static programs, whose stubs have no header and are for resolvers alone,
 * linkers do not say it.
 */
static size_t x86_stub_size(const struct elf_section *section, const uint8_t *code)
{
	static const uint8_t jump[] = { 0xff, 0x25 };

	if (section->entry_size == 8)
		return 8;
	return !section->entry_size && section->size >= 16 && !memcmp(code, jump, sizeof(jump)) &&
	                       !memcmp(code + 8, jump, sizeof(jump))
	               ? 8
	               : 16;
}

static bool put_x86_section(struct plt *plt, const char *name, struct err *err)
{
	const struct elf_section *section = elf_find_section(plt->elf, name);
	uint64_t offset, step, run = 0;
	uint8_t *code;
	bool ok = true;

	if (!section || !elf_offset_of_addr(plt->elf, section->addr, &offset))
		return true;
	code = elf_section_data(plt->elf, section, err);
	if (!code)
		return false;
	step = x86_stub_size(section, code);
	for (uint64_t at = 0; ok && at < section->size; at += step) {
		uint64_t size = u64_min(step, section->size - at), got;
		size_t number = plt->slot_count;

		if (x86_got(plt, code + at, (size_t)size, section->addr + at, &got))
			number = search_equal(plt->slots, plt->slot_count, sizeof(*plt->slots),
			                      got);
		if (number == plt->slot_count)
			continue;
		/* anything else, such as the header, is named after the section */
		if (run < at)
			ok = put_stub(plt, offset + run, at - run, name, "", err);
		ok = ok && put_slot_stub(plt, &plt->slots[number], offset + at, size, err);
		run = at + size;
	}
	if (ok && run < section->size)
		ok = put_stub(plt, offset + run, section->size - run, name, "", err);
	free(code);
	return ok;
}

static bool put_x86(struct plt *plt, struct err *err)
{
	const struct elf_section *got = plt->got_plt ? plt->got_plt : plt->got;

	plt->got_base = got ? got->addr : 0;
	if (plt->slot_count)
		qsort(plt->slots, plt->slot_count, sizeof(*plt->slots), search_compare);
	return put_x86_section(plt, ".plt", err) && put_x86_section(plt, ".plt.sec", err) &&
	       put_x86_section(plt, ".plt.got", err);
}

struct stub_sizes {
	uint16_t machine;
	uint64_t header, entry;
};

static struct stub_sizes stub_sizes(const struct elf *elf, const struct elf_section *section,
                                    size_t count)
{
	static const struct stub_sizes known[] = {
		{ EM_ARM, 20, 12 },       { EM_AARCH64, 32, 16 }, { EM_RISCV, 32, 16 },
		{ EM_LOONGARCH, 32, 16 }, { EM_SPARC, 48, 12 },   { EM_SPARCV9, 128, 32 },
	};
	struct stub_sizes sizes = { elf->machine, section->entry_size, section->entry_size };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].machine == elf->machine)
			sizes = known[i];
	/* lld's stubs for ARM are longer than those of GNU ld */
	if (elf->machine == EM_ARM && count && section->size >= 32 &&
	    (section->size - 32) / 16 == count && section->size % 16 == 0)
		sizes = (struct stub_sizes){ EM_ARM, 32, 16 };
	/* on aarch64, stubs with branch protection are longer */
	if (elf->machine == EM_AARCH64 && count && section->size > 32 &&
	    (section->size - 32) / count == 24)
		sizes.entry = 24;
	if (count && sizes.entry && section->size / sizes.entry == count &&
	    section->size % sizes.entry == 0)
		sizes.header = 0;
	return sizes;
}

static bool put_in_order(struct plt *plt, struct err *err)
{
	const struct elf_section *section = elf_find_section(plt->elf, ".plt");
	struct stub_sizes sizes;
	uint64_t offset, at;
	bool ok = true;

	if (!section || !elf_offset_of_addr(plt->elf, section->addr, &offset))
		return true;
	sizes = stub_sizes(plt->elf, section, plt->plt_count);
	if (!sizes.entry)
		return true;
	at = sizes.header;
	if (at && at <= section->size)
		ok = put_stub(plt, offset, at, ".plt", "", err);
	for (size_t i = 0; ok && i < plt->plt_count && at < section->size; i++) {
		ok = put_slot_stub(plt, &plt->slots[i], offset + at, sizes.entry, err);
		at = u64_add_sat(at, sizes.entry);
	}
	return ok;
}

bool plt_put(struct symtable *table, const struct elf *elf, struct err *err)
{
	struct plt plt = {
		.elf = elf, .table = table, .names_left = elf_names_limit(0), .first = table->count
	};
	bool ok;

	if (!elf_find_section(elf, ".plt") && !elf_find_section(elf, ".plt.got"))
		return true;
	plt.got = elf_find_section(elf, ".got");
	plt.got_plt = elf_find_section(elf, ".got.plt");
	ok = read_slots(&plt, err) && read_dynamic_symbols(&plt, err);
	if (ok && (elf->machine == EM_X86_64 || elf->machine == EM_386))
		ok = put_x86(&plt, err);
	else if (ok)
		ok = put_in_order(&plt, err);
	ok = symtable_sort(table, err) && ok;
	free(plt.slots);
	free(plt.dynsym);
	free(plt.dynstr);
	return ok;
}
