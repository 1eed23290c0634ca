/* The arena and the growing table. */
#include "util/arena.h"

#include "util/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

static void pieces_are_zero_aligned_and_apart(void **state)
{
	struct arena arena = { 0 };
	struct err err = { 0 };
	uint8_t *pieces[300];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		size_t size = i * 7;

		pieces[i] = arena_alloc(&arena, size, &err);
		assert_non_null(pieces[i]);
		assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
		for (size_t j = 0; j < size; j++)
			assert_int_equal(pieces[i][j], 0);
		memset(pieces[i], (int)(i & 0xff), size);
	}
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++)
		for (size_t j = 0; j < i * 7; j++)
			assert_int_equal(pieces[i][j], i & 0xff);
	arena_release(&arena);
	assert_int_equal(arena.size, 0);
	arena_release(&arena);
}

static void pieces_larger_than_a_chunk(void **state)
{
	struct arena arena = { 0 };
	struct err err = { 0 };
	char *small, *big;

	(void)state;
	small = arena_text(&arena, "small and more", 5, &err);
	big = arena_alloc(&arena, 1000000, &err);
	assert_non_null(small);
	assert_non_null(big);
	memset(big, 'x', 1000000);
	assert_string_equal(small, "small");
	assert_true(arena.size >= 1000000);
	arena_release(&arena);
}

/* An arena takes little more memory than its pieces need, whether they are few or many. */
static void chunks_grow_with_the_arena(void **state)
{
	struct arena arena = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_non_null(arena_text(&arena, "few", 3, &err));
	assert_true(arena.size <= 2048);
	for (size_t used = 16; used <= 1 << 20; used += 16) {
		assert_non_null(arena_alloc(&arena, 16, &err));
		assert_true(arena.size <= 2048 + 2 * used);
	}
	assert_true(arena.size <= (1 << 20) + 128 * 1024);
	arena_release(&arena);
}

static void impossible_sizes_are_refused(void **state)
{
	static const size_t sizes[] = { SIZE_MAX, SIZE_MAX - 8, SIZE_MAX - 15 };
	struct arena arena = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct err err = { 0 };

		assert_null(arena_alloc(&arena, sizes[i], &err));
		assert_int_equal(err.code, ERR_NOMEM);
	}
	arena_release(&arena);
}

static void tables_grow(void **state)
{
	struct err err = { 0 };
	uint32_t *items = NULL;
	size_t capacity = 0;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		assert_true(vec_room(&items, i, &capacity, sizeof(*items), &err));
		assert_non_null(items);
		assert_true(capacity > i);
		items[i] = i;
	}
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(items[i], i);
	free(items);
	items = NULL;
	capacity = SIZE_MAX / 2 + 1; /* doubling wraps */
	assert_false(vec_room(&items, capacity, &capacity, 4, &err));
	assert_null(items);
	assert_int_equal(err.code, ERR_NOMEM);
	assert_int_equal(capacity, SIZE_MAX / 2 + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_zero_aligned_and_apart),
		cmocka_unit_test(pieces_larger_than_a_chunk),
		cmocka_unit_test(chunks_grow_with_the_arena),
		cmocka_unit_test(impossible_sizes_are_refused),
		cmocka_unit_test(tables_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
