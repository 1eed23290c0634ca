/* Rows that are complete in another order than that of their begins. */
#include "decode/tally/intervallog.h"

#include "util/hash.h"
#include "util/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT 20000u
#define LONGEST 3000u

/* After how many other begins an interval ends: most soon, some late, in no order. */
static uint64_t length_of(uint64_t number)
{
	const uint64_t mixed = (number * 2654435761u & UINT32_MAX) >> 7;

	return mixed % 5 ? mixed % 40 : mixed % LONGEST;
}

/* The others are not selected. */
static bool has_row(uint64_t number)
{
	return number % 7 != 3;
}

/* Ends the intervals that are over by now. */
static void end_some(struct interval_log *log, uint64_t now, uint64_t count, bool *ended)
{
	struct err err = { 0 };

	for (uint64_t number = now > 2 * LONGEST ? now - 2 * LONGEST : 0; number < now; number++) {
		const struct interval_row row = { .number = number, .nr = 3 * number, .state = INTERVAL_ENDED };

		if (ended[number] || (now < count && number + length_of(number) > now))
			continue;
		ended[number] = true;
		if (has_row(number))
			assert_true(interval_log_put(log, &row, (uint32_t)(5 * number), &err));
	}
}

static void keep(struct interval_log *log, uint64_t count)
{
	bool *ended = calloc(COUNT, sizeof(*ended));
	struct err err = { 0 };
	uint64_t number;

	assert_non_null(ended);
	for (uint64_t i = 0; i < count; i++) {
		assert_true(interval_log_begin(log, &number, &err));
		assert_true(number == i);
		if (i % 6000 == 5999)
			assert_true(interval_log_flush(log, &err));
		if (i % 16 == 15 || i + 1 == count)
			end_some(log, i + 1, count, ended);
	}
	assert_true(interval_log_finish(log, &err));
	assert_true(interval_readers_begin(log, &err));
	free(ended);
}

static void read_back(struct interval_log *log, uint64_t count)
{
	const struct interval_row *row;
	struct interval_rows rows;
	struct err err = { 0 };
	uint32_t cell;

	assert_true(interval_rows_open(&rows, log, &err));
	for (uint64_t i = 0; i < count; i++) {
		if (!has_row(i))
			continue;
		row = interval_rows_next(&rows, &cell, &err);
		assert_non_null(row);
		assert_true(row->number == i && row->nr == 3 * i);
		assert_true(cell == (log->cells ? (uint32_t)(5 * i) : MAP_NONE));
	}
	assert_null(interval_rows_next(&rows, &cell, &err));
	assert_int_equal(err.code, ERR_NONE);
	interval_rows_close(&rows);
}

static void order_of_begins(void **state)
{
	static const uint64_t counts[] = { 0, 1, 50, COUNT };
	static const size_t rooms[] = { 1, 64, 2 * COUNT };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(counts) * ARRAY_SIZE(rooms); i++) {
		const uint64_t count = counts[i / 2 / ARRAY_SIZE(rooms)];
		struct interval_log log;
		struct spool cells;
		struct err err = { 0 };

		assert_true(spool_open(&cells, ".", &err));
		assert_true(interval_log_open(&log, ".", rooms[i / 2 % ARRAY_SIZE(rooms)], &err));
		log.cells = i % 2 ? &cells : NULL;
		keep(&log, count);
		read_back(&log, count);
		read_back(&log, count);
		interval_log_close(&log);
		spool_close(&cells);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(order_of_begins) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
