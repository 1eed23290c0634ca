/* Rows of many samples by keys of samples and places, in memory and beyond: compared with sums over the samples. */
#include "tests/unit/named.h"
#include "tests/unit/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *const nowhere = "/no/such/readperf-root";

#define TYPE (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(6) | FLAG(8)) /* IP TID TIME ID PERIOD */
#define SAMPLES 600u

static const struct test_attr attrs[2] = {
	{ .sample_type = TYPE, .flags = FLAG(18), .ids = { 10 }, .id_count = 1 },
	{ .config = 1, .sample_type = TYPE, .flags = FLAG(18), .ids = { 20 }, .id_count = 1 },
};

struct sampled {
	uint64_t event, pid, tid, address, period;
};

/* A few processes with two threads, at a few addresses; many rows have the same period. */
static struct sampled sample_at(unsigned i)
{
	const unsigned mixed = i * 2654435761u >> 7;

	return (struct sampled){ .event = mixed % 5 == 0,
		                 .pid = 7 + mixed / 5 % 9,
		                 .tid = 100 + mixed / 45 % 2,
		                 .address = 16 * (mixed / 90 % 12),
		                 .period = 1 + mixed / 1080 % 3 };
}

static void a_recording(struct replay *r)
{
	replay_begin(r, attrs, 2);
	for (uint32_t pid = 7; pid < 16; pid++)
		put_mmap(&r->image, TYPE, 2, "/bin/a", 0x1000, 0x1000, 0,
		         &(struct test_fields){ .time = 500, .pid = pid, .tid = pid, .id = 10 });
	for (unsigned i = 0; i < SAMPLES; i++) {
		const struct sampled s = sample_at(i);

		put_sample(&r->image, TYPE, 2,
		           &(struct test_fields){ .time = 1000 + i, .id = s.event ? 20 : 10,
		                                  .pid = (uint32_t)s.pid, .tid = (uint32_t)s.tid,
		                                  .ip = 0x1000 + s.address, .period = s.period });
	}
}

/* What a sample has as a key. */
static uint64_t word_of(const struct sampled *s, enum group_key key)
{
	return key == KEY_PID ? s->pid : key == KEY_TID ? s->tid : s->address;
}

static bool is_in_row(const struct sampled *s, const struct group_table *table, const struct group_row *row)
{
	for (unsigned k = 0; k < table->key_count; k++)
		if (word_of(s, table->keys[k]) != row->words[k])
			return false;
	return s->event == row->words[table->key_count];
}

/* Below 0: a comes first in a table. */
static int order_of(const struct group_table *table, const struct group_row *a, const struct group_row *b)
{
	int order = u64_order(a->words[table->key_count], b->words[table->key_count]);

	if (!order)
		order = u64_order(b->period, a->period);
	for (unsigned k = 0; !order && k < table->key_count; k++)
		order = u64_order(a->words[k], b->words[k]);
	return order;
}

static void check_rows(const struct group_table *table, const struct listed_rows *rows)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const struct group_row *row = &rows->items[i];
		uint64_t count = 0, period = 0;

		for (unsigned k = 0; k < SAMPLES; k++) {
			const struct sampled s = sample_at(k);
			const bool is_in = is_in_row(&s, table, row);

			count += is_in;
			period += is_in ? s.period : 0;
		}
		assert_int_equal(row->samples, count);
		assert_int_equal(row->period, period);
		samples += count;
		if (i)
			assert_true(order_of(table, row - 1, row) < 0);
	}
	/* no two rows have the same keys, so each sample is in one */
	assert_int_equal(samples, SAMPLES);
}

static const struct group_table asked[] = {
	{ .name = "a", .keys = { KEY_PID, KEY_TID, KEY_ADDRESS }, .key_count = 3 },
	{ .name = "b", .keys = { KEY_ADDRESS, KEY_PID }, .key_count = 2 },
	{ .name = "c", .keys = { KEY_TID, KEY_ADDRESS, KEY_PID }, .key_count = 3 },
	{ .name = "d", .keys = { KEY_ADDRESS }, .key_count = 1 },
	{ .name = "e", .keys = { KEY_TID }, .key_count = 1 },
};

/* cells: as many with groups stay in memory; 0: all */
static void check_tables(size_t cells)
{
	static const size_t limits[] = { 2, 7, 100, SORTER_LIMIT };
	struct naming_options options = { .lookup = { .symbolizer = SYMBOLIZER_NONE } };
	struct select_request request = { 0 };
	const struct choice_options choice = { .request = &request,
		                               .keys = 1u << KEY_PID | 1u << KEY_TID,
		                               .temp_dir = ".",
		                               .cells = cells };
	struct replay r;
	struct place_names names;

	options.lookup.symbols.files.symfs = &nowhere;
	options.lookup.symbols.files.symfs_count = 1;
	a_recording(&r);
	r.choice = &choice;
	assert_true(replay_run(&r));
	assert_int_equal(r.stat.sums.spill.open, cells != 0);
	assert_true(naming_run(&names, &r.stat, &options, &r.opened.diag, &r.opened.err));
	for (size_t i = 0; i < ARRAY_SIZE(limits) * ARRAY_SIZE(asked); i++) {
		const struct group_table *table = &asked[i % ARRAY_SIZE(asked)];
		struct listed_rows rows;

		assert_true(list_rows(&rows, table, &r.stat, &names, limits[i / ARRAY_SIZE(asked)],
		                      &r.opened.err));
		check_rows(table, &rows);
		free(rows.items);
	}
	/* cells have no groups: one for each event and address */
	assert_int_equal(r.stat.cells.count, 2 * 12);
	place_names_release(&names);
	replay_end(&r);
}

static void rows_and_sums(void **state)
{
	(void)state;
	check_tables(0);
	check_tables(1);
	check_tables(20);
	check_tables(150);
}

/* A disk that is full, or no folder for temporary files, is an error of the run. */
static void no_folder(void **state)
{
	struct select_request request = { 0 };
	const struct choice_options choice = { .request = &request,
		                               .keys = 1u << KEY_PID,
		                               .temp_dir = "/no/such/folder",
		                               .cells = 20 };
	struct replay r;

	(void)state;
	a_recording(&r);
	r.choice = &choice;
	assert_false(replay_run(&r));
	assert_string_equal(r.opened.err.text,
	                    "cannot make a temporary file in /no/such/folder: No such file or directory");
	replay_end(&r);
}

/* Counters that are full continue in another cell; every sum says which. */
static void full_counters(void **state)
{
	const struct cell_kind kind = { 1, 7, 3 };
	struct group_sum_cursor cursor;
	const struct group_sum *sum;
	struct group_sums sums;
	struct cells cells;
	struct err err = { 0 };
	uint64_t samples = 0, period = 0, left;

	(void)state;
	cells_init(&cells);
	group_sums_init(&sums, true, 2, ".");
	for (unsigned i = 0; i < 5; i++) {
		const uint32_t number = cells_find_kind(&cells, &kind, &err);

		for (left = 3000000000; left;) {
			uint64_t part = left;

			assert_int_not_equal(cells_put(&cells, number, 0x10, &part, left == 3000000000, &err),
			                     MAP_NONE);
			left -= part;
		}
		assert_true(group_sums_fold(&sums, &cells, &err));
		assert_int_equal(cells.count, 0);
	}
	assert_true(group_sums_finish(&sums, &cells, &err));
	assert_int_equal(cells.count, 4);
	assert_true(group_sum_cursor_open(&cursor, &sums, &err));
	while ((sum = group_sum_next(&cursor, &err))) {
		assert_int_equal(sum->group, 7);
		assert_true(sum->cell < 4);
		samples += sum->samples;
		period += sum->period;
	}
	group_sum_cursor_close(&cursor);
	assert_int_equal(err.code, ERR_NONE);
	assert_true(samples == 5 * UINT64_C(3000000000));
	assert_int_equal(period, 5);
	samples = 0;
	for (size_t i = 0; i < cells.count; i++) {
		assert_int_equal(cells_kind_at(&cells, cells.items[i].kind)->group, GROUP_ALL);
		samples += cells.items[i].samples;
	}
	assert_true(samples == 5 * UINT64_C(3000000000));
	group_sums_release(&sums);
	cells_release(&cells);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_and_sums),
		cmocka_unit_test(no_folder),
		cmocka_unit_test(full_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
