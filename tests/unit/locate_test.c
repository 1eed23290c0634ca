/*
 * Where a program's file and its debug file are found, and what is not believed: another build id,
 * a wrong checksum, names that lead elsewhere.
 */
#define _XOPEN_SOURCE 700
#include "decode/files/elf.h"
#include "tests/unit/fixture.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef HAVE_LZMA
#include <lzma.h>
#endif

#define TEXT 0x400u

static const uint8_t id[20] = "0123456789abcdefghij";
static const uint8_t other[20] = "another build id ...";
#define ID_PATH ".build-id/30/313233343536373839616263646566" "6768696a"

/* A file of one function. Of two names the longer wins, so the better source has the longer one. */
struct file {
	const char *function;    /* of .symtab; NULL: no table */
	const char *dynamic;     /* of .dynsym */
	const uint8_t *build_id;
	const void *link;        /* .gnu_debuglink */
	size_t link_size;
	const void *mini;        /* .gnu_debugdata */
	size_t mini_size;
	bool dwarf;
	uint16_t machine;        /* 0: x86-64 */
	bool nameless;           /* .symtab without a table of names */
};

static void file_image(struct image *image, const struct file *file)
{
	const struct elf_name name = { file->function ? file->function : "", ELF_BASE + TEXT, 0x40,
		                       STT_FUNC, STB_GLOBAL, 1 };
	const struct elf_name dynamic = { file->dynamic ? file->dynamic : "", ELF_BASE + TEXT, 0x40,
		                          STT_FUNC, STB_GLOBAL, 1 };
	struct elf_whole whole = { .wide = true, .type = ET_DYN, .machine = EM_X86_64 };
	struct image symbols, names, dynsym, dynstr, note;
	struct elf_part parts[9];
	size_t count = 0;

	if (file->machine)
		whole.machine = file->machine;
	elf_name_images(&symbols, &names, &whole, &name, 1);
	elf_name_images(&dynsym, &dynstr, &whole, &dynamic, 1);
	elf_build_id_image(&note, false, file->build_id ? file->build_id : id, 20);
	parts[count++] = (struct elf_part){ .name = ".text", .type = 1, .flags = 6,
		                            .addr = ELF_BASE + TEXT, .size = 0x40 };
	parts[count++] = (struct elf_part){ .name = ".strtab", .type = 3, .data = names.data,
		                            .size = names.size };
	parts[count++] = (struct elf_part){ .name = ".dynstr", .type = 3, .data = dynstr.data,
		                            .size = dynstr.size };
	if (file->function)
		parts[count++] = (struct elf_part){ .name = ".symtab", .type = 2, .data = symbols.data,
			                            .size = symbols.size, .entry_size = 24,
			                            .link = file->nameless ? 99 : 2 };
	if (file->dynamic)
		parts[count++] = (struct elf_part){ .name = ".dynsym", .type = 11, .data = dynsym.data,
			                            .size = dynsym.size, .link = 3, .entry_size = 24 };
	if (file->build_id)
		parts[count++] = (struct elf_part){ .name = ".note.gnu.build-id", .type = 7,
			                            .data = note.data, .size = note.size };
	if (file->link)
		parts[count++] = (struct elf_part){ .name = ".gnu_debuglink", .type = 1,
			                            .data = file->link, .size = file->link_size };
	if (file->mini)
		parts[count++] = (struct elf_part){ .name = ".gnu_debugdata", .type = 1,
			                            .data = file->mini, .size = file->mini_size };
	if (file->dwarf)
		parts[count++] = (struct elf_part){ .name = ".debug_info", .type = 1, .size = 4 };
	whole.parts = parts;
	whole.count = count;
	elf_image(image, &whole);
	image_release(&symbols), image_release(&names), image_release(&dynsym), image_release(&dynstr);
	image_release(&note);
}

static void put_file(struct fixture *f, const char *path, const struct file *file)
{
	struct image image;

	file_image(&image, file);
	fixture_image(f, path, &image);
}

/* Bit by bit, unlike the program's own, which has a table. */
static uint32_t crc_of(const uint8_t *data, size_t size)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < size; i++) {
		crc ^= data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
	}
	return ~crc;
}

/* The section's bytes: a name, padding, a checksum. */
static size_t debuglink(uint8_t *link, const char *name, uint32_t crc)
{
	size_t size = strlen(name) + 1;

	memset(link, 0, 100);
	memcpy(link, name, size);
	size = (size + 3) / 4 * 4;
	for (int i = 0; i < 4; i++)
		link[size++] = (uint8_t)(crc >> 8 * i);
	return size;
}

static struct binary program(struct fixture *f, const uint8_t *build_id)
{
	struct binary binary = fixture_binary(f, BINARY_FILE, "/bin/program");

	if (build_id) {
		memcpy(binary.build_id.bytes, build_id, PERF_BUILD_ID_SIZE);
		binary.build_id.size = PERF_BUILD_ID_SIZE;
	}
	return binary;
}

static void expect(struct fixture *f, const struct binary *binary, const char *wanted)
{
	char found[200];

	fixture_load(f, binary);
	assert_int_equal(f->err.code, ERR_NONE);
	assert_string_equal(fixture_answer(f, TEXT + 8, found, sizeof(found)), wanted);
}

/* --- the file itself */

static void runtime_files(void **state)
{
	struct binary binary;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	binary = program(&f, NULL);
	expect(&f, &binary, "- file-missing");
	put_file(&f, "bin/program", &(struct file){ .function = "own_function", .dynamic = "exported" });
	expect(&f, &binary, "own_function symtab");
	put_file(&f, "bin/program", &(struct file){ .dynamic = "exported" });
	expect(&f, &binary, "exported dynsym");
	assert_string_equal(fixture_name(&f, TEXT + 0x100, NULL), "-");
	put_file(&f, "bin/program", &(struct file){ .build_id = id });
	expect(&f, &binary, "- stripped");
	fixture_text(&f, "bin/program", "#!/bin/sh\n# no ELF file, but longer than the header of one is\n");
	expect(&f, &binary, "- unreadable");
	fixture_text(&f, "bin/program", "short");
	expect(&f, &binary, "- unreadable");
	put_file(&f, "bin/program", &(struct file){ .function = "own_function", .nameless = true });
	fixture_load(&f, &binary);
	assert_non_null(strstr(f.said, "symbols: symbol table without names"));
	/* not below this root, whatever is there in the real one */
	binary = fixture_binary(&f, BINARY_FILE, "relative/program");
	expect(&f, &binary, "- file-missing");
	fixture_end(&f);
}

static void build_ids(void **state)
{
	struct binary binary;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	binary = program(&f, id);
	put_file(&f, "bin/program", &(struct file){ .function = "own_function", .build_id = id });
	expect(&f, &binary, "own_function symtab");
	put_file(&f, "bin/program", &(struct file){ .function = "own_function", .build_id = other });
	expect(&f, &binary, "- build-id-mismatch");
	put_file(&f, "bin/program", &(struct file){ .function = "own_function" });
	expect(&f, &binary, "- build-id-mismatch");
	/* what the cache has is right; an old cache has a file, not a folder */
	put_file(&f, "cache/" ID_PATH "/elf", &(struct file){ .function = "cached", .build_id = id });
	expect(&f, &binary, "cached symtab");
	/* where the program has been stripped since, too */
	put_file(&f, "cache/" ID_PATH "/elf", &(struct file){ .function = "cached_whole", .build_id = id });
	put_file(&f, "bin/program", &(struct file){ .dynamic = "exported", .build_id = id });
	expect(&f, &binary, "cached_whole debug-file");
	put_file(&f, "cache/" ID_PATH "/elf", &(struct file){ .function = "cached", .build_id = other });
	expect(&f, &binary, "exported dynsym");
	fixture_end(&f);
	fixture_begin(&f);
	binary = program(&f, id);
	put_file(&f, "cache/" ID_PATH, &(struct file){ .function = "cached", .build_id = id });
	expect(&f, &binary, "cached symtab");
	put_file(&f, "cache/" ID_PATH, &(struct file){ .function = "cached", .build_id = other });
	expect(&f, &binary, "- file-missing");
	fixture_text(&f, "cache/" ID_PATH, "damaged");
	expect(&f, &binary, "- file-missing");
	fixture_end(&f);
}

/* Without a build id another build is recognized only by being younger than the recording. */
static void younger_files(void **state)
{
	struct timespec ages[2] = { { .tv_nsec = UTIME_NOW }, { .tv_sec = 1700000000 } };
	struct binary binary;
	struct fixture f;
	char recording[200], path[200];

	(void)state;
	fixture_begin(&f);
	fixture_text(&f, "perf.data", "recorded");
	f.options.files.recording = fixture_path(&f, "perf.data", recording);
	assert_int_equal(utimensat(AT_FDCWD, recording, ages, 0), 0);
	file_options_complete(&f.options.files, "nowhere", "1.0");
	assert_int_equal(f.options.files.recorded, 1700000000);
	assert_false(f.options.files.same_machine);
	for (int age = -1; age <= 60; age++) {
		f.said[0] = '\0';
		put_file(&f, "bin/program", &(struct file){ .function = "own_function", .build_id = id });
		ages[1].tv_sec = 1700000000 + age;
		assert_int_equal(utimensat(AT_FDCWD, fixture_path(&f, "bin/program", path), ages, 0), 0);
		binary = program(&f, NULL);
		expect(&f, &binary, "own_function symtab");
		assert_int_equal(strstr(f.said, "/bin/program: is younger than the recording") != NULL, age > 10);
		binary = program(&f, id);
		f.said[0] = '\0';
		expect(&f, &binary, "own_function symtab");
		assert_string_equal(f.said, "");
		diag_release(&f.diag); /* each warning is given once */
		diag_init(&f.diag, f.diag.print, f.diag.context);
	}
	fixture_end(&f);
}

/* A file that was deleted while it ran: only the same build id or inode proves another one. */
static void deleted_files(void **state)
{
	struct binary binary;
	struct fixture f;
	struct stat status;
	char path[200];

	(void)state;
	fixture_begin(&f);
	binary = fixture_binary(&f, BINARY_FILE, "/bin/program (deleted)");
	put_file(&f, "bin/program", &(struct file){ .function = "own_function", .build_id = id });
	expect(&f, &binary, "- file-missing");
	assert_int_equal(stat(fixture_path(&f, "bin/program", path), &status), 0);
	binary.inode = status.st_ino;
	binary.major = major(status.st_dev);
	binary.minor = minor(status.st_dev);
	expect(&f, &binary, "own_function symtab");
	binary.minor ^= 1;
	expect(&f, &binary, "- file-missing");
	memcpy(binary.build_id.bytes, id, 20);
	binary.build_id.size = 20;
	expect(&f, &binary, "own_function symtab");
	binary.build_id.bytes[3] ^= 1;
	expect(&f, &binary, "- file-missing");
	fixture_end(&f);
}

/* Further folders of --symfs: what is wrong in one does not hide what is right in the next. */
static void further_roots(void **state)
{
	char first[200], second[200];
	const char *more[] = { first, second };
	struct binary binary;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	fixture_path(&f, "first", first);
	fixture_path(&f, "second", second);
	binary = fixture_binary(&f, BINARY_FILE, "/bin/program");
	memcpy(binary.build_id.bytes, id, 20);
	binary.build_id.size = 20;
	f.options.files.more_symfs = more;
	f.options.files.more_symfs_count = 2;
	put_file(&f, "bin/program", &(struct file){ .function = "wrong_one", .build_id = other });
	expect(&f, &binary, "- build-id-mismatch");
	put_file(&f, "second/bin/program", &(struct file){ .dynamic = "exported_one", .build_id = id });
	expect(&f, &binary, "exported_one dynsym");
	/* its debug file is in another one */
	put_file(&f, "first/usr/lib/debug/" ID_PATH ".debug",
	         &(struct file){ .function = "function_of_debug_file", .build_id = id });
	expect(&f, &binary, "function_of_debug_file debug-file");
	put_file(&f, "first/bin/program", &(struct file){ .function = "first_of_two", .build_id = id });
	expect(&f, &binary, "first_of_two symtab");
	f.options.files.more_symfs_count = 0;
	expect(&f, &binary, "- build-id-mismatch");
	fixture_end(&f);
}

/* bin/program below root, by its own path, as this machine's recordings name it. */
static struct binary own_program(struct fixture *f, struct stat *status)
{
	char path[200];
	struct binary binary = fixture_binary(f, BINARY_FILE, fixture_path(f, "bin/program", path));

	f->options.files.symfs = NULL;
	f->options.files.same_machine = true;
	put_file(f, "bin/program", &(struct file){ .function = "own_function", .build_id = id });
	assert_int_equal(stat(path, status), 0);
	binary.inode = status->st_ino;
	binary.major = major(status->st_dev);
	binary.minor = minor(status->st_dev);
	return binary;
}

/* Where the recording was made, another inode is another file, whatever was read from its path later. */
static void other_inodes(void **state)
{
	struct binary binary;
	struct fixture f;
	struct stat status;
	struct statfs system;

	(void)state;
	fixture_begin(&f);
	assert_int_equal(statfs(f.root, &system), 0);
	if (system.f_type != EXT4_SUPER_MAGIC && system.f_type != TMPFS_MAGIC &&
	    system.f_type != XFS_SUPER_MAGIC) {
		fixture_end(&f);
		skip();
	}
	binary = own_program(&f, &status);
	expect(&f, &binary, "own_function symtab");
	binary.inode++;
	expect(&f, &binary, "- other-file");
	binary.inode--, binary.minor ^= 1;
	expect(&f, &binary, "- other-file");
	/* a build id that was read from the path is the file's, which was not mapped */
	memcpy(binary.build_id.bytes, id, 20);
	binary.build_id.size = 20;
	binary.build_id_of_path = true;
	f.options.files.recorded = status.st_ctime + 100;
	expect(&f, &binary, "- other-file");
	put_file(&f, "cache/" ID_PATH "/elf", &(struct file){ .function = "cached_one", .build_id = id });
	expect(&f, &binary, "- other-file");
	/* the same build may have been installed again since */
	f.options.files.recorded = status.st_ctime - 100;
	expect(&f, &binary, "own_function symtab");
	/* one that the kernel wrote is proof */
	f.options.files.recorded = status.st_ctime + 100;
	binary.build_id_of_path = false;
	expect(&f, &binary, "own_function symtab");
	/* inodes of another machine, or below --symfs, prove nothing */
	binary.build_id_of_path = true;
	f.options.files.same_machine = false;
	expect(&f, &binary, "own_function symtab");
	fixture_end(&f);
}

/* The inode proves a file whose path had another build id when the recorder looked. */
static void same_inode(void **state)
{
	struct binary binary;
	struct fixture f;
	struct stat status;

	(void)state;
	fixture_begin(&f);
	binary = own_program(&f, &status);
	memcpy(binary.build_id.bytes, other, 20);
	binary.build_id.size = 20;
	binary.build_id_of_path = true;
	f.options.files.recorded = status.st_ctime + 100;
	expect(&f, &binary, "own_function symtab");
	/* something else may have been written there since */
	f.options.files.recorded = status.st_ctime - 100;
	expect(&f, &binary, "- build-id-mismatch");
	f.options.files.recorded = status.st_ctime + 100;
	binary.build_id_of_path = false;
	expect(&f, &binary, "- build-id-mismatch");
	fixture_end(&f);
}

/* What was mapped must be code of the file, rounded to pages. */
static void mapped_parts(void **state)
{
	static const struct elf_part parts[] = {
		{ .name = ".text", .type = 1, .flags = 6, .addr = ELF_BASE + TEXT, .size = 0x40 },
	};
	static const struct elf_whole whole = { .wide = true, .type = ET_DYN, .machine = EM_X86_64,
		                                .parts = parts, .count = 1 };
	struct binary binary;
	struct fixture f;
	struct image image;

	(void)state;
	fixture_begin(&f);
	elf_image(&image, &whole);
	fixture_image(&f, "bin/program", &image);
	binary = program(&f, NULL);
	expect(&f, &binary, "- stripped");
	binary.extent_count = 1;
	binary.extents[0] = (struct binary_extent){ 0, 0x1000 };
	expect(&f, &binary, "- stripped");
	binary.extents[0].size = 0x2000;
	expect(&f, &binary, "- other-file");
	binary.extents[0] = (struct binary_extent){ 0x1000, 0x1000 };
	expect(&f, &binary, "- other-file");
	fixture_end(&f);
}

/* --- its debug file */

static const struct file debug = { .function = "debugged_one", .dwarf = true };

/* Beside the file, in .debug below it, and in the folder of all debug files. */
static void debug_links(void **state)
{
	static const char *const places[] = { "bin/program.dbg", "bin/.debug/program.dbg",
		                              "usr/lib/debug/bin/program.dbg" };
	uint8_t link[100];
	struct image image;

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct file file = { .dynamic = "exported", .link = link };
		struct binary binary;
		struct fixture f;
		char path[200];

		fixture_begin(&f);
		f.options.files.want_debug = true;
		binary = program(&f, NULL);
		file_image(&image, &debug);
		file.link_size = debuglink(link, "program.dbg", crc_of(image.data, image.size));
		fixture_image(&f, places[i], &image);
		put_file(&f, "bin/program", &file);
		expect(&f, &binary, "debugged_one debug-file");
		fixture_path(&f, places[i], path);
		assert_string_equal(symbols_debug_path(f.symbols), path);
		assert_string_equal(symbols_path(f.symbols), path);
		/* one bit of the checksum */
		link[file.link_size - 1] ^= 0x80;
		put_file(&f, "bin/program", &file);
		expect(&f, &binary, "exported dynsym");
		assert_null(symbols_debug_path(f.symbols));
		fixture_end(&f);
	}
}

/* The debug file of a program without a build id is checked by its checksum, whatever else it has. */
static void debug_links_without_build_id(void **state)
{
	struct file with = debug;
	uint8_t link[100];
	struct image image;
	struct file file = { .dynamic = "exported", .link = link };
	struct binary binary;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	binary = program(&f, NULL);
	with.build_id = id;
	file_image(&image, &with);
	file.link_size = debuglink(link, "program.dbg", crc_of(image.data, image.size));
	fixture_image(&f, "bin/program.dbg", &image);
	put_file(&f, "bin/program", &file);
	expect(&f, &binary, "debugged_one debug-file");
	link[file.link_size - 1] ^= 0x80;
	put_file(&f, "bin/program", &file);
	expect(&f, &binary, "exported dynsym");
	fixture_end(&f);
}

/* With build ids the checksum is ignored and the build ids are compared. */
static void debug_links_with_build_ids(void **state)
{
	uint8_t link[100];
	struct file file = { .dynamic = "exported", .link = link, .build_id = id };
	struct file with = debug;
	struct binary binary;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	binary = program(&f, id);
	file.link_size = debuglink(link, "program.dbg", 0);
	put_file(&f, "bin/program", &file);
	with.build_id = id;
	put_file(&f, "bin/program.dbg", &with);
	expect(&f, &binary, "debugged_one debug-file");
	with.build_id = other;
	put_file(&f, "bin/program.dbg", &with);
	expect(&f, &binary, "exported dynsym");
	put_file(&f, "bin/program.dbg", &debug);
	expect(&f, &binary, "exported dynsym");
	/* another machine's */
	with.build_id = id;
	with.machine = EM_AARCH64;
	put_file(&f, "bin/program.dbg", &with);
	expect(&f, &binary, "exported dynsym");
	fixture_text(&f, "bin/program.dbg", "no ELF file");
	expect(&f, &binary, "exported dynsym");
	fixture_end(&f);
}

/* Damaged .gnu_debuglink sections, and links in circles: no file is followed twice. */
static void odd_links(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
	} odd[] = {
		{ "", 1 }, { "\0\0\0\0", 4 }, { "program.dbg", 12 }, { "program.dbg\0crc", 15 },
		{ "no end", 6 }, { "x", 1 }, { "program\0crc.", 12 }, /* itself */
	};
	static const char *const away[] = { "../evil", "/evil", "../bin/.debug/../../evil", "" };
	uint8_t link[100];
	struct binary binary;
	struct image image;
	struct fixture f;
	uint32_t crc;

	(void)state;
	fixture_begin(&f);
	binary = program(&f, NULL);
	file_image(&image, &debug);
	crc = crc_of(image.data, image.size);
	fixture_image(&f, "evil", &image);
	for (size_t i = 0; i < sizeof(away) / sizeof(away[0]); i++) {
		size_t size = debuglink(link, away[i], crc);

		put_file(&f, "bin/program", &(struct file){ .dynamic = "exported", .link = link,
		                                            .link_size = size });
		expect(&f, &binary, "exported dynsym");
	}
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		put_file(&f, "bin/program", &(struct file){ .dynamic = "exported", .link = odd[i].bytes,
		                                            .link_size = odd[i].size });
		put_file(&f, "bin/program.dbg", &debug);
		expect(&f, &binary, "exported dynsym");
	}
	/* A names B, B names A, neither has a table: with build ids both would be believed */
	for (int i = 0; i < 2; i++) {
		size_t size = debuglink(link, i ? "program" : "b.dbg", 0);

		put_file(&f, i ? "bin/b.dbg" : "bin/program",
		         &(struct file){ .build_id = id, .link = link, .link_size = size });
	}
	expect(&f, &binary, "- stripped");
	fixture_end(&f);
}

/* By build id, also where the program itself is gone; and by the path alone. */
static void debug_folders(void **state)
{
	static const char *const by_id[] = { "usr/lib/debug/" ID_PATH ".debug",
		                             "cache/" ID_PATH "/debug" };
	static const char *const by_path[] = { "usr/lib/debug/bin/program.debug",
		                               "usr/lib/debug/bin/program" };
	struct file with = debug, stripped = { .dynamic = "exported", .build_id = id };
	struct binary binary;
	struct fixture f;

	(void)state;
	with.build_id = id;
	for (size_t i = 0; i < 2; i++) {
		fixture_begin(&f);
		put_file(&f, by_id[i], &with);
		binary = program(&f, id);
		expect(&f, &binary, "debugged_one debug-file");
		put_file(&f, "bin/program", &stripped);
		expect(&f, &binary, "debugged_one debug-file");
		/* the program's own id, where the recording has none */
		binary = program(&f, NULL);
		expect(&f, &binary, "debugged_one debug-file");
		/* a program with symbols of its own needs it for DWARF alone */
		put_file(&f, "bin/program", &(struct file){ .function = "own_function", .build_id = id });
		expect(&f, &binary, "own_function symtab");
		assert_null(symbols_debug_path(f.symbols));
		f.options.files.want_debug = true;
		expect(&f, &binary, "own_function symtab");
		assert_non_null(symbols_debug_path(f.symbols));
		assert_non_null(strstr(symbols_debug_path(f.symbols), by_id[i]));
		fixture_end(&f);
	}
	for (size_t i = 0; i < 2; i++) {
		fixture_begin(&f);
		put_file(&f, by_path[i], &debug);
		put_file(&f, "bin/program", &(struct file){ .dynamic = "exported" });
		binary = program(&f, NULL);
		expect(&f, &binary, "debugged_one debug-file");
		/* it has no build id where the program has one */
		put_file(&f, "bin/program", &stripped);
		expect(&f, &binary, "exported dynsym");
		fixture_end(&f);
	}
	/* a debug file without symbols and debug information */
	fixture_begin(&f);
	put_file(&f, by_id[0], &(struct file){ .build_id = id });
	binary = program(&f, id);
	expect(&f, &binary, "- file-missing");
	fixture_end(&f);
}

/* --- .gnu_debugdata */

#ifdef HAVE_LZMA
static size_t pack_xz(const void *data, size_t size, uint8_t *packed, size_t room)
{
	size_t used = 0;

	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, data, size, packed, &used,
	                                         room), LZMA_OK);
	return used;
}

static void minidebug(void **state)
{
	struct file file = { .dynamic = "exported" };
	uint8_t packed[8000], *zeros;
	struct image image;
	struct binary binary;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	binary = program(&f, NULL);
	file_image(&image, &(struct file){ .function = "hidden_function" });
	file.mini = packed;
	file.mini_size = pack_xz(image.data, image.size, packed, sizeof(packed));
	image_release(&image);
	put_file(&f, "bin/program", &file);
	expect(&f, &binary, "hidden_function minidebug");
	/* cut, at every byte: said, and the exported names stay */
	for (size_t size = file.mini_size - 1; size; size -= 1 + size / 8) {
		file.mini_size = size;
		put_file(&f, "bin/program", &file);
		expect(&f, &binary, "exported dynsym");
		assert_non_null(strstr(f.said, ": symbols: "));
	}
	/* much more than the symbols of so small a program: not unpacked */
	zeros = calloc(1, 8 << 20);
	assert_non_null(zeros);
	file.mini_size = pack_xz(zeros, 8 << 20, packed, sizeof(packed));
	free(zeros);
	put_file(&f, "bin/program", &file);
	expect(&f, &binary, "exported dynsym");
	assert_non_null(strstr(f.said, ": symbols: "));
	/* no ELF file in it */
	file.mini_size = pack_xz("some text that is longer than the header of an ELF file would be", 64,
	                         packed, sizeof(packed));
	put_file(&f, "bin/program", &file);
	expect(&f, &binary, "exported dynsym");
	assert_non_null(strstr(f.said, "not an ELF file"));
	fixture_end(&f);
}
#else
static void minidebug(void **state)
{
	(void)state;
	skip();
}
#endif

/* Every allocation refused once. */
static void refused(void **state)
{
	uint8_t link[100];
	struct file file = { .dynamic = "exported", .link = link };
	struct image image;
	struct binary binary;
	struct fixture f;
	struct refused_loads loads = { 0 };

	(void)state;
	fixture_begin(&f);
	f.options.files.want_debug = true;
	binary = program(&f, NULL);
	file_image(&image, &debug);
	file.link_size = debuglink(link, "program.dbg", crc_of(image.data, image.size));
	fixture_image(&f, "usr/lib/debug/bin/program.dbg", &image);
	put_file(&f, "bin/program", &file);
	while (fixture_load_refused(&f, &binary, &loads)) {
		if (!loads.loaded)
			assert_int_equal(f.err.code, ERR_NOMEM);
		else
			assert_string_not_equal(fixture_name(&f, TEXT, NULL), "-");
	}
	assert_true(loads.failed > 15);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runtime_files), cmocka_unit_test(build_ids), cmocka_unit_test(younger_files),
		cmocka_unit_test(deleted_files), cmocka_unit_test(further_roots), cmocka_unit_test(other_inodes), cmocka_unit_test(same_inode),
		cmocka_unit_test(mapped_parts), cmocka_unit_test(debug_links),
		cmocka_unit_test(debug_links_without_build_id), cmocka_unit_test(debug_links_with_build_ids), cmocka_unit_test(odd_links),
		cmocka_unit_test(debug_folders), cmocka_unit_test(minidebug),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
