/*
 * Debug information that was made to take long: lists that are read once per unit, rows that go
 * back and forth, trees without an end. dwarfmeasured.h says what it may cost.
 */
#define _XOPEN_SOURCE 700
#include "tests/unit/dwarfmeasured.h"

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

/* Many functions share an abbreviation whose attributes have no size: each takes one byte of .debug_info. */
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

/* Calls of functions that lie together, each inlined for one byte of code. */
static void put_calls(struct sections *s, size_t first, size_t count)
{
	function_die(&s->info, CODE, TEXT_SIZE);
	for (size_t i = 0; i < count; i++) {
		uleb(&s->info, 3);
		image_u32(&s->info, (uint32_t)(first + 3 * i));
		image_u64(&s->info, CODE + i);
		image_u64(&s->info, 1);
	}
	uleb(&s->info, 0);
}

static size_t begin_scopes(struct sections *s)
{
	static const uint16_t called[] = { ORIGIN, F_REF4, LOW, F_ADDR, HIGH, F_DATA8, 0 };
	static const uint16_t named[] = { NAME, F_STRING, 0 }, other[] = { ORIGIN, F_REF4, 0 };
	size_t start = unit_begin(&s->info, 0);

	abbrev(&s->abbrev, 1, 0x11, true, unit_pairs);
	abbrev(&s->abbrev, 2, 0x2e, true, function_pairs);
	abbrev(&s->abbrev, 3, 0x1d, false, called);
	abbrev(&s->abbrev, 4, 0x39, true, named);
	abbrev(&s->abbrev, 5, 0x2e, false, named);
	abbrev(&s->abbrev, 6, 0x13, true, other);
	uleb(&s->abbrev, 0);
	unit_die(&s->info, 1, CODE, TEXT_SIZE);
	return start;
}

/* Functions in namespaces of long names: whole names are much longer than the file. */
static void make_long_scopes(struct sections *s)
{
	size_t start = begin_scopes(s), first;

	for (int i = 0; i < 100; i++) {
		uleb(&s->info, 4);
		for (int length = 0; length < 9999; length++)
			image_u8(&s->info, (uint8_t)('a' + i % 26));
		image_u8(&s->info, 0);
	}
	first = s->info.size;
	for (int i = 0; i < 50000; i++)
		image_bytes(&s->info, "\5f", 3);
	for (int i = 0; i < 100; i++)
		uleb(&s->info, 0);
	put_calls(s, first, 50000);
	unit_end(&s->info, start);
}

/* Functions in a class whose description is inside of itself. */
static void make_circles_of_scopes(struct sections *s)
{
	size_t start = begin_scopes(s), class = s->info.size, first;

	uleb(&s->info, 6);
	image_u32(&s->info, (uint32_t)(class + 5));
	for (int i = 1; i < 20; i++) {
		uleb(&s->info, 6);
		image_u32(&s->info, (uint32_t)(class + 5 * (size_t)(i + 1)));
	}
	first = s->info.size;
	for (int i = 0; i < 50000; i++)
		image_bytes(&s->info, "\5f", 3);
	for (int i = 0; i < 20; i++)
		uleb(&s->info, 0);
	put_calls(s, first, 50000);
	unit_end(&s->info, start);
}

/* DW_FORM_indirect whose form is DW_FORM_indirect again. */
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
MEASURED(long_scopes, 50000)
MEASURED(circles_of_scopes, 50000)
MEASURED(indirect_forms, 100)

/* Units that say neither where their code is, nor anything else. */
static void make_empty_units(struct sections *s)
{
	static const uint16_t pairs[] = { NAME, F_STRING, 0 };

	abbrev(&s->abbrev, 1, 0x11, true, pairs);
	uleb(&s->abbrev, 0);
	for (int i = 0; i < 400000; i++) {
		size_t start = unit_begin(&s->info, 0);

		image_bytes(&s->info, "\1empty unit with a name of 40 letters here\0", 43);
		unit_end(&s->info, start);
	}
}

MEASURED(empty_units, 10000)

int main(int argc, char **argv)
{
	/* with a name as argument this test runs alone, to measure its cost */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_units),
		cmocka_unit_test(rows_back_and_forth), cmocka_unit_test(sequences_over_each_other),
		cmocka_unit_test(endless_rows),        cmocka_unit_test(files),
		cmocka_unit_test(abbreviations),       cmocka_unit_test(abbreviations_without_end),
		cmocka_unit_test(attributes_of_no_size), cmocka_unit_test(functions_over_each_other),
		cmocka_unit_test(units_over_each_other), cmocka_unit_test(ranges),
		cmocka_unit_test(deep_tree),           cmocka_unit_test(inlined_tree),
		cmocka_unit_test(circles),             cmocka_unit_test(long_scopes),
		cmocka_unit_test(circles_of_scopes),   cmocka_unit_test(indirect_forms),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
