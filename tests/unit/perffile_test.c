/* The reader: which event a record belongs to, and in what order records come. */
#define _DEFAULT_SOURCE /* usleep() */
#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SMALL (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(6) | FLAG(8)) /* IP TID TIME ID PERIOD */

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

/* --- events by id; format reference, 7.3 */

struct id_case {
	const char *name;
	uint64_t types[2];
	uint64_t flags[2];
	uint64_t record_id; /* in the record */
	size_t written;     /* whose layout the record has */
	uint32_t expected;
	bool no_ids;        /* the attrs have none */
	size_t events;
};

static const struct id_case id_cases[] = {
	{ "ID, first", { SMALL, SMALL }, { FLAG(18), FLAG(18) }, 10, 0, 0, false, 2 },
	{ "ID, second", { SMALL, SMALL }, { FLAG(18), FLAG(18) }, 20, 1, 1, false, 2 },
	{ "ID unknown", { SMALL, SMALL }, { FLAG(18), FLAG(18) }, 99, 0, EVENT_UNKNOWN, false, 2 },
	{ "ID unknown, one event", { SMALL, 0 }, { FLAG(18), 0 }, 99, 0, 0, false, 1 },
	{ "no ids at all", { SMALL, SMALL }, { FLAG(18), FLAG(18) }, 99, 0, 0, true, 2 },
	{ "IDENTIFIER, types differ", { FLAG(16) | SMALL, FLAG(16) | FLAG(3) | SMALL },
	  { FLAG(18), FLAG(18) }, 20, 1, 1, false, 2 },
	{ "IDENTIFIER, first", { FLAG(16) | SMALL, FLAG(16) | FLAG(3) | SMALL },
	  { FLAG(18), FLAG(18) }, 10, 0, 0, false, 2 },
	{ "places differ, second", { SMALL, FLAG(3) | SMALL }, { FLAG(18), FLAG(18) }, 20, 1, 1, false, 2 },
	{ "places differ, first", { SMALL, FLAG(3) | SMALL }, { FLAG(18), FLAG(18) }, 10, 0, 0, false, 2 },
};

static void read_id_case(const struct id_case *c, bool sample, bool pipe)
{
	struct test_attr attrs[2] = { 0 };
	struct test_fields fields = { .ip = 0x1000, .time = 500, .addr = 5, .id = c->record_id,
		                      .stream_id = 3, .period = 1, .pid = 1, .tid = 1, .cpu = 1 };
	struct seen_list list;
	struct opened opened;
	struct image image;

	for (size_t i = 0; i < 2; i++) {
		attrs[i].sample_type = c->types[i];
		attrs[i].flags = c->flags[i];
		attrs[i].ids[0] = i ? 20 : 10;
		attrs[i].id_count = !c->no_ids;
	}
	image_init(&image, false);
	if (pipe)
		pipe_begin(&image, attrs, c->events);
	else
		file_begin(&image, attrs, c->events, 104);
	if (sample)
		put_sample(&image, c->types[c->written], 2, &fields);
	else
		put_comm(&image, c->types[c->written], 0, "comm", &fields);
	if (!pipe)
		file_end(&image);
	assert_true(opened_file(&opened, &image));
	assert_true(read_seen(&opened, &list));
	assert_int_equal(list.count, 1);
	if (list.items[0].record.event != c->expected)
		fail_msg("%s: event %u", c->name, (unsigned)list.items[0].record.event);
	assert_int_equal(opened.summary.unknown_ids, c->expected == EVENT_UNKNOWN);
	assert_int_equal(opened.summary.broken, c->expected == EVENT_UNKNOWN);
	seen_release(&list);
	opened_close(&opened);
	image_release(&image);
}

static void events_by_id(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(id_cases); i++)
		for (int form = 0; form < 4; form++)
			read_id_case(&id_cases[i], form & 1, form & 2);
}

static void id_0_is_the_first_event(void **state)
{
	static const struct id_case c = { "id 0", { SMALL, SMALL }, { FLAG(18), FLAG(18) }, 0, 0, 0, false, 2 };

	(void)state;
	read_id_case(&c, false, false);
	read_id_case(&c, true, false);
}

/* Without sample_id_all other records have no id: they are the first event's. */
static void records_without_trailer(void **state)
{
	struct test_attr attrs[2] = { { .sample_type = SMALL, .ids = { 10 }, .id_count = 1 },
		                      { .sample_type = SMALL, .ids = { 20 }, .id_count = 1 } };
	struct test_fields fields = { .time = 77, .pid = 20, .tid = 20 };
	struct seen_list list;
	struct opened opened;
	struct image image;

	(void)state;
	image_init(&image, false);
	file_begin(&image, attrs, 2, 104);
	put_task(&image, 7, 0, 10, 0, &fields);
	put_comm(&image, 0, 0, "x", &fields);
	file_end(&image);
	assert_true(opened_file(&opened, &image));
	assert_true(read_seen(&opened, &list));
	assert_int_equal(list.count, 2);
	/* records without a time come first; a FORK has a time in its payload */
	assert_int_equal(list.items[0].record.type, 3);
	assert_int_equal(list.items[0].record.event, 0);
	assert_int_equal(list.items[1].record.time, 77);
	assert_false(list.items[1].record.has_event);
	seen_release(&list);
	opened_close(&opened);
	image_release(&image);
}

/* --- order */

static const struct test_attr one_event = { .sample_type = SMALL, .flags = FLAG(18), .ids = { 10 }, .id_count = 1 };

static void round_mark(struct image *image)
{
	record_end(image, record_begin(image, 68, 0x5555));
}

enum shape { SORTED, REVERSED, SHUFFLED, EQUAL, STRAYS, SHAPES };

static uint64_t time_of(enum shape shape, uint32_t i, uint64_t *state)
{
	switch (shape) {
	case SORTED:
		return 1000 + i;
	case REVERSED:
		return 1000000 - i;
	case SHUFFLED:
		return 1 + next_random(state) % 100000;
	case EQUAL:
		return 1000 + i / 500;
	default: /* in order, but one in a thousand comes from long before: broken rounds */
		return next_random(state) % 1000 ? 100000 + i : 1 + i / 2;
	}
}

static void expect_order(const struct seen_list *list, size_t count)
{
	assert_int_equal(list->count, count);
	assert_true(seen_in_order(list));
}

/* Whatever order the recorder wrote, in a file the records come sorted, equal times as written. */
static void files_are_sorted(void **state)
{
	(void)state;
	for (enum shape shape = SORTED; shape < SHAPES; shape++) {
		const uint32_t count = 5000;
		uint64_t random = 3;
		struct seen_list list;
		struct opened opened;
		struct image image;

		image_init(&image, shape % 2);
		file_begin(&image, &one_event, 1, 104);
		for (uint32_t i = 0; i < count; i++) {
			struct test_fields f = { .ip = i, .time = time_of(shape, i, &random), .id = 10 };

			put_sample(&image, SMALL, 2, &f);
			if (i % 300 == 299)
				round_mark(&image);
		}
		file_end(&image);
		assert_true(opened_file(&opened, &image));
		assert_true(read_seen(&opened, &list));
		expect_order(&list, count);
		/* nr counts the round marks too */
		for (size_t i = 0; i < list.count; i++)
			assert_int_equal(list.items[i].record.nr,
			                 list.items[i].record.sample.ip + list.items[i].record.sample.ip / 300);
		assert_int_equal(opened.summary.records, count + count / 300);
		assert_int_equal(opened.summary.types[68].count, count / 300);
		assert_int_equal(opened.summary.types[9].count, count);
		assert_int_equal(opened.summary.types[9].bytes, count * 48);
		seen_release(&list);
		opened_close(&opened);
		image_release(&image);
	}
}

static void no_time_comes_first(void **state)
{
	struct seen_list list;
	struct opened opened;
	struct image image;

	(void)state;
	image_init(&image, false);
	file_begin(&image, &one_event, 1, 104);
	for (uint32_t i = 0; i < 10; i++) {
		struct test_fields f = { .time = i % 2 ? 0 : 100 - i, .pid = i, .tid = i, .id = 10 };

		put_comm(&image, SMALL, 0, "x", &f);
	}
	file_end(&image);
	for (int pipe = 0; pipe <= 1; pipe++) {
		struct image piped;

		assert_true(opened_file(&opened, &image));
		assert_true(read_seen(&opened, &list));
		assert_int_equal(list.count, 10);
		for (size_t i = 0; i < 5; i++)
			assert_int_equal(list.items[i].record.pid, 2 * i + 1);
		for (size_t i = 5; i < 10; i++)
			assert_int_equal(list.items[i].record.pid, 18 - 2 * i);
		assert_true(opened.summary.first_time == TIME_NONE); /* of samples alone */
		seen_release(&list);
		opened_close(&opened);
		piped = image; /* the file layout through a pipe */
		assert_true(opened_pipe(&opened, &piped));
		assert_true(read_seen(&opened, &list));
		assert_int_equal(list.count, 10);
		seen_release(&list);
		opened_close(&opened);
	}
	image_release(&image);
}

static void pipes_within_the_window_are_sorted(void **state)
{
	(void)state;
	for (enum shape shape = SORTED; shape < SHAPES; shape++) {
		uint64_t random = 3;
		struct seen_list list;
		struct opened opened;
		struct image image;

		image_init(&image, shape % 2);
		pipe_begin(&image, &one_event, 1);
		for (uint32_t i = 0; i < 3000; i++) {
			struct test_fields f = { .ip = i, .time = time_of(shape, i, &random), .id = 10 };

			put_sample(&image, SMALL, 2, &f);
			if (i % 300 == 299)
				round_mark(&image);
		}
		assert_true(opened_pipe(&opened, &image));
		assert_true(read_seen(&opened, &list));
		expect_order(&list, 3000);
		assert_false(opened.summary.broken);
		seen_release(&list);
		opened_close(&opened);
		image_release(&image);
	}
}

#define LARGE (SMALL | FLAG(10)) /* with RAW, to fill the window quickly */

static void large_sample(struct image *image, uint64_t time)
{
	struct test_fields fields = { .time = time, .id = 10 };
	size_t start = record_begin(image, 9, 2);

	image_fixed(image, LARGE, &fields);
	image_u32(image, 32004);
	image_zeros(image, 32004);
	record_end(image, start);
}

/* What a pipe brings after its round has been delivered is late: delivered and counted. */
static void late_records_of_a_pipe(void **state)
{
	struct test_attr attr = { .sample_type = LARGE, .flags = FLAG(18), .ids = { 10 }, .id_count = 1 };
	struct seen_list list;
	struct opened opened;
	struct image image;
	size_t late = 0;

	(void)state;
	image_init(&image, false);
	pipe_begin(&image, &attr, 1);
	for (uint64_t round = 0; round < 4; round++) {
		for (uint64_t i = 0; i < 300; i++) /* 9.6 MB */
			large_sample(&image, 1000 + 300 * round + i);
		round_mark(&image);
	}
	for (uint64_t i = 0; i < 3; i++)
		large_sample(&image, 10 + i);
	assert_true(opened_pipe(&opened, &image));
	assert_true(read_seen(&opened, &list));
	assert_int_equal(list.count, 1203);
	assert_int_equal(opened.summary.late, 3);
	for (size_t i = 0; i < list.count; i++)
		late += list.items[i].record.time < 1000;
	assert_int_equal(late, 3);
	/* behind what was there when they came */
	assert_true(list.items[0].record.time >= 1000);
	assert_int_equal(opened.summary.first_time, 10);
	assert_int_equal(opened.summary.last_time, 2199);
	/* memory follows the window, not the pipe's length */
	assert_true(opened.summary.memory_most < (uint64_t)30 * 1024 * 1024);
	seen_release(&list);
	opened_close(&opened);
	image_release(&image);
}

/* --- the times of the first and the last sample */

struct told_times {
	unsigned calls;
	uint64_t first, last;
	bool early; /* a record with a time came before */
};

static bool note_times_told(void *context, uint64_t first, uint64_t last, struct err *err)
{
	struct told_times *told = context;

	told->calls++;
	told->first = first;
	told->last = last;
	(void)err;
	return true;
}

static bool note_early_record(void *context, const struct record *record, struct err *err)
{
	struct told_times *told = context;

	(void)err;
	told->early |= record->time != TIME_NONE && !told->calls;
	return true;
}

static void short_sample(struct image *image, uint64_t time)
{
	size_t start = record_begin(image, 9, 2);

	image_u64(image, 0x1000);
	image_u64(image, 7);
	image_u64(image, time);
	record_end(image, start);
}

/* Of samples alone, in any order, damaged or not, but without a time that is no clock's. */
static void times_of_samples(void **state)
{
	static const uint64_t times[] = { 500, 0, 300, 900, TIME_OFF_CPU + 5, 400 };
	struct test_attr attr = { .sample_type = SMALL, .flags = FLAG(18), .ids = { 10 }, .id_count = 1 };

	(void)state;
	for (unsigned form = 0; form < 4; form++) {
		const bool pipe = form == 2, samples = form != 3;
		struct told_times told = { .calls = 0 };
		struct record_handler handler = { .context = &told, .times = note_times_told,
			                          .record = note_early_record };
		struct opened opened;
		struct image image;

		image_init(&image, false);
		if (pipe)
			pipe_begin(&image, &attr, 1);
		else
			file_begin(&image, &attr, 1, 104);
		put_comm(&image, SMALL, 0, "early", &(struct test_fields){ .time = 100, .id = 10 });
		for (size_t i = 0; samples && i < ARRAY_SIZE(times); i++)
			put_sample(&image, SMALL, 2, &(struct test_fields){ .time = times[i], .id = 10 });
		if (form == 1)
			short_sample(&image, 1000);
		put_comm(&image, SMALL, 0, "late", &(struct test_fields){ .time = 2000, .id = 10 });
		if (!pipe)
			file_end(&image);
		assert_true(pipe ? opened_pipe(&opened, &image) : opened_file(&opened, &image));
		opened.read = true;
		assert_true(perffile_read(&opened.session, &handler, 1, NULL, &opened.summary, &opened.err));
		assert_int_equal(told.calls, !pipe);
		assert_int_equal(told.early, pipe);
		if (!pipe) {
			assert_int_equal(told.first, samples ? 300 : UINT64_MAX);
			assert_int_equal(told.last, samples ? form == 1 ? 1000 : 900 : 0);
		}
		opened_close(&opened);
		image_release(&image);
	}
}

/* --- several recordings in one process */

struct nested {
	struct seen_list *outer_list;
	const struct image *image;
	size_t runs;
};

static bool read_another(void *context, const struct record *record, struct err *err)
{
	struct nested *nested = context;
	struct record_handler handler = seen_handler(nested->outer_list);
	struct seen_list list;
	struct opened opened;

	if (record->nr % 100 == 50) {
		assert_true(opened_file(&opened, nested->image));
		assert_true(read_seen(&opened, &list));
		expect_order(&list, 500);
		assert_int_equal(list.items[3].record.event, 0);
		seen_release(&list);
		opened_close(&opened);
		nested->runs++;
	}
	return handler.record(handler.context, record, err);
}

static void recordings_share_nothing(void **state)
{
	struct test_attr other = { .sample_type = FLAG(16) | FLAG(2), .flags = FLAG(18) };
	struct seen_list list = { 0 };
	struct image first, second;
	struct record_handler handler;
	struct opened opened;
	struct nested nested = { &list, &second, 0 };

	(void)state;
	image_init(&first, false);
	file_begin(&first, &one_event, 1, 104);
	image_init(&second, true); /* in the other byte order, too */
	file_begin(&second, &other, 1, 104);
	for (uint32_t i = 0; i < 500; i++) {
		struct test_fields f = { .ip = i, .time = 10000 - i, .id = 10 };

		put_sample(&first, SMALL, 2, &f);
		put_sample(&second, FLAG(16) | FLAG(2), 2, &f);
	}
	file_end(&first);
	file_end(&second);
	assert_true(opened_file(&opened, &first));
	handler = (struct record_handler){.context = &nested, .record = read_another};
	opened.read = true;
	assert_true(perffile_read(&opened.session, &handler, 1, NULL, &opened.summary, &opened.err));
	assert_int_equal(nested.runs, 5);
	expect_order(&list, 500);
	assert_int_equal(list.items[0].record.sample.ip, 499);
	seen_release(&list);
	opened_close(&opened);
	image_release(&first);
	image_release(&second);
}

/* A handler that refuses ends the reading with its error, and nothing is lost. */
static bool refuse(void *context, const struct record *record, struct err *err)
{
	size_t *left = context;

	(void)record;
	return (*left)-- > 0 || err_set(err, ERR_LIMIT, "enough");
}

static bool agree(void *context, const struct record *record, struct err *err)
{
	(void)context;
	(void)record;
	(void)err;
	return true;
}

/* Beside the handler that stops there may be one that wants samples in order, one that does not, or none. */
enum beside { NOBODY, ORDERED, UNORDERED, BESIDES };

static void stop_at(struct image *image, size_t stop, enum beside beside,
                    const struct read_options *how)
{
	size_t left = stop;
	struct record_handler handlers[] = {
		{.context = &left, .record = refuse, .any_sample_order = beside == ORDERED},
		{.record = agree, .any_sample_order = beside == UNORDERED},
	};
	struct opened opened;

	assert_true(opened_file(&opened, image));
	opened.read = true;
	assert_false(perffile_read(&opened.session, handlers, beside == NOBODY ? 1 : 2, how, &opened.summary, &opened.err));
	assert_string_equal(opened.err.text, "enough");
	assert_int_equal(left, SIZE_MAX); /* no handler was called again */
	opened_close(&opened);
}

/* In a second thread too: with many records, so that it is far behind the first. */
static void a_handler_can_stop(void **state)
{
	static const struct read_options threaded = { .threaded = true };
	struct image image;

	(void)state;
	for (size_t count = 3000; count <= 300000; count *= 100) {
		image_init(&image, false);
		file_begin(&image, &one_event, 1, 104);
		for (size_t i = 0; i < count; i++)
			put_sample(&image, SMALL, 2, &(struct test_fields){ .time = count - i, .id = 10 });
		file_end(&image);
		for (enum beside beside = NOBODY; beside < BESIDES; beside++) {
			for (size_t stop = 0; stop < count; stop += count / 4) {
				stop_at(&image, stop, beside, NULL);
				stop_at(&image, stop, beside, &threaded);
			}
			stop_at(&image, count - 1, beside, &threaded);
		}
		image_release(&image);
	}
}

/* Two handlers that fail at the same time: one sets its error while that of the other is passed on. */
struct failing {
	pthread_barrier_t *both;
	size_t left;
	bool slow;
};

static bool fail_together(void *context, const struct record *record, struct err *err)
{
	struct failing *failing = context;

	(void)record;
	if (failing->left--)
		return true;
	pthread_barrier_wait(failing->both);
	if (!failing->slow)
		return err_set(err, ERR_LIMIT, "enough");
	err->code = ERR_LIMIT;
	usleep(20000);
	strcpy(err->text, "enough");
	return false;
}

static void two_handlers_fail(void **state)
{
	static const struct read_options threaded = { .threaded = true };
	struct image image;

	(void)state;
	image_init(&image, false);
	file_begin(&image, &one_event, 1, 104);
	for (size_t i = 0; i < 100000; i++)
		put_sample(&image, SMALL, 2, &(struct test_fields){ .time = i + 1, .id = 10 });
	file_end(&image);
	for (int round = 0; round < 10; round++) {
		bool first = round % 2 == 0;
		pthread_barrier_t both;
		struct failing failing[] = { { &both, 50000, first }, { &both, 50000, !first } };
		struct record_handler handlers[] = {
			{.context = &failing[0], .record = fail_together},
			{.context = &failing[1], .record = fail_together, .any_sample_order = true},
		};
		struct opened opened;

		assert_int_equal(pthread_barrier_init(&both, NULL, 2), 0);
		assert_true(opened_file(&opened, &image));
		opened.read = true;
		assert_false(perffile_read(&opened.session, handlers, 2, &threaded, &opened.summary, &opened.err));
		assert_string_equal(opened.err.text, "enough");
		opened_close(&opened);
		pthread_barrier_destroy(&both);
	}
	image_release(&image);
}

/* Cuts the file while it is read, at the record without a time: that one comes first. */
static bool cut_file(void *context, const struct record *record, struct err *err)
{
	const struct opened *opened = context;

	(void)err;
	return record->time != TIME_NONE || truncate(opened->path, 1000) == 0;
}

static void a_file_that_shrinks(void **state)
{
	struct record_handler handler = {.record = cut_file};
	struct opened opened;
	struct image image;

	(void)state;
	image_init(&image, false);
	file_begin(&image, &one_event, 1, 104);
	for (uint32_t i = 0; i < 50000; i++)
		put_sample(&image, SMALL, 2, &(struct test_fields){ .time = i + 1, .id = 10 });
	put_comm(&image, SMALL, 0, "late", &(struct test_fields){ .pid = 1, .tid = 1 });
	file_end(&image);
	assert_true(opened_file(&opened, &image));
	handler.context = &opened;
	opened.read = true;
	assert_false(perffile_read(&opened.session, &handler, 1, NULL, &opened.summary, &opened.err));
	assert_int_equal(opened.err.code, ERR_IO);
	assert_non_null(strstr(opened.err.text, "the recording changed while it was read: 50001 records, then "));
	opened_close(&opened);
	image_release(&image);
}

/* Types that are no table's: 256 have a count of their own, all are in the sums. */
static void types_beyond_the_table(void **state)
{
	struct seen_list list;
	struct opened opened;
	struct image image;
	uint64_t records = 0, bytes = 0;

	(void)state;
	image_init(&image, true);
	file_begin(&image, &one_event, 1, 104);
	for (uint32_t round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < 300; i++) {
			size_t start = record_begin(&image, 1000000 - 7 * (i % 299), 0);

			image_zeros(&image, i % 3);
			record_end(&image, start);
		}
	}
	file_end(&image);
	assert_true(opened_file(&opened, &image));
	assert_true(read_seen(&opened, &list));
	assert_int_equal(opened.summary.other_count, OTHER_TYPES_MAX);
	for (size_t i = 0; i < OTHER_TYPES_MAX; i++) {
		const struct record_count *other = &opened.summary.others[i];

		assert_true(i == 0 || other[-1].type < other->type);
		records += other->count;
		bytes += other->bytes;
		if (other->type == 1000000 - 7) {
			assert_int_equal(other->count, 3);
			assert_int_equal(other->bytes, 3 * 9);
		}
	}
	assert_int_equal(records, 900);
	assert_int_equal(bytes, 3 * (300 * 8 + 300));
	seen_release(&list);
	opened_close(&opened);
	image_release(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_by_id),          cmocka_unit_test(id_0_is_the_first_event),
		cmocka_unit_test(records_without_trailer), cmocka_unit_test(files_are_sorted),
		cmocka_unit_test(no_time_comes_first),   cmocka_unit_test(pipes_within_the_window_are_sorted),
		cmocka_unit_test(late_records_of_a_pipe),
		cmocka_unit_test(times_of_samples), cmocka_unit_test(recordings_share_nothing),
		cmocka_unit_test(a_handler_can_stop),
		cmocka_unit_test(two_handlers_fail),
		cmocka_unit_test(a_file_that_shrinks),   cmocka_unit_test(types_beyond_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
