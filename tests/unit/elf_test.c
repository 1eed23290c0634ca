#include "decode/files/elf.h"
#include "decode/symbols/elfsymbols.h"

#include "tests/unit/bytes.h"
#include "tests/unit/elfimage.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define MADE_TEXT_ADDR (ELF_BASE + 0x400)
#define MADE_OPD_ADDR (ELF_BASE + 0x600)

struct made_elf {
	bool wide, big_endian;
	uint16_t type, machine;
	uint64_t opd[4]; /* words of .opd */
	const struct elf_name *symbols;
	size_t symbol_count;
};

/* Sections: 1 .text, 2 .opd, 3 .symtab, 4 .strtab. */
static void make_elf(struct image *image, const struct made_elf *made)
{
	struct elf_whole whole = { .wide = made->wide, .big_endian = made->big_endian,
		                   .type = made->type, .machine = made->machine };
	struct image symbols, names, opd;

	elf_name_images(&symbols, &names, &whole, made->symbols, made->symbol_count);
	image_init(&opd, made->big_endian);
	for (size_t i = 0; i < 4; i++)
		image_u64(&opd, made->opd[i]);

	const struct elf_part parts[] = {
		{ .name = ".text", .type = 1, .flags = 6, .addr = MADE_TEXT_ADDR, .size = 0x200 },
		{ .name = ".opd", .type = 1, .flags = 3, .addr = MADE_OPD_ADDR, .data = opd.data,
		  .size = opd.size },
		{ .name = ".symtab", .type = 2, .data = symbols.data, .size = symbols.size, .link = 4 },
		{ .name = ".strtab", .type = 3, .data = names.data, .size = names.size },
	};

	whole.parts = parts;
	whole.count = 4;
	elf_image(image, &whole);
	image_release(&symbols), image_release(&names), image_release(&opd);
}

static const struct elf_name plain[] = {
	{ "first", MADE_TEXT_ADDR, 16, STT_FUNC, STB_GLOBAL, 1 },
	{ "second", MADE_TEXT_ADDR + 32, 16, STT_FUNC, STB_LOCAL, 1 },
};

static const char *name_at(struct symtable *table, uint64_t addr)
{
	const struct symbol *symbol = symtable_find(table, addr);

	return symbol ? symbol->name : "-";
}

/* Reads an image's symbols in file-offset space. */
static void load(struct symtable *table, const struct image *b)
{
	struct err err = { .code = ERR_NONE };
	struct elf elf;
	struct elf_symbols source = { .names = &elf, .runtime = &elf, .space = ELF_SPACE_OFFSET, .origin = ORIGIN_SYMTAB };

	*table = (struct symtable){ 0 };
	assert_true(elf_open_memory(&elf, exact_copy(b->data, b->size), b->size, &err));
	assert_true(elf_symbols_put(table, &source, &err));
	assert_true(elf_symbols_link(table, &elf, &err));
	symtable_finish(table);
	elf_close(&elf);
}

/* Every class and byte order says the same. */
static void test_classes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct made_elf made = { i & 1, i & 2, ET_DYN, EM_X86_64, { 0 }, plain, 2 };
		const struct symbol *symbol;
		struct symtable table;
		struct image b;

		make_elf(&b, &made);
		load(&table, &b);
		assert_string_equal(name_at(&table, 0x400), "first");
		assert_string_equal(name_at(&table, 0x40f), "first");
		assert_string_equal(name_at(&table, 0x410), "-");
		symbol = symtable_find(&table, 0x421);
		assert_string_equal(symbol->name, "second");
		assert_int_equal(symbol->start, 0x420);
		assert_int_equal(symbol->end, 0x430);
		assert_int_equal(symbol->entry, 0x10420);
		assert_int_equal(symtable_link_addr(&table, 0x433), 0x10433);
		symtable_release(&table);
		image_release(&b);
	}
}

/* Thumb functions are one byte before their symbol's value; $a, $t and $d are no functions. */
static void test_arm(void **state)
{
	static const struct elf_name symbols[] = {
		{ "$t", MADE_TEXT_ADDR, 0, STT_NOTYPE, STB_LOCAL, 1 },
		{ "thumb", MADE_TEXT_ADDR + 1, 8, STT_FUNC, STB_GLOBAL, 1 },
		{ "$d.1", MADE_TEXT_ADDR + 4, 0, STT_NOTYPE, STB_LOCAL, 1 },
		{ "label", MADE_TEXT_ADDR + 8, 0, STT_NOTYPE, STB_LOCAL, 1 },
	};
	struct made_elf made = { false, false, ET_DYN, EM_ARM, { 0 }, symbols, 4 };
	struct symtable table;
	struct image b;

	(void)state;
	make_elf(&b, &made);
	load(&table, &b);
	assert_int_equal(table.count, 2);
	assert_string_equal(name_at(&table, 0x400), "thumb");
	assert_string_equal(name_at(&table, 0x407), "thumb");
	assert_string_equal(name_at(&table, 0x408), "label");
	symtable_release(&table);
	image_release(&b);
}

/* Marks of where code and data begin are no functions, where a machine has them. */
static void test_marks(void **state)
{
	static const struct {
		uint16_t machine;
		const char *name;
		bool mark;
	} cases[] = {
		{ EM_AARCH64, "$x", true },  { EM_AARCH64, "$x.1", true }, { EM_AARCH64, "$d", true },
		{ EM_AARCH64, "$xy", false }, { EM_ARM, "$a", true },      { EM_ARM, "$z", false },
		{ EM_RISCV, "$x", true },    { EM_RISCV, "$d", true },     { EM_RISCV, "$xrv64i", true },
		{ EM_RISCV, "$a", false },   { EM_X86_64, "$x", false },   { EM_X86_64, "$", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct elf_name name = { cases[i].name, MADE_TEXT_ADDR, 8, STT_NOTYPE,
			                       STB_LOCAL, 1 };
		struct made_elf made = { true, false, ET_DYN, cases[i].machine, { 0 }, &name, 1 };
		struct symtable table;
		struct image b;

		make_elf(&b, &made);
		load(&table, &b);
		assert_string_equal(name_at(&table, 0x400), cases[i].mark ? "-" : cases[i].name);
		symtable_release(&table);
		image_release(&b);
	}
}

/* ppc64 ELFv1: the symbol's value is that of a descriptor in .opd. */
static void test_descriptors(void **state)
{
	static const struct elf_name symbols[] = {
		{ "far", MADE_OPD_ADDR, 16, STT_FUNC, STB_GLOBAL, 2 },
		{ "near", MADE_OPD_ADDR + 16, 16, STT_FUNC, STB_GLOBAL, 2 },
	};
	struct made_elf made = { true,    true, ET_DYN, EM_PPC64, { 0x10480, 0, 0x10440, 0 },
		                 symbols, 2 };
	struct symtable table;
	struct image b;

	(void)state;
	make_elf(&b, &made);
	load(&table, &b);
	assert_string_equal(name_at(&table, 0x480), "far");
	assert_string_equal(name_at(&table, 0x440), "near");
	symtable_release(&table);
	image_release(&b);
}

/* No code for undefined, absolute or unknown sections, sections, files and data outside memory. */
static void test_rejected(void **state)
{
	static const struct elf_name symbols[] = {
		{ "undefined", MADE_TEXT_ADDR, 8, STT_FUNC, STB_GLOBAL, 0 },
		{ "absolute", MADE_TEXT_ADDR, 8, STT_FUNC, STB_GLOBAL, 0xfff1 },
		{ "beyond", MADE_TEXT_ADDR, 8, STT_FUNC, STB_GLOBAL, 77 },
		{ "not loaded", MADE_TEXT_ADDR, 8, STT_FUNC, STB_GLOBAL, 4 },
		{ "section", MADE_TEXT_ADDR, 8, 3, STB_LOCAL, 1 },
		{ "label", MADE_OPD_ADDR, 8, STT_NOTYPE, STB_LOCAL, 2 },
		{ "", MADE_TEXT_ADDR, 8, STT_FUNC, STB_GLOBAL, 1 },
	};
	struct made_elf made = { true, false, ET_DYN, EM_X86_64, { 0 }, symbols, 7 };
	struct symtable table;
	struct image b;

	(void)state;
	make_elf(&b, &made);
	load(&table, &b);
	assert_int_equal(table.count, 0);
	symtable_release(&table);
	image_release(&b);
}

/* Whatever byte is wrong, and wherever the file ends, nothing outside it is read. */
static void test_damage(void **state)
{
	struct made_elf made = { true, false, ET_DYN, EM_X86_64, { 0 }, plain, 2 };
	struct image b;

	(void)state;
	make_elf(&b, &made);
	for (size_t i = 0; i < b.size * 2; i++) {
		struct err err = { .code = ERR_NONE };
		size_t size = i < b.size ? i : b.size;
		uint8_t *image = exact_copy(b.data, size);
		struct symtable table;
		struct elf elf;
		struct elf_symbols source = { .names = &elf, .runtime = &elf, .space = ELF_SPACE_OFFSET, .origin = ORIGIN_SYMTAB };

		if (i >= b.size)
			image[i - b.size] ^= 0xff;
		table = (struct symtable){ 0 };
		if (elf_open_memory(&elf, image, size, &err)) {
			elf_restore_offsets(&elf);
			elf_symbols_put(&table, &source, &err);
			err.code = ERR_NONE;
			symtable_finish(&table);
			symtable_find(&table, 0x404);
		}
		elf_close(&elf);
		symtable_release(&table);
	}
	image_release(&b);
}

static void test_notes(void **state)
{
	struct build_id id = { .size = 0 };
	struct foreign_bytes b = { .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
	char text[2 * PERF_BUILD_ID_SIZE + 1];

	(void)state;
	put_u32(&b, 4);
	put_u32(&b, 5);
	put_u32(&b, 1);
	put_text(&b, "GNU");
	put_zeros(&b, 8);
	put_u32(&b, 4);
	put_u32(&b, 8);
	put_u32(&b, 3);
	put_text(&b, "GNU");
	put_bytes(&b, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8);
	assert_true(elf_notes_build_id(b.data, b.size, 4, false, &id));
	build_id_format(&id, text);
	assert_string_equal(text, "0123456789abcdef");
	for (size_t size = 0; size < b.size; size++) {
		uint8_t *copy = exact_copy(b.data, size);

		assert_false(elf_notes_build_id(copy, size, 4, false, &id));
		free(copy);
	}
}

/* Libraries keep old names at the addresses of new ones: the name of the default version is the one. */
static void test_versions(void **state)
{
	static const uint16_t versions[2][3] = { { 0, 0x8002, 2 }, { 0, 2, 0x8002 } };
	static const struct elf_name dynamic[] = {
		{ "cfree", MADE_TEXT_ADDR, 16, STT_FUNC, STB_GLOBAL, 1 },
		{ "free", MADE_TEXT_ADDR, 16, STT_FUNC, STB_GLOBAL, 1 },
	};
	static const struct elf_name full[] = {
		{ "cfree@GLIBC_2.2.5", MADE_TEXT_ADDR, 16, STT_FUNC, STB_GLOBAL, 1 },
		{ "free", MADE_TEXT_ADDR, 16, STT_FUNC, STB_WEAK, 1 },
	};
	static const char *const wanted[] = { "free", "cfree", "free" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		bool is_dynamic = i < 2;
		struct elf_whole whole = { .wide = true, .type = ET_DYN, .machine = EM_X86_64 };
		struct err err = { .code = ERR_NONE };
		struct image symbols, names, list, image;
		struct elf elf;
		struct elf_symbols source = { .names = &elf,
			                      .runtime = &elf,
			                      .space = ELF_SPACE_OFFSET,
			                      .origin = is_dynamic ? ORIGIN_DYNSYM : ORIGIN_SYMTAB };
		struct symtable table;

		elf_name_images(&symbols, &names, &whole, is_dynamic ? dynamic : full, 2);
		image_init(&list, false);
		for (size_t k = 0; k < 3; k++)
			image_u16(&list, is_dynamic ? versions[i][k] : 1);

		const struct elf_part parts[] = {
			{ .name = ".text", .type = 1, .flags = 6, .addr = MADE_TEXT_ADDR, .size = 0x200 },
			{ .name = ".syms", .type = is_dynamic ? 11 : 2, .data = symbols.data,
			  .size = symbols.size, .link = 3 },
			{ .name = ".names", .type = 3, .data = names.data, .size = names.size },
			{ .name = ".gnu.version", .type = SHT_GNU_versym, .data = list.data,
			  .size = list.size, .link = 2 },
		};

		whole.parts = parts;
		whole.count = ARRAY_SIZE(parts);
		elf_image(&image, &whole);
		assert_true(elf_open_memory(&elf, image.data, image.size, &err));
		table = (struct symtable){ 0 };
		assert_true(elf_symbols_put(&table, &source, &err));
		symtable_finish(&table);
		assert_string_equal(name_at(&table, MADE_TEXT_ADDR - ELF_BASE), wanted[i]);
		symtable_release(&table);
		elf_close(&elf);
		image_release(&symbols), image_release(&names), image_release(&list);
	}
}

/* The offsets of a program that GNU ld and one that lld linked, as readelf -l shows them. */
static void test_restore(void **state)
{
	struct elf_segment gnu[] = { { 0, 0, 0x39c, 0xfb8, 0x1000, 0 },
		                     { 0x1000, 0, 0, 0x1911, 0x1000, 0 },
		                     { 0x3000, 0, 0, 0x833, 0x1000, 0 },
		                     { 0x4ca0, 0xca0, 0, 0x410, 0x1000, 0 } };
	struct elf_segment lld[] = { { 0x200000, 0, 0x2fc, 0x1544, 0x1000, 0 },
		                     { 0x202550, 0x550, 0, 0x18f0, 0x1000, 0 },
		                     { 0x204e40, 0xe40, 0, 0x2d0, 0x1000, 0 },
		                     { 0x206110, 0x110, 0, 0xc1, 0x1000, 0 } };
	struct elf elf = { .segments = gnu, .segment_count = 4 };

	(void)state;
	elf_restore_offsets(&elf);
	assert_int_equal(gnu[1].offset, 0x1000);
	assert_int_equal(gnu[2].offset, 0x3000);
	assert_int_equal(gnu[3].offset, 0x3ca0);
	elf.segments = lld;
	elf_restore_offsets(&elf);
	assert_int_equal(lld[1].offset, 0x1550);
	assert_int_equal(lld[2].offset, 0x2e40);
	assert_int_equal(lld[3].offset, 0x3110);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),     cmocka_unit_test(test_arm),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_descriptors), cmocka_unit_test(test_rejected),
		cmocka_unit_test(test_damage),      cmocka_unit_test(test_notes),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_versions), cmocka_unit_test(test_restore),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
