/*
 * For unit tests: debug information of DWARF 4 and 5, put together byte by byte (DWARF standard,
 * chapters 6 and 7). The program has no code in the file: .text is NOBITS.
 */
#ifndef READPERF_TESTS_DWARFMAKER_H
#define READPERF_TESTS_DWARFMAKER_H

#include "decode/dwarf/dwarf.h"
#include "tests/unit/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define TEXT 0x400u
#define TEXT_SIZE 0x100000u
#define CODE (ELF_BASE + TEXT)

struct sections {
	struct image info, abbrev, line, ranges, rnglists, addr, line_str, str;
};

static inline void begin(struct sections *s)
{
	struct image *all[] = { &s->info, &s->abbrev, &s->line, &s->ranges, &s->rnglists, &s->addr,
		                &s->line_str, &s->str };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		image_init(all[i], false);
}

/* Puts the program into the fixture and releases the sections. */
static inline void put_program(struct fixture *f, struct sections *s)
{
	const struct elf_part parts[] = {
		{ .name = ".text", .type = 8, .flags = 6, .addr = CODE, .size = TEXT_SIZE },
		{ .name = ".debug_info", .type = 1, .data = s->info.data, .size = s->info.size },
		{ .name = ".debug_abbrev", .type = 1, .data = s->abbrev.data, .size = s->abbrev.size },
		{ .name = ".debug_line", .type = 1, .data = s->line.data, .size = s->line.size },
		{ .name = ".debug_ranges", .type = 1, .data = s->ranges.data, .size = s->ranges.size },
		{ .name = ".debug_rnglists", .type = 1, .data = s->rnglists.data, .size = s->rnglists.size },
		{ .name = ".debug_addr", .type = 1, .data = s->addr.data, .size = s->addr.size },
		{ .name = ".debug_line_str", .type = 1, .data = s->line_str.data, .size = s->line_str.size },
		{ .name = ".debug_str", .type = 1, .data = s->str.data, .size = s->str.size },
	};
	struct elf_whole whole = { true, false, 3, 62, parts, 9 };
	struct image image;

	elf_image(&image, &whole);
	fixture_image(f, "program", &image);
	image_release(&s->info), image_release(&s->abbrev), image_release(&s->line);
	image_release(&s->ranges), image_release(&s->rnglists), image_release(&s->addr);
	image_release(&s->line_str), image_release(&s->str);
}

static inline void uleb(struct image *image, uint64_t value)
{
	do {
		image_u8(image, (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0)));
		value >>= 7;
	} while (value);
}

/* An abbreviation of pairs of name and form that end with 0. */
static inline void abbrev(struct image *image, uint64_t code, uint64_t tag, bool children, const uint16_t *pairs)
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
       DECL_LINE = 0x3b, LANGUAGE = 0x13, ORIGIN = 0x31 };
enum { F_ADDR = 1, F_DATA8 = 7, F_STRING = 8, F_DATA1 = 0xb, F_REF_ADDR = 0x10, F_REF4 = 0x13, F_INDIRECT = 0x16,
       F_OFFSET = 0x17 };

static const uint16_t unit_pairs[] = { NAME, F_STRING, STMT_LIST, F_OFFSET, LOW, F_ADDR, HIGH, F_DATA8, 0 };
static const uint16_t function_pairs[] = { NAME, F_STRING, DECL_FILE, F_DATA1, LOW, F_ADDR, HIGH, F_DATA8, 0 };

static inline size_t unit_begin(struct image *info, uint32_t abbrevs)
{
	size_t start = info->size;

	image_u32(info, 0);
	image_u16(info, 4);
	image_u32(info, abbrevs);
	image_u8(info, 8);
	return start;
}

static inline void unit_end(struct image *info, size_t start)
{
	image_patch(info, start, info->size - start - 4, 4);
}

/* The unit's own DIE, of unit_pairs. */
static inline void unit_die(struct image *info, uint64_t code, uint64_t low, uint64_t size)
{
	uleb(info, code);
	image_bytes(info, "a.c", 4);
	image_u32(info, 0);
	image_u64(info, low);
	image_u64(info, size);
}

static inline void function_die(struct image *info, uint64_t low, uint64_t size)
{
	uleb(info, 2);
	image_bytes(info, "f", 2);
	image_u8(info, 1);
	image_u64(info, low);
	image_u64(info, size);
}

/* A line program of version 4 with one file; what is put until line_end() is the program. */
static inline void line_begin(struct image *line)
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

static inline void line_end(struct image *line)
{
	image_patch(line, 0, line->size - 4, 4);
}

static inline void set_address(struct image *line, uint64_t addr)
{
	image_u8(line, 0);
	image_u8(line, 9);
	image_u8(line, 2);
	image_u64(line, addr);
}

enum { COMP_DIR = 0x1b, ARTIFICIAL = 0x34, ADDR_BASE = 0x73, RNGLISTS_BASE = 0x74, CONST_VALUE = 0x1c, CALL_FILE = 0x58 };
/* What was found out about one address, as an entry of a function and as an address. */
struct found {
	char file[100], line_file[100], function[100], inner_file[100];
	unsigned line;
};

/* Answers the questions, which may have no strings and path yet, from the program. */
static inline void look_up(struct fixture *f, struct source_query *query)
{
	char path[200];
	bool unreadable;

	query->strings = &f->strings;
	query->path = fixture_path(f, "program", path);
	assert_true(dwarf_lookup(query, &unreadable, &f->diag, &f->err));
	query->path = NULL;
}

/* The file of the function that starts at an address, found without inlined functions. */
static inline const char *file_alone(struct fixture *f, uint64_t addr)
{
	struct source_function function = { .entry = addr };
	struct source_query query = { .functions = &function, .function_count = 1 };

	look_up(f, &query);
	return strings_get(&f->strings, function.file);
}

static inline struct found look(struct fixture *f, uint64_t addr)
{
	struct source_function function = { .entry = addr };
	struct source_addr source = { .addr = addr };
	struct source_query query = { .functions = &function, .addrs = &source,
		                      .function_count = 1, .addr_count = 1, .inlines = true };
	struct found found = { .line = 0 };

	look_up(f, &query);
	snprintf(found.file, 100, "%s", strings_get(&f->strings, function.file));
	assert_string_equal(file_alone(f, addr), found.file);
	snprintf(found.line_file, 100, "%s", strings_get(&f->strings, source.file));
	if (source.frame_count)
		snprintf(found.inner_file, 100, "%s",
		         strings_get(&f->strings, query.frames[source.frame].decl_file));
	if (source.frame_count)
		snprintf(found.function, 100, "%s",
		         strings_get(&f->strings, query.frames[source.frame + source.frame_count - 1].function));
	found.line = source.line;
	free(query.frames);
	return found;
}

static inline void expect_file(struct fixture *f, const char *what, uint64_t addr, const char *file)
{
	struct found found = look(f, addr);

	if (strcmp(found.file, file))
		fail_msg("%s: %#llx is of \"%s\", not \"%s\"", what, (unsigned long long)addr, found.file,
		         file);
}

/* A line table that names /dir/a.c as file 1, of either version. */
static inline void plain_line(struct sections *s, unsigned version)
{
	if (version == 4) {
		line_begin(&s->line);
		line_end(&s->line);
		return;
	}
	image_u32(&s->line, 0);
	image_u16(&s->line, 5);
	image_u8(&s->line, 8);
	image_u8(&s->line, 0);
	image_u32(&s->line, 33); /* header length: counted below */
	image_bytes(&s->line, "\1\1\1\373\16\1", 6); /* no standard opcode */
	image_bytes(&s->line, "\1\1\10", 3);      /* directories: path, as text */
	image_bytes(&s->line, "\1/dir", 6);
	image_bytes(&s->line, "\2\1\10\2\13", 5); /* files: path as text, directory as a byte */
	image_bytes(&s->line, "\2a.c\0\0a.c\0\0", 11);
	image_patch(&s->line, 8, s->line.size - 12, 4);
	line_end(&s->line);
}

static inline size_t begin_unit(struct sections *s, unsigned version)
{
	size_t start = s->info.size;

	if (version == 4)
		return unit_begin(&s->info, 0);
	image_u32(&s->info, 0);
	image_u16(&s->info, 5);
	image_u8(&s->info, 1);
	image_u8(&s->info, 8);
	image_u32(&s->info, 0);
	return start;
}

/* The unit's abbreviation, number 1, and its DIE. */
static inline void put_unit_in(struct sections *s, const char *dir)
{
	static const uint16_t pairs[] = { NAME, F_STRING, COMP_DIR, F_STRING, STMT_LIST, F_OFFSET, LOW,
		                          F_ADDR, HIGH, F_DATA8, ADDR_BASE, F_OFFSET, RNGLISTS_BASE,
		                          F_OFFSET, 0 };

	abbrev(&s->abbrev, 1, 0x11, true, pairs);
	uleb(&s->info, 1);
	image_bytes(&s->info, "a.c", 4);
	image_bytes(&s->info, dir, strlen(dir) + 1);
	image_u32(&s->info, 0);
	image_u64(&s->info, CODE);
	image_u64(&s->info, TEXT_SIZE);
	image_u32(&s->info, 8);  /* .debug_addr begins with a header of 8 bytes */
	image_u32(&s->info, 12); /* .debug_rnglists with one of 12 */
}

static inline void put_unit(struct sections *s)
{
	put_unit_in(s, "/dir");
}

static inline void expect_line(struct fixture *f, uint64_t at, const char *file, unsigned line)
{
	struct found found = look(f, CODE + at);

	if (found.line != line || strcmp(found.line_file, file))
		fail_msg("CODE + %#llx is at %s:%u, not %s:%u", (unsigned long long)at, found.line_file,
		         found.line, file, line);
}

static inline void line_program(struct fixture *f, struct sections *s)
{
	size_t start;

	start = begin_unit(s, 4);
	put_unit(s);
	abbrev(&s->abbrev, 2, 0x2e, false, function_pairs);
	uleb(&s->abbrev, 0);
	function_die(&s->info, CODE, 0x1000);
	uleb(&s->info, 0);
	unit_end(&s->info, start);
	put_program(f, s);
}

#endif
