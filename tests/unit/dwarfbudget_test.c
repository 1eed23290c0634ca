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

STOPPED(long_number, 50000)
STOPPED(long_abbreviation, 50000)
STOPPED(units_of_attributes, 1)
STOPPED(long_ranges, 1000)
STOPPED(tables_in_tables, 1000)

int main(int argc, char **argv)
{
	/* with a name as argument this test runs alone, to measure its cost */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_number),
		cmocka_unit_test(long_abbreviation),
		cmocka_unit_test(units_of_attributes),
		cmocka_unit_test(long_ranges),
		cmocka_unit_test(tables_in_tables),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
