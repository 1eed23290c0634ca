#include "decode/symbols/symtable.h"

#include "decode/files/elf.h"

#include "tests/unit/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct given {
	uint64_t start;
	uint32_t size;
	const char *name;
	uint8_t type, binding;
};

/* Each name is a text of its own place in one block. */
static void fill(struct symtable *table, const struct given *given, size_t count)
{
	struct err err = { .code = ERR_NONE };
	char *text = calloc(1, 1000);
	size_t used = 0;

	*table = (struct symtable){ 0 };
	assert_int_equal(symtable_add_text(table, text, 1000, false, &err), 1);
	for (size_t i = 0; i < count; i++) {
		struct symtable_item item = { .start = given[i].start, .size = given[i].size, .text = 1 };

		item.name = (uint32_t)used;
		item.type = given[i].type;
		item.binding = given[i].binding;
		strcpy(text + used, given[i].name);
		used += strlen(given[i].name) + 1;
		assert_true(symtable_put(table, &item, &err));
	}
	assert_true(symtable_sort(table, &err));
	symtable_fix_ends(table);
	symtable_finish(table);
}

static const char *name_at(struct symtable *table, uint64_t addr)
{
	const struct symbol *symbol = symtable_find(table, addr);

	return symbol ? symbol->name : "-";
}

#define F STT_FUNC
#define G STB_GLOBAL

/* Each line: which of two names at one address perf report prints. */
static void test_aliases(void **state)
{
	static const struct {
		struct given a, b;
		const char *best;
	} cases[] = {
		{ { 16, 4, "untyped_but_longer", STT_NOTYPE, G }, { 16, 4, "typed", F, G }, "typed" },
		{ { 16, 4, "weak_but_longer", F, STB_WEAK }, { 16, 4, "strong", F, G }, "strong" },
		{ { 16, 4, "local_but_longer", F, STB_LOCAL }, { 16, 4, "global", F, G }, "global" },
		{ { 16, 4, "__underscores", F, G }, { 16, 4, "_one", F, G }, "_one" },
		{ { 16, 4, "short", F, G }, { 16, 4, "longer", F, G }, "longer" },
		{ { 16, 4, "SyS_read", F, G }, { 16, 4, "sys_read", F, G }, "sys_read" },
		{ { 16, 4, "same1", F, G }, { 16, 4, "same2", F, G }, "same1" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct given given[2] = { cases[i].a, cases[i].b };
		struct symtable table;

		fill(&table, given, 2);
		assert_string_equal(name_at(&table, 18), cases[i].best);
		symtable_release(&table);
		/* but for the first of equals the order does not matter */
		if (i + 1 == ARRAY_SIZE(cases))
			continue;
		given[0] = cases[i].b;
		given[1] = cases[i].a;
		fill(&table, given, 2);
		assert_string_equal(name_at(&table, 18), cases[i].best);
		symtable_release(&table);
	}
}

static void test_ends(void **state)
{
	static const struct given given[] = {
		{ 0x2010, 0, "last", F, G },
		{ 0x1000, 0, "to the next", F, G },
		{ 0x1800, 0x10, "sized", F, G },
	};
	const struct symbol *symbol;
	struct symtable table;

	(void)state;
	fill(&table, given, 3);
	assert_string_equal(name_at(&table, 0xfff), "-");
	assert_string_equal(name_at(&table, 0x17ff), "to the next");
	assert_string_equal(name_at(&table, 0x1800), "sized");
	assert_string_equal(name_at(&table, 0x1810), "-");
	symbol = symtable_find(&table, 0x2010);
	assert_int_equal(symbol->end, 0x4000);
	assert_ptr_equal(symbol, symtable_find(&table, 0x3fff));
	symtable_release(&table);
}

/* A name without a size beside one that has a size does not name what is behind that. */
static void test_ends_of_aliases(void **state)
{
	static const struct given given[] = {
		{ 0x1000, 0x10, "sized", F, G }, { 0x1000, 0, "first", F, G },     { 0x1000, 0, "second", F, G },
		{ 0x2000, 0, "longer name", F, G }, { 0x2000, 0, "short", F, G },  { 0x3000, 0x10, "behind", F, G },
	};
	struct symtable table;

	(void)state;
	fill(&table, given, ARRAY_SIZE(given));
	assert_string_equal(name_at(&table, 0x100f), "sized");
	assert_string_equal(name_at(&table, 0x1010), "-");
	assert_string_equal(name_at(&table, 0x1fff), "-");
	/* none has a size: both reach to what follows */
	assert_string_equal(name_at(&table, 0x2fff), "longer name");
	assert_string_equal(name_at(&table, 0x3000), "behind");
	symtable_release(&table);
}

/* The innermost; behind it the outer one goes on. */
static void test_nested(void **state)
{
	static const struct given given[] = {
		{ 100, 100, "outer", F, G },
		{ 110, 50, "middle", F, G },
		{ 120, 5, "inner", F, G },
		{ 130, 5, "second", F, G },
		{ 140, 4, "better", F, G },
		{ 140, 8, "longer", F, STB_LOCAL },
	};
	struct symtable table;

	(void)state;
	fill(&table, given, ARRAY_SIZE(given));
	assert_string_equal(name_at(&table, 105), "outer");
	assert_string_equal(name_at(&table, 115), "middle");
	assert_string_equal(name_at(&table, 124), "inner");
	assert_string_equal(name_at(&table, 125), "middle");
	assert_string_equal(name_at(&table, 131), "second");
	/* of two at one address the better one as far as it goes */
	assert_string_equal(name_at(&table, 143), "better");
	assert_string_equal(name_at(&table, 144), "longer");
	assert_string_equal(name_at(&table, 148), "middle");
	assert_string_equal(name_at(&table, 159), "middle");
	assert_string_equal(name_at(&table, 160), "outer");
	assert_string_equal(name_at(&table, 200), "-");
	symtable_release(&table);
}

/* Many items in no order, against a search through all of them. */
static void test_sorted(void **state)
{
	enum { COUNT = 5000 };
	struct err err = { .code = ERR_NONE };
	struct symtable table;
	uint64_t random = 1;

	(void)state;
	table = (struct symtable){ 0 };
	assert_int_equal(symtable_add_text(&table, calloc(1, 16), 16, false, &err), 1);
	for (size_t i = 0; i < COUNT; i++) {
		struct symtable_item item = { .size = 1, .text = 1 };

		random = random * 6364136223846793005u + 1442695040888963407u;
		item.start = (random >> 20) & (i % 2 ? 0xfffffff : 0xffffffffffff);
		assert_true(symtable_put(&table, &item, &err));
	}
	assert_true(symtable_sort(&table, &err));
	for (size_t i = 1; i < COUNT; i++)
		assert_true(table.items[i - 1].start <= table.items[i].start);
	symtable_finish(&table);
	for (size_t i = 0; i < COUNT; i++)
		assert_non_null(symtable_find(&table, table.items[i].start));
	symtable_release(&table);
}

/* What is put behind sorted items takes its place among them, behind those that start where it does. */
static void test_sorted_in_parts(void **state)
{
	static const struct {
		const char *starts; /* of the items, the number of the item is its name */
		size_t first;       /* so many are sorted before the others come */
		const char *order;
	} cases[] = {
		{ "13579", 5, "0,1,2,3,4," },
		{ "135792468", 5, "0,5,1,6,2,7,3,8,4," },
		{ "1357986420", 5, "9,0,8,1,7,2,6,3,5,4," },
		{ "31555531", 4, "1,7,0,6,2,3,4,5," },
		{ "55551111", 4, "4,5,6,7,0,1,2,3," },
		{ "9876", 0, "3,2,1,0," },
		{ "1", 0, "0," },
		{ "", 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { .code = ERR_NONE };
		struct symtable table;
		char order[64] = "";

		table = (struct symtable){ 0 };
		for (size_t k = 0; cases[i].starts[k]; k++) {
			struct symtable_item item = { .start = 0x100000u * (uint8_t)cases[i].starts[k], .name = (uint32_t)k };

			if (k == cases[i].first)
				assert_true(symtable_sort(&table, &err));
			assert_true(symtable_put(&table, &item, &err));
		}
		assert_true(symtable_sort(&table, &err));
		for (size_t k = 0; k < table.count; k++)
			sprintf(order + strlen(order), "%u,", table.items[k].name);
		assert_string_equal(order, cases[i].order);
		symtable_release(&table);
	}
}

/*
 * Many names of one function, each of which ends a byte before the one that comes before it: which of
 * them is the best is found once, whichever of them is the nearest. How often names are compared is seen
 * by what is allocated to demangle them.
 */
static void test_many_aliases(void **state)
{
	enum { COUNT = 500 };
	struct err err = { .code = ERR_NONE };
	struct symtable table = { 0 };
	char name[20];

	(void)state;
	for (uint32_t i = 0; i < COUNT; i++) {
		struct symtable_item item = { .start = 0x1000, .size = COUNT - i, .type = F, .binding = G };

		sprintf(name, "_Z4n%03uv", i);
		assert_true(symtable_add_name(&table, name, strlen(name), &item.name, &err));
		assert_true(symtable_put(&table, &item, &err));
	}
	assert_true(symtable_sort(&table, &err));
	symtable_finish(&table);
	refuse_allocation(0);
	for (uint64_t addr = 0x1000; addr < 0x1000 + COUNT; addr++)
		assert_string_equal(name_at(&table, addr), "_Z4n000v");
	assert_in_range(allocations_seen(), 0, 3 * COUNT);
	symtable_release(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_ends), cmocka_unit_test(test_ends_of_aliases),
		cmocka_unit_test(test_nested), cmocka_unit_test(test_many_aliases),
		cmocka_unit_test(test_sorted),
		cmocka_unit_test(test_sorted_in_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
