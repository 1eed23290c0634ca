/* From the window to the handlers: records come in order however many wait, and with the names of their events. */
#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#define SMALL (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(6) | FLAG(8)) /* IP TID TIME ID PERIOD */

static const struct test_attr one_event = { .sample_type = SMALL, .flags = FLAG(18), .ids = { 10 }, .id_count = 1 };

struct ordered {
	uint64_t last_time, last_nr;
	size_t count;
};

static bool note_order(void *context, const struct record *record, struct err *err)
{
	struct ordered *seen = context;

	(void)err;
	assert_true(record->time > seen->last_time ||
	            (record->time == seen->last_time && record->nr > seen->last_nr));
	seen->last_time = record->time;
	seen->last_nr = record->nr;
	seen->count++;
	return true;
}

/* Each record is older than the one before: all of them wait in the window, each in a node of its own. */
static void spans_by_the_hundred_thousand(void **state)
{
	enum { MANY = 300000 };
	static const struct test_attr timed = { .sample_type = FLAG(1) | FLAG(2), .flags = FLAG(18) };

	(void)state;
	for (int threads = 1; threads <= 2; threads++) {
		struct ordered seen[2] = { { 0 }, { 0 } };
		struct record_handler handlers[] = { {.context = &seen[0], .record = note_order },
			                             {.context = &seen[1], .record = note_order } };
		struct read_options how = { .threaded = threads == 2 };
		struct opened opened;
		struct image image;

		image_init(&image, false);
		file_begin(&image, &timed, 1, 104);
		for (uint32_t i = 0; i < MANY; i++)
			put_sample(&image, timed.sample_type, 2,
			           &(struct test_fields){ .pid = 1, .tid = 1, .time = 1000 + (MANY - i) / 2 });
		file_end(&image);
		assert_true(opened_file(&opened, &image));
		opened.read = true;
		assert_true(perffile_read(&opened.session, handlers, 2, &how, &opened.summary, &opened.err));
		assert_int_equal(seen[0].count, MANY);
		assert_int_equal(seen[1].count, MANY);
		assert_int_equal(opened.summary.window_most, MANY);
		opened_close(&opened);
		image_release(&image);
	}
}

/* Several CPUs were written one behind the other: all wait together, in long sequences that differ in density. */
static void long_sequences(void **state)
{
	enum { CPUS = 3, MANY = 30000 };
	static const struct test_attr timed = { .sample_type = FLAG(1) | FLAG(2), .flags = FLAG(18) };

	(void)state;
	for (int threads = 1; threads <= 2; threads++) {
		struct ordered seen = { 0 };
		struct record_handler handler = { .context = &seen, .record = note_order };
		struct read_options how = { .threaded = threads == 2 };
		struct opened opened;
		struct image image;

		image_init(&image, false);
		file_begin(&image, &timed, 1, 104);
		for (uint64_t cpu = 0; cpu < CPUS; cpu++)
			for (uint64_t i = 0; i < MANY; i++)
				put_sample(&image, timed.sample_type, 2,
				           &(struct test_fields){ .pid = 1, .tid = 1, .time = 1000 + i / 7 * (1 + 10 * cpu) });
		file_end(&image);
		assert_true(opened_file(&opened, &image));
		opened.read = true;
		assert_true(perffile_read(&opened.session, &handler, 1, &how, &opened.summary, &opened.err));
		assert_int_equal(seen.count, CPUS * MANY);
		opened_close(&opened);
		image_release(&image);
	}
}

static void put_event_type(struct image *image, uint64_t config, const char *name)
{
	size_t start = record_begin(image, 65, 0);

	image_u64(image, config);
	image_bytes(image, name, strlen(name) + 1);
	image_zeros(image, 64 - strlen(name) - 1);
	record_end(image, start);
}

/* What names an event may come behind the first record, also where attrs and records take turns. */
static void names_that_come_late(void **state)
{
	static const unsigned counts[] = { 2, 3, 70, 500 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		struct opened opened;
		struct seen_list list;
		struct image image;

		image_init(&image, false);
		pipe_begin(&image, &one_event, 1);
		for (unsigned k = 0; k < counts[i]; k++) {
			struct test_attr attr = { .type = 10, .config = 100 + k, .sample_type = SMALL,
				                  .flags = FLAG(18), .ids = { 100 + k }, .id_count = 1 };
			size_t start = record_begin(&image, 64, 0);

			image_attr(&image, &attr);
			image_u64(&image, 100 + k);
			record_end(&image, start);
			put_comm(&image, SMALL, 0, "no time", &(struct test_fields){ .pid = 1, .tid = 1 });
		}
		put_event_type(&image, 100, "first");
		put_event_type(&image, 99 + counts[i], "last");
		assert_true(opened_pipe(&opened, &image));
		assert_true(read_seen(&opened, &list));
		assert_int_equal(list.count, counts[i]);
		assert_int_equal(opened.session.event_count, 1 + counts[i]);
		assert_string_equal(opened.session.events[counts[i]].name, "last");
		assert_string_equal(opened.session.events[1].name, "first");
		for (unsigned k = 1; k < counts[i] - 1; k++)
			assert_non_null(opened.session.events[1 + k].name);
		seen_release(&list);
		opened_close(&opened);
		image_release(&image);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_by_the_hundred_thousand),
		cmocka_unit_test(long_sequences),
		cmocka_unit_test(names_that_come_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
