/*
 * ELF files whose counts and sizes lie, and packed sections that unfold without end. What they cost
 * is measured in the bytes that are allocated, which must follow those of the file.
 */
#include "decode/files/elf.h"

#include "tests/unit/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#ifdef HAVE_LZMA
#include <lzma.h>
#endif

#define SECONDS_MAX 10
#define TEXT 0x400u

/* Places in the header of a 64-bit file, and in its section headers (System V ABI, chapter 4). */
enum { E_SHOFF = 40, E_PHNUM = 56, E_SHNUM = 60, E_SHSTRNDX = 62 };
enum { SH_NAME = 0, SH_TYPE = 4, SH_OFFSET = 24, SH_SIZE = 32, SH_LINK = 40, SH_INFO = 44, SH_HEADER = 64 };

static const struct elf_name function = { "main_function", ELF_BASE + TEXT, 0x40, STT_FUNC,
	                                  STB_GLOBAL, 1 };

static const struct elf_whole wide = { .wide = true, .type = ET_DYN, .machine = EM_X86_64 };

/* Sections: 1 .text, 2 .note, 3 .strtab, 4 .symtab, 5 .shstrtab. */
static void small_image(struct image *image)
{
	struct elf_whole all = wide;
	struct image symbols, names, note;

	elf_name_images(&symbols, &names, &wide, &function, 1);
	elf_build_id_image(&note, false, "0123456789abcdefghij", 20);

	const struct elf_part parts[] = {
		{ .name = ".text", .type = 1, .flags = 6, .addr = ELF_BASE + TEXT, .size = 0x40 },
		{ .name = ".note", .type = 7, .data = note.data, .size = note.size },
		{ .name = ".strtab", .type = 3, .data = names.data, .size = names.size },
		{ .name = ".symtab", .type = 2, .data = symbols.data, .size = symbols.size, .link = 3,
		  .entry_size = 24 },
	};

	all.parts = parts;
	all.count = 4;
	elf_image(image, &all);
	image_release(&symbols), image_release(&names), image_release(&note);
}

static uint64_t get(const struct image *image, size_t at)
{
	uint64_t value = 0;

	for (int i = 7; i >= 0; i--)
		value = value << 8 | image->data[at + (size_t)i];
	return value;
}

/* The n-th section header's field. */
static size_t field(const struct image *image, size_t section, size_t place)
{
	return (size_t)get(image, E_SHOFF) + section * SH_HEADER + place;
}

/* Loads the file and checks its allocations: at most a few times the file's size and `more` bytes. */
static void measured(struct fixture *f, struct image *image, uint64_t more)
{
	struct binary binary = fixture_binary(f, BINARY_FILE, "/program");
	uint64_t most = 64 * (uint64_t)image->size + more + (1 << 20);
	clock_t start = clock();

	fixture_image(f, "program", image);
	refuse_allocation(0);
	fixture_load(f, &binary);
	assert_int_equal(f->err.code, ERR_NONE);
	if (allocated_bytes() > most)
		fail_msg("%llu bytes, more than %llu", (unsigned long long)allocated_bytes(),
		         (unsigned long long)most);
	assert_in_range((clock() - start) / CLOCKS_PER_SEC, 0, SECONDS_MAX);
}

/* One wrong number at a time, of every size: an error or fewer names, but no large allocation. */
static void lies(void **state)
{
	static const uint64_t values[] = { 0, 1, 0xff, 0xffff, 0x7fffffff, 0xffffffff, UINT64_C(1) << 32,
		                           UINT64_C(1) << 60, UINT64_C(1) << 63, UINT64_MAX - 63,
		                           UINT64_MAX };
	static const struct {
		size_t section, place, size; /* section 9: the file header */
	} fields[] = {
		{ 9, E_SHOFF, 8 },    { 9, 32, 8 },          { 9, E_PHNUM, 2 },   { 9, E_SHNUM, 2 },
		{ 9, E_SHSTRNDX, 2 }, { 0, SH_SIZE, 8 },     { 0, SH_LINK, 4 },   { 0, SH_INFO, 4 },
		{ 1, SH_SIZE, 8 },    { 1, SH_OFFSET, 8 },   { 2, SH_SIZE, 8 },   { 2, SH_OFFSET, 8 },
		{ 3, SH_SIZE, 8 },    { 3, SH_OFFSET, 8 },   { 4, SH_SIZE, 8 },   { 4, SH_OFFSET, 8 },
		{ 4, SH_LINK, 4 },    { 5, SH_SIZE, 8 },     { 5, SH_OFFSET, 8 }, { 4, SH_TYPE, 4 },
	};
	struct fixture f;
	struct image image;

	(void)state;
	fixture_begin(&f);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		for (size_t j = 0; j < sizeof(values) / sizeof(values[0]); j++) {
			size_t at = fields[i].place;

			small_image(&image);
			if (fields[i].section < 9)
				at = field(&image, fields[i].section, at);
			image_patch(&image, at, values[j], fields[i].size);
			measured(&f, &image, 0);
		}
	}
	fixture_end(&f);
}

/* Counts that do not fit in the file header are in the first section header; they can be wrong, too. */
static void large_counts(void **state)
{
	static const uint64_t counts[] = { 7, 1000, UINT32_MAX, UINT64_C(1) << 60 };
	struct fixture f;
	struct image image;

	(void)state;
	fixture_begin(&f);
	for (size_t i = 0; i < 4; i++) {
		small_image(&image);
		image_patch(&image, E_SHNUM, 0, 2);
		image_patch(&image, field(&image, 0, SH_SIZE), counts[i], 8);
		measured(&f, &image, 0);
		assert_int_equal(f.reason, ORIGIN_UNREADABLE);
		small_image(&image);
		image_patch(&image, E_PHNUM, 0xffff, 2);
		image_patch(&image, field(&image, 0, SH_INFO), counts[i], 4);
		measured(&f, &image, 0);
	}
	/* and where they are right the file is read */
	small_image(&image);
	image_patch(&image, E_SHNUM, 0, 2);
	image_patch(&image, field(&image, 0, SH_SIZE), 6, 8);
	image_patch(&image, E_SHSTRNDX, 0xffff, 2);
	image_patch(&image, field(&image, 0, SH_LINK), 5, 4);
	image_patch(&image, E_PHNUM, 0xffff, 2);
	image_patch(&image, field(&image, 0, SH_INFO), 1, 4);
	measured(&f, &image, 0);
	assert_string_equal(fixture_name(&f, TEXT, NULL), "main_function");
	fixture_end(&f);
}

/* Sixty thousand notes that all lie over the whole file, none of them with a build id. */
static void overlapping_notes(void **state)
{
	enum { COUNT = 60000 };
	struct elf_part *parts = calloc(COUNT, sizeof(*parts));
	struct elf_whole whole = { true, false, ET_DYN, EM_X86_64, parts, COUNT };
	struct fixture f;
	struct image image;

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		parts[i] = (struct elf_part){ .name = "", .type = 7, .said_size = 600000, .said_offset = 64 };
	fixture_begin(&f);
	elf_image(&image, &whole);
	measured(&f, &image, 0);
	free(parts);
	fixture_end(&f);
}

/* Notes whose sizes lie. */
static void build_id_notes(void **state)
{
	static const uint32_t values[] = { 0, 1, 3, 5, 20, 21, 64, 0x7fffffff, 0xfffffff0, 0xffffffff };
	struct err err = { .code = ERR_NONE };
	struct image image;
	struct elf elf;

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		for (size_t place = 0; place < 2; place++) {
			small_image(&image);
			image_patch(&image, (size_t)get(&image, field(&image, 2, SH_OFFSET)) + 4 * place,
			            values[i], 4);
			assert_true(elf_open_memory(&elf, image.data, image.size, &err));
			/* of the sizes only the body's may be less than it is */
			assert_int_equal(elf.build_id.size, place == 1 && values[i] <= 20 ? values[i] : 0);
			elf_close(&elf);
		}
	}
}

/* Reads a file with these symbols, whose names are in a text, and with so many bytes of code. */
static void measured_symbols(struct fixture *f, const struct image *symbols, const char *names, size_t size,
                             uint64_t code)
{
	const struct elf_part parts[] = {
		{ .name = ".text", .type = 1, .flags = 6, .addr = ELF_BASE + TEXT, .size = code },
		{ .name = ".strtab", .type = 3, .data = names, .size = size },
		{ .name = ".symtab", .type = 2, .data = symbols->data, .size = symbols->size, .link = 2 },
	};
	struct elf_whole whole = wide;
	struct image image;

	whole.parts = parts;
	whole.count = 3;
	fixture_begin(f);
	elf_image(&image, &whole);
	measured(f, &image, 0);
}

/* A table of symbols whose names all are one long text, or its ends. */
static void names_over_each_other(void **state)
{
	enum { COUNT = 40000, LENGTH = 100000 };
	struct elf_name *list = calloc(COUNT, sizeof(*list));
	struct image symbols, names;
	char *text = malloc(LENGTH + 1);
	struct fixture f;

	(void)state;
	memset(text, 'n', LENGTH);
	text[0] = text[LENGTH] = '\0';
	for (size_t i = 0; i < COUNT; i++)
		list[i] = (struct elf_name){ "", ELF_BASE + TEXT + i % 64, 1, STT_FUNC, 1, 1 };
	elf_name_images(&symbols, &names, &wide, list, COUNT);
	for (size_t i = 0; i < COUNT; i++)
		image_patch(&symbols, 24 * (i + 1), 1 + i % 1000, 4);
	measured_symbols(&f, &symbols, text, LENGTH + 1, 0x40);
	assert_non_null(strstr(f.said, "symbols whose names lie over each other"));
	image_release(&symbols), image_release(&names);
	free(text);
	free(list);
	fixture_end(&f);
}

/* A hundred thousand names of one address, each of which a demangler takes apart. */
static void names_of_one_address(void **state)
{
	enum { COUNT = 100000 };
	struct elf_name *list = calloc(COUNT, sizeof(*list));
	struct image symbols, names;
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		list[i] = (struct elf_name){ "_ZN1aIN1bIN1cIiE1dEE1eEE1fEvPKcS_S0_S1_S2_", ELF_BASE + TEXT, 0x40,
			                     STT_FUNC, 1, 1 };
	elf_name_images(&symbols, &names, &wide, list, COUNT);
	measured_symbols(&f, &symbols, (const char *)names.data, names.size, 0x40);
	for (uint64_t addr = TEXT; addr < TEXT + 0x40; addr++)
		assert_string_not_equal(fixture_name(&f, addr, NULL), "-");
	assert_true(allocations_seen() < 10 * COUNT);
	image_release(&symbols), image_release(&names);
	free(list);
	fixture_end(&f);
}

/* Functions in functions, each of which reaches to the end. */
static void nested_functions(void **state)
{
	enum { COUNT = 60000 };
	struct elf_name *list = calloc(COUNT, sizeof(*list));
	struct image symbols, names;
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < COUNT; i++) /* each begins and ends within the one before */
		list[i] = (struct elf_name){ "f", ELF_BASE + TEXT + i, i < COUNT / 2 ? COUNT - 2 * i : 1,
			                     STT_FUNC, 1, 1 };
	elf_name_images(&symbols, &names, &wide, list, COUNT);
	measured_symbols(&f, &symbols, (const char *)names.data, names.size, COUNT);
	for (uint64_t addr = TEXT; addr < TEXT + COUNT; addr++)
		assert_string_equal(fixture_name(&f, addr, NULL), "f");
	image_release(&symbols), image_release(&names);
	free(list);
	fixture_end(&f);
}

/* Stubs: as many relocations as fit, and stubs that are said to be large or endless. */
static void endless_stubs(void **state)
{
	static const uint64_t entries[] = { 0, 1, 16, UINT64_C(1) << 40, UINT64_MAX };
	struct elf_whole whole = { .wide = true, .type = ET_DYN, .machine = 22 };

	(void)state;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		const struct elf_part parts[] = {
			{ .name = ".rela.plt", .type = 4, .size = 24 * 20000 },
			{ .name = ".plt", .type = 1, .flags = 6, .addr = ELF_BASE + 0x100000, .size = 64,
			  .said_size = UINT64_C(1) << 60, .entry_size = entries[i] },
		};
		struct elf_part ordered[2] = { parts[1], parts[0] };
		struct fixture f;
		struct image image;

		whole.parts = ordered;
		whole.count = 2;
		fixture_begin(&f);
		elf_image(&image, &whole);
		measured(&f, &image, 0);
		fixture_end(&f);
	}
}

/* --- .gnu_debugdata that unfolds to more than is allowed */

#ifdef HAVE_LZMA
static size_t make_bomb(uint8_t *packed, size_t room)
{
	static const uint8_t zeros[1 << 16];
	lzma_stream z = LZMA_STREAM_INIT;

	assert_int_equal(lzma_easy_encoder(&z, 0, LZMA_CHECK_CRC32), LZMA_OK);
	z.next_out = packed;
	z.avail_out = room;
	for (size_t done = 0; done < (size_t)300 << 20; done += sizeof(zeros)) {
		z.next_in = zeros;
		z.avail_in = sizeof(zeros);
		while (z.avail_in)
			assert_int_equal(lzma_code(&z, LZMA_RUN), LZMA_OK);
	}
	assert_int_equal(lzma_code(&z, LZMA_FINISH), LZMA_STREAM_END);
	lzma_end(&z);
	return (size_t)z.total_out;
}

static void minidebug_bomb(void **state)
{
	enum { ROOM = 1 << 20 };
	uint8_t *packed = malloc(ROOM);
	struct elf_part part = { .name = ".gnu_debugdata", .type = 1, .data = packed };
	struct elf_whole whole = { true, false, ET_DYN, EM_X86_64, &part, 1 };
	struct fixture f;
	struct image image;

	(void)state;
	part.size = make_bomb(packed, ROOM);
	fixture_begin(&f);
	elf_image(&image, &whole);
	/* the limit for such a section is 256 MiB; what holds it may grow by doubling */
	measured(&f, &image, (uint64_t)3 * 256 << 20);
	assert_string_equal(fixture_name(&f, TEXT, NULL), "-");
	assert_non_null(strstr(f.said, ": symbols: "));
	free(packed);
	fixture_end(&f);
}
#else
static void minidebug_bomb(void **state)
{
	(void)state;
	skip();
}
#endif

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lies),              cmocka_unit_test(large_counts),
		cmocka_unit_test(overlapping_notes), cmocka_unit_test(build_id_notes),
		cmocka_unit_test(names_over_each_other), cmocka_unit_test(names_of_one_address),
		cmocka_unit_test(nested_functions),  cmocka_unit_test(endless_stubs),
		cmocka_unit_test(minidebug_bomb),
	};

	/* with a name as argument this test runs alone, to measure its cost */
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
