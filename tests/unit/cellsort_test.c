/* The order of cells, for all kinds of keys. */
#include "decode/tally/cellsort.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint64_t pattern_of(int pattern, uint64_t i, uint64_t count)
{
	switch (pattern) {
	case 0: return i;                                  /* sorted */
	case 1: return count - i;                          /* backwards */
	case 2: return 7;                                  /* all alike */
	case 3: return i < count / 2 ? i : count - i;      /* up and down */
	case 4: return i % 2;                              /* two addresses in turn */
	default: return i * 2654435761u % 1000003;
	}
}

/* Few and many addresses and binaries, close together and far apart. */
static void cells_of_all_kinds(void **state)
{
	enum { MOST = 3000, KINDS = 60 };
	static struct cell cells[MOST];
	static const size_t counts[] = { 0, 1, 2, 3, SMALL_PART, SMALL_PART + 1, 100, MOST };
	static const uint64_t factors[] = { 1, 16, (uint64_t)1 << 40, 0x123456789abcdefu };
	struct cell_kind kinds[KINDS];

	(void)state;
	for (uint32_t i = 0; i < KINDS; i++)
		kinds[i] = (struct cell_kind){ i % 7, 0, i == 9 ? UINT32_MAX : i * 12345u % 50 << 20 };
	for (int pattern = 0; pattern < 6; pattern++) {
		for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
			for (uint32_t used = 1; used <= KINDS; used += used < 3 ? 1 : 19) {
				size_t count = counts[c];
				uint64_t sum = 0, factor = factors[(c + used) % 4];

				for (size_t i = 0; i < count; i++) {
					cells[i] = (struct cell){ pattern_of(pattern, i, count) * factor, i * i,
						                  1 + (uint32_t)i % 3, (uint32_t)i / 2 % used };
					sum += cells[i].key * 31 + i * i + cells[i].kind * 7;
				}
				cells_sort(cells, count, kinds);
				for (size_t i = 0; i < count; i++) {
					assert_false(i && is_before(kinds, &cells[i], &cells[i - 1]));
					sum -= cells[i].key * 31 + cells[i].period + cells[i].kind * 7;
				}
				assert_int_equal(sum, 0);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(cells_of_all_kinds) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
