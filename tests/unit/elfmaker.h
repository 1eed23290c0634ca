/*
 * For unit tests: a small ELF file in memory. Null section, .text, .opd, .symtab, .strtab and
 * .shstrtab; one PT_LOAD. Code is at file offset 0x400, address 0x10400.
 */
#ifndef READPERF_TESTS_ELFMAKER_H
#define READPERF_TESTS_ELFMAKER_H

#include "tests/unit/bytes.h"

#define MADE_TEXT_OFFSET 0x400u
#define MADE_TEXT_ADDR 0x10400u
#define MADE_OPD_OFFSET 0x600u
#define MADE_OPD_ADDR 0x10600u

struct made_symbol {
	const char *name;
	uint64_t value, size;
	unsigned type, binding, section;
};

struct made_elf {
	bool wide, big_endian;
	uint16_t type, machine;
	uint64_t opd[4];                  /* words of .opd */
	const struct made_symbol *symbols;
	size_t symbol_count;
};

static inline void put_word(struct bytes *b, bool wide, uint64_t value)
{
	put(b, value, wide ? 8 : 4);
}

static inline void made_section(struct bytes *b, bool wide, uint32_t name, uint32_t type,
                                uint64_t flags, uint64_t addr, uint64_t offset, uint64_t size,
                                uint32_t link)
{
	put_u32(b, name);
	put_u32(b, type);
	put_word(b, wide, flags);
	put_word(b, wide, addr);
	put_word(b, wide, offset);
	put_word(b, wide, size);
	put_u32(b, link);
	put_u32(b, 0);
	put_word(b, wide, 4);
	put_word(b, wide, 0);
}

static inline void made_symbols(struct bytes *b, const struct made_elf *made)
{
	uint32_t name = 1;

	put_zeros(b, made->wide ? 24 : 16);
	for (size_t i = 0; i < made->symbol_count; i++) {
		const struct made_symbol *symbol = &made->symbols[i];
		uint8_t info = (uint8_t)(symbol->binding << 4 | symbol->type);

		put_u32(b, name);
		if (!made->wide) {
			put_u32(b, (uint32_t)symbol->value);
			put_u32(b, (uint32_t)symbol->size);
		}
		put(b, info, 1);
		put(b, 0, 1);
		put_u16(b, (uint16_t)symbol->section);
		if (made->wide) {
			put_u64(b, symbol->value);
			put_u64(b, symbol->size);
		}
		name += (uint32_t)strlen(symbol->name) + 1;
	}
}

/* Fills b, which must be empty. */
static inline void make_elf(struct bytes *b, const struct made_elf *made)
{
	static const char names[] = "\0.text\0.opd\0.symtab\0.strtab\0.shstrtab";
	bool wide = made->wide;
	size_t symbols = wide ? 0x80 + 0x600 : 0x680, strings, section_names, sections, symbols_size;
	uint8_t ident[16] = { 0x7f, 'E', 'L', 'F', (uint8_t)(wide ? 2 : 1),
		              (uint8_t)(made->big_endian ? 2 : 1), 1 };

	b->size = 0;
	b->big_endian = made->big_endian;
	symbols_size = (wide ? 24 : 16) * (made->symbol_count + 1);
	strings = symbols + symbols_size;
	section_names = strings + 1;
	for (size_t i = 0; i < made->symbol_count; i++)
		section_names += strlen(made->symbols[i].name) + 1;
	sections = section_names + sizeof(names);

	put_bytes(b, ident, sizeof(ident));
	put_u16(b, made->type);
	put_u16(b, made->machine);
	put_u32(b, 1);
	put_word(b, wide, MADE_TEXT_ADDR);
	put_word(b, wide, wide ? 64 : 52);
	put_word(b, wide, sections);
	put_u32(b, 0);
	put_u16(b, wide ? 64 : 52);
	put_u16(b, wide ? 56 : 32);
	put_u16(b, 1);
	put_u16(b, wide ? 64 : 40);
	put_u16(b, 6);
	put_u16(b, 5);
	put_u32(b, 1);
	if (wide)
		put_u32(b, 5);
	put_word(b, wide, 0x300);
	put_word(b, wide, 0x10300);
	put_word(b, wide, 0x10300);
	put_word(b, wide, 0x380);
	put_word(b, wide, 0x380);
	if (!wide)
		put_u32(b, 5);
	put_word(b, wide, 0x1000);
	put_zeros(b, MADE_OPD_OFFSET - b->size);
	for (size_t i = 0; i < 4; i++)
		put_u64(b, made->opd[i]);
	put_zeros(b, symbols - b->size);
	made_symbols(b, made);
	put(b, 0, 1);
	for (size_t i = 0; i < made->symbol_count; i++)
		put_text(b, made->symbols[i].name);
	put_bytes(b, names, sizeof(names));
	put_zeros(b, wide ? 64 : 40);
	made_section(b, wide, 1, 1, 6, MADE_TEXT_ADDR, MADE_TEXT_OFFSET, 0x200, 0);
	made_section(b, wide, 7, 1, 3, MADE_OPD_ADDR, MADE_OPD_OFFSET, 32, 0);
	made_section(b, wide, 12, 2, 0, 0, symbols, symbols_size, 4);
	made_section(b, wide, 20, 3, 0, 0, strings, section_names - strings, 0);
	made_section(b, wide, 28, 3, 0, 0, section_names, sizeof(names), 0);
}

#endif
