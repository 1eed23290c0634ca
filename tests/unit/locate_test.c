/*
 * Where a program's file is found, and what is not believed: another build id, a file that is
 * younger, another inode, or whose code was not mapped.
 */
#define _XOPEN_SOURCE 700
#include "decode/files/elf.h"
#include "tests/unit/programfile.h"

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

static void runtime_files(void **state)
{
	struct binary binary;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	binary = program_binary(&f, NULL);
	program_expect(&f, &binary, "- file-missing");
	program_put(&f, "bin/program", &(struct program_file){ .function = "own_function", .dynamic = "exported" });
	program_expect(&f, &binary, "own_function symtab");
	program_put(&f, "bin/program", &(struct program_file){ .dynamic = "exported" });
	program_expect(&f, &binary, "exported dynsym");
	assert_string_equal(fixture_name(&f, PROGRAM_TEXT + 0x100, NULL), "-");
	program_put(&f, "bin/program", &(struct program_file){ .build_id = program_id });
	program_expect(&f, &binary, "- stripped");
	fixture_text(&f, "bin/program", "#!/bin/sh\n# no ELF file, but longer than the header of one is\n");
	program_expect(&f, &binary, "- unreadable");
	fixture_text(&f, "bin/program", "short");
	program_expect(&f, &binary, "- unreadable");
	program_put(&f, "bin/program", &(struct program_file){ .function = "own_function", .nameless = true });
	fixture_load(&f, &binary);
	assert_non_null(strstr(f.said, "symbols: symbol table without names"));
	/* not below this root, whatever is there in the real one */
	binary = fixture_binary(&f, BINARY_FILE, "relative/program");
	program_expect(&f, &binary, "- file-missing");
	fixture_end(&f);
}

static void build_ids(void **state)
{
	struct binary binary;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	binary = program_binary(&f, program_id);
	program_put(&f, "bin/program", &(struct program_file){ .function = "own_function", .build_id = program_id });
	program_expect(&f, &binary, "own_function symtab");
	program_put(&f, "bin/program", &(struct program_file){ .function = "own_function", .build_id = other_id });
	program_expect(&f, &binary, "- build-id-mismatch");
	program_put(&f, "bin/program", &(struct program_file){ .function = "own_function" });
	program_expect(&f, &binary, "- build-id-mismatch");
	/* what the cache has is right; an old cache has a file, not a folder */
	program_put(&f, "cache/" ID_PATH "/elf", &(struct program_file){ .function = "cached", .build_id = program_id });
	program_expect(&f, &binary, "cached symtab");
	/* where the program has been stripped since, too */
	program_put(&f, "cache/" ID_PATH "/elf", &(struct program_file){ .function = "cached_whole", .build_id = program_id });
	program_put(&f, "bin/program", &(struct program_file){ .dynamic = "exported", .build_id = program_id });
	program_expect(&f, &binary, "cached_whole debug-file");
	program_put(&f, "cache/" ID_PATH "/elf", &(struct program_file){ .function = "cached", .build_id = other_id });
	program_expect(&f, &binary, "exported dynsym");
	fixture_end(&f);
	fixture_begin(&f);
	binary = program_binary(&f, program_id);
	program_put(&f, "cache/" ID_PATH, &(struct program_file){ .function = "cached", .build_id = program_id });
	program_expect(&f, &binary, "cached symtab");
	program_put(&f, "cache/" ID_PATH, &(struct program_file){ .function = "cached", .build_id = other_id });
	program_expect(&f, &binary, "- file-missing");
	fixture_text(&f, "cache/" ID_PATH, "damaged");
	program_expect(&f, &binary, "- file-missing");
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
	assert_int_equal(f.options.files.recorded.tv_sec, 1700000000);
	assert_false(f.options.files.same_machine);
	for (int age = -1; age <= 60; age++) {
		f.said[0] = '\0';
		program_put(&f, "bin/program", &(struct program_file){ .function = "own_function", .build_id = program_id });
		ages[1].tv_sec = 1700000000 + age;
		assert_int_equal(utimensat(AT_FDCWD, fixture_path(&f, "bin/program", path), ages, 0), 0);
		binary = program_binary(&f, NULL);
		program_expect(&f, &binary, "own_function symtab");
		assert_int_equal(strstr(f.said, "/bin/program: is younger than the recording") != NULL, age > 10);
		binary = program_binary(&f, program_id);
		f.said[0] = '\0';
		program_expect(&f, &binary, "own_function symtab");
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
	program_put(&f, "bin/program", &(struct program_file){ .function = "own_function", .build_id = program_id });
	program_expect(&f, &binary, "- file-missing");
	assert_int_equal(stat(fixture_path(&f, "bin/program", path), &status), 0);
	binary.inode = status.st_ino;
	binary.major = major(status.st_dev);
	binary.minor = minor(status.st_dev);
	program_expect(&f, &binary, "own_function symtab");
	binary.minor ^= 1;
	program_expect(&f, &binary, "- file-missing");
	memcpy(binary.build_id.bytes, program_id, 20);
	binary.build_id.size = 20;
	program_expect(&f, &binary, "own_function symtab");
	binary.build_id.bytes[3] ^= 1;
	program_expect(&f, &binary, "- file-missing");
	fixture_end(&f);
}

/* Further folders of --symfs: what is wrong in one does not hide what is right in the next. */
static void further_roots(void **state)
{
	char first[200], second[200];
	const char *folders[3] = { NULL, first, second };
	struct binary binary;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	fixture_path(&f, "first", first);
	fixture_path(&f, "second", second);
	binary = fixture_binary(&f, BINARY_FILE, "/bin/program");
	memcpy(binary.build_id.bytes, program_id, 20);
	binary.build_id.size = 20;
	folders[0] = f.root;
	f.options.files.symfs = folders;
	f.options.files.symfs_count = 3;
	program_put(&f, "bin/program", &(struct program_file){ .function = "wrong_one", .build_id = other_id });
	program_expect(&f, &binary, "- build-id-mismatch");
	program_put(&f, "second/bin/program", &(struct program_file){ .dynamic = "exported_one", .build_id = program_id });
	program_expect(&f, &binary, "exported_one dynsym");
	/* its debug file is in another one */
	program_put(&f, "first/usr/lib/debug/" ID_PATH ".debug",
	         &(struct program_file){ .function = "function_of_debug_file", .build_id = program_id });
	program_expect(&f, &binary, "function_of_debug_file debug-file");
	program_put(&f, "first/bin/program", &(struct program_file){ .function = "first_of_two", .build_id = program_id });
	program_expect(&f, &binary, "first_of_two symtab");
	f.options.files.symfs_count = 1;
	program_expect(&f, &binary, "- build-id-mismatch");
	fixture_end(&f);
}

/* bin/program below root, by its own path, as this machine's recordings name it. */
static struct binary own_program(struct fixture *f, struct stat *status)
{
	char path[200];
	struct binary binary = fixture_binary(f, BINARY_FILE, fixture_path(f, "bin/program", path));

	f->options.files.symfs_count = 0;
	f->options.files.same_machine = true;
	program_put(f, "bin/program", &(struct program_file){ .function = "own_function", .build_id = program_id });
	assert_int_equal(stat(path, status), 0);
	binary.inode = status->st_ino;
	binary.major = major(status->st_dev);
	binary.minor = minor(status->st_dev);
	return binary;
}

static void expect_build_id(const struct fixture *f, const uint8_t *wanted)
{
	const struct build_id *id = symbols_build_id(f->symbols);

	assert_int_equal(id->size, wanted ? 20 : 0);
	if (wanted)
		assert_memory_equal(id->bytes, wanted, 20);
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
	program_expect(&f, &binary, "own_function symtab");
	expect_build_id(&f, NULL);
	binary.inode++;
	program_expect(&f, &binary, "- other-file");
	binary.inode--, binary.minor ^= 1;
	program_expect(&f, &binary, "- other-file");
	/* a build id that was read from the path is the file's, which was not mapped */
	memcpy(binary.build_id.bytes, program_id, 20);
	binary.build_id.size = 20;
	binary.build_id_of_path = true;
	f.options.files.recorded.tv_sec = status.st_ctime + 100;
	program_expect(&f, &binary, "- other-file");
	expect_build_id(&f, NULL);
	program_put(&f, "cache/" ID_PATH "/elf", &(struct program_file){ .function = "cached_one", .build_id = program_id });
	program_expect(&f, &binary, "- other-file");
	/* its st_ctime is of the recorder, which linked it into its cache before its last write */
	f.options.files.recorded = status.st_ctim;
	program_expect(&f, &binary, "- other-file");
	if (f.options.files.recorded.tv_nsec < 999999999)
		f.options.files.recorded.tv_nsec++;
	program_expect(&f, &binary, "- other-file");
	/* the same build may have been installed again since */
	f.options.files.recorded.tv_sec = status.st_ctime - 100;
	program_expect(&f, &binary, "own_function symtab");
	expect_build_id(&f, program_id);
	/* one that the kernel wrote is proof */
	f.options.files.recorded.tv_sec = status.st_ctime + 100;
	binary.build_id_of_path = false;
	program_expect(&f, &binary, "own_function symtab");
	/* inodes of another machine, or below --symfs, prove nothing */
	binary.build_id_of_path = true;
	f.options.files.same_machine = false;
	program_expect(&f, &binary, "own_function symtab");
	fixture_end(&f);
}

/* A directory of perf record --threads was written when its file "data" was. */
static void written_directory(void **state)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_NOW }, { .tv_sec = 1700000000, .tv_nsec = 5 } };
	struct fixture f;
	char recording[200], path[200];

	(void)state;
	fixture_begin(&f);
	fixture_text(&f, "perf.data/data", "recorded");
	f.options.files.recording = fixture_path(&f, "perf.data", recording);
	assert_int_equal(utimensat(AT_FDCWD, fixture_path(&f, "perf.data/data", path), times, 0), 0);
	file_options_complete(&f.options.files, NULL, NULL);
	assert_int_equal(f.options.files.recorded.tv_sec, 1700000000);
	assert_int_equal(f.options.files.recorded.tv_nsec, 5);
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
	memcpy(binary.build_id.bytes, other_id, 20);
	binary.build_id.size = 20;
	binary.build_id_of_path = true;
	f.options.files.recorded.tv_sec = status.st_ctime + 100;
	program_expect(&f, &binary, "own_function symtab");
	expect_build_id(&f, program_id);
	/* something else may have been written there since */
	f.options.files.recorded.tv_sec = status.st_ctime - 100;
	program_expect(&f, &binary, "- build-id-mismatch");
	expect_build_id(&f, other_id);
	f.options.files.recorded.tv_sec = status.st_ctime + 100;
	binary.build_id_of_path = false;
	program_expect(&f, &binary, "- build-id-mismatch");
	expect_build_id(&f, other_id);
	/* the mapped file has none */
	binary.build_id_of_path = true;
	program_put(&f, "bin/program", &(struct program_file){ .function = "own_function" });
	program_expect(&f, &binary, "own_function symtab");
	expect_build_id(&f, NULL);
	fixture_end(&f);
}

/* What was mapped must be code of the file, rounded to pages. */
static void mapped_parts(void **state)
{
	static const struct elf_part parts[] = {
		{ .name = ".text", .type = 1, .flags = 6, .addr = ELF_BASE + PROGRAM_TEXT, .size = 0x40 },
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
	binary = program_binary(&f, NULL);
	program_expect(&f, &binary, "- stripped");
	binary.extent_count = 1;
	binary.extents[0] = (struct binary_extent){ 0, 0x1000 };
	program_expect(&f, &binary, "- stripped");
	binary.extents[0].size = 0x2000;
	program_expect(&f, &binary, "- other-file");
	binary.extents[0] = (struct binary_extent){ 0x1000, 0x1000 };
	program_expect(&f, &binary, "- other-file");
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runtime_files),
		cmocka_unit_test(build_ids),
		cmocka_unit_test(younger_files),
		cmocka_unit_test(deleted_files),
		cmocka_unit_test(further_roots),
		cmocka_unit_test(other_inodes),
		cmocka_unit_test(written_directory),
		cmocka_unit_test(same_inode),
		cmocka_unit_test(mapped_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
