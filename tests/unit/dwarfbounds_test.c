/*
 * Debug information that was made to take long: lists that are read once per unit, rows that go
 * back and forth, trees without an end. Each runs in a process of its own with little memory, and
 * must be through in a few seconds under any sanitizer, where it would take minutes or gigabytes.
 */
#define _XOPEN_SOURCE 700
#include "decode/dwarf.h"

#include "decode/elf.h"
#include "tests/unit/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef HAVE_LIBDW

#define SECONDS_MAX 10
#define MEMORY_MAX ((rlim_t)1 << 30)
#define TEXT 0x400u
#define TEXT_SIZE 0x100000u
#define CODE (ELF_BASE + TEXT)

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

struct sections {
	struct image info, abbrev, line, ranges;
};

static void begin(struct sections *s)
{
	image_init(&s->info, false);
	image_init(&s->abbrev, false);
	image_init(&s->line, false);
	image_init(&s->ranges, false);
}

/* The .text is not in the file: NOBITS. */
static void put_program(struct fixture *f, struct sections *s)
{
	const struct elf_part parts[] = {
		{ .name = ".text", .type = 8, .flags = 6, .addr = CODE, .size = TEXT_SIZE },
		{ .name = ".debug_info", .type = 1, .data = s->info.data, .size = s->info.size },
		{ .name = ".debug_abbrev", .type = 1, .data = s->abbrev.data, .size = s->abbrev.size },
		{ .name = ".debug_line", .type = 1, .data = s->line.data, .size = s->line.size },
		{ .name = ".debug_ranges", .type = 1, .data = s->ranges.data, .size = s->ranges.size },
	};
	struct elf_whole whole = { true, false, ELF_DYN, ELF_EM_X86_64, parts, 5 };
	struct image image;

	elf_image(&image, &whole);
	fixture_image(f, "program", &image);
	image_release(&s->info), image_release(&s->abbrev), image_release(&s->line);
	image_release(&s->ranges);
}

static void uleb(struct image *image, uint64_t value)
{
	do {
		image_u8(image, (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0)));
		value >>= 7;
	} while (value);
}

/* An abbreviation of pairs of name and form that end with 0. */
static void abbrev(struct image *image, uint64_t code, uint64_t tag, bool children, const uint16_t *pairs)
{
	uleb(image, code);
	uleb(image, tag);
	image_u8(image, children);
	for (; *pairs; pairs++)
		uleb(image, *pairs);
	uleb(image, 0);
	uleb(image, 0);
}

enum { NAME = 3, STMT_LIST = 0x10, LOW = 0x11, HIGH = 0x12, SIBLING = 1, RANGES = 0x55, DECL_FILE = 0x3a,
       ORIGIN = 0x31 };
enum { F_ADDR = 1, F_DATA8 = 7, F_STRING = 8, F_DATA1 = 0xb, F_REF4 = 0x13, F_INDIRECT = 0x16,
       F_OFFSET = 0x17 };

static const uint16_t unit_pairs[] = { NAME, F_STRING, STMT_LIST, F_OFFSET, LOW, F_ADDR, HIGH, F_DATA8, 0 };
static const uint16_t function_pairs[] = { NAME, F_STRING, DECL_FILE, F_DATA1, LOW, F_ADDR, HIGH, F_DATA8, 0 };

static size_t unit_begin(struct image *info, uint32_t abbrevs)
{
	size_t start = info->size;

	image_u32(info, 0);
	image_u16(info, 4);
	image_u32(info, abbrevs);
	image_u8(info, 8);
	return start;
}

static void unit_end(struct image *info, size_t start)
{
	image_patch(info, start, info->size - start - 4, 4);
}

/* The unit's own DIE, of unit_pairs. */
static void unit_die(struct image *info, uint64_t code, uint64_t low, uint64_t size)
{
	uleb(info, code);
	image_bytes(info, "a.c", 4);
	image_u32(info, 0);
	image_u64(info, low);
	image_u64(info, size);
}

static void function_die(struct image *info, uint64_t low, uint64_t size)
{
	uleb(info, 2);
	image_bytes(info, "f", 2);
	image_u8(info, 1);
	image_u64(info, low);
	image_u64(info, size);
}

/* A line program of version 4 with one file; what is put until line_end() is the program. */
static void line_begin(struct image *line)
{
	static const uint8_t lengths[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	size_t header;

	image_u32(line, 0);
	image_u16(line, 4);
	header = line->size;
	image_u32(line, 0);
	image_u8(line, 1);  /* shortest instruction */
	image_u8(line, 1);
	image_u8(line, 1);
	image_u8(line, (uint8_t)-5);
	image_u8(line, 14);
	image_u8(line, 13); /* first special opcode */
	image_bytes(line, lengths, sizeof(lengths));
	image_u8(line, 0);  /* no directories */
	image_bytes(line, "a.c", 4);
	image_zeros(line, 3);
	image_u8(line, 0);
	image_patch(line, header, line->size - header - 4, 4);
}

static void line_end(struct image *line)
{
	image_patch(line, 0, line->size - 4, 4);
}

static void set_address(struct image *line, uint64_t addr)
{
	image_u8(line, 0);
	image_u8(line, 9);
	image_u8(line, 2);
	image_u64(line, addr);
}

/* Asks about `count` addresses of the code, one byte apart. */
static void ask(struct fixture *f, size_t count)
{
	struct source_addr *addrs = calloc(count, sizeof(*addrs));
	struct source_function *functions = calloc(count, sizeof(*functions));
	struct source_query query = { .strings = &f->strings, .functions = functions, .addrs = addrs,
		                      .function_count = count, .addr_count = count, .inlines = true };
	char path[200];
	bool unreadable;

	for (size_t i = 0; i < count; i++)
		functions[i].entry = addrs[i].addr = CODE + i;
	query.path = fixture_path(f, "program", path);
	if (!dwarf_lookup(&query, &unreadable, &f->diag, &f->err))
		assert_int_equal(f->err.code, ERR_NOMEM);
	free(query.frames);
	free(addrs);
	free(functions);
}

typedef void make(struct sections *s);

static void measured(make *put, size_t count)
{
	struct sections sections;
	struct fixture f;
	struct rusage usage;
	pid_t child;
	int status = 0;

	fixture_begin(&f);
	begin(&sections);
	put(&sections);
	put_program(&f, &sections);
	fflush(stdout);
	fflush(stderr);
	child = fork();
	if (child == 0) {
		struct rlimit time = { 3 * SECONDS_MAX, 3 * SECONDS_MAX }, memory = { MEMORY_MAX, MEMORY_MAX };

		setrlimit(RLIMIT_CPU, &time);
		if (!SANITIZED)
			setrlimit(RLIMIT_AS, &memory);
		ask(&f, count);
		getrusage(RUSAGE_SELF, &usage);
		if (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec > SECONDS_MAX)
			fprintf(stderr, "%ld s\n", (long)usage.ru_utime.tv_sec);
		fixture_forget(&f);
		exit(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec > SECONDS_MAX ? 42 : 0);
	}
	assert_true(child > 0 && waitpid(child, &status, 0) == child);
	fixture_end(&f);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail_msg("ended with %s %d", WIFEXITED(status) ? "status" : "signal",
		         WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

#define MEASURED(name, count)                \
	static void name(void **state)       \
	{                                    \
		(void)state;                 \
		measured(make_##name, count); \
	}

static void plain_abbrevs(struct sections *s)
{
	abbrev(&s->abbrev, 1, 0x11, true, unit_pairs);
	abbrev(&s->abbrev, 2, 0x2e, false, function_pairs);
	uleb(&s->abbrev, 0);
}

static void one_unit(struct sections *s)
{
	size_t start = unit_begin(&s->info, 0);

	plain_abbrevs(s);
	unit_die(&s->info, 1, CODE, TEXT_SIZE);
	function_die(&s->info, CODE, TEXT_SIZE);
	uleb(&s->info, 0);
	unit_end(&s->info, start);
}

/* Rows go forward over all addresses and back, again and again. */
static void make_rows_back_and_forth(struct sections *s)
{
	one_unit(s);
	line_begin(&s->line);
	while (s->line.size < 4 << 20) {
		set_address(&s->line, CODE);
		image_u8(&s->line, 1); /* copy */
		set_address(&s->line, CODE + TEXT_SIZE);
		image_u8(&s->line, 1);
	}
	line_end(&s->line);
}

/* The same with sequences that end. */
static void make_sequences_over_each_other(struct sections *s)
{
	one_unit(s);
	line_begin(&s->line);
	while (s->line.size < 4 << 20) {
		set_address(&s->line, CODE);
		image_u8(&s->line, 1);
		set_address(&s->line, CODE + TEXT_SIZE);
		image_bytes(&s->line, "\0\1\1", 3);
	}
	line_end(&s->line);
}

/* Rows of one byte that never end. */
static void make_endless_rows(struct sections *s)
{
	one_unit(s);
	line_begin(&s->line);
	while (s->line.size < 4 << 20)
		image_u8(&s->line, 8); /* const_add_pc */
	line_end(&s->line);
}

/* Each row defines a file. */
static void make_files(struct sections *s)
{
	one_unit(s);
	line_begin(&s->line);
	while (s->line.size < 2 << 20) {
		image_bytes(&s->line, "\0\6\3f\0\0\0\0", 8);
		image_u8(&s->line, 20);
	}
	line_end(&s->line);
}

/* Units, each of which reads one long list of abbreviations, whose last is the unit's own. */
static void make_abbreviations(struct sections *s)
{
	static const uint16_t none[] = { 0 };

	for (uint64_t code = 10; s->abbrev.size < 300000; code++)
		abbrev(&s->abbrev, code, 0x0b, false, none);
	plain_abbrevs(s);
	while (s->info.size < 1 << 20) {
		size_t start = unit_begin(&s->info, 0);

		unit_die(&s->info, 1, CODE, TEXT_SIZE);
		uleb(&s->info, 0);
		unit_end(&s->info, start);
	}
}

/* The same, but the list never ends, and the unit's own abbreviation is not in it. */
static void make_abbreviations_without_end(struct sections *s)
{
	static const uint16_t none[] = { 0 };

	for (uint64_t code = 10; s->abbrev.size < 300000; code++)
		abbrev(&s->abbrev, code, 0x0b, false, none);
	while (s->info.size < 1 << 20) {
		size_t start = unit_begin(&s->info, 0);

		unit_die(&s->info, 1, CODE, TEXT_SIZE);
		uleb(&s->info, 0);
		unit_end(&s->info, start);
	}
}

/* One abbreviation with attributes of no size, and many functions of it: ten bytes stand for all. */
static void make_attributes_of_no_size(struct sections *s)
{
	size_t start = unit_begin(&s->info, 0);

	abbrev(&s->abbrev, 1, 0x11, true, unit_pairs);
	uleb(&s->abbrev, 2);
	uleb(&s->abbrev, 0x2e);
	image_u8(&s->abbrev, 0);
	while (s->abbrev.size < 500000) {
		uleb(&s->abbrev, 0x34); /* artificial */
		uleb(&s->abbrev, 0x19); /* flag_present */
	}
	uleb(&s->abbrev, LOW);
	uleb(&s->abbrev, F_ADDR);
	uleb(&s->abbrev, HIGH);
	uleb(&s->abbrev, F_DATA1);
	image_zeros(&s->abbrev, 3);
	unit_die(&s->info, 1, CODE, TEXT_SIZE);
	while (s->info.size < 1 << 20) {
		uleb(&s->info, 2);
		image_u64(&s->info, CODE);
		image_u8(&s->info, 1);
	}
	unit_end(&s->info, start);
}

/* Functions that all cover everything. */
static void make_functions_over_each_other(struct sections *s)
{
	size_t start = unit_begin(&s->info, 0);

	plain_abbrevs(s);
	unit_die(&s->info, 1, CODE, TEXT_SIZE);
	while (s->info.size < 1 << 20)
		function_die(&s->info, CODE, TEXT_SIZE);
	uleb(&s->info, 0);
	unit_end(&s->info, start);
}

/* Units that all cover everything. */
static void make_units_over_each_other(struct sections *s)
{
	plain_abbrevs(s);
	line_begin(&s->line);
	line_end(&s->line);
	while (s->info.size < 1 << 20) {
		size_t start = unit_begin(&s->info, 0);

		unit_die(&s->info, 1, CODE, TEXT_SIZE);
		uleb(&s->info, 0);
		unit_end(&s->info, start);
	}
}

/* Units and functions that share one long list of ranges. */
static void make_ranges(struct sections *s)
{
	static const uint16_t unit[] = { NAME, F_STRING, RANGES, F_OFFSET, 0 };
	static const uint16_t function[] = { RANGES, F_OFFSET, 0 };

	while (s->ranges.size < 1 << 20) {
		image_u64(&s->ranges, CODE + 1);
		image_u64(&s->ranges, CODE + TEXT_SIZE);
	}
	abbrev(&s->abbrev, 1, 0x11, true, unit);
	abbrev(&s->abbrev, 2, 0x2e, false, function);
	uleb(&s->abbrev, 0);
	while (s->info.size < 1 << 19) {
		size_t start = unit_begin(&s->info, 0);

		uleb(&s->info, 1);
		image_bytes(&s->info, "a.c", 4);
		image_u32(&s->info, 0);
		for (int i = 0; i < 20; i++) {
			uleb(&s->info, 2);
			image_u32(&s->info, 0);
		}
		uleb(&s->info, 0);
		unit_end(&s->info, start);
	}
}

/* Blocks in blocks, a million deep. */
static void make_deep_tree(struct sections *s)
{
	static const uint16_t none[] = { 0 };
	size_t start = unit_begin(&s->info, 0);

	abbrev(&s->abbrev, 1, 0x11, true, unit_pairs);
	abbrev(&s->abbrev, 2, 0x2e, true, function_pairs);
	abbrev(&s->abbrev, 3, 0x0b, true, none);
	uleb(&s->abbrev, 0);
	unit_die(&s->info, 1, CODE, TEXT_SIZE);
	function_die(&s->info, CODE, TEXT_SIZE);
	while (s->info.size < 1 << 20)
		uleb(&s->info, 3);
	unit_end(&s->info, start);
}

/* Functions inlined into each other, each over everything: a frame per function and address. */
static void make_inlined_tree(struct sections *s)
{
	static const uint16_t inlined[] = { NAME, F_STRING, LOW, F_ADDR, HIGH, F_DATA8, 0 };
	size_t start = unit_begin(&s->info, 0);

	abbrev(&s->abbrev, 1, 0x11, true, unit_pairs);
	abbrev(&s->abbrev, 2, 0x2e, true, function_pairs);
	abbrev(&s->abbrev, 3, 0x1d, true, inlined);
	uleb(&s->abbrev, 0);
	unit_die(&s->info, 1, CODE, TEXT_SIZE);
	function_die(&s->info, CODE, TEXT_SIZE);
	while (s->info.size < 1 << 20) {
		uleb(&s->info, 3);
		image_bytes(&s->info, "i", 2);
		image_u64(&s->info, CODE);
		image_u64(&s->info, TEXT_SIZE);
	}
	unit_end(&s->info, start);
}

/* Siblings that point back, and origins that are each other's. */
static void make_circles(struct sections *s)
{
	static const uint16_t pairs[] = { SIBLING, F_REF4, ORIGIN, F_REF4, LOW, F_ADDR, HIGH, F_DATA8, 0 };
	size_t start = unit_begin(&s->info, 0), first, number = 0;

	abbrev(&s->abbrev, 1, 0x11, true, unit_pairs);
	abbrev(&s->abbrev, 2, 0x2e, true, pairs);
	uleb(&s->abbrev, 0);
	unit_die(&s->info, 1, CODE, TEXT_SIZE);
	first = s->info.size;
	while (s->info.size < 1 << 20) {
		uleb(&s->info, 2);
		image_u32(&s->info, (uint32_t)first);
		image_u32(&s->info, (uint32_t)(first + 25 * (number++ ^ 1)));
		image_u64(&s->info, CODE + number);
		image_u64(&s->info, 2);
	}
	unit_end(&s->info, start);
}

/* Forms that say that the form follows. */
static void make_indirect_forms(struct sections *s)
{
	static const uint16_t pairs[] = { NAME, F_STRING, LOW, F_INDIRECT, HIGH, F_INDIRECT, 0 };
	size_t start = unit_begin(&s->info, 0);

	abbrev(&s->abbrev, 1, 0x11, true, pairs);
	abbrev(&s->abbrev, 2, 0x2e, true, pairs);
	uleb(&s->abbrev, 0);
	uleb(&s->info, 1);
	image_bytes(&s->info, "a.c", 4);
	uleb(&s->info, F_ADDR);
	image_u64(&s->info, CODE);
	uleb(&s->info, F_DATA8);
	image_u64(&s->info, TEXT_SIZE);
	uleb(&s->info, 2);
	image_bytes(&s->info, "f", 2);
	while (s->info.size < 1 << 20)
		uleb(&s->info, F_INDIRECT);
	unit_end(&s->info, start);
}

MEASURED(rows_back_and_forth, 100000)
MEASURED(sequences_over_each_other, 100000)
MEASURED(endless_rows, 1000)
MEASURED(files, 1000)
MEASURED(abbreviations, 1000)
MEASURED(abbreviations_without_end, 1000)
MEASURED(attributes_of_no_size, 1000)
MEASURED(functions_over_each_other, 100000)
MEASURED(units_over_each_other, 100000)
MEASURED(ranges, 10000)
MEASURED(deep_tree, 1000)
MEASURED(inlined_tree, 100000)
MEASURED(circles, 10000)
MEASURED(indirect_forms, 100)

int main(int argc, char **argv)
{
	/* one alone, for who looks for what it costs */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_back_and_forth), cmocka_unit_test(sequences_over_each_other),
		cmocka_unit_test(endless_rows),        cmocka_unit_test(files),
		cmocka_unit_test(abbreviations),       cmocka_unit_test(abbreviations_without_end),
		cmocka_unit_test(attributes_of_no_size), cmocka_unit_test(functions_over_each_other),
		cmocka_unit_test(units_over_each_other), cmocka_unit_test(ranges),
		cmocka_unit_test(deep_tree),           cmocka_unit_test(inlined_tree),
		cmocka_unit_test(circles),             cmocka_unit_test(indirect_forms),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void without_libdw(void **state)
{
	(void)state;
	skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(without_libdw) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
