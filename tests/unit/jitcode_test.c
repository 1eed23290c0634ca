#include "decode/symbols/jitcode.h"

#include "tests/unit/bytes.h"
#include "tests/unit/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const char *name_at(struct symtable *table, uint64_t addr)
{
	const struct symbol *symbol = symtable_find(table, addr);

	return symbol ? symbol->name : "-";
}

static void load_map(struct symtable *table, const char *map)
{
	struct err err = { .code = ERR_NONE };
	struct jit_entries entries = { .items = NULL };
	size_t size = strlen(map);

	*table = (struct symtable){ 0 };
	assert_true(perf_map_parse(map, size, table, &entries, &err));
	assert_true(jit_entries_put(&entries, table, &err));
	symtable_finish(table);
	free(entries.items);
}

static void test_map(void **state)
{
	struct symtable table;

	(void)state;
	load_map(&table, "1000 20 first\n"
			 "0x2000 0x10 with 0x and spaces\n"
			 "\nbroken\n3000 \n3000 10\n3000 10 \n"
			 "ffffffffffffff00 ffffffffffff at the end\n"
			 "8000001000 20 after a line that is too long\n"
			 "4008 ffffffffff too long\n"
			 "4000 8 cut off");
	assert_string_equal(name_at(&table, 0x101f), "first");
	assert_string_equal(name_at(&table, 0x1020), "-");
	assert_string_equal(name_at(&table, 0x2008), "with 0x and spaces");
	assert_string_equal(name_at(&table, 0x3000), "-");
	assert_string_equal(name_at(&table, 0xffffffffffffff80), "at the end");
	assert_string_equal(name_at(&table, 0x4007), "cut off");
	assert_string_equal(name_at(&table, 0x100004006), "too long");
	assert_string_equal(name_at(&table, 0x8000001000), "after a line that is too long");
	symtable_release(&table);
}

/* Compared with a search through all lines: the last line that covers an address names it. */
static void test_overlaps(void **state)
{
	static const unsigned spans[][2] = { { 10, 30 }, { 20, 40 }, { 5, 12 },  { 22, 25 },
		                             { 22, 23 }, { 60, 70 }, { 60, 70 }, { 38, 61 },
		                             { 90, 95 }, { 88, 99 }, { 0, 3 },   { 2, 2 } };
	struct symtable table;
	char map[1000] = "";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(spans); i++)
		sprintf(map + strlen(map), "%x %x name%zu\n", spans[i][0], spans[i][1] - spans[i][0], i);
	load_map(&table, map);
	for (unsigned addr = 0; addr < 110; addr++) {
		char expected[20] = "-";

		for (size_t i = 0; i < ARRAY_SIZE(spans); i++)
			if (addr >= spans[i][0] && addr < spans[i][1])
				sprintf(expected, "name%zu", i);
		assert_string_equal(name_at(&table, addr), expected);
	}
	symtable_release(&table);
}

/* --- jitdump files (tools/perf/Documentation/jitdump-specification.txt) */

enum { CODE_LOAD, CODE_MOVE, CODE_DEBUG_INFO, CODE_CLOSE, CODE_UNWINDING_INFO };

static size_t begin_record(struct image *image, uint32_t type)
{
	size_t start = image->size;

	image_u32(image, type);
	image_u32(image, 0);
	image_u64(image, start);
	return start;
}

static void end_record(struct image *image, size_t start)
{
	image_patch(image, start + 4, image->size - start, 4);
}

static void put_load(struct image *image, uint64_t addr, uint64_t size, uint64_t index, const char *name)
{
	size_t start = begin_record(image, CODE_LOAD);

	image_u32(image, 7);
	image_u32(image, 8);
	image_u64(image, addr);
	image_u64(image, addr);
	image_u64(image, size);
	image_u64(image, index);
	image_bytes(image, name, strlen(name) + 1);
	image_zeros(image, (size_t)size); /* the code */
	end_record(image, start);
}

static void put_move(struct image *image, uint64_t from, uint64_t to, uint64_t size, uint64_t index)
{
	size_t start = begin_record(image, CODE_MOVE);

	image_u32(image, 7);
	image_u32(image, 8);
	image_u64(image, to);
	image_u64(image, from);
	image_u64(image, to);
	image_u64(image, size);
	image_u64(image, index);
	end_record(image, start);
}

/* Lines of the code that is loaded next. */
static void put_debug_info(struct image *image, uint64_t addr)
{
	size_t start = begin_record(image, CODE_DEBUG_INFO);

	image_u64(image, addr);
	image_u64(image, 2);
	for (uint32_t line = 10; line < 12; line++) {
		image_u64(image, addr + line);
		image_u32(image, line);
		image_u32(image, 0);
		image_bytes(image, "script.js", 10);
	}
	end_record(image, start);
}

static void put_unwinding_info(struct image *image)
{
	size_t start = begin_record(image, CODE_UNWINDING_INFO);

	image_u64(image, 24);
	image_u64(image, 8);
	image_u64(image, 24);
	image_zeros(image, 24);
	end_record(image, start);
}

static void begin_dump(struct image *image, bool big_endian, uint32_t header)
{
	image_init(image, big_endian);
	image_u32(image, 0x4a695444);
	image_u32(image, 1);
	image_u32(image, header);
	image_u32(image, 62); /* machine */
	image_zeros(image, header - 16);
}

/* The names of the addresses when only the file's first records are there. */
struct step {
	size_t end;           /* of the record, in the file */
	const char *names[6]; /* at the addresses of `asked` */
};

static const uint64_t asked[6] = { 0x1000, 0x1080, 0x108f, 0x1090, 0x5000, 0x500f };

#define STEPS 8

static void make_dump(struct image *image, struct step *steps, bool big_endian)
{
	static const char *const names[STEPS][6] = {
		{ "-", "-", "-", "-", "-", "-" },             /* the header */
		{ "-", "-", "-", "-", "-", "-" },             /* lines */
		{ "old", "old", "old", "old", "-", "-" },     /* 1000 to 1100 */
		{ "old", "old", "old", "old", "-", "-" },     /* unwinding */
		{ "old", "new", "new", "old", "-", "-" },     /* 1080 to 1090 */
		{ "old", "new", "new", "old", "new", "new" }, /* a copy of it from 5000 to 5010 */
		{ "old", "new", "new", "old", "new", "new" }, /* a move of what nobody loaded */
		{ "old", "new", "new", "old", "new", "new" }, /* the end, and what lies behind it */
	};
	size_t n = 0;

	begin_dump(image, big_endian, 40);
	steps[n++].end = image->size;
	put_debug_info(image, 0x1000);
	steps[n++].end = image->size;
	put_load(image, 0x1000, 0x100, 1, "old");
	steps[n++].end = image->size;
	put_unwinding_info(image);
	steps[n++].end = image->size;
	put_load(image, 0x1080, 0x10, 2, "new");
	steps[n++].end = image->size;
	put_move(image, 0x1080, 0x5000, 0x10, 2);
	steps[n++].end = image->size;
	put_move(image, 0x1000, 0x1000, 0x10, 99);
	steps[n++].end = image->size;
	end_record(image, begin_record(image, CODE_CLOSE));
	put_load(image, 0x1000, 0x5000, 3, "behind the end");
	steps[n++].end = image->size;
	for (n = 0; n < STEPS; n++)
		memcpy(steps[n].names, names[n], sizeof(steps[n].names));
}

/* Whether the image is a jitdump file; its names are in table. */
static bool load_dump(struct symtable *table, const uint8_t *data, size_t size, struct err *err)
{
	struct jit_names names = { .table = table };
	struct jit_entries entries = { .items = NULL };
	uint8_t *copy = exact_copy(data, size);
	struct err later = { .code = ERR_NONE };
	struct jitdump_visitor visitor = jit_names_visitor(&names);
	bool ok;

	*table = (struct symtable){ 0 };
	err->code = ERR_NONE;
	ok = jitdump_parse(copy, size, &visitor, &entries, err);
	assert_true(jit_entries_put(&entries, table, &later));
	symtable_finish(table);
	free(entries.items);
	free(copy);
	return ok;
}

/* Cut at every byte, the names are those of the records that are complete. */
static void test_jitdump(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct step steps[STEPS];
		struct symtable table;
		struct image image;
		struct err err;
		size_t step = 0;

		make_dump(&image, steps, big);
		for (size_t size = 0; size <= image.size; size++) {
			bool ok = load_dump(&table, image.data, size, &err);

			if (size < steps[0].end) {
				assert_false(ok);
				assert_string_equal(err.text, "too short for a jitdump file");
				assert_int_equal(table.count, 0);
				symtable_release(&table);
				continue;
			}
			assert_true(ok);
			while (step + 1 < STEPS && steps[step + 1].end <= size)
				step++;
			for (size_t i = 0; i < 6; i++)
				assert_string_equal(name_at(&table, asked[i]), steps[step].names[i]);
			symtable_release(&table);
		}
		assert_int_equal(step, STEPS - 1);
		image_release(&image);
	}
}

/* Whatever byte is wrong, nothing outside is read; what is found is in order. */
static void test_damaged_jitdump(void **state)
{
	struct step steps[STEPS];
	struct symtable table;
	struct image image;
	struct err err;

	(void)state;
	make_dump(&image, steps, false);
	for (size_t i = 0; i < 4 * image.size; i++) {
		static const uint8_t masks[] = { 0xff, 0x80, 0x01, 0x7f };

		image.data[i / 4] ^= masks[i % 4];
		load_dump(&table, image.data, image.size, &err);
		assert_true(err.code == ERR_NONE || err.text[0]);
		for (size_t n = 1; n < table.count; n++)
			assert_true(table.items[n - 1].start <= table.items[n].start);
		symtable_release(&table);
		image.data[i / 4] ^= masks[i % 4];
	}
	image_release(&image);
}

static void test_odd_jitdumps(void **state)
{
	struct symtable table;
	struct image image;
	struct err err;

	(void)state;
	/* a header of a later version is longer */
	begin_dump(&image, false, 64);
	put_load(&image, 0x1000, 0x10, 1, "later");
	assert_true(load_dump(&table, image.data, image.size, &err));
	assert_string_equal(name_at(&table, 0x1008), "later");
	symtable_release(&table);
	/* shorter than it can be, and longer than the file */
	for (uint32_t header = 0; header < 3; header++) {
		static const uint32_t sizes[] = { 39, 0x10000, UINT32_MAX };

		image_patch(&image, 8, sizes[header], 4);
		assert_false(load_dump(&table, image.data, image.size, &err));
		symtable_release(&table);
	}
	image_release(&image);
	/* a record shorter than its own header: the names before it stay, and it is said */
	begin_dump(&image, true, 40);
	put_load(&image, 0x1000, 0x10, 1, "before");
	image_patch(&image, begin_record(&image, CODE_LOAD) + 4, 15, 4);
	assert_false(load_dump(&table, image.data, image.size, &err));
	assert_string_equal(err.text, "jitdump record of 15 bytes");
	assert_string_equal(name_at(&table, 0x1000), "before");
	symtable_release(&table);
	image_release(&image);
	/* code of no size, and up to the last address */
	begin_dump(&image, false, 40);
	put_load(&image, 0x1000, 0, 1, "nothing");
	put_load(&image, 0xfffffffffffffff0, 0x20, 2, "the last");
	assert_true(load_dump(&table, image.data, image.size, &err));
	assert_string_equal(name_at(&table, 0x1000), "-");
	assert_string_equal(name_at(&table, 0xfffffffffffffff8), "the last");
	symtable_release(&table);
	image_release(&image);
	/* another magic */
	begin_dump(&image, false, 40);
	image.data[0] ^= 1;
	assert_false(load_dump(&table, image.data, image.size, &err));
	assert_string_equal(err.text, "not a jitdump file");
	symtable_release(&table);
	image_release(&image);
}

/* --- a process, its map and its dump */

static void test_process(void **state)
{
	enum symbol_origin origin;
	struct binary binary;
	struct image image;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	binary = fixture_binary(&f, BINARY_JIT, "/home/jit-4000001.dump");
	binary.pid = 4000001; /* no process has it here: the kernel's highest is 4194304 */
	assert_true(fixture_load(&f, &binary));
	assert_int_equal(f.reason, ORIGIN_NO_PERF_MAP);
	fixture_text(&f, "tmp/perf-4000001.map", "1000 100 from_map\n2000 100 map_too\n");
	assert_true(fixture_load(&f, &binary));
	assert_string_equal(fixture_name(&f, 0x1000, &origin), "from_map");
	assert_int_equal(origin, ORIGIN_PERF_MAP);
	assert_string_equal(fixture_name(&f, 0x3000, &origin), "-");
	assert_int_equal(origin, ORIGIN_NO_SYMBOL);
	/* the dump knows better than the map, where both name an address */
	begin_dump(&image, false, 40);
	put_load(&image, 0x1080, 0x10, 1, "from_dump");
	fixture_image(&f, "home/jit-4000001.dump", &image);
	assert_true(fixture_load(&f, &binary));
	assert_string_equal(fixture_name(&f, 0x107f, NULL), "from_map");
	assert_string_equal(fixture_name(&f, 0x1080, &origin), "from_dump");
	assert_int_equal(origin, ORIGIN_JITDUMP);
	/* a damaged dump: said; the map's names stay */
	fixture_text(&f, "home/jit-4000001.dump", "damaged");
	assert_true(fixture_load(&f, &binary));
	assert_string_equal(fixture_name(&f, 0x1080, NULL), "from_map");
	assert_non_null(strstr(f.said, "run-time code of process 4000001: too short for a jitdump file"));
	fixture_end(&f);
}

/* Only a marker of the name that the specification gives is a dump. */
static void test_dump_names(void **state)
{
	static const char *const names[] = { "/jit-1.dump.old", "/ajit-1.dump", "/jit-x.dump", "/jit-1.dum",
		                             "/jit-1.dump/other", "jit-1.dump" };
	struct binary binary;
	struct image image;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		begin_dump(&image, false, 40);
		put_load(&image, 0x1080, 0x10, 1, "from_dump");
		if (i < 4)
			fixture_image(&f, names[i] + 1, &image);
		else
			image_release(&image);
		binary = fixture_binary(&f, BINARY_JIT, names[i]);
		assert_true(fixture_load(&f, &binary));
		assert_int_equal(f.reason, ORIGIN_NO_PERF_MAP);
	}
	fixture_end(&f);
}

static void test_refused(void **state)
{
	struct binary binary;
	struct image image;
	struct fixture f;
	struct refused_loads loads = { 0 };

	(void)state;
	fixture_begin(&f);
	fixture_text(&f, "tmp/perf-4000001.map", "1000 100 from_map\n2000 100 map_too\n");
	begin_dump(&image, false, 40);
	put_load(&image, 0x1080, 0x10, 1, "from_dump");
	fixture_image(&f, "home/jit-4000001.dump", &image);
	binary = fixture_binary(&f, BINARY_JIT, "/home/jit-4000001.dump");
	binary.pid = 4000001;
	while (fixture_load_refused(&f, &binary, &loads)) {
		if (loads.loaded) {
			assert_string_equal(fixture_name(&f, 0x1000, NULL), "from_map");
			assert_string_equal(fixture_name(&f, 0x1080, NULL), "from_dump");
		} else {
			assert_int_equal(f.err.code, ERR_NOMEM);
		}
	}
	assert_true(loads.failed > 8);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_jitdump),
		cmocka_unit_test(test_damaged_jitdump),
		cmocka_unit_test(test_odd_jitdumps),
		cmocka_unit_test(test_process),
		cmocka_unit_test(test_dump_names),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
