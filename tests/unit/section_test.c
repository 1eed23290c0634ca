/* The bytes of sections: as they are, in parts, packed, cut short, and those that claim to be more. */
#include "decode/dwarf/section.h"

#include "decode/files/frameindex.h"

#include "tests/unit/fixture.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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

static const struct elf_whole shapes[] = {
	{ .wide = true, .type = 2, .machine = 62 },
	{ .wide = true, .big_endian = true, .type = 2, .machine = 21 },
	{ .type = 2, .machine = 3 },
	{ .big_endian = true, .type = 2, .machine = 2 },
};

/* A file with a section of each sort. */
struct opened_file {
	struct fixture fixture;
	struct section_file file;
	struct err err;
	char path[200];
};

static void open_sections(struct opened_file *opened, struct image *image)
{
	opened->err = (struct err){ .code = ERR_NONE };
	fixture_begin(&opened->fixture);
	fixture_image(&opened->fixture, "file", image);
	fixture_path(&opened->fixture, "file", opened->path);
	assert_true(section_file_open(&opened->file, open(opened->path, O_RDONLY), &opened->err));
}

/* says: the size that the packed section's header says; cut: bytes that it lacks at its end. */
static void open_packed(struct opened_file *opened, struct elf_whole whole, uint32_t kind, uint64_t says,
                        size_t cut)
{
	struct image section, file, old;

	pack(&section, &whole, kind, says);
	image_init(&old, true);
	image_bytes(&old, "ZLIB", 4);
	image_u64(&old, says);
	image_bytes(&old, zlibbed, sizeof(zlibbed));
	const struct elf_part parts[] = {
		{ .name = ".debug_info", .type = 1, .flags = COMPRESSED | 0x30,
		  .data = section.data, .size = section.size - cut, .align = 8 },
		{ .name = ".debug_line", .type = 1, .data = "rows", .size = 4 },
		{ .name = ".zdebug_str", .type = 1, .data = old.data, .size = old.size - cut },
		{ .name = ".debug_addr", .type = 8, .size = 100 },
	};
	whole.parts = parts;
	whole.count = ARRAY_SIZE(parts);
	elf_image(&file, &whole);
	open_sections(opened, &file);
	image_release(&section);
	image_release(&old);
}

static void close_file(struct opened_file *opened)
{
	section_file_close(&opened->file);
	fixture_end(&opened->fixture);
}

static bool find(struct opened_file *opened, struct section *section, const char *name)
{
	const struct elf *elf = &opened->file.elf;

	for (size_t i = 0; i < elf->section_count; i++)
		if (!strcmp(elf_section_name(elf, &elf->sections[i]), name))
			return section_find(section, &opened->file, i);
	fail_msg("no %s", name);
	return false;
}

static bool section_is(struct opened_file *opened, const char *name, const char *text)
{
	struct section section;
	struct bytes whole;
	bool same;

	if (!find(opened, &section, name))
		return false;
	whole = section_whole(&section);
	same = bytes_left(&whole) == strlen(text) && memcmp(whole.pos, text, strlen(text)) == 0;
	section_release(&section);
	return same;
}

static void test_unpacked(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		for (uint32_t kind = ZLIB; kind <= ZSTD; kind++) {
			bool can = kind == ZLIB ? WITH_ZLIB : WITH_ZSTD;
			struct opened_file opened;
			struct section none;

			open_packed(&opened, shapes[i], kind, sizeof(plain) - 1, 0);
			assert_int_equal(section_is(&opened, ".debug_info", plain), can);
			assert_int_equal(section_is(&opened, ".zdebug_str", plain), WITH_ZLIB);
			assert_true(section_is(&opened, ".debug_line", "rows"));
			assert_false(find(&opened, &none, ".debug_addr"));
			assert_int_equal(opened.file.packed, !can || !WITH_ZLIB);
			close_file(&opened);
		}
	}
}

/* A packed section whose contents are not of the size in its header has no bytes. */
static void test_damaged(void **state)
{
	static const struct {
		uint64_t says;
		size_t cut;
	} damage[] = { { sizeof(plain) - 2, 0 },  { sizeof(plain), 0 },
		       { 0, 0 },                  { UINT32_MAX, 0 },
		       { UINT64_MAX, 0 },         { sizeof(plain) - 1, 1 },
		       { sizeof(plain) - 1, 20 }, { sizeof(plain) - 1, 36 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(damage); k++) {
			struct opened_file opened;

			open_packed(&opened, shapes[i], k % 2 ? ZLIB : ZSTD, damage[k].says,
			            damage[k].cut);
			assert_true(section_is(&opened, ".debug_info", ""));
			assert_true(section_is(&opened, ".zdebug_str", ""));
			assert_true(section_is(&opened, ".debug_line", "rows"));
			assert_int_equal(opened.err.code, ERR_NONE);
			close_file(&opened);
		}
	}
}

/* Appends a section of that many blocks of zeros, 128 KiB each, as zstd packs them best: each is 4 bytes. */
static void pack_zeros(struct image *section, size_t blocks)
{
	static const uint8_t frame[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 0x38 };

	image_init(section, false);
	image_u32(section, ZSTD);
	image_u32(section, 0);
	image_u64(section, blocks << 17);
	image_u64(section, 1);
	image_bytes(section, frame, sizeof(frame));
	for (size_t i = 1; i <= blocks; i++)
		image_u32(section, 1 << 20 | 1 << 1 | (i == blocks));
}

/* A size that zlib could not reach, but zstd does; and what would be more than all sections may become. */
static void test_zeros(void **state)
{
	struct elf_whole whole = shapes[0];
	struct opened_file opened;
	struct frame_index index;
	struct image zeros, file;
	struct section section;
	struct bytes b;

	(void)state;
	pack_zeros(&zeros, 300);
	const struct elf_part parts[] = {
		{ .name = ".debug_info", .type = 1, .flags = COMPRESSED, .data = zeros.data, .size = zeros.size },
		{ .name = ".debug_line", .type = 1, .flags = COMPRESSED, .data = zeros.data, .size = zeros.size },
		{ .name = ".debug_frame", .type = 1, .flags = COMPRESSED, .data = zeros.data, .size = zeros.size },
	};
	whole.parts = parts;
	whole.count = ARRAY_SIZE(parts);
	elf_image(&file, &whole);
	open_sections(&opened, &file);
	for (size_t i = 0; i < 2; i++) {
		assert_true(find(&opened, &section, parts[i].name));
		b = section_whole(&section);
		assert_int_equal(bytes_left(&b), !i && WITH_ZSTD ? 300 << 17 : 0);
		section_release(&section);
	}
	/* unwind tables of the same file share the limit */
	assert_true(frame_index_load(&index, &opened.file.elf, false, &opened.err));
	assert_null(index.data);
	opened.file.elf.inflate_left = 300 << 17;
	assert_true(frame_index_load(&index, &opened.file.elf, false, &opened.err));
	assert_int_equal(index.data != NULL, WITH_ZSTD);
	frame_index_release(&index);
	assert_int_equal(opened.err.code, ERR_NONE);
	assert_int_equal(opened.file.packed, !WITH_ZSTD);
	close_file(&opened);
	image_release(&zeros);
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

/* The unpacked size of all sections together is bounded by the file's size, whatever their headers claim. */
static void test_claims(void **state)
{
	enum { SECTIONS = 30, SAYS = 100 << 20 };
	struct opened_file opened;
	struct image file;
	long before;

	(void)state;
	make_claims(&file, SECTIONS, SAYS);
	open_sections(&opened, &file);
	before = most_memory();
	for (size_t i = 0; i < opened.file.elf.section_count; i++) {
		struct section section;

		if (section_find(&section, &opened.file, i))
			section_whole(&section);
		section_release(&section);
	}
	assert_in_range(most_memory() - before, 0, 128 << 10);
	assert_in_range(opened.file.elf.inflate_left, 0, SAYS);
	close_file(&opened);
}

static void test_unknown_kind(void **state)
{
	struct opened_file opened;

	(void)state;
	open_packed(&opened, shapes[0], 3, sizeof(plain) - 1, 0);
	assert_true(section_is(&opened, ".debug_info", ""));
	assert_true(opened.file.packed);
	close_file(&opened);
}

enum { LARGE = 100000 };

/* A section of LARGE bytes: texts of 9 letters, each its own number. */
static void open_large(struct opened_file *opened, struct section *section)
{
	char *texts = malloc(LARGE + 1);
	struct elf_part part = { .name = ".debug_str", .type = 1, .data = texts, .size = LARGE };
	struct elf_whole whole = shapes[0];
	struct image file;

	assert_non_null(texts);
	for (int i = 0; i < LARGE / 10; i++)
		snprintf(texts + 10 * i, 11, "%09d", i);
	texts[LARGE - 1] = 'x'; /* the last one has no end */
	whole.parts = &part;
	whole.count = 1;
	elf_image(&file, &whole);
	open_sections(opened, &file);
	assert_true(find(opened, section, ".debug_str"));
	free(texts);
}

/* The text there, whatever it costs. */
static const char *text_at(struct section *section, uint64_t offset)
{
	struct points points = { .work = UINT64_MAX };

	return section_text(section, offset, &points);
}

/* Parts and texts are those of the whole, wherever blocks begin. */
static void test_parts(void **state)
{
	struct opened_file opened;
	struct section section, part;
	struct bytes b;
	char text[10];

	(void)state;
	open_large(&opened, &section);
	for (int i = LARGE / 10 - 2; i >= 0; i -= 7) {
		snprintf(text, sizeof(text), "%09d", i);
		assert_string_equal(text_at(&section, 10 * (uint64_t)i), text);
		b = section_part(&section, 10 * (uint64_t)i + 2, 9);
		assert_int_equal(bytes_left(&b), 9);
		assert_memory_equal(b.pos, text + 2, 8);
	}
	assert_null(text_at(&section, LARGE - 5));
	assert_null(text_at(&section, LARGE));
	assert_null(text_at(&section, UINT64_MAX));
	assert_true(section_part(&section, LARGE - 5, 6).bad);
	assert_true(section_part(&section, UINT64_MAX, 2).bad);
	assert_false(section_part(&section, LARGE, 0).bad);
	assert_false(section_cut(&part, &section, LARGE - 5, 6));
	assert_true(section_cut(&part, &section, 30000, 20));
	assert_string_equal(text_at(&part, 10), "000003001");
	assert_null(text_at(&part, 20));
	section_release(&part);
	section_forget(&section);
	assert_string_equal(text_at(&section, 40), "000000004");
	b = section_whole(&section);
	assert_int_equal(bytes_left(&b), LARGE);
	section_release(&section);
	close_file(&opened);
}

/* The same may happen to a packed section, or its bytes become others that unpack to less. */
static void test_packed_changed(void **state)
{
	static const uint8_t rows[] = { /* "rows" */
		0x78, 0x01, 0x01, 0x04, 0x00, 0xfb, 0xff, 0x72,
		0x6f, 0x77, 0x73, 0x04, 0x7a, 0x01, 0xcc
	};

	(void)state;
	for (int cut = 0; cut <= 1; cut++) {
		struct opened_file opened;
		struct section section;
		struct image other;
		struct bytes whole;
		int fd;

		open_packed(&opened, shapes[0], ZLIB, sizeof(plain) - 1, 0);
		assert_int_equal(find(&opened, &section, ".debug_info"), true);
		pack(&other, &shapes[0], ZLIB, 4);
		memcpy(other.data + other.size - sizeof(zlibbed), rows, sizeof(rows));
		fd = open(opened.path, O_WRONLY);
		if (cut)
			assert_int_equal(ftruncate(fd, (off_t)section.offset + 30), 0);
		else
			assert_int_equal(pwrite(fd, other.data, other.size, (off_t)section.offset), other.size);
		close(fd);
		whole = section_whole(&section);
		assert_int_equal(bytes_left(&whole), 0);
		if (WITH_ZLIB || cut)
			assert_true(opened.file.changed);
		if (cut)
			assert_false(opened.file.packed);
		section_release(&section);
		image_release(&other);
		close_file(&opened);
	}
}

/* Another process may truncate the file while it is read: the rest has no bytes, and there is a warning. */
static void test_truncated(void **state)
{
	struct opened_file opened;
	struct section section;
	struct bytes b;

	(void)state;
	open_large(&opened, &section);
	assert_string_equal(text_at(&section, 0), "000000000");
	assert_int_equal(truncate(opened.path, (off_t)opened.file.elf.size / 2), 0);
	assert_null(text_at(&section, LARGE - 100));
	assert_true(opened.file.changed);
	b = section_whole(&section);
	assert_int_equal(bytes_left(&b), 0);
	section_release(&section);
	close_file(&opened);
}

static void test_no_file(void **state)
{
	struct err err = { .code = ERR_NONE };
	struct section_file file;
	struct fixture fixture;
	char path[200];

	(void)state;
	fixture_begin(&fixture);
	assert_false(section_file_open(&file, -1, &err));
	section_file_close(&file);
	fixture_text(&fixture, "text", "no ELF file, but it is as long as the header of one is");
	assert_false(section_file_open(&file, open(fixture_path(&fixture, "text", path), O_RDONLY),
	                               &err));
	section_file_close(&file);
	assert_int_equal(err.code, ERR_NONE);
	fixture_end(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unpacked),  cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_claims),    cmocka_unit_test(test_unknown_kind),
		cmocka_unit_test(test_parts),     cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_packed_changed), cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
