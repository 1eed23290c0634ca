#include "decode/dwarf/image.h"

#include "decode/files/elf.h"
#include "tests/unit/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#define COMPRESSED 0x800u
#define ZLIB 1
#define ZSTD 2

static const char plain[] = "packed text, packed text, packed text\n";

static const uint8_t zlibbed[] = {
	0x78, 0x9c, 0x2b, 0x48, 0x4c, 0xce, 0x4e, 0x4d, 0x51, 0x28, 0x49, 0xad,
	0x28, 0xd1, 0x51, 0x28, 0xc0, 0xc1, 0xe1, 0x02, 0x00, 0x0d, 0x6e, 0x0d,
	0x8a,
};

static const uint8_t zstandard[] = {
	0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0xa5, 0x00, 0x00, 0x70, 0x70, 0x61,
	0x63, 0x6b, 0x65, 0x64, 0x20, 0x74, 0x65, 0x78, 0x74, 0x2c, 0x20, 0x0a,
	0x01, 0x00, 0x00, 0xce, 0x2f, 0xfc, 0x49, 0x5f, 0xfa,
};

#if defined(HAVE_ZLIB) || defined(HAVE_LIBDEFLATE)
#define WITH_ZLIB true
#else
#define WITH_ZLIB false
#endif
#ifdef HAVE_ZSTD
#define WITH_ZSTD true
#else
#define WITH_ZSTD false
#endif

/* A compressed section as its bytes: the header says kind and size. */
static void pack(struct image *section, const struct elf_whole *whole, uint32_t kind, uint64_t size)
{
	bool zlib = kind == ZLIB;

	image_init(section, whole->big_endian);
	image_u32(section, kind);
	if (whole->wide)
		image_u32(section, 0);
	elf_word(section, whole->wide, size);
	elf_word(section, whole->wide, 4);
	image_bytes(section, zlib ? zlibbed : zstandard,
	            zlib ? sizeof(zlibbed) : sizeof(zstandard));
}

/* Writes a file with a section of each sort and opens it; elf: what it then says of itself. */
struct unpacked {
	struct fixture fixture;
	struct dwarf_image image;
	struct elf elf;
};

/* says: the size that the packed section's header says; cut: bytes that it lacks at its end. */
static void open_image(struct unpacked *unpacked, struct elf_whole whole, uint32_t kind,
                       uint64_t says, size_t cut)
{
	static const uint8_t code[16];
	struct err err = { .code = ERR_NONE };
	struct image section, file;
	char path[200];
	uint8_t *copy;

	pack(&section, &whole, kind, says);
	const struct elf_part parts[] = {
		{ .name = ".data", .type = 1, .flags = 3, .addr = ELF_BASE + 0x800,
		  .data = code, .size = 16 },
		{ .name = ".text", .type = 1, .flags = 6, .addr = ELF_BASE + 0x1000,
		  .data = code, .size = 16 },
		{ .name = ".debug_loc", .type = 1, .flags = COMPRESSED, .data = section.data,
		  .size = section.size - cut, .align = 8 },
		{ .name = ".debug_info", .type = 1, .flags = COMPRESSED | 0x30,
		  .data = section.data, .size = section.size - cut, .align = 8 },
		{ .name = ".debug_line", .type = 1, .data = "rows", .size = 4 },
	};
	whole.parts = parts;
	whole.count = ARRAY_SIZE(parts);
	elf_image(&file, &whole);
	fixture_begin(&unpacked->fixture);
	fixture_image(&unpacked->fixture, "file", &file);
	image_release(&section);
	assert_true(dwarf_image_open(&unpacked->image,
	                             fixture_path(&unpacked->fixture, "file", path), &err));
	copy = malloc(unpacked->image.size);
	memcpy(copy, unpacked->image.data, unpacked->image.size);
	assert_true(elf_open_memory(&unpacked->elf, copy, unpacked->image.size, &err));
}

static void close_image(struct unpacked *unpacked)
{
	elf_close(&unpacked->elf);
	dwarf_image_close(&unpacked->image);
	assert_null(unpacked->image.data);
	fixture_end(&unpacked->fixture);
}

static const struct elf_whole shapes[] = {
	{ .wide = true, .type = 2, .machine = 62 },
	{ .wide = true, .big_endian = true, .type = 2, .machine = 21 },
	{ .type = 2, .machine = 3 },
	{ .big_endian = true, .type = 2, .machine = 2 },
};

static bool section_is(const struct elf *elf, const char *name, const char *text)
{
	const struct elf_section *section = elf_find_section(elf, name);
	struct err err = { .code = ERR_NONE };
	uint8_t *data = section ? elf_section_data(elf, section, &err) : NULL;
	bool same = data && section->size == strlen(text) &&
	            memcmp(data, text, strlen(text)) == 0 && !(section->flags & COMPRESSED);

	free(data);
	return same;
}

/* The file says of itself that it was never compressed. */
static void test_inflated(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		for (uint32_t kind = ZLIB; kind <= ZSTD; kind++) {
			bool can = kind == ZLIB ? WITH_ZLIB : WITH_ZSTD;
			const struct elf_section *info;
			struct unpacked unpacked;

			open_image(&unpacked, shapes[i], kind, sizeof(plain) - 1, 0);
			info = elf_find_section(&unpacked.elf, ".debug_info");
			assert_int_equal(section_is(&unpacked.elf, ".debug_info", plain), can);
			assert_int_equal(info->flags, can ? 0x30 : 0x30 | COMPRESSED);
			assert_int_equal(info->type, 1);
			assert_int_equal(info->align, can ? 4 : 8);
			assert_true(section_is(&unpacked.elf, ".debug_line", "rows"));
			/* what nothing needs has no name */
			assert_null(elf_find_section(&unpacked.elf, ".debug_loc"));
			assert_non_null(elf_find_section(&unpacked.elf, ".text"));
			assert_int_equal(unpacked.image.lowest, ELF_BASE + 0x1000);
			assert_true(unpacked.image.changed);
			close_image(&unpacked);
		}
	}
}

/* What does not give what it says stays as it is, and takes no memory for it. */
static void test_damaged(void **state)
{
	static const struct {
		uint64_t says;
		size_t cut;
	} damage[] = { { sizeof(plain) - 2, 0 }, { sizeof(plain), 0 },    { 0, 0 },
		       { UINT32_MAX, 0 },        { UINT64_MAX, 0 },      { sizeof(plain) - 1, 1 },
		       { sizeof(plain) - 1, 20 }, { sizeof(plain) - 1, 36 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(damage); k++) {
			const struct elf_section *info;
			struct unpacked unpacked;

			open_image(&unpacked, shapes[i], k % 2 ? ZLIB : ZSTD, damage[k].says,
			           damage[k].cut);
			info = elf_find_section(&unpacked.elf, ".debug_info");
			assert_int_equal(info->flags, 0x30 | COMPRESSED);
			assert_in_range(unpacked.image.size, unpacked.image.file_size,
			                unpacked.image.file_size + 2 * 4096);
			close_image(&unpacked);
		}
	}
}

static long most_memory(void) /* that this process ever had, KB */
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_maxrss;
}

enum { SAME_BYTES = 1 << 20 };

/* A file with so many sections, all of them the same bytes, which are nothing and say to unpack to more. */
static void make_claims(struct image *file, size_t sections, uint32_t says)
{
	struct elf_part *parts = calloc(sections, sizeof(*parts));
	struct elf_whole whole = { .wide = true, .type = 2, .machine = 62, .parts = parts, .count = sections };
	struct err err = { .code = ERR_NONE };
	struct image section;
	struct elf elf;
	uint64_t offset;

	pack(&section, &whole, ZLIB, says);
	section.size -= sizeof(zlibbed);
	while (section.size < SAME_BYTES)
		image_u32(&section, 0xffffffff);
	for (size_t i = 0; i < sections; i++)
		parts[i] = (struct elf_part){ .name = i ? ".debug_str" : ".debug_info", .type = 1, .flags = COMPRESSED,
			                      .data = section.data, .size = i ? 1 : section.size, .align = 8 };
	elf_image(file, &whole);
	assert_true(elf_open_memory(&elf, file->data, file->size, &err));
	offset = elf_find_section(&elf, ".debug_info")->offset;
	elf_close(&elf);
	for (size_t i = 1; i < sections; i++) {
		parts[i].said_offset = offset;
		parts[i].said_size = section.size;
	}
	elf_image(file, &whole);
	image_release(&section);
	free(parts);
}

/* Sizes are claims: such sections take no memory for what they say. */
static void test_claims(void **state)
{
	enum { SECTIONS = 30, SAYS = 100 << 20 };
	struct err err = { .code = ERR_NONE };
	struct dwarf_image image;
	struct fixture fixture;
	struct image file;
	char path[200];
	long before;

	(void)state;
	make_claims(&file, SECTIONS, SAYS);
	fixture_begin(&fixture);
	fixture_image(&fixture, "file", &file);
	before = most_memory();
	assert_true(dwarf_image_open(&image, fixture_path(&fixture, "file", path), &err));
	assert_in_range(image.size, (size_t)SECTIONS * SAYS, (size_t)SECTIONS * SAYS + (16 << 20));
	assert_in_range(most_memory() - before, 0, 64 << 10);
	dwarf_image_close(&image);
	fixture_end(&fixture);
}

/* Bytes that this process has read so far; 0 if the kernel does not tell. */
static unsigned long long bytes_read(void)
{
	FILE *file = fopen("/proc/self/io", "r");
	unsigned long long bytes = 0;

	if (file && fscanf(file, "rchar: %llu", &bytes) != 1)
		bytes = 0;
	if (file)
		fclose(file);
	return bytes;
}

/* Nor are their bytes read again for each of them. */
static void test_many_claims(void **state)
{
	enum { SECTIONS = 2000, SAYS = 1000 };
	struct err err = { .code = ERR_NONE };
	unsigned long long before, after;
	struct dwarf_image image;
	struct fixture fixture;
	struct image file;
	size_t size;
	char path[200];

	(void)state;
	make_claims(&file, SECTIONS, SAYS);
	size = file.size;
	fixture_begin(&fixture);
	fixture_image(&fixture, "file", &file);
	before = bytes_read();
	assert_true(dwarf_image_open(&image, fixture_path(&fixture, "file", path), &err));
	after = bytes_read();
	dwarf_image_close(&image);
	fixture_end(&fixture);
	if (!before)
		skip();
	assert_in_range(after - before, 0, 2 * size);
}

static void test_unknown_kind(void **state)
{
	struct unpacked unpacked;

	(void)state;
	open_image(&unpacked, shapes[0], 3, sizeof(plain) - 1, 0);
	assert_true(elf_find_section(&unpacked.elf, ".debug_info")->flags & COMPRESSED);
	close_image(&unpacked);
}

static void test_no_file(void **state)
{
	struct err err = { .code = ERR_NONE };
	struct dwarf_image image;
	struct fixture fixture;
	char path[200];

	(void)state;
	fixture_begin(&fixture);
	assert_false(dwarf_image_open(&image, fixture_path(&fixture, "none", path), &err));
	assert_null(image.data);
	fixture_text(&fixture, "text", "no ELF file, but it is as long as the header of one is");
	assert_false(dwarf_image_open(&image, fixture_path(&fixture, "text", path), &err));
	assert_int_equal(err.code, ERR_NONE);
	assert_null(image.data);
	dwarf_image_close(&image);
	fixture_end(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inflated),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_claims),
		cmocka_unit_test(test_many_claims),
		cmocka_unit_test(test_unknown_kind),
		cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
