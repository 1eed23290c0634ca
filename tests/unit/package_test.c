/* The index of a package of split units: tables made by hand, whole and damaged. */
#include "decode/dwarf/package.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SLOTS 4
#define UNITS 2
#define COLUMNS 6
/* Both hash to slot 1, and step by 1 and by 3. */
#define FIRST_ID 0x0000000000000001u
#define SECOND_ID 0x0000000300000001u

#define HOST_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Places in the index, counted in words of 4 bytes. */
enum {
	AT_VERSION,
	AT_COLUMNS,
	AT_UNITS,
	AT_SLOTS,
	AT_IDS,
	AT_ROWS = AT_IDS + 2 * SLOTS,
	AT_SECTIONS = AT_ROWS + SLOTS,
	AT_OFFSETS = AT_SECTIONS + COLUMNS,
	AT_SIZES = AT_OFFSETS + UNITS * COLUMNS,
	WORDS = AT_SIZES + UNITS * COLUMNS
};

struct image {
	uint32_t words[WORDS];
	bool swap;
};

/* Version 5 is a half word, and two bytes behind it. */
static uint32_t version_word(uint32_t version, bool big)
{
	return big && (uint16_t)version == 5 ? version << 16 | version >> 16 : version;
}

static void put_id(struct image *image, size_t slot, uint64_t id)
{
	image->words[AT_IDS + 2 * slot + HOST_BIG] = (uint32_t)id;
	image->words[AT_IDS + 2 * slot + !HOST_BIG] = (uint32_t)(id >> 32);
}

/*
 * Sections: info, one that no version knows, abbreviations, text offsets, 8, line tables. The cell
 * of row r, column c is 1000 r + 10 c, its size that and 1; rows count from 1.
 */
static struct image make(uint32_t version)
{
	static const uint32_t sections[COLUMNS] = { 1, 77, 3, 6, 8, 4 };
	struct image image = { .words = { version_word(version, HOST_BIG), COLUMNS, UNITS, SLOTS } };

	/* the second row's unit came first, so the other's was pushed on */
	put_id(&image, 1, SECOND_ID);
	image.words[AT_ROWS + 1] = 2;
	put_id(&image, 2, FIRST_ID);
	image.words[AT_ROWS + 2] = 1;
	memcpy(image.words + AT_SECTIONS, sections, sizeof(sections));
	for (uint32_t i = 0; i < UNITS * COLUMNS; i++) {
		image.words[AT_OFFSETS + i] = 1000 * (1 + i / COLUMNS) + 10 * (i % COLUMNS);
		image.words[AT_SIZES + i] = image.words[AT_OFFSETS + i] + 1;
	}
	return image;
}

/* Reads the first size bytes of the index, in memory of just that size, and asks for id. */
static bool ask(const struct image *image, size_t size, uint64_t id, struct points *points,
                struct package_part parts[PACKAGE_SECTIONS])
{
	uint8_t *data = malloc(size ? size : 1);
	struct package_index index;
	struct bytes section;
	bool found;

	assert_non_null(data);
	memcpy(data, image->words, size);
	section = bytes_over(data, size, image->swap);
	found = package_index_read(&index, &section) &&
	        package_index_find(&index, id, points, parts);
	free(data);
	return found;
}

static bool find(const struct image *image, uint64_t id, struct package_part *parts)
{
	struct points points = { .work = 1000 };

	return ask(image, sizeof(image->words), id, &points, parts);
}

static void assert_parts(const struct package_part *parts, uint32_t row, bool lists)
{
	static const uint32_t columns[PACKAGE_SECTIONS] = {
		[PACKAGE_INFO] = 0,        [PACKAGE_ABBREV] = 2,   [PACKAGE_LINE] = 5,
		[PACKAGE_STR_OFFSETS] = 3, [PACKAGE_RNGLISTS] = 4,
	};

	for (int i = 0; i < PACKAGE_SECTIONS; i++) {
		uint32_t cell = 1000 * row + 10 * columns[i];
		bool there = lists || i != PACKAGE_RNGLISTS;

		assert_int_equal(parts[i].offset, there ? cell : 0);
		assert_int_equal(parts[i].size, there ? cell + 1 : 0);
	}
}

static void test_versions(void **state)
{
	struct package_part parts[PACKAGE_SECTIONS];
	struct image image = make(2);

	(void)state;
	assert_true(find(&image, FIRST_ID, parts));
	assert_parts(parts, 1, false);
	assert_true(find(&image, SECOND_ID, parts));
	assert_parts(parts, 2, false);
	image = make(5);
	assert_true(find(&image, FIRST_ID, parts));
	assert_parts(parts, 1, true);
	for (uint32_t version = 0; version < 8; version++) {
		image = make(version);
		assert_int_equal(find(&image, FIRST_ID, parts), version == 2 || version == 5);
	}
	/* the upper half of version 5 is padding */
	image = make(0x12340005);
	assert_true(find(&image, FIRST_ID, parts));
	image = make(0x12340002);
	assert_false(find(&image, FIRST_ID, parts));
}

static void test_other_byte_order(void **state)
{
	struct package_part parts[PACKAGE_SECTIONS];
	struct image image = make(2);

	(void)state;
	image.swap = true;
	for (size_t i = 0; i < WORDS; i++)
		image.words[i] = __builtin_bswap32(image.words[i]);
	/* the halves of an id change places too */
	for (size_t i = AT_IDS; i < AT_ROWS; i += 2) {
		uint32_t low = image.words[i];

		image.words[i] = image.words[i + 1];
		image.words[i + 1] = low;
	}
	assert_true(find(&image, SECOND_ID, parts));
	assert_parts(parts, 2, false);
	image.words[AT_VERSION] = __builtin_bswap32(version_word(5, !HOST_BIG));
	assert_true(find(&image, SECOND_ID, parts));
	assert_parts(parts, 2, true);
}

static void test_every_size(void **state)
{
	struct package_part parts[PACKAGE_SECTIONS];
	struct image image = make(5);

	(void)state;
	for (size_t size = 0; size <= sizeof(image.words); size++) {
		struct points points = { .work = 1000 };

		assert_int_equal(ask(&image, size, FIRST_ID, &points, parts),
		                 size == sizeof(image.words));
	}
}

static void test_unknown_ids(void **state)
{
	static const uint64_t ids[] = { 0, 2, 5, 0x0000000500000001u, UINT64_MAX };
	struct package_part parts[PACKAGE_SECTIONS];
	struct image image = make(2);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		assert_false(find(&image, ids[i], parts));
	/* no slot is free: the search ends where it began */
	for (size_t i = 0; i < SLOTS; i++)
		image.words[AT_ROWS + i] = 1;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (ids[i])
			assert_false(find(&image, ids[i], parts));
}

static void test_lies(void **state)
{
	static const struct {
		uint32_t place, value;
	} lies[] = {
		{ AT_COLUMNS, 0 },
		{ AT_COLUMNS, COLUMNS + 1 },
		{ AT_COLUMNS, UINT32_MAX },
		{ AT_COLUMNS, 0x40000000 },
		{ AT_UNITS, 0 },
		{ AT_UNITS, UNITS + 1 },
		{ AT_UNITS, UINT32_MAX },
		{ AT_SLOTS, 0 },
		{ AT_SLOTS, 3 },
		{ AT_SLOTS, 8 },
		{ AT_SLOTS, 0x80000000 },
		{ AT_SLOTS, UINT32_MAX },
		/* rows that are not there */
		{ AT_ROWS + 2, UNITS + 1 },
		{ AT_ROWS + 2, UINT32_MAX },
		/* no unit without these */
		{ AT_SECTIONS, 77 },
		{ AT_SECTIONS + 2, 0 },
	};
	struct package_part parts[PACKAGE_SECTIONS];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		struct image image = make(2);

		assert_true(find(&image, FIRST_ID, parts));
		image.words[lies[i].place] = lies[i].value;
		assert_false(find(&image, FIRST_ID, parts));
	}
}

/* A section that stands there twice is that of the first column. */
static void test_double_column(void **state)
{
	struct package_part parts[PACKAGE_SECTIONS];
	struct image image = make(2);

	(void)state;
	image.words[AT_SECTIONS + 4] = 1;
	assert_true(find(&image, FIRST_ID, parts));
	assert_int_equal(parts[PACKAGE_INFO].offset, 1000);
	/* without a column for lines */
	image.words[AT_SECTIONS + 5] = 99;
	assert_true(find(&image, FIRST_ID, parts));
	assert_int_equal(parts[PACKAGE_LINE].size, 0);
}

/* Where every slot is taken, each search would visit all: the file's work pays for it. */
static void test_work(void **state)
{
	struct package_part parts[PACKAGE_SECTIONS];
	struct points points = { .work = 3 };
	struct image image = make(2);

	(void)state;
	for (size_t i = 0; i < SLOTS; i++)
		image.words[AT_ROWS + i] = 1;
	assert_false(ask(&image, sizeof(image.words), 9, &points, parts));
	assert_int_equal(points.work, 0);
	assert_false(ask(&image, sizeof(image.words), FIRST_ID, &points, parts));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),      cmocka_unit_test(test_other_byte_order),
		cmocka_unit_test(test_every_size),    cmocka_unit_test(test_unknown_ids),
		cmocka_unit_test(test_lies),          cmocka_unit_test(test_double_column),
		cmocka_unit_test(test_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
