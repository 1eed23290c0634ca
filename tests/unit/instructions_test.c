/*
 * Instructions of binaries of every kind, made here: a program, a kernel that ran elsewhere than it
 * was linked for, a module; and functions whose bytes are too many, or not there.
 */
#include "decode/naming/instructions.h"

#include "tests/unit/fixture.h"
#include "tests/unit/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TYPE (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(8)) /* IP TID TIME PERIOD */
#define TRAILER (TYPE & ~FLAG(0) & ~FLAG(8))
#define RAN UINT64_C(0xffffffff9a200000)
#define LOADED UINT64_C(0xffffffffc0100000)
#define MAPPED UINT64_C(0x7f0000000000)
#define TEXT 0x1000u /* offset of the code in files */

/* push %rbp; call 0xfff after itself; je to the next; ret; then nops */
static const uint8_t code[0x200] = { 0x55, 0xe8, 0xfa, 0x00, 0x00, 0x00, 0x74, 0x00, 0xc3, 0x90 };

static void put_program(struct fixture *f, const char *path, const struct elf_name *names,
                        size_t count)
{
	struct elf_whole whole = { .wide = true, .type = ET_EXEC, .machine = EM_X86_64 };
	struct image symbols, text, image;

	elf_name_images(&symbols, &text, &whole, names, count);

	const struct elf_part parts[] = {
		{ .name = ".text", .type = 1, .flags = 6, .addr = ELF_BASE + TEXT, .data = code, .size = sizeof(code) },
		{ .name = ".strtab", .type = 3, .data = text.data, .size = text.size },
		{ .name = ".symtab", .type = 2, .data = symbols.data, .size = symbols.size, .link = 2, .entry_size = 24 },
	};

	whole.parts = parts;
	whole.count = ARRAY_SIZE(parts);
	elf_image(&image, &whole);
	fixture_image(f, path, &image);
	image_release(&symbols), image_release(&text);
}

static void put_module(struct fixture *f, const char *path)
{
	static const struct elf_name names[] = { { "probe", 0, 9, STT_FUNC, STB_LOCAL, 1 } };
	struct elf_whole whole = { .wide = true, .type = ET_REL, .machine = EM_X86_64 };
	struct image symbols, text, image;

	elf_name_images(&symbols, &text, &whole, names, 1);

	const struct elf_part parts[] = {
		{ .name = ".text", .type = 1, .flags = 6, .data = code, .size = sizeof(code), .align = 16 },
		{ .name = ".strtab", .type = 3, .data = text.data, .size = text.size },
		{ .name = ".symtab", .type = 2, .data = symbols.data, .size = symbols.size, .link = 2, .entry_size = 24 },
	};

	whole.parts = parts;
	whole.count = ARRAY_SIZE(parts);
	elf_image(&image, &whole);
	fixture_image(f, path, &image);
	image_release(&symbols), image_release(&text);
}

static void put_files(struct fixture *f)
{
	static const struct elf_name program[] = {
		{ "near", ELF_BASE + TEXT, 9, STT_FUNC, STB_GLOBAL, 1 },
		{ "callee", ELF_BASE + TEXT + 0x100, 0x10, STT_FUNC, STB_GLOBAL, 1 },
		{ "huge", ELF_BASE + TEXT + 0x120, 0x80000000, STT_FUNC, STB_GLOBAL, 1 },
		{ "beyond", ELF_BASE + 0x1f00, 0x10, STT_FUNC, STB_GLOBAL, 1 },
	};
	static const struct elf_name kernel[] = {
		{ "_text", ELF_BASE + TEXT, 0, STT_NOTYPE, STB_GLOBAL, 1 },
		{ "do_work", ELF_BASE + TEXT, 9, STT_FUNC, STB_GLOBAL, 1 },
		{ "do_more", ELF_BASE + TEXT + 0x100, 0x20, STT_FUNC, STB_GLOBAL, 1 },
	};

	put_program(f, "bin/prog", program, ARRAY_SIZE(program));
	put_program(f, "vmlinux", kernel, ARRAY_SIZE(kernel));
	put_module(f, "lib/probe.ko");
}

static void put_sample_at(struct image *image, bool kernel, uint64_t ip, uint64_t period)
{
	const struct test_fields fields = { .ip = ip, .pid = 7, .tid = 7, .time = 100, .period = period };

	put_sample(image, TYPE, kernel ? 1 : 2, &fields);
}

static void put_records(struct image *image)
{
	const struct test_fields process = { .pid = 7, .tid = 7, .time = 1 }, kernel = { .pid = UINT32_MAX, .tid = UINT32_MAX };

	put_mmap(image, TRAILER, 1, "[kernel.kallsyms]_text", RAN, 0x1000000, RAN, &kernel);
	put_mmap(image, TRAILER, 1, "/lib/probe.ko", LOADED, 0x1000, 0, &kernel);
	put_mmap(image, TRAILER, 2, "/bin/prog", MAPPED, 0x2000, 0, &process);
	put_sample_at(image, false, MAPPED + TEXT + 1, 30);
	put_sample_at(image, false, MAPPED + TEXT + 1, 12);
	put_sample_at(image, false, MAPPED + TEXT + 3, 7); /* inside of the call */
	put_sample_at(image, false, MAPPED + TEXT + 0x124, 6);
	put_sample_at(image, false, MAPPED + 0x1f02, 5);
	put_sample_at(image, true, RAN + 6, 4);
	put_sample_at(image, true, LOADED + 8, 3);
}

static const struct instruction_block *find_block(const struct instructions *all, const struct replay *replay, const char *name)
{
	for (size_t i = 0; i < all->block_count; i++)
		if (!strcmp(strings_get(&replay->strings, all->blocks[i].name), name))
			return &all->blocks[i];
	for (size_t i = 0; i < all->block_count; i++)
		print_message("%s\n", strings_get(&replay->strings, all->blocks[i].name));
	fail_msg("no rows of %s", name);
	return NULL;
}

/* Rows as "ADDRESS PERIOD TEXT TARGET". */
static void expect_rows(const struct instructions *all, const struct replay *replay, const char *name, const char *expected)
{
	const struct instruction_block *block = find_block(all, replay, name);
	char found[2000] = "";

	for (size_t i = 0; i < block->count; i++) {
		const struct instruction_row *row = &all->rows[block->first + i];
		const size_t used = strlen(found);

		snprintf(found + used, sizeof(found) - used, "%llx %llu %s %s\n",
		         (unsigned long long)row->addr, (unsigned long long)row->period,
		         strings_get(&replay->strings, row->text),
		         strings_get(&replay->strings, row->target));
		assert_string_equal(strings_get(&replay->strings, row->function), name);
	}
	assert_string_equal(found, expected);
}

static void test_kinds(void **state)
{
	static const struct test_attr attr = { .sample_type = TYPE };
	const struct code_options how = { .program = NULL };
	struct naming_options options = { .lookup = { .symbolizer = SYMBOLIZER_NONE }, .threads = 1 };
	struct place_names names;
	struct instructions all = { .row_count = 0 };
	struct replay replay;
	struct fixture f;
	const struct instruction_source source = { &replay.stat, &names, &options, &how, &f.diag };
	char path[200];
	uint64_t period = 0;

	(void)state;
	if (!fixture_has("objdump"))
		skip();
	fixture_begin(&f);
	put_files(&f);
	options.lookup.symbols = f.options;
	options.lookup.symbols.vmlinux = fixture_path(&f, "vmlinux", path);
	replay_begin(&replay, &attr, 1);
	put_records(&replay.image);
	assert_true(replay_run(&replay));
	assert_true(naming_run(&names, &replay.stat, &options, &replay.opened.diag, &replay.opened.err));
	assert_true(instructions_make(&all, &source, &replay.opened.err));
	expect_rows(&all, &replay, "near",
	            "11000 0 push   %rbp \n"
	            "11001 42 call   0x11100 callee\n"
	            "11003 7  \n"
	            "11006 0 je     0x11008 \n"
	            "11008 0 ret \n");
	expect_rows(&all, &replay, "do_work",
	            "11000 0 push   %rbp \n"
	            "11001 0 call   0x11100 do_more\n"
	            "11006 4 je     0x11008 \n"
	            "11008 0 ret \n");
	expect_rows(&all, &replay, "probe",
	            "0 0 push   %rbp \n"
	            "1 0 call   0x100 \n"
	            "6 0 je     0x8 \n"
	            "8 3 ret \n");
	expect_rows(&all, &replay, "huge", "11124 6  \n");
	expect_rows(&all, &replay, "beyond", "1f02 5  \n");
	for (size_t i = 0; i < all.row_count; i++)
		period += all.rows[i].period;
	assert_int_equal(period, 67);
	assert_non_null(strstr(f.said, "too large"));
	assert_int_equal(find_block(&all, &replay, "near")->period, 49);
	instructions_release(&all);
	place_names_release(&names);
	replay_end(&replay);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_kinds) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
