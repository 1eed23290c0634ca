/*
 * For unit tests: debug information of DWARF 4 and 5, put together byte by byte (DWARF standard,
 * chapters 6 and 7). The program has no code in the file: .text is NOBITS.
 */
#ifndef READPERF_TESTS_DWARFMAKER_H
#define READPERF_TESTS_DWARFMAKER_H

#include "tests/unit/fixture.h"

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
       ORIGIN = 0x31 };
enum { F_ADDR = 1, F_DATA8 = 7, F_STRING = 8, F_DATA1 = 0xb, F_REF4 = 0x13, F_INDIRECT = 0x16,
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

#endif
