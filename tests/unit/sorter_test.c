/* More items than memory should hold: temporary files of items, sorting and adding up. */
#include "util/sorter.h"

#include "util/search.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

struct item {
	uint64_t key, count;
};

static void *sort_items(const void *context, void *items, void *room, size_t count)
{
	(void)context;
	return radix_sort(items, room, count, sizeof(struct item));
}

static int compare_items(const void *context, const void *a, const void *b)
{
	(void)context;
	return search_compare(a, b);
}

static void add_item(void *to, const void *item)
{
	struct item *sum = to;

	sum->count += ((const struct item *)item)->count;
}

static const struct sorter_how keeping = { .size = sizeof(struct item), .sort = sort_items, .compare = compare_items };
static const struct sorter_how adding = {
	.size = sizeof(struct item), .sort = sort_items, .compare = compare_items, .add = add_item
};

#define KEYS 1000u

/* The key of an item: each occurs as often as the others, in no order. */
static uint64_t key_of(size_t number)
{
	return number * 7919 % KEYS;
}

static void fill(struct sorter *sorter, const struct sorter_how *how, size_t count, size_t limit)
{
	struct err err = { 0 };

	sorter_init(sorter, how, ".", limit);
	for (size_t i = 0; i < count; i++)
		assert_true(sorter_add(sorter, &(struct item){ key_of(i), i }, &err));
	assert_true(sorter_finish(sorter, &err));
}

static const size_t limits[] = { 2, 3, 64, 999, 1000, 1 << 20 };

/* In their order, none is lost; two readers do not disturb each other. */
static void all_are_kept(void **state)
{
	const size_t counts[] = { 0, 1, 2, 3, 5 * KEYS };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(limits) * ARRAY_SIZE(counts); i++) {
		const size_t count = counts[i / ARRAY_SIZE(limits)];
		struct sorter_cursor cursors[2];
		struct sorter sorter;
		struct err err = { 0 };
		uint64_t sum = 0, last = 0;
		const struct item *items[2];

		fill(&sorter, &keeping, count, limits[i % ARRAY_SIZE(limits)]);
		assert_true(sorter_cursor_open(&cursors[0], &sorter, &err));
		assert_true(sorter_cursor_open(&cursors[1], &sorter, &err));
		for (size_t k = 0; k < count; k++) {
			for (size_t n = 0; n < 2; n++)
				assert_non_null(items[n] = sorter_next(&cursors[n], &err));
			assert_int_equal(items[0]->key, items[1]->key);
			assert_int_equal(items[0]->key, key_of((size_t)items[0]->count));
			assert_true(items[0]->key >= last);
			last = items[0]->key;
			sum += items[0]->count;
		}
		assert_null(sorter_next(&cursors[0], &err));
		assert_null(sorter_next(&cursors[0], &err));
		assert_int_equal(err.code, ERR_NONE);
		assert_int_equal(sum, count ? count * (count - 1) / 2 : 0);
		sorter_cursor_close(&cursors[0]);
		sorter_cursor_close(&cursors[1]);
		sorter_release(&sorter);
	}
}

/* Equal items become one, wherever they are. */
static void equal_ones_are_added(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		struct sorter_cursor cursor;
		struct sorter sorter;
		struct err err = { 0 };

		fill(&sorter, &adding, 5 * KEYS, limits[i]);
		/* what fits into memory once it is added up is not written */
		assert_int_equal(sorter.spill.open, limits[i] < KEYS * 2);
		assert_true(sorter_cursor_open(&cursor, &sorter, &err));
		for (uint64_t key = 0; key < KEYS; key++) {
			const struct item *item = sorter_next(&cursor, &err);
			uint64_t expected = 0;

			for (size_t k = 0; k < 5 * KEYS; k++)
				expected += key_of(k) == key ? k : 0;
			assert_non_null(item);
			assert_int_equal(item->key, key);
			assert_int_equal(item->count, expected);
		}
		assert_null(sorter_next(&cursor, &err));
		assert_int_equal(err.code, ERR_NONE);
		sorter_cursor_close(&cursor);
		sorter_release(&sorter);
	}
}

/* Words of any size and difference; readers begin at any block, and have buffers of any size. */
static void words_in_blocks(void **state)
{
	static const uint64_t words[] = { 0, 1, UINT64_MAX, 0x7f, 0x80, 0x8000000000000000, 0x7fffffffffffffff, 5, 0 };
	const size_t count = ARRAY_SIZE(words);
	struct spill spill;
	struct err err = { 0 };

	(void)state;
	spill_init(&spill, 2 * sizeof(uint64_t), ".");
	for (uint64_t block = 0; block < 30; block++) {
		uint64_t items[2 * ARRAY_SIZE(words)];

		for (size_t i = 0; i < count; i++) {
			items[2 * i] = block;
			items[2 * i + 1] = words[i] * (block + 1);
		}
		assert_true(spill_write(&spill, items, block % 5 ? count : 0, &err));
	}
	for (size_t first = 0; first <= 30; first += 3)
		for (size_t room = 1; room < 600; room += 101) {
			const size_t end = first + 7 < 30 ? first + 7 : 30;
			struct spill_reader reader;

			assert_true(spill_reader_open(&reader, &spill, first, end, room, &err));
			for (uint64_t block = first; block < end; block++)
				for (size_t i = 0; i < (block % 5 ? count : 0); i++) {
					const uint64_t *item = spill_read(&reader, &err);

					assert_non_null(item);
					assert_true(item[0] == block && item[1] == words[i] * (block + 1));
				}
			assert_null(spill_read(&reader, &err));
			assert_int_equal(err.code, ERR_NONE);
			spill_reader_close(&reader);
		}
	spill_close(&spill);
}

static void no_folder(void **state)
{
	struct sorter sorter;
	struct err err = { 0 };

	(void)state;
	sorter_init(&sorter, &keeping, "/no/such/folder", 2);
	for (uint64_t i = 0; i < 2; i++)
		assert_true(sorter_add(&sorter, &(struct item){ i, i }, &err));
	assert_false(sorter_add(&sorter, &(struct item){ 2, 2 }, &err));
	assert_string_equal(err.text, "cannot make a temporary file in /no/such/folder: No such file or directory");
	sorter_release(&sorter);
}

/* The system refuses to let the file grow, as on a full disk. */
static void no_space(void **state)
{
	struct rlimit before, small;
	struct sorter sorter;
	struct err err = { 0 };
	bool ok = true;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 100;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	sorter_init(&sorter, &keeping, ".", 100);
	for (uint64_t i = 0; ok && i < 1000; i++)
		ok = sorter_add(&sorter, &(struct item){ i, i }, &err);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_false(ok);
	assert_string_equal(err.text, "cannot write a temporary file in .: File too large");
	sorter_release(&sorter);
}

/* A file that became shorter is an error, not the end. */
static void a_lost_file(void **state)
{
	struct sorter_cursor cursor;
	struct sorter sorter;
	struct err err = { 0 };

	(void)state;
	fill(&sorter, &keeping, 1000, 100);
	assert_int_equal(ftruncate(sorter.spill.fd, 10), 0);
	assert_false(sorter_cursor_open(&cursor, &sorter, &err));
	assert_string_equal(err.text, "cannot read a temporary file in .: Input/output error");
	sorter_cursor_close(&cursor);
	sorter_release(&sorter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_kept), cmocka_unit_test(equal_ones_are_added),
		cmocka_unit_test(words_in_blocks), cmocka_unit_test(no_folder),
		cmocka_unit_test(no_space), cmocka_unit_test(a_lost_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
