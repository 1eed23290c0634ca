/* Rows that are complete in another order than that of their begins. */
#include "decode/intervals/intervalsink.h"
#include "decode/tally/groups.h"
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

/* One of the values, by the number of a row. */
#define ONE_OF(number, ...) \
	((const int64_t[]){ __VA_ARGS__ })[(number) % ARRAY_SIZE(((const int64_t[]){ __VA_ARGS__ }))]

/* Rows of many kinds, and with the smallest and largest values; most wait in a smaller form. */
static struct interval_row row_of(uint64_t number)
{
	const uint64_t none = UINT64_MAX, other = number / 3;
	struct interval_row row = {
		.number = number,
		.time = (uint64_t)ONE_OF(number, 5, INT64_MAX, -1), /* TIME_NONE */
		.duration = (uint64_t)ONE_OF(other, 0, 1, ((int64_t)1 << 40) - 1, (int64_t)1 << 40, -1),
		.weight = (uint64_t)ONE_OF(other, 0, 7, -1),
		.nr = number % 11 ? 3 * number : none,
		.end_nr = (uint64_t)ONE_OF(other, -1, 0, 1, (1 << 23) - 1, 1 << 23, 1 << 24, 1 << 25),
		.what = (number % 2 ? FIELD_POINTS : 0) | (uint32_t)(number * 77777),
		.event = (uint32_t)ONE_OF(other, 0, UINT16_MAX, UINT16_MAX + 1),
		.pid = (int32_t)ONE_OF(number, -1, 0, INT32_MAX),
		.tid = (int32_t)(number % 3000),
		.comm = (uint32_t)ONE_OF(number, 1, 2),
		.thread = (uint32_t)(number % 5),
		.cpu = (int32_t)ONE_OF(other, -1, 0, INT16_MAX, INT16_MAX + 1),
		.end_cpu = (int32_t)ONE_OF(number, INT16_MAX + 1, 0, -1, INT16_MAX),
		.result_kind = (uint8_t)(number % 4),
		.state = number % 9 ? INTERVAL_ENDED : INTERVAL_UNFINISHED,
		.has_by = number % 4 == 1,
		.counts = number % 2 == 0,
	};

	if (row.nr != none && number % 8 == 1)
		row.end_nr += row.nr; /* far away, near, or before it */
	if (row.result_kind == RESULT_TEXT)
		row.result_text = (uint32_t)number;
	else if (row.result_kind != RESULT_NONE)
		row.result = ONE_OF(other, INT64_MIN, -2, INT64_MAX);
	if (row.has_by) {
		row.by_pid = row.pid;
		row.by_tid = row.tid + 1;
		row.by_thread = UINT32_MAX;
	}
	return row;
}

static void assert_row(const struct interval_row *row, uint64_t number)
{
	const struct interval_row same = row_of(number);

	assert_true(row->number == number && row->time == same.time);
	assert_true(row->duration == same.duration && row->weight == same.weight);
	assert_true(row->nr == same.nr && row->end_nr == same.end_nr && row->what == same.what);
	assert_true(row->result_kind == same.result_kind && row->result == same.result);
	assert_true(row->result_text == same.result_text && row->event == same.event);
	assert_true(row->pid == same.pid && row->tid == same.tid && row->comm == same.comm);
	assert_true(row->thread == same.thread && row->cpu == same.cpu);
	assert_true(row->end_cpu == same.end_cpu && row->state == same.state);
	assert_true(row->has_by == same.has_by && row->counts == same.counts);
	assert_true(!row->has_by ||
	            (row->by_pid == same.by_pid && row->by_tid == same.by_tid &&
	             row->by_thread == same.by_thread));
}

#define THREADS_MOST (1u << 17)

/* Rows of one thread have one number, and others have others. */
static void assert_thread(struct row_thread *threads, const struct interval_row *row)
{
	const struct row_thread thread = { row->pid, row->tid, row->comm, row->thread };

	assert_true(row->whose < THREADS_MOST);
	if (!threads[row->whose].comm) /* all have one */
		threads[row->whose] = thread;
	assert_memory_equal(&threads[row->whose], &thread, sizeof(thread));
}

/* Ends the intervals that are over by now. */
static void end_some(struct interval_log *log, uint64_t now, uint64_t count, bool *ended)
{
	struct err err = { 0 };

	for (uint64_t number = now > 2 * LONGEST ? now - 2 * LONGEST : 0; number < now; number++) {
		struct interval_row row = row_of(number);

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
	struct row_thread *threads = calloc(THREADS_MOST, sizeof(*threads));
	const struct interval_row *row;
	struct interval_rows rows;
	struct err err = { 0 };
	uint32_t cell;

	assert_non_null(threads);
	assert_true(interval_rows_open(&rows, log, &err));
	for (uint64_t i = 0; i < count; i++) {
		if (!has_row(i))
			continue;
		row = interval_rows_next(&rows, &cell, &err);
		assert_non_null(row);
		assert_row(row, i);
		assert_thread(threads, row);
		assert_true(cell == (log->cells ? (uint32_t)(5 * i) : MAP_NONE));
	}
	assert_null(interval_rows_next(&rows, &cell, &err));
	assert_int_equal(err.code, ERR_NONE);
	interval_rows_close(&rows);
	free(threads);
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

/* As where so many intervals between two rows are not selected. */
static void after_many_begins(void **state)
{
	struct interval_row row;
	struct interval_rows rows;
	struct interval_log log;
	struct err err = { 0 };
	uint64_t number;
	uint32_t cell;

	(void)state;
	assert_true(interval_log_open(&log, ".", 8, &err));
	for (uint64_t from = 0; from <= UINT64_C(1) << 34; from += UINT64_C(1) << 33) {
		log.first = log.next = from;
		assert_true(interval_log_begin(&log, &number, &err));
		row = (struct interval_row){ .number = number, .state = INTERVAL_ENDED };
		assert_true(interval_log_put(&log, &row, MAP_NONE, &err));
		assert_true(interval_log_flush(&log, &err));
	}
	assert_true(interval_log_finish(&log, &err));
	assert_true(interval_readers_begin(&log, &err));
	assert_true(interval_rows_open(&rows, &log, &err));
	for (uint64_t from = 0; from <= UINT64_C(1) << 34; from += UINT64_C(1) << 33)
		assert_true(interval_rows_next(&rows, &cell, &err)->number == from);
	assert_null(interval_rows_next(&rows, &cell, &err));
	interval_rows_close(&rows);
	interval_log_close(&log);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(order_of_begins),
		                                   cmocka_unit_test(after_many_begins) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
