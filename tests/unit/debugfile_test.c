/*
 * Where a program's debug file is found, and what is not believed: another build id, a wrong
 * checksum, names that lead elsewhere.
 */
#define _XOPEN_SOURCE 700
#include "decode/files/debuginfod.h"
#include "decode/files/elf.h"
#include "tests/unit/programfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#ifdef HAVE_LZMA
#include <lzma.h>
#endif

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

static const struct program_file debug = { .function = "debugged_one", .dwarf = true };

/* Beside the file, in .debug below it, and in the folder of all debug files. */
static void debug_links(void **state)
{
	static const char *const places[] = { "bin/program.dbg", "bin/.debug/program.dbg",
		                              "usr/lib/debug/bin/program.dbg" };
	uint8_t link[100];
	struct image image;

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct program_file file = { .dynamic = "exported", .link = link };
		struct binary binary;
		struct fixture f;
		char path[200];

		fixture_begin(&f);
		f.options.files.want_debug = true;
		binary = program_binary(&f, NULL);
		program_image(&image, &debug);
		file.link_size = debuglink(link, "program.dbg", crc_of(image.data, image.size));
		fixture_image(&f, places[i], &image);
		program_put(&f, "bin/program", &file);
		program_expect(&f, &binary, "debugged_one debug-file");
		fixture_path(&f, places[i], path);
		assert_string_equal(symbols_debug(f.symbols)->path, path);
		/* one bit of the checksum */
		link[file.link_size - 1] ^= 0x80;
		program_put(&f, "bin/program", &file);
		program_expect(&f, &binary, "exported dynsym");
		assert_null(symbols_debug(f.symbols)->path);
		fixture_end(&f);
	}
}

/* The debug file of a program without a build id is checked by its checksum, whatever else it has. */
static void debug_links_without_build_id(void **state)
{
	struct program_file with = debug;
	uint8_t link[100];
	struct image image;
	struct program_file file = { .dynamic = "exported", .link = link };
	struct binary binary;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	binary = program_binary(&f, NULL);
	with.build_id = program_id;
	program_image(&image, &with);
	file.link_size = debuglink(link, "program.dbg", crc_of(image.data, image.size));
	fixture_image(&f, "bin/program.dbg", &image);
	program_put(&f, "bin/program", &file);
	program_expect(&f, &binary, "debugged_one debug-file");
	link[file.link_size - 1] ^= 0x80;
	program_put(&f, "bin/program", &file);
	program_expect(&f, &binary, "exported dynsym");
	fixture_end(&f);
}

/* With build ids the checksum is ignored and the build ids are compared. */
static void debug_links_with_build_ids(void **state)
{
	uint8_t link[100];
	struct program_file file = { .dynamic = "exported", .link = link, .build_id = program_id };
	struct program_file with = debug;
	struct binary binary;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	binary = program_binary(&f, program_id);
	file.link_size = debuglink(link, "program.dbg", 0);
	program_put(&f, "bin/program", &file);
	with.build_id = program_id;
	program_put(&f, "bin/program.dbg", &with);
	program_expect(&f, &binary, "debugged_one debug-file");
	with.build_id = other_id;
	program_put(&f, "bin/program.dbg", &with);
	program_expect(&f, &binary, "exported dynsym");
	program_put(&f, "bin/program.dbg", &debug);
	program_expect(&f, &binary, "exported dynsym");
	/* another machine's */
	with.build_id = program_id;
	with.machine = EM_AARCH64;
	program_put(&f, "bin/program.dbg", &with);
	program_expect(&f, &binary, "exported dynsym");
	fixture_text(&f, "bin/program.dbg", "no ELF file");
	program_expect(&f, &binary, "exported dynsym");
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
	binary = program_binary(&f, NULL);
	program_image(&image, &debug);
	crc = crc_of(image.data, image.size);
	fixture_image(&f, "evil", &image);
	for (size_t i = 0; i < sizeof(away) / sizeof(away[0]); i++) {
		size_t size = debuglink(link, away[i], crc);

		program_put(&f, "bin/program", &(struct program_file){ .dynamic = "exported", .link = link,
		                                            .link_size = size });
		program_expect(&f, &binary, "exported dynsym");
	}
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		program_put(&f, "bin/program", &(struct program_file){ .dynamic = "exported", .link = odd[i].bytes,
		                                            .link_size = odd[i].size });
		program_put(&f, "bin/program.dbg", &debug);
		program_expect(&f, &binary, "exported dynsym");
	}
	/* A names B, B names A, neither has a table: with build ids both would be believed */
	for (int i = 0; i < 2; i++) {
		size_t size = debuglink(link, i ? "program" : "b.dbg", 0);

		program_put(&f, i ? "bin/b.dbg" : "bin/program",
		         &(struct program_file){ .build_id = program_id, .link = link, .link_size = size });
	}
	program_expect(&f, &binary, "- stripped");
	fixture_end(&f);
}

/* By build id, also where the program itself is gone; and by the path alone. */
static void debug_folders(void **state)
{
	static const char *const by_id[] = { "usr/lib/debug/" ID_PATH ".debug",
		                             "cache/" ID_PATH "/debug" };
	static const char *const by_path[] = { "usr/lib/debug/bin/program.debug",
		                               "usr/lib/debug/bin/program" };
	struct program_file with = debug, stripped = { .dynamic = "exported", .build_id = program_id };
	struct binary binary;
	struct fixture f;

	(void)state;
	with.build_id = program_id;
	for (size_t i = 0; i < 2; i++) {
		fixture_begin(&f);
		program_put(&f, by_id[i], &with);
		binary = program_binary(&f, program_id);
		program_expect(&f, &binary, "debugged_one debug-file");
		program_put(&f, "bin/program", &stripped);
		program_expect(&f, &binary, "debugged_one debug-file");
		/* the program's own id, where the recording has none */
		binary = program_binary(&f, NULL);
		program_expect(&f, &binary, "debugged_one debug-file");
		/* a program with symbols of its own needs it for DWARF alone */
		program_put(&f, "bin/program", &(struct program_file){ .function = "own_function", .build_id = program_id });
		program_expect(&f, &binary, "own_function symtab");
		assert_null(symbols_debug(f.symbols)->path);
		f.options.files.want_debug = true;
		program_expect(&f, &binary, "own_function symtab");
		assert_non_null(symbols_debug(f.symbols)->path);
		assert_non_null(strstr(symbols_debug(f.symbols)->path, by_id[i]));
		fixture_end(&f);
	}
	for (size_t i = 0; i < 2; i++) {
		fixture_begin(&f);
		program_put(&f, by_path[i], &debug);
		program_put(&f, "bin/program", &(struct program_file){ .dynamic = "exported" });
		binary = program_binary(&f, NULL);
		program_expect(&f, &binary, "debugged_one debug-file");
		/* it has no build id where the program has one */
		program_put(&f, "bin/program", &stripped);
		program_expect(&f, &binary, "exported dynsym");
		fixture_end(&f);
	}
	/* a debug file without symbols and debug information */
	fixture_begin(&f);
	program_put(&f, by_id[0], &(struct program_file){ .build_id = program_id });
	binary = program_binary(&f, program_id);
	program_expect(&f, &binary, "- file-missing");
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
	struct program_file file = { .dynamic = "exported" };
	uint8_t packed[8000], *zeros;
	struct image image;
	struct binary binary;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	binary = program_binary(&f, NULL);
	program_image(&image, &(struct program_file){ .function = "hidden_function" });
	file.mini = packed;
	file.mini_size = pack_xz(image.data, image.size, packed, sizeof(packed));
	image_release(&image);
	program_put(&f, "bin/program", &file);
	program_expect(&f, &binary, "hidden_function minidebug");
	/* cut, at every byte: said, and the exported names stay */
	for (size_t size = file.mini_size - 1; size; size -= 1 + size / 8) {
		file.mini_size = size;
		program_put(&f, "bin/program", &file);
		program_expect(&f, &binary, "exported dynsym");
		assert_non_null(strstr(f.said, ": symbols: "));
	}
	/* much more than the symbols of so small a program: not unpacked */
	zeros = calloc(1, 8 << 20);
	assert_non_null(zeros);
	file.mini_size = pack_xz(zeros, 8 << 20, packed, sizeof(packed));
	free(zeros);
	program_put(&f, "bin/program", &file);
	program_expect(&f, &binary, "exported dynsym");
	assert_non_null(strstr(f.said, ": symbols: "));
	/* no ELF file in it */
	file.mini_size = pack_xz("some text that is longer than the header of an ELF file would be", 64,
	                         packed, sizeof(packed));
	program_put(&f, "bin/program", &file);
	program_expect(&f, &binary, "exported dynsym");
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
	struct program_file file = { .dynamic = "exported", .link = link };
	struct image image;
	struct binary binary;
	struct fixture f;
	struct refused_loads loads = { 0 };

	(void)state;
	fixture_begin(&f);
	f.options.files.want_debug = true;
	binary = program_binary(&f, NULL);
	program_image(&image, &debug);
	file.link_size = debuglink(link, "program.dbg", crc_of(image.data, image.size));
	fixture_image(&f, "usr/lib/debug/bin/program.dbg", &image);
	program_put(&f, "bin/program", &file);
	while (fixture_load_refused(&f, &binary, &loads)) {
		if (!loads.loaded)
			assert_int_equal(f.err.code, ERR_NOMEM);
		else
			assert_string_not_equal(fixture_name(&f, PROGRAM_TEXT, NULL), "-");
	}
	assert_true(loads.failed > 15);
	fixture_end(&f);
}

/* How long a server is waited for: what the user says, if it is a time. */
static void fetch_time(void **state)
{
	static const struct {
		const char *timeout, *most;
	} cases[] = { { NULL, "90" }, { "", "90" }, { "0", "90" }, { "-1", "90" }, { "5", "5" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsetenv("DEBUGINFOD_MAXTIME");
		unsetenv("DEBUGINFOD_TIMEOUT");
		if (cases[i].timeout)
			setenv("DEBUGINFOD_TIMEOUT", cases[i].timeout, 1);
		debuginfod_limit_time();
		assert_string_equal(getenv("DEBUGINFOD_MAXTIME"), cases[i].most);
	}
	setenv("DEBUGINFOD_MAXTIME", "7", 1);
	debuginfod_limit_time();
	assert_string_equal(getenv("DEBUGINFOD_MAXTIME"), "7");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fetch_time),
		cmocka_unit_test(debug_links),
		cmocka_unit_test(debug_links_without_build_id),
		cmocka_unit_test(debug_links_with_build_ids),
		cmocka_unit_test(odd_links),
		cmocka_unit_test(debug_folders),
		cmocka_unit_test(minidebug),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
