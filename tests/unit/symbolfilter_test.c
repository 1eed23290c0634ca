/* Of a large symbol table only what can matter is put: lookups find what they find in the whole table. */
#include "decode/symbols/elfsymbols.h"
#include "decode/symbols/symbolfilter.h"
#include "tests/unit/bytes.h"
#include "tests/unit/elfimage.h"
#include "util/search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SYMBOLS 3000
#define TEXT 0x400u
#define TEXT_SIZE 0x40000u
#define ADDRS_MOST 16

static uint64_t random_state = 7;

static uint64_t below(uint64_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 20) % limit;
}

/* dense: they are near each other, and far from most addresses. */
static void make_symbols(struct elf_name symbols[SYMBOLS], char names[SYMBOLS][24], bool dense)
{
	static const unsigned types[] = { STT_FUNC, STT_FUNC, STT_FUNC, STT_OBJECT, STT_NOTYPE, STT_GNU_IFUNC };
	static const uint64_t sizes[] = { 0, 0, 1, 8, 64, 64, 300, 300, 5000, TEXT_SIZE };

	for (size_t i = 0; i < SYMBOLS; i++) {
		const uint64_t start = dense ? 0x30000 + below(0x1000) : below(TEXT_SIZE);

		snprintf(names[i], sizeof(names[i]), "%.*ss%zu", (int)below(3), "__", i);
		symbols[i] = (struct elf_name){ names[i], ELF_BASE + TEXT + start, 0, STT_FUNC, STB_LOCAL, 1 };
		/* few are as long as all the others together */
		symbols[i].size = sizes[below(i % 600 ? 8 : ARRAY_SIZE(sizes))];
		symbols[i].type = types[below(i % 600 ? 5 : ARRAY_SIZE(types))];
		symbols[i].binding = below(2) ? STB_GLOBAL : STB_LOCAL;
		if (i && below(4) == 0)
			symbols[i].value = symbols[i - 1].value;
	}
}

static void make_elf(struct image *image, const struct elf_name *list)
{
	struct elf_whole whole = { .wide = true, .type = ET_DYN, .machine = EM_X86_64, .count = 3 };
	struct image symbols, names;

	elf_name_images(&symbols, &names, &whole, list, SYMBOLS);

	const struct elf_part parts[] = {
		{ .name = ".text", .type = 1, .flags = 6, .addr = ELF_BASE + TEXT, .size = TEXT_SIZE },
		{ .name = ".symtab", .type = 2, .data = symbols.data, .size = symbols.size, .link = 3 },
		{ .name = ".strtab", .type = 3, .data = names.data, .size = names.size },
	};

	whole.parts = parts;
	elf_image(image, &whole);
	image_release(&symbols), image_release(&names);
}

static void load(struct symtable *table, const struct elf *elf, const uint64_t *addrs, size_t count)
{
	const struct elf_symbols source = { .names = elf, .runtime = elf, .space = ELF_SPACE_OFFSET,
		                            .origin = ORIGIN_SYMTAB, .addrs = addrs, .addr_count = count };
	struct err err = { .code = ERR_NONE };

	*table = (struct symtable){ 0 };
	assert_true(elf_symbols_put(table, &source, &err));
	symtable_finish(table);
}

static void expect_same_symbol(struct symtable *all, struct symtable *few, uint64_t addr)
{
	const struct symbol *found = symtable_find(few, addr), *expected = symtable_find(all, addr);

	assert_int_equal(!found, !expected);
	if (!found)
		return;
	assert_string_equal(found->name, expected->name);
	assert_int_equal(found->start, expected->start);
	assert_int_equal(found->end, expected->end);
}

static void expect_same_start(struct symtable *all, struct symtable *few, uint64_t addr)
{
	const char *found = symtable_name_at(few, few->count, addr), *expected = symtable_name_at(all, all->count, addr);

	assert_int_equal(!found, !expected);
	if (found)
		assert_string_equal(found, expected);
}

/* What nameless functions are bounded by. */
static void expect_same_neighbours(const struct symtable *all, const struct symtable *few, uint64_t addr)
{
	size_t a = search_until(all->items, all->count, sizeof(*all->items), addr);
	size_t b = search_until(few->items, few->count, sizeof(*few->items), addr);

	assert_int_equal(a < all->count, b < few->count);
	if (a < all->count)
		assert_int_equal(all->items[a].start, few->items[b].start);
	for (size_t i = 1; i <= SYMBOL_NEIGHBOURS && i <= a; i++) {
		assert_true(i <= b);
		assert_int_equal(all->items[a - i].start, few->items[b - i].start);
		assert_int_equal(all->items[a - i].size, few->items[b - i].size);
	}
}

static void test_lookups(void **state)
{
	struct elf_name *symbols = calloc(SYMBOLS, sizeof(*symbols));
	char(*names)[24] = calloc(SYMBOLS, sizeof(*names));
	size_t put = 0, found = 0;

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct symtable all, few;
		struct err err = { .code = ERR_NONE };
		struct image image;
		struct elf elf;

		make_symbols(symbols, names, round % 3 == 0);
		make_elf(&image, symbols);
		assert_true(elf_open_memory(&elf, exact_copy(image.data, image.size), image.size, &err));
		load(&all, &elf, NULL, 0);
		for (int set = 0; set < 20; set++) {
			uint64_t addrs[ADDRS_MOST];
			const size_t count = 1 + below(ADDRS_MOST);

			for (size_t i = 0; i < count; i++)
				addrs[i] = TEXT + below(set % 2 ? TEXT_SIZE + 0x1000 : 0x31000);
			qsort(addrs, count, sizeof(*addrs), search_compare);
			load(&few, &elf, addrs, count);
			put += few.count;
			for (size_t i = 0; i < count; i++) {
				found += symtable_find(&all, addrs[i]) != NULL;
				expect_same_symbol(&all, &few, addrs[i]);
				expect_same_symbol(&all, &few, addrs[i] + 1);
				expect_same_start(&all, &few, addrs[i] + 1);
				expect_same_neighbours(&all, &few, addrs[i]);
			}
			for (size_t i = 0; i < SYMBOLS; i++) /* what stubs are named after */
				if (symbols[i].type == STT_GNU_IFUNC)
					expect_same_start(&all, &few, symbols[i].value - ELF_BASE);
			symtable_release(&few);
		}
		symtable_release(&all);
		elf_close(&elf);
		image_release(&image);
	}
	assert_in_range(put, 60 * 20 * 30, 60 * 20 * SYMBOLS / 2); /* most are left out */
	assert_true(found > 3000);
	free(symbols);
	free(names);
}

/* How many of the symbols are put for this many addresses, which are evenly spread over so many bytes. */
static size_t count_put(const struct elf *elf, size_t count, uint64_t bytes)
{
	uint64_t *addrs = calloc(count, sizeof(*addrs));
	struct symtable few;
	size_t put;

	for (size_t i = 0; i < count; i++)
		addrs[i] = TEXT + bytes * i / count;
	load(&few, elf, addrs, count);
	put = few.count;
	symtable_release(&few);
	free(addrs);
	return put;
}

/* It does not matter how many addresses there are, but how much of the file they are in. */
static void test_share(void **state)
{
	struct elf_name *symbols = calloc(SYMBOLS, sizeof(*symbols));
	char(*names)[24] = calloc(SYMBOLS, sizeof(*names));
	struct err err = { .code = ERR_NONE };
	struct image image;
	struct elf elf;

	(void)state;
	for (size_t i = 0; i < SYMBOLS; i++) {
		snprintf(names[i], sizeof(names[i]), "s%zu", i);
		symbols[i] = (struct elf_name){ names[i], ELF_BASE + TEXT + 64 * i, 64, STT_FUNC, STB_LOCAL, 1 };
	}
	make_elf(&image, symbols);
	assert_true(elf_open_memory(&elf, exact_copy(image.data, image.size), image.size, &err));
	assert_in_range(count_put(&elf, 1, 1), 1, 200);
	assert_in_range(count_put(&elf, 2000, TEXT_SIZE / 50), SYMBOLS / 50, SYMBOLS / 5);
	assert_in_range(count_put(&elf, 100000, TEXT_SIZE / 50), SYMBOLS / 50, SYMBOLS / 5);
	/* nothing to leave out */
	assert_int_equal(count_put(&elf, 180, TEXT_SIZE), SYMBOLS);
	elf_close(&elf);
	image_release(&image);
	free(symbols);
	free(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lookups),
		cmocka_unit_test(test_share),
	};

	return cmocka_run_group_tests_name("symbolfilter", tests, NULL, NULL);
}
