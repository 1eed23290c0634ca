#include "decode/jitcode.h"

#include "tests/unit/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const char *name_at(const struct symtable *table, uint64_t addr)
{
	const struct symbol *symbol = symtable_find(table, addr);

	return symbol ? symbol->name : "-";
}

static void load_map(struct symtable *table, const char *map)
{
	struct err err = { .code = ERR_NONE };
	struct jit_entries entries = { NULL, 0, 0 };
	size_t size = strlen(map);
	char *text = strdup(map);

	symtable_init(table);
	assert_int_equal(symtable_add_text(table, text, size + 1, false, &err), 0);
	assert_true(perf_map_parse(text, size, 0, &entries, &err));
	assert_true(jit_entries_put(&entries, table, &err));
	assert_true(symtable_finish(table, &err));
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
			 "4000 8 cut off");
	assert_string_equal(name_at(&table, 0x101f), "first");
	assert_string_equal(name_at(&table, 0x1020), "-");
	assert_string_equal(name_at(&table, 0x2008), "with 0x and spaces");
	assert_string_equal(name_at(&table, 0x3000), "-");
	assert_string_equal(name_at(&table, 0xffffffffffffff80), "at the end");
	assert_string_equal(name_at(&table, 0x4007), "cut off");
	symtable_release(&table);
}

/* Against the plain way: the last line that covers an address names it. */
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

static void put_load(struct bytes *b, uint64_t addr, uint64_t size, uint64_t index, const char *name)
{
	put_u32(b, 0);
	put_u32(b, (uint32_t)(16 + 40 + strlen(name) + 1 + 4));
	put_u64(b, 1);
	put_u32(b, 7);
	put_u32(b, 7);
	put_u64(b, addr);
	put_u64(b, addr);
	put_u64(b, size);
	put_u64(b, index);
	put_text(b, name);
	put_zeros(b, 4);
}

static void make_dump(struct bytes *b, bool big_endian)
{
	b->size = 0;
	b->big_endian = big_endian;
	put_u32(b, 0x4a695444);
	put_u32(b, 1);
	put_u32(b, 40);
	put_zeros(b, 28);
	put_load(b, 0x1000, 0x100, 1, "old");
	put_load(b, 0x1080, 0x10, 2, "new");
	put_u32(b, 1);
	put_u32(b, 64);
	put_u64(b, 2);
	put_u32(b, 7);
	put_u32(b, 7);
	put_u64(b, 0x5000);
	put_u64(b, 0x1080);
	put_u64(b, 0x5000);
	put_u64(b, 0x10);
	put_u64(b, 2);
	put_u32(b, 3);
	put_u32(b, 16);
	put_u64(b, 3);
}

static void test_jitdump(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct err err = { .code = ERR_NONE };
		struct jit_entries entries = { NULL, 0, 0 };
		struct symtable table;
		struct bytes b;

		make_dump(&b, big);
		symtable_init(&table);
		assert_true(jitdump_parse(b.data, b.size, &table, &entries, &err));
		assert_true(jit_entries_put(&entries, &table, &err));
		assert_true(symtable_finish(&table, &err));
		assert_string_equal(name_at(&table, 0x107f), "old");
		assert_string_equal(name_at(&table, 0x1080), "new");
		assert_string_equal(name_at(&table, 0x1090), "old");
		assert_string_equal(name_at(&table, 0x500f), "new");
		assert_string_equal(name_at(&table, 0x5010), "-");
		symtable_release(&table);
		free(entries.items);
	}
}

static void test_cut_jitdump(void **state)
{
	struct bytes b;

	(void)state;
	make_dump(&b, false);
	for (size_t i = 0; i < 2 * b.size; i++) {
		struct err err = { .code = ERR_NONE };
		struct jit_entries entries = { NULL, 0, 0 };
		size_t size = i < b.size ? i : b.size;
		uint8_t *copy = exact_copy(b.data, size);
		struct symtable table;

		if (i >= b.size)
			copy[i - b.size] ^= 0xff;
		symtable_init(&table);
		jitdump_parse(copy, size, &table, &entries, &err);
		err.code = ERR_NONE;
		assert_true(jit_entries_put(&entries, &table, &err));
		symtable_release(&table);
		free(entries.items);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_jitdump),
		cmocka_unit_test(test_cut_jitdump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
