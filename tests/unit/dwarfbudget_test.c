/*
 * Debug information of which a few bytes stand for many, again and again: numbers in far more bytes
 * than they need, texts, tables and lists that lie over each other or do not end. Reading it is
 * stopped when the budget of steps is used up.
 */
#define _XOPEN_SOURCE 700
#include "tests/unit/dwarfmeasured.h"

enum { F_UDATA = 0xf, F_STRP = 0xe, F_FLAG_PRESENT = 0x19, F_LINE_STRP = 0x1f, LINKAGE_NAME = 0x6e };

/* A number in more bytes than it needs. */
static void padded_uleb(struct image *image, uint64_t value, size_t size)
{
	for (size_t i = 1; i < size; i++, value >>= 7)
		image_u8(image, (uint8_t)(value | 0x80));
	image_u8(image, 0);
}

/* A text without its end. */
static void letters(struct image *image, size_t size)
{
	for (size_t i = 0; i < size; i++)
		image_u8(image, (uint8_t)('a' + i % 25));
}

static const uint16_t instance_pairs[] = { ORIGIN, F_REF4, LOW, F_ADDR, HIGH, F_DATA8, 0 };

/* Functions of one byte, instances of DIEs of `size` bytes each (0: of one DIE). They end the unit. */
static void put_instances(struct sections *s, size_t start, size_t first, size_t size, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uleb(&s->info, 2);
		image_u32(&s->info, (uint32_t)(first + size * i));
		image_u64(&s->info, CODE + i);
		image_u64(&s->info, 1);
	}
	uleb(&s->info, 0);
	unit_end(&s->info, start);
}

/* Functions that are instances of one DIE with a number of 500,000 bytes. */
static void make_long_number(struct sections *s)
{
	static const uint16_t pairs[] = { DECL_LINE, F_UDATA, 0 };
	size_t start = unit_begin(&s->info, 0), origin;

	abbrev(&s->abbrev, 1, 0x11, true, unit_pairs);
	abbrev(&s->abbrev, 2, 0x2e, false, instance_pairs);
	abbrev(&s->abbrev, 3, 0x2e, false, pairs);
	uleb(&s->abbrev, 0);
	unit_die(&s->info, 1, CODE, TEXT_SIZE);
	origin = s->info.size;
	uleb(&s->info, 3);
	padded_uleb(&s->info, 1, 500000);
	put_instances(s, start, origin, 0, 50000);
}

/* Functions that share an abbreviation with such a number. */
static void make_long_abbreviation(struct sections *s)
{
	size_t start = unit_begin(&s->info, 0);

	abbrev(&s->abbrev, 1, 0x11, true, unit_pairs);
	image_bytes(&s->abbrev, "\2\x2e", 3);
	padded_uleb(&s->abbrev, DECL_LINE, 500000);
	image_bytes(&s->abbrev, "\x0b\x11\x01\x12\x0b\0\0\0", 8);
	unit_die(&s->info, 1, CODE, TEXT_SIZE);
	for (size_t i = 0; i < 50000; i++) {
		image_bytes(&s->info, "\2\1", 2);
		image_u64(&s->info, CODE + i);
		image_u8(&s->info, 1);
	}
	uleb(&s->info, 0);
	unit_end(&s->info, start);
}

/* Units that share an abbreviation with many attributes, which have no bytes in the units. */
static void make_units_of_attributes(struct sections *s)
{
	image_bytes(&s->abbrev, "\1\x11", 3);
	while (s->abbrev.size < 500000)
		image_bytes(&s->abbrev, "\x34\x19", 2); /* artificial, flag_present */
	image_zeros(&s->abbrev, 3);
	for (int i = 0; i < 50000; i++) {
		size_t start = unit_begin(&s->info, 0);

		uleb(&s->info, 1);
		unit_end(&s->info, start);
	}
}

/* Functions that are instances of others with names in .debug_str, each a byte behind the one before. */
static void put_names(struct sections *s, uint16_t attribute)
{
	const uint16_t named[] = { attribute, F_STRP, 0 };
	size_t start = unit_begin(&s->info, 0), first;

	abbrev(&s->abbrev, 1, 0x11, true, unit_pairs);
	abbrev(&s->abbrev, 2, 0x2e, false, instance_pairs);
	abbrev(&s->abbrev, 3, 0x2e, false, named);
	uleb(&s->abbrev, 0);
	unit_die(&s->info, 1, CODE, TEXT_SIZE);
	first = s->info.size;
	for (uint32_t i = 0; i < 50000; i++) {
		uleb(&s->info, 3);
		image_u32(&s->info, i);
	}
	put_instances(s, start, first, 5, 50000);
}

static void make_names_in_names(struct sections *s)
{
	put_names(s, NAME);
	letters(&s->str, 500000);
	image_u8(&s->str, 0);
}

static void make_linkage_names_in_names(struct sections *s)
{
	put_names(s, LINKAGE_NAME);
	letters(&s->str, 500000);
	image_u8(&s->str, 0);
}

static void make_names_without_end(struct sections *s)
{
	put_names(s, NAME);
	letters(&s->str, 6 << 20);
}

/* A list of ranges with a number of 500,000 bytes, which is that of many functions. */
static void make_long_ranges(struct sections *s)
{
	static const uint16_t function[] = { RANGES, F_OFFSET, 0 };
	size_t start = begin_unit(s, 5);

	put_unit(s);
	abbrev(&s->abbrev, 2, 0x2e, false, function);
	uleb(&s->abbrev, 0);
	image_u8(&s->rnglists, 4); /* offset_pair */
	padded_uleb(&s->rnglists, 0, 500000);
	image_bytes(&s->rnglists, "\1\0", 2);
	for (int i = 0; i < 50000; i++) {
		uleb(&s->info, 2);
		image_u32(&s->info, 0);
	}
	uleb(&s->info, 0);
	unit_end(&s->info, start);
}

/*
 * Functions, each an instance of one in another unit, whose table of abbreviations begins a bit later in the same
 * long list.
 */
static void make_tables_in_tables(struct sections *s)
{
	static const uint16_t instance[] = { ORIGIN, F_REF_ADDR, LOW, F_ADDR, HIGH, F_DATA8, 0 };
	enum { UNITS = 1000 };
	size_t start, references[UNITS];
	const uint16_t none[] = { 0 };
	uint32_t list;

	start = unit_begin(&s->info, 0);
	abbrev(&s->abbrev, 1, 0x11, true, unit_pairs);
	abbrev(&s->abbrev, 2, 0x2e, false, instance);
	uleb(&s->abbrev, 0);
	unit_die(&s->info, 1, CODE, TEXT_SIZE);
	for (size_t i = 0; i < UNITS; i++) {
		uleb(&s->info, 2);
		references[i] = s->info.size;
		image_u32(&s->info, 0);
		image_u64(&s->info, CODE + i);
		image_u64(&s->info, 1);
	}
	uleb(&s->info, 0);
	unit_end(&s->info, start);
	list = (uint32_t)s->abbrev.size;
	for (uint64_t code = 1; code < 800000; code++)
		abbrev(&s->abbrev, 1 + code % 100, 0x2e, false, none);
	for (size_t i = 0; i < UNITS; i++) {
		start = unit_begin(&s->info, list + 5 * (uint32_t)i);
		uleb(&s->info, 1 + (1 + i) % 100);
		image_patch(&s->info, references[i], s->info.size, 4);
		uleb(&s->info, 1 + (1 + i) % 100);
		unit_end(&s->info, start);
	}
}

/* --- line tables */

static size_t line5_begin(struct image *line)
{
	static const uint8_t front[] = { 1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	size_t header;

	image_u32(line, 0);
	image_u16(line, 5);
	image_bytes(line, "\10", 2);
	header = line->size;
	image_u32(line, 0);
	image_bytes(line, front, sizeof(front));
	return header;
}

static void line5_program(struct image *line, size_t header)
{
	image_patch(line, header, line->size - header - 4, 4);
}

/* Files without bytes, described by 255 pairs of long numbers. */
static void make_long_formats(struct sections *s)
{
	size_t header = line5_begin(&s->line);

	one_unit(s);
	image_bytes(&s->line, "\0\0\xff", 3);
	for (int i = 0; i < 255; i++) {
		padded_uleb(&s->line, 9, 1000);
		padded_uleb(&s->line, F_FLAG_PRESENT, 1000);
	}
	uleb(&s->line, 1000000);
	image_zeros(&s->line, 1000000);
	line5_program(&s->line, header);
	line_end(&s->line);
}

/* Files whose names do not end. */
static void make_files_without_end(struct sections *s)
{
	size_t header = line5_begin(&s->line);

	one_unit(s);
	image_bytes(&s->line, "\0\0\1\1\x1f", 5); /* a path, line_strp */
	uleb(&s->line, 100000);
	for (uint32_t i = 0; i < 100000; i++)
		image_u32(&s->line, i);
	line5_program(&s->line, header);
	line_end(&s->line);
	letters(&s->line_str, 6 << 20);
}

/* Rows, each of another file, which all lie in one directory with a long name. */
static void make_long_directory(struct sections *s)
{
	size_t header = line5_begin(&s->line);

	one_unit(s);
	image_bytes(&s->line, "\1\1\10\1/", 5); /* a path, string */
	letters(&s->line, 500000);
	image_bytes(&s->line, "\0\2\1\10\2\5", 6); /* a path, string; a directory, data2 */
	uleb(&s->line, 20000);
	for (unsigned i = 0; i < 20000; i++) {
		char name[20];

		image_bytes(&s->line, name, (size_t)sprintf(name, "%u", i) + 1);
		image_u16(&s->line, 0);
	}
	line5_program(&s->line, header);
	set_address(&s->line, CODE);
	for (unsigned i = 0; i < 20000; i++) {
		image_u8(&s->line, 4); /* set_file */
		uleb(&s->line, i);
		image_bytes(&s->line, "\1\2\1", 3); /* copy, advance_pc 1 */
	}
	image_bytes(&s->line, "\0\1\1", 3);
	line_end(&s->line);
}

/* Units whose line tables lie over each other; each has a long list of files. */
static void make_lists_in_lists(struct sections *s)
{
	enum { UNITS = 20000, TABLE = 4 + 2 + 4 + 6 };

	plain_abbrevs(s);
	for (uint32_t i = 0; i < UNITS; i++) {
		size_t start = unit_begin(&s->info, 0);

		uleb(&s->info, 1);
		image_bytes(&s->info, "a.c", 4);
		image_u32(&s->info, TABLE * i);
		image_u64(&s->info, CODE + i);
		image_u64(&s->info, 1);
		function_die(&s->info, CODE + i, 1);
		uleb(&s->info, 0);
		unit_end(&s->info, start);
		/* no opcodes and no program; the directories of one table are the header of the next */
		image_u32(&s->line, (3 << 20) + 6);
		image_u16(&s->line, 4);
		image_u32(&s->line, 3 << 20);
		image_bytes(&s->line, "\1\1\1\1\1\1", 6);
	}
	letters(&s->line, 4 << 20);
}

/* Units that share a line table whose program defines files. */
static void make_defined_files(struct sections *s)
{
	plain_abbrevs(s);
	for (uint32_t i = 0; i < 50; i++) {
		size_t start = unit_begin(&s->info, 0);

		unit_die(&s->info, 1, CODE + i, 1);
		function_die(&s->info, CODE + i, 1);
		uleb(&s->info, 0);
		unit_end(&s->info, start);
	}
	line_begin(&s->line);
	for (int i = 0; i < 1000000; i++)
		image_bytes(&s->line, "\0\3\3\0", 5);
	line_end(&s->line);
}

/* Functions that the compiler made up are in the unit's own file, which is looked for in a long list. */
static void make_unit_files(struct sections *s)
{
	static const uint16_t pairs[] = { ARTIFICIAL, F_FLAG_PRESENT, LOW, F_ADDR, HIGH, F_DATA1, 0 };
	size_t start = unit_begin(&s->info, 0);

	abbrev(&s->abbrev, 1, 0x11, true, unit_pairs);
	abbrev(&s->abbrev, 2, 0x2e, false, pairs);
	uleb(&s->abbrev, 0);
	unit_die(&s->info, 1, CODE, TEXT_SIZE);
	image_patch(&s->info, start + 12, 'b', 1); /* b.c */
	for (uint32_t i = 0; i < 50000; i++) {
		uleb(&s->info, 2);
		image_u64(&s->info, CODE + i);
		image_u8(&s->info, 1);
	}
	uleb(&s->info, 0);
	unit_end(&s->info, start);
	line_begin(&s->line);
	s->line.size--;
	for (int i = 0; i < 500000; i++)
		image_bytes(&s->line, "a.h\0\0\0", 7);
	image_u8(&s->line, 0);
	image_patch(&s->line, 6, s->line.size - 10, 4);
	line_end(&s->line);
}

/* --- split units */

/* Numbers of sections in the index of a package (DWARF 5, 7.3.5.3). */
enum { SECT_INFO = 1, SECT_ABBREV = 3, KIND_SKELETON = 4, KIND_SPLIT = 5 };

/* A unit with an id, and a DIE of abbreviation 1 without attributes in it. */
static void split_unit(struct image *info, uint8_t kind, uint64_t id)
{
	image_u32(info, 0);
	image_u16(info, 5);
	image_u8(info, kind);
	image_u8(info, 8);
	image_u32(info, 0);
	image_u64(info, id);
	image_u8(info, 1);
}

enum { SPLITS = 4096, SPLIT_SIZE = 22 };

/* The index: the unit n has the id n, slot n and row n + 1; all have the same abbreviations. */
static void package_index(struct image *index, size_t abbrevs)
{
	image_init(index, false);
	image_u32(index, 5), image_u32(index, 2), image_u32(index, SPLITS), image_u32(index, SPLITS);
	for (uint64_t id = 0; id < SPLITS; id++)
		image_u64(index, id);
	for (uint32_t row = 1; row <= SPLITS; row++)
		image_u32(index, row);
	image_u32(index, SECT_INFO), image_u32(index, SECT_ABBREV);
	for (uint32_t row = 0; row < SPLITS; row++)
		image_u32(index, row * SPLIT_SIZE), image_u32(index, 0);
	for (uint32_t row = 0; row < SPLITS; row++)
		image_u32(index, SPLIT_SIZE), image_u32(index, (uint32_t)abbrevs);
}

static void put_package(struct fixture *f)
{
	static const uint16_t none[] = { 0 };
	struct image info, abbrevs, index, image;

	image_init(&info, false), image_init(&abbrevs, false);
	for (uint64_t id = 0; id < SPLITS; id++) {
		size_t start = info.size;

		split_unit(&info, KIND_SPLIT, id);
		uleb(&info, 0);
		unit_end(&info, start);
	}
	abbrev(&abbrevs, 1, 0x11, true, none);
	image_zeros(&abbrevs, 6 << 20);
	package_index(&index, abbrevs.size);

	const struct elf_part parts[] = {
		{ .name = ".debug_info.dwo", .type = 1, .data = info.data, .size = info.size },
		{ .name = ".debug_abbrev.dwo", .type = 1, .data = abbrevs.data, .size = abbrevs.size },
		{ .name = ".debug_cu_index", .type = 1, .data = index.data, .size = index.size },
	};
	const struct elf_whole whole = { true, false, 1, 62, parts, 3 };

	elf_image(&image, &whole);
	fixture_image(f, "program.dwp", &image);
	image_release(&info), image_release(&abbrevs), image_release(&index);
}

/* Units of a package that all have its whole list of abbreviations, which is read for each. */
static void make_package(struct sections *s)
{
	static const uint16_t unit[] = { LOW, F_ADDR, HIGH, F_DATA1, 0 };

	abbrev(&s->abbrev, 1, 0x4a, false, unit);
	uleb(&s->abbrev, 0);
	for (uint64_t id = 0; id < SPLITS; id++) {
		size_t start = s->info.size;

		split_unit(&s->info, KIND_SKELETON, id);
		image_u64(&s->info, CODE + id);
		image_u8(&s->info, 1);
		unit_end(&s->info, start);
	}
}

static void package(void **state)
{
	(void)state;
	measured_with(put_package, make_package, SPLITS, true);
}

STOPPED(long_number, 50000)
STOPPED(long_abbreviation, 50000)
STOPPED(units_of_attributes, 1)
STOPPED(names_in_names, 50000)
STOPPED(linkage_names_in_names, 50000)
STOPPED(names_without_end, 50000)
STOPPED(long_ranges, 1000)
STOPPED(tables_in_tables, 1000)
STOPPED(long_formats, 10)
STOPPED(files_without_end, 10)
STOPPED(long_directory, 20000)
STOPPED(lists_in_lists, 20000)
STOPPED(defined_files, 50)
STOPPED(unit_files, 50000)

int main(int argc, char **argv)
{
	/* with a name as argument this test runs alone, to measure its cost */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_number),
		cmocka_unit_test(long_abbreviation),
		cmocka_unit_test(units_of_attributes),
		cmocka_unit_test(names_in_names),
		cmocka_unit_test(linkage_names_in_names),
		cmocka_unit_test(names_without_end),
		cmocka_unit_test(long_ranges),
		cmocka_unit_test(tables_in_tables),
		cmocka_unit_test(long_formats),
		cmocka_unit_test(files_without_end),
		cmocka_unit_test(long_directory),
		cmocka_unit_test(lists_in_lists),
		cmocka_unit_test(defined_files),
		cmocka_unit_test(unit_files),
		cmocka_unit_test(package),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
