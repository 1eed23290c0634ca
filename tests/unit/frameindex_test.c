/* Bounds of functions in .eh_frame, compared with what readelf shows of the same files. */
#include "decode/files/frameindex.h"

#include "tests/unit/fixture.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void open_frames(const char *path, struct frame_index *frames)
{
	struct err err = { .code = ERR_NONE };
	struct elf elf;

	assert_true(elf_open(&elf, open(path, O_RDONLY | O_CLOEXEC), &err));
	assert_true(frame_index_load(frames, &elf, true, &err));
	assert_int_equal(frames->table != NULL, elf_find_section(&elf, ".eh_frame_hdr") != NULL);
	elf_close(&elf);
}

static void around(struct frame_index *frames, uint64_t addr, struct frame_range *before,
                   struct frame_range *after)
{
	struct err err = { .code = ERR_NONE };

	assert_true(frame_index_around(frames, addr, before, after, &err));
}

static size_t count_functions(struct frame_index *frames)
{
	struct frame_range before, after;

	around(frames, 0, &before, &after);
	return frames->count;
}

/* The function that covers an address; start 0 if there is none. */
static struct frame_range covering(struct frame_index *frames, uint64_t addr)
{
	struct frame_range before, after;

	around(frames, addr, &before, &after);
	assert_true(!after.start || after.start > addr);
	return addr < before.end ? before : (struct frame_range){ 0 };
}

/*
 * Every FDE that readelf lists is found by its first and its last address, and there are no others:
 * by the linker's table of them, or without it.
 */
static void compare_with_readelf(struct fixture *f, const char *path)
{
	struct frame_index frames;
	char line[500], log[200];
	uint64_t start, end;
	size_t count = 0;
	FILE *listed;

	assert_true(fixture_run(f, ".", "readelf --wide --debug-dump=frames %s", path));
	open_frames(path, &frames);
	listed = fopen(fixture_path(f, "log", log), "r");
	assert_non_null(listed);
	while (fgets(line, sizeof(line), listed)) {
		const char *fde = strstr(line, " FDE cie="), *pc = fde ? strstr(fde, "pc=") : NULL;
		struct frame_range found;
		unsigned long offset;

		if (!pc || sscanf(pc, "pc=%" SCNx64 "..%" SCNx64, &start, &end) != 2 || !start ||
		    start == end)
			continue;
		count++;
		found = covering(&frames, start);
		assert_int_equal(found.start, start);
		assert_int_equal(found.end, end);
		assert_int_equal(covering(&frames, end - 1).entry, found.entry);
		assert_int_equal(sscanf(line, "%lx", &offset), 1);
		assert_int_equal(found.entry, offset);
	}
	fclose(listed);
	assert_true(count > 10);
	assert_int_equal(count_functions(&frames), count);
	frame_index_release(&frames);
}

/* The same file with and without the table. */
static void compare_both(struct fixture *f, const char *path)
{
	char without[200];

	compare_with_readelf(f, path);
	if (fixture_has("objcopy")) {
		assert_true(fixture_run(f, ".", "objcopy -R .eh_frame_hdr %s without", path));
		compare_with_readelf(f, fixture_path(f, "without", without));
	}
}

static void test_readelf(void **state)
{
	struct fixture f;
	char path[200], self[400];
	ssize_t length;

	(void)state;
	fixture_begin(&f);
	if (!fixture_has("readelf") || !fixture_has("cc")) {
		fixture_end(&f);
		skip();
	}
	length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	assert_true(length > 0);
	self[length] = '\0';
	compare_both(&f, self);
	/* libc's code has all kinds of entries, if it is there as an archive */
	fixture_text(&f, "program.c", "int main(int n, char **a) { return n + **a; }\n");
	if (fixture_run(&f, ".", "cc -static program.c -o program"))
		compare_both(&f, fixture_path(&f, "program", path));
	fixture_end(&f);
}

/* One CIE and one FDE by hand, in the byte order and class of whole. */
static void made_section(struct image *image, bool big_endian, uint64_t section, uint64_t start,
                         uint32_t size)
{
	image_init(image, big_endian);
	image_u32(image, 16);
	image_u32(image, 0);
	image_bytes(image, "\1zR\0\1\x78\x10\1\x1b\0\0\0", 12);
	image_u32(image, 16);
	image_u32(image, 24);
	image_u32(image, (uint32_t)(start - (section + 28)));
	image_u32(image, size);
	image_bytes(image, "\0\0\0\0", 4);
}

#define SECTION_ADDR (ELF_BASE + 0x800)
#define CODE_ADDR (ELF_BASE + 0x400)

#define TABLE_ADDR (ELF_BASE + 0xc00)

/* With a table, if it is not NULL. */
static bool read_with_table(const struct image *section, const struct image *table,
                            const struct elf_whole *kind, struct frame_index *frames)
{
	const struct elf_part parts[] = {
		{ .name = ".text", .type = 1, .flags = 6, .addr = CODE_ADDR, .size = 0x200 },
		{ .name = ".eh_frame", .type = 1, .flags = 2, .addr = SECTION_ADDR,
		  .data = section->data, .size = section->size },
		{ .name = ".eh_frame_hdr", .type = 1, .flags = 2, .addr = TABLE_ADDR,
		  .data = table ? table->data : NULL, .size = table ? table->size : 0 },
	};
	struct elf_whole whole = *kind;
	struct err err = { .code = ERR_NONE };
	struct image image;
	struct elf elf;
	bool ok;

	whole.parts = parts;
	whole.count = table ? 3 : 2;
	elf_image(&image, &whole);
	/* the image belongs to the elf */
	ok = elf_open_memory(&elf, image.data, image.size, &err) && frame_index_load(frames, &elf, true, &err);
	elf_close(&elf);
	return ok;
}

static bool read_made(const struct image *section, const struct elf_whole *kind,
                      struct frame_index *frames)
{
	return read_with_table(section, NULL, kind, frames);
}

static void test_made(void **state)
{
	static const struct elf_whole kinds[] = {
		{ .wide = true, .type = ET_DYN, .machine = EM_X86_64 },
		{ .wide = true, .big_endian = true, .type = ET_DYN, .machine = EM_PPC64 },
		{ .wide = false, .type = ET_EXEC, .machine = EM_386 },
		{ .wide = false, .big_endian = true, .type = ET_EXEC, .machine = EM_SPARC },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct image section;
		struct frame_index frames;

		made_section(&section, kinds[i].big_endian, SECTION_ADDR, CODE_ADDR + 0x10, 0x20);
		assert_true(read_made(&section, &kinds[i], &frames));
		assert_int_equal(count_functions(&frames), 1);
		assert_int_equal(covering(&frames, CODE_ADDR + 0xf).end, 0);
		assert_int_equal(covering(&frames, CODE_ADDR + 0x10).end, CODE_ADDR + 0x30);
		assert_int_equal(covering(&frames, CODE_ADDR + 0x2f).start, CODE_ADDR + 0x10);
		assert_int_equal(covering(&frames, CODE_ADDR + 0x30).end, 0);
		frame_index_release(&frames);
		/* of every prefix reading ends, and finds no function that is not there */
		for (size_t size = 1; size < section.size; size++) {
			struct image part = section;

			part.size = size;
			assert_true(read_made(&part, &kinds[i], &frames));
			assert_int_equal(count_functions(&frames), 0);
			frame_index_release(&frames);
		}
		image_release(&section);
	}
}

/*
 * Lengths of 8 bytes: what follows them still has 4, by the Linux Standard Base, 10.6.1 ("CIE ID: A 4 byte unsigned
 * value"). llvm-dwarfdump shows the same bounds.
 */
static void test_long_lengths(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		const struct elf_whole kind = { .wide = true, .big_endian = big, .type = ET_DYN,
			                        .machine = big ? EM_PPC64 : EM_X86_64 };
		struct frame_range found;
		struct frame_index frames;
		struct image section;

		image_init(&section, big);
		image_u32(&section, UINT32_MAX), image_u64(&section, 16);
		image_u32(&section, 0);
		image_bytes(&section, "\1zR\0\1\x78\x10\1\x1b\0\0\0", 12);
		image_u32(&section, UINT32_MAX), image_u64(&section, 16);
		image_u32(&section, 40);
		image_u32(&section, (uint32_t)(CODE_ADDR + 0x10 - (SECTION_ADDR + 44)));
		image_u32(&section, 0x20);
		image_bytes(&section, "\0\0\0\0", 4);
		assert_true(read_made(&section, &kind, &frames));
		assert_int_equal(count_functions(&frames), 1);
		found = covering(&frames, CODE_ADDR + 0x2f);
		assert_int_equal(found.start, CODE_ADDR + 0x10);
		assert_int_equal(found.end, CODE_ADDR + 0x30);
		assert_int_equal(found.entry, 28);
		frame_index_release(&frames);
		image_release(&section);
	}
}

/* A table of one entry, by hand. */
static void made_table(struct image *table, bool big_endian, uint64_t fde)
{
	image_init(table, big_endian);
	image_bytes(table, "\1\x1b\x03\x3b", 4);
	image_u32(table, (uint32_t)(SECTION_ADDR - (TABLE_ADDR + 4)));
	image_u32(table, 1);
	image_u32(table, (uint32_t)(CODE_ADDR + 0x10 - TABLE_ADDR));
	image_u32(table, (uint32_t)(fde - TABLE_ADDR));
}

/* A complete table is used; where its contents are wrong, only the starts that it lists are found. */
static void test_made_table(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		const struct elf_whole kind = { .wide = !big, .big_endian = big, .type = ET_DYN,
			                        .machine = big ? EM_SPARC : EM_X86_64 };
		const uint64_t wrong[] = { SECTION_ADDR, SECTION_ADDR + 21, SECTION_ADDR + 40,
			                   SECTION_ADDR - 4, 0 };
		struct image section, table;
		struct frame_range before, after;
		struct frame_index frames;

		made_section(&section, big, SECTION_ADDR, CODE_ADDR + 0x10, 0x20);
		made_table(&table, big, SECTION_ADDR + 20);
		assert_true(read_with_table(&section, &table, &kind, &frames));
		assert_non_null(frames.table);
		assert_int_equal(covering(&frames, CODE_ADDR + 0x2f).start, CODE_ADDR + 0x10);
		assert_int_equal(covering(&frames, CODE_ADDR + 0x30).end, 0);
		around(&frames, CODE_ADDR + 0xf, &before, &after);
		assert_int_equal(before.start, 0);
		assert_int_equal(after.start, CODE_ADDR + 0x10);
		frame_index_release(&frames);
		for (size_t size = 1; size < table.size; size++) {
			struct image part = table;

			part.size = size;
			assert_true(read_with_table(&section, &part, &kind, &frames));
			assert_null(frames.table);
			assert_int_equal(covering(&frames, CODE_ADDR + 0x10).end, CODE_ADDR + 0x30);
			frame_index_release(&frames);
		}
		image_release(&table);
		for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
			made_table(&table, big, wrong[i]);
			assert_true(read_with_table(&section, &table, &kind, &frames));
			around(&frames, CODE_ADDR + 0x10, &before, &after);
			assert_int_equal(before.start, CODE_ADDR + 0x10);
			assert_int_equal(before.end, CODE_ADDR + 0x10);
			frame_index_release(&frames);
			image_release(&table);
		}
		image_release(&section);
	}
}

/* Lists of several object files: each ends with a length of 0. */
static void test_zeros_between(void **state)
{
	static const struct elf_whole kind = { .wide = true, .type = ET_DYN,
		                               .machine = EM_X86_64 };
	struct image first, second;
	struct frame_index frames;

	(void)state;
	made_section(&first, false, SECTION_ADDR, CODE_ADDR + 0x40, 0x20);
	image_u32(&first, 0);
	made_section(&second, false, SECTION_ADDR + first.size, CODE_ADDR, 0x20);
	image_bytes(&first, second.data, second.size);
	assert_true(read_made(&first, &kind, &frames));
	assert_int_equal(count_functions(&frames), 2);
	assert_int_equal(frames.ranges[0].start, CODE_ADDR);
	assert_int_equal(frames.ranges[1].start, CODE_ADDR + 0x40);
	frame_index_release(&frames);
	image_release(&first), image_release(&second);
}

/*
 * CIEs that any number of FDEs may refer to: what stands before the program is not read if it has more
 * bytes than any compiler writes, be that letters of the augmentation or the bytes of a number.
 */
static void test_long_fields(void **state)
{
	static const struct elf_whole kind = { .wide = true, .type = ET_DYN, .machine = EM_X86_64 };
	static const struct {
		uint32_t letters, bytes;
		size_t found;
	} cases[] = { { 0, 0, 1 }, { 100, 100, 1 }, { 300, 0, 0 }, { 0, 300, 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct frame_index frames;
		struct image section;

		image_init(&section, false);
		image_u32(&section, 0);
		image_u32(&section, 0);
		image_bytes(&section, "\1zR", 3);
		for (uint32_t j = 0; j < cases[i].letters; j++)
			image_u8(&section, 'S');
		image_bytes(&section, "\0\x81", 2);
		for (uint32_t j = 0; j < cases[i].bytes; j++)
			image_u8(&section, 0x80);
		image_bytes(&section, "\0\x78\x10\1\x1b\0", 6);
		image_patch(&section, 0, section.size - 4, 4);
		image_u32(&section, 16);
		image_u32(&section, (uint32_t)section.size);
		image_u32(&section, (uint32_t)(CODE_ADDR - (SECTION_ADDR + section.size)));
		image_u32(&section, 0x20);
		image_u32(&section, 0);
		assert_true(read_made(&section, &kind, &frames));
		assert_int_equal(count_functions(&frames), cases[i].found);
		frame_index_release(&frames);
		image_release(&section);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_readelf),
		cmocka_unit_test(test_made), cmocka_unit_test(test_long_lengths),
		cmocka_unit_test(test_made_table),
		cmocka_unit_test(test_zeros_between), cmocka_unit_test(test_long_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
