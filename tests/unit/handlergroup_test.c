/*
 * The ways in which handlers get samples: one or several in a call, sorted or in the file's order, in
 * the reading thread or another one. Each must deliver the same samples.
 */
#define _DEFAULT_SOURCE
#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SMALL (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(6) | FLAG(8)) /* IP TID TIME ID PERIOD */
#define LARGE (SMALL | FLAG(3) | FLAG(7) | FLAG(9) | FLAG(16))  /* ADDR CPU STREAM_ID IDENTIFIER */
#define RECORDS 6000

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

/* The records that a handler got. */
struct delivered {
	struct {
		uint64_t nr, time, ip, addr, period;
		int32_t pid, tid, cpu;
		uint32_t type, event, section; /* section: other records that came before */
		uint16_t misc;
		bool has_tid, has_addr, damaged;
		uint64_t callchain_count, callchain_first;
	} items[RECORDS];
	const struct session *session;
	size_t count, together; /* together: samples that came several in one call */
	uint32_t section;
};

static void keep_chain(struct delivered *got, size_t at, const struct record *record)
{
	got->items[at].callchain_count = record->sample.callchain_count;
	got->items[at].callchain_first =
		record->sample.callchain_count ? record_word(record, record->sample.callchain, 0) : 0;
}

static bool keep_record(void *context, const struct record *record, struct err *err)
{
	struct delivered *got = context;
	size_t at = got->count++;

	(void)err;
	assert_true(at < RECORDS);
	got->section += record->type != PERF_RECORD_SAMPLE;
	got->items[at].nr = record->nr;
	got->items[at].time = record->time;
	got->items[at].type = record->type;
	got->items[at].event = record->event;
	got->items[at].section = got->section;
	got->items[at].misc = record->misc;
	got->items[at].pid = record->pid;
	got->items[at].tid = record->tid;
	got->items[at].cpu = record->cpu;
	got->items[at].has_tid = record->has_tid;
	got->items[at].damaged = record->damaged;
	if (record->type != PERF_RECORD_SAMPLE || record->damaged)
		return true;
	got->items[at].ip = record->sample.ip;
	got->items[at].has_addr = record->sample.has_addr;
	got->items[at].addr = record->sample.addr;
	got->items[at].period = record->sample.period;
	keep_chain(got, at, record);
	return true;
}

static bool keep_samples(void *context, const struct sample *samples, size_t count, struct err *err)
{
	struct delivered *got = context;
	struct record record;

	(void)err;
	assert_in_range(count, 1, SAMPLES_MOST);
	assert_true(got->count + count <= RECORDS);
	for (size_t i = 0; i < count; i++) {
		size_t at = got->count++;

		got->items[at].nr = samples[i].nr;
		got->items[at].time = samples[i].time;
		got->items[at].type = PERF_RECORD_SAMPLE;
		got->items[at].event = samples[i].event;
		got->items[at].section = got->section;
		got->items[at].misc = samples[i].misc;
		got->items[at].pid = samples[i].pid;
		got->items[at].tid = samples[i].tid;
		got->items[at].cpu = samples[i].cpu;
		got->items[at].has_tid = samples[i].has_tid;
		got->items[at].ip = samples[i].ip;
		got->items[at].has_addr = samples[i].has_addr;
		got->items[at].addr = samples[i].addr;
		got->items[at].period = samples[i].period;
		sample_record(&record, got->session, &samples[i]);
		assert_int_equal(record.nr, samples[i].nr);
		assert_int_equal(record.sample.ip, samples[i].ip);
		keep_chain(got, at, &record);
	}
	got->together += count;
	return true;
}

/* A recording of several CPUs, each with an event of its own, and now and then something odd. */
struct kind {
	const char *name;
	uint64_t types[2];     /* sample_type of the events */
	size_t events;
	uint64_t callchain;    /* entries that a sample has, where the type says so */
	bool odd;              /* short samples, unknown ids, samples without a time */
	bool plain;            /* nearly all samples must come together */
	bool pairs;            /* two CPUs with the same times, the second one starting before the first */
};

static const struct kind kinds[] = {
	{ "one event", { SMALL, 0 }, 1, 0, false, true, false },
	{ "two CPUs", { SMALL, 0 }, 1, 0, false, true, true },
	{ "two CPUs, two events, odd", { LARGE, LARGE }, 2, 0, true, true, true },
	{ "one event, odd", { SMALL, 0 }, 1, 0, true, true, false },
	{ "two alike", { SMALL, SMALL }, 2, 0, true, true, false },
	{ "all fields", { LARGE, LARGE }, 2, 0, true, true, false },
	{ "no ip, no tid", { FLAG(2) | FLAG(8), 0 }, 1, 0, false, true, false },
	{ "chains", { SMALL | FLAG(5), SMALL | FLAG(5) }, 2, 3, true, true, false },
	{ "one has chains", { LARGE, LARGE | FLAG(5) }, 2, 3, true, true, false },
	{ "not alike", { LARGE, SMALL | FLAG(16) }, 2, 0, true, true, false },
	{ "times and ids in other places", { SMALL, SMALL & ~FLAG(1) }, 2, 0, true, false, false },
	{ "no time", { SMALL & ~FLAG(2), 0 }, 1, 0, false, false, false },
};

static void put_kind_sample(struct image *image, const struct kind *kind, size_t event,
                            const struct test_fields *fields, uint32_t oddity)
{
	uint64_t type = kind->types[event];
	size_t start = record_begin(image, PERF_RECORD_SAMPLE, (uint16_t)(1 + fields->ip % 2));

	image_fixed(image, type, fields);
	if (type & FLAG(5)) {
		image_u64(image, oddity == 3 ? 1000 : kind->callchain);
		for (uint64_t i = 0; i < kind->callchain; i++)
			image_u64(image, fields->ip + i);
	}
	if (oddity == 4)
		image->size = start + 8 + 8 * (size_t)(fields->ip % 4);
	record_end(image, start);
}

static void make_kind(struct image *image, const struct kind *kind)
{
	struct test_attr attrs[2] = { 0 };
	uint64_t state = 3;

	for (size_t i = 0; i < 2; i++)
		attrs[i] = (struct test_attr){ .sample_type = kind->types[i], .flags = FLAG(18), .period = 7,
			                       .ids = { 10 * (i + 1) }, .id_count = 1 };
	file_begin(image, attrs, kind->events, 104);
	for (uint32_t i = 0; i < RECORDS; i++) {
		size_t event = next_random(&state) % kind->events;
		uint32_t burst = i / 50, oddity = kind->odd ? next_random(&state) % 100 : 99;
		struct test_fields fields = {
			.ip = 0x1000 + next_random(&state) % 512, .addr = i, .id = 10 * (event + 1),
			.stream_id = 77, .period = 1 + i % 5, .pid = 100 + burst % 3, .tid = 200 + i % 2,
			.cpu = burst % 4,
			/* bursts of four CPUs, whose times overlap */
			.time = 1000 + (uint64_t)(burst / 4) * 400 + (i % 50) * 8 + next_random(&state) % 8,
		};

		if (kind->pairs)
			fields.time = 1000 + (uint64_t)(burst / 2) * 400 + (i % 50) * 8 - burst % 2 * 8;
		if (oddity == 0)
			fields.id = 999;
		if (oddity == 1)
			fields.time = 0;
		if (oddity == 2)
			fields.time = 1 + next_random(&state) % 50000; /* breaks the order */
		if (next_random(&state) % 40 == 0)
			put_comm(image, kind->types[event] & ~FLAG(5), 0, "name", &fields);
		else
			put_kind_sample(image, kind, event, &fields, oddity);
	}
	file_end(image);
}

static struct read_summary read_from(bool pipe, const struct image *image,
                                     struct record_handler *handlers, size_t count, bool threaded)
{
	struct read_options how = { .threaded = threaded };
	struct read_summary summary;
	struct opened opened;

	assert_true(pipe ? opened_pipe(&opened, image) : opened_file(&opened, image));
	opened.read = true;
	for (size_t i = 0; i < count; i++)
		if (handlers[i].context)
			((struct delivered *)handlers[i].context)->session = &opened.session;
	assert_true(perffile_read(&opened.session, handlers, count, &how, &opened.summary, &opened.err));
	summary = opened.summary;
	summary.others = NULL;
	opened_close(&opened);
	return summary;
}

static struct read_summary read_with(const struct image *image, struct record_handler *handlers,
                                     size_t count, bool threaded)
{
	return read_from(false, image, handlers, count, threaded);
}

static int by_nr(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b; /* nr comes first */

	return *x < *y ? -1 : *x > *y;
}

/* Sorted by position, both have the same records; the section counts the other records before each. */
static void expect_same(const char *name, struct delivered *a, struct delivered *b, bool in_order)
{
	assert_int_equal(a->count, b->count);
	if (!in_order) {
		qsort(a->items, a->count, sizeof(a->items[0]), by_nr);
		qsort(b->items, b->count, sizeof(b->items[0]), by_nr);
	}
	for (size_t i = 0; i < a->count; i++)
		if (memcmp(&a->items[i], &b->items[i], sizeof(a->items[i])))
			fail_msg("%s: record %llu differs, or %llu", name,
			         (unsigned long long)a->items[i].nr, (unsigned long long)b->items[i].nr);
}

static void expect_ways_alike(const struct kind *kind, bool big_endian)
{
	struct delivered *alone = calloc(4, sizeof(*alone)), *sorted = alone + 1, *any = alone + 2, *apart = alone + 3;
	struct record_handler handlers[] = {
		{ .context = alone, .record = keep_record },
		{ .context = sorted, .record = keep_record, .samples = keep_samples },
		{ .context = any, .any_sample_order = true, .record = keep_record, .samples = keep_samples },
		{ .context = apart, .record = keep_record, .samples = keep_samples },
	};
	struct read_summary summaries[5];
	const bool now = true;
	struct image image;

	assert_non_null(alone);
	image_init(&image, big_endian);
	make_kind(&image, kind);
	for (size_t i = 0; i < 3; i++)
		summaries[i] = read_with(&image, &handlers[i], 1, false);
	for (size_t i = 1; i < alone->count; i++)
		assert_true(alone->items[i - 1].time == TIME_NONE ||
		            alone->items[i - 1].time <= alone->items[i].time);
	expect_same(kind->name, alone, sorted, true);
	if (kind->plain)
		assert_in_range(sorted->together, RECORDS * 8 / 10, RECORDS);
	/* a handler that takes samples in any order may change its mind */
	memset(any, 0, sizeof(*any));
	handlers[2].in_order = &now;
	read_with(&image, handlers + 2, 1, true);
	expect_same(kind->name, alone, any, true);
	handlers[2].in_order = NULL;
	/* both at the same time, one in each thread */
	memset(any, 0, sizeof(*any));
	summaries[3] = read_with(&image, handlers + 2, 2, true);
	expect_same(kind->name, alone, apart, true);
	expect_same(kind->name, alone, any, false);
	/* one in the second thread */
	memset(any, 0, sizeof(*any));
	read_with(&image, handlers + 2, 1, true);
	expect_same(kind->name, alone, any, false);
	/* for handlers that accept any order no record waits, and the results are the same */
	memset(any, 0, sizeof(*any));
	handlers[2].any_order = true;
	summaries[4] = read_with(&image, handlers + 2, 1, true);
	assert_int_equal(any->count, alone->count);
	assert_int_equal(summaries[4].window_most, 0);
	summaries[4].window_most = summaries[0].window_most;
	for (size_t i = 1; i < 5; i++) {
		summaries[i].scan_seconds = summaries[0].scan_seconds;
		summaries[i].memory_most = summaries[0].memory_most;
		assert_memory_equal(&summaries[i], &summaries[0], sizeof(summaries[0]));
	}
	image_release(&image);
	free(alone);
}

static void ways_are_alike(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		for (int big_endian = 0; big_endian <= 1; big_endian++)
			expect_ways_alike(&kinds[i], big_endian);
}

/* Values of counters make sense in order alone: samples that hold some come sorted in any case. */
static void counter_values_come_in_order(void **state)
{
	const struct test_attr attr = { .sample_type = SMALL | FLAG(4), .flags = FLAG(18), .ids = { 10 },
		                        .id_count = 1 };
	struct delivered *got = calloc(1, sizeof(*got));
	struct record_handler handler = {.context = got, .any_sample_order = true,
		                         .record = keep_record, .samples = keep_samples};
	struct image image;

	(void)state;
	assert_non_null(got);
	image_init(&image, false);
	file_begin(&image, &attr, 1, 104);
	for (uint32_t i = 0; i < 3000; i++) {
		struct test_fields fields = { .time = 1000 + (i / 100) * 50 + i % 50, .id = 10 };
		size_t start = record_begin(&image, PERF_RECORD_SAMPLE, 2);

		image_fixed(&image, SMALL, &fields);
		image_u64(&image, i);
		record_end(&image, start);
	}
	file_end(&image);
	read_with(&image, &handler, 1, true);
	assert_int_equal(got->count, 3000);
	assert_int_equal(got->together, 0);
	for (size_t i = 1; i < got->count; i++)
		assert_true(got->items[i - 1].time < got->items[i].time ||
		            (got->items[i - 1].time == got->items[i].time &&
		             got->items[i - 1].nr < got->items[i].nr));
	image_release(&image);
	free(got);
}

/* What the first reading of a file delivers is not delivered again when the second thread starts. */
static void each_record_comes_once(void **state)
{
	const struct test_attr attr = { .sample_type = SMALL, .flags = FLAG(18), .ids = { 10 }, .id_count = 1 };

	(void)state;
	for (uint32_t before = 0; before < 12; before++) {
		struct delivered *got = calloc(2, sizeof(*got));
		struct record_handler handlers[] = {
			{ .context = &got[0], .record = keep_record, .samples = keep_samples },
			{ .context = &got[1], .any_sample_order = true, .record = keep_record },
		};
		struct image image;

		assert_non_null(got);
		image_init(&image, false);
		file_begin(&image, &attr, 1, 104);
		for (uint32_t i = 0; i < before; i++) {
			put_comm(&image, SMALL, 0, "early", &(struct test_fields){ .pid = i });
			/* a record of the tool: all before it must have been delivered */
			record_end(&image, record_begin(&image, PERF_RECORD_TIME_CONV, 0));
		}
		for (uint32_t i = 0; i < 100; i++)
			put_sample(&image, SMALL, 2, &(struct test_fields){ .time = 1 + i, .id = 10 });
		file_end(&image);
		read_with(&image, handlers, 2, true);
		for (size_t i = 0; i < 2; i++) {
			assert_int_equal(got[i].count, before + 100);
			for (size_t at = 0; at < got[i].count; at++)
				assert_int_equal(got[i].items[at].nr, at < before ? 2 * at : at + before);
		}
		image_release(&image);
		free(got);
	}
}

/* Samples with stacks, of 48 MB together. Some come long after their round. */
static void make_large(struct image *image, bool pipe)
{
	const uint64_t type = SMALL | FLAG(10);
	const struct test_attr attr = { .sample_type = type, .flags = FLAG(18), .ids = { 10 }, .id_count = 1 };
	uint64_t state = 3;

	if (pipe)
		pipe_begin(image, &attr, 1);
	else
		file_begin(image, &attr, 1, 104);
	for (uint32_t i = 0; i < 5700; i++) {
		struct test_fields fields = { .ip = i, .time = 9000 + i, .id = 10 };
		size_t start = record_begin(image, PERF_RECORD_SAMPLE, 2);

		if (next_random(&state) % 20 == 0)
			fields.time -= next_random(&state) % 800;
		image_fixed(image, type, &fields);
		image_u32(image, 8196);
		image_zeros(image, 8196);
		record_end(image, start);
		if (i % 20 == 0)
			record_end(image, record_begin(image, PERF_RECORD_FINISHED_ROUND, 0));
		if (i % 50 == 0)
			put_comm(image, SMALL, 0, "name", &fields);
	}
	if (!pipe)
		file_end(image);
}

/* How far the second thread has come changes neither when records are delivered nor how many wait. */
static void large_records(void **state)
{
	struct delivered *got = calloc(3, sizeof(*got));
	struct record_handler handlers[] = {
		{ .context = &got[0], .record = keep_record, .samples = keep_samples },
		{ .context = &got[1], .record = keep_record, .samples = keep_samples },
		{ .context = &got[2], .any_sample_order = true, .record = keep_record },
	};

	(void)state;
	assert_non_null(got);
	for (int pipe = 0; pipe <= 1; pipe++) {
		struct read_summary one, two;
		struct image image;

		image_init(&image, false);
		make_large(&image, pipe);
		memset(&got[0], 0, sizeof(*got));
		one = read_from(pipe, &image, &handlers[0], 1, false);
		assert_int_equal(one.late != 0, pipe);
		assert_true(one.memory_most < (uint64_t)24 * 1024 * 1024);
		for (int round = 0; round < 5; round++) {
			memset(&got[1], 0, 2 * sizeof(*got));
			two = read_from(pipe, &image, &handlers[1], 2, true);
			expect_same(pipe ? "pipe" : "file", &got[0], &got[1], true);
			assert_int_equal(got[2].count, got[0].count);
			assert_int_equal(one.late, two.late);
			assert_true(two.memory_most < (uint64_t)24 * 1024 * 1024);
		}
		image_release(&image);
	}
	free(got);
}

static bool dawdle(void *context, const struct record *record, struct err *err)
{
	(void)context;
	(void)err;
	if (record->nr % 500 == 0)
		usleep(2000);
	return true;
}

/* Warnings about a pipe come in one order, however far the other thread is. */
static void warnings_keep_their_order(void **state)
{
	const struct test_attr attr = { .sample_type = SMALL & ~FLAG(2), .ids = { 10 }, .id_count = 1 };
	struct delivered *got = calloc(1, sizeof(*got));
	struct image image;

	(void)state;
	assert_non_null(got);
	image_init(&image, false);
	pipe_begin(&image, &attr, 1);
	/* without a time: delivered batch by batch, a batch holds 4096 of them */
	for (uint32_t i = 0; i < 5800; i++) {
		if (i == 100)
			record_end(&image, record_begin(&image, PERF_RECORD_SAMPLE, 2));
		if (i == 5000)
			record_end(&image, record_begin(&image, 199, 0));
		put_sample(&image, SMALL & ~FLAG(2), 2, &(struct test_fields){ .id = 10 });
	}
	for (int threaded = 0; threaded <= 1; threaded++) {
		struct record_handler handlers[] = {
			{ .record = dawdle },
			{ .context = got, .any_sample_order = true, .record = keep_record },
		};
		struct read_options how = { .threaded = threaded };
		struct opened opened;

		got->count = 0;
		assert_true(opened_pipe(&opened, &image));
		opened.read = true;
		assert_true(perffile_read(&opened.session, handlers, 2, &how, &opened.summary, &opened.err));
		assert_non_null(opened.diag.formats->next);
		assert_null(opened.diag.formats->next->next);
		assert_non_null(strstr(opened.diag.formats->kinds->text, "SAMPLE"));
		opened_close(&opened);
	}
	image_release(&image);
	free(got);
}

/* Before any ids are known each sample belongs to the first event; that result is not cached. */
static void ids_become_known(void **state)
{
	const struct test_attr attrs[] = {
		{ .sample_type = SMALL, .flags = FLAG(18) }, { .sample_type = SMALL, .flags = FLAG(18) },
		{ .sample_type = SMALL, .flags = FLAG(18), .ids = { 77 }, .id_count = 1 },
	};
	struct delivered *got = calloc(2, sizeof(*got));
	struct image image, late;

	(void)state;
	assert_non_null(got);
	image_init(&image, false);
	pipe_begin(&image, attrs, 2);
	/* without a time: delivered at once */
	put_sample(&image, SMALL, 2, &(struct test_fields){ .id = 77 });
	image_init(&late, false);
	pipe_begin(&late, &attrs[2], 1);
	image_bytes(&image, late.data + 16, late.size - 16);
	put_sample(&image, SMALL, 2, &(struct test_fields){ .id = 77 });
	for (int pipe = 0; pipe <= 1; pipe++) {
		struct record_handler handler = {.context = &got[pipe], .record = keep_record,
			                         .samples = keep_samples};

		read_from(pipe, &image, &handler, 1, false);
		assert_int_equal(got[pipe].count, 2);
		assert_int_equal(got[pipe].items[0].event, 0);
		assert_int_equal(got[pipe].items[1].event, 2);
	}
	image_release(&late);
	image_release(&image);
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ways_are_alike),
		cmocka_unit_test(counter_values_come_in_order),
		cmocka_unit_test(each_record_comes_once),
		cmocka_unit_test(large_records),
		cmocka_unit_test(warnings_keep_their_order),
		cmocka_unit_test(ids_become_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
