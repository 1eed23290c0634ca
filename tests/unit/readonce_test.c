/*
 * A file that is read once, in the order of its FINISHED_ROUND records: it gives what reading it
 * twice gives, or ERR_ORDER, and then everything is to be done again.
 */
#define _DEFAULT_SOURCE /* usleep(), for recording.h */
#include "tests/unit/recording.h"

#include "util/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define SMALL (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(6) | FLAG(8)) /* IP TID TIME ID PERIOD */
#define TRAILER (FLAG(1) | FLAG(2) | FLAG(6))
#define ROUNDS 300
#define OF_A_ROUND 500 /* samples of either ring: 48 kB, so that all are some 14 MB */
#define ROUND_TIME 10000
#define FIRST 1000
#define LAST UINT64_C(1000000000) /* of the header; later than that of any sample */

static const struct test_attr one_event = { .sample_type = SMALL, .flags = FLAG(18), .ids = { 10 },
	                                    .id_count = 1 };

/* What follows the last round. */
enum odd { NOTHING, LATE_SAMPLE, LATE_COMM, UNTIMED_COMM, UNTIMED_LOSS, TOOL_RECORD };

struct pattern {
	enum odd odd;
	uint32_t at_round; /* where that stands */
	uint32_t rounds;
	bool no_rounds, no_times, threaded;
	uint32_t auxtrace; /* the first record says so */
};

static const struct pattern plain = { .at_round = ROUNDS - 1, .rounds = ROUNDS };

struct received {
	uint64_t first, last; /* as times() has them */
	uint64_t count, hash;
	uint64_t time, nr;
	bool ordered;
};

static bool receive_times(void *context, uint64_t first, uint64_t last, struct err *err)
{
	struct received *received = context;

	(void)err;
	received->first = first;
	received->last = last;
	return true;
}

static void receive(struct received *received, uint64_t time, uint64_t nr, uint64_t ip)
{
	if (time != TIME_NONE) {
		received->ordered &= time > received->time ||
		                     (time == received->time && nr > received->nr);
		received->time = time;
		received->nr = nr;
	}
	received->count++;
	/* the order counts */
	received->hash = received->hash * 1000003 + (time ^ nr << 20 ^ ip << 40);
}

static bool receive_record(void *context, const struct record *record, struct err *err)
{
	(void)err;
	receive(context, record->time, record->nr, record->type);
	return true;
}

static bool receive_samples(void *context, const struct sample *samples, size_t count, struct err *err)
{
	(void)err;
	for (size_t i = 0; i < count; i++)
		receive(context, samples[i].time, samples[i].nr, samples[i].ip);
	return true;
}

static void put_odd(struct image *image, enum odd odd)
{
	struct test_fields old = { .id = 10, .pid = 1, .tid = 1, .period = 1, .time = FIRST };
	size_t start;

	switch (odd) {
	case NOTHING:
		break;
	case LATE_SAMPLE:
		put_sample(image, SMALL, 2, &old);
		break;
	case LATE_COMM:
		put_comm(image, TRAILER, 0, "late", &old);
		break;
	case UNTIMED_COMM:
		old.time = 0;
		put_comm(image, TRAILER, 0, "untimed", &old);
		break;
	case UNTIMED_LOSS:
		old.time = 0;
		start = record_begin(image, PERF_RECORD_LOST_SAMPLES, 0);
		image_u64(image, 7);
		image_trailer(image, TRAILER, &old);
		record_end(image, start);
		break;
	case TOOL_RECORD:
		start = record_begin(image, PERF_RECORD_FINISHED_INIT, 0);
		record_end(image, start);
		break;
	}
}

/* Two rings, read one after the other in each round, whose times overlap with those of the next. */
static void put_rings(struct image *image, const struct pattern *pattern)
{
	for (uint32_t round = 0; round < pattern->rounds; round++) {
		for (uint32_t i = 0; i < 2 * OF_A_ROUND; i++) {
			struct test_fields fields = { .ip = i, .id = 10, .pid = 1, .tid = 1, .period = 1,
				                      .time = FIRST + round * ROUND_TIME +
				                              i % OF_A_ROUND * (ROUND_TIME / OF_A_ROUND) +
				                              i / OF_A_ROUND * 500 };

			put_sample(image, SMALL, 2, &fields);
		}
		if (round == pattern->at_round)
			put_odd(image, pattern->odd);
		if (!pattern->no_rounds)
			record_end(image, record_begin(image, PERF_RECORD_FINISHED_ROUND, 0));
	}
}

/* Reads the pattern; returns what perffile_read() says. */
static bool read_pattern(const struct pattern *pattern, bool once, struct received *received,
                         struct err *err)
{
	struct record_handler handler = { .context = received, .times = receive_times,
		                          .record = receive_record, .samples = receive_samples };
	struct read_options how = { .threaded = pattern->threaded, .once = once };
	uint64_t times[2] = { FIRST, LAST };
	struct opened opened;
	struct image image;
	size_t start;
	bool ok;

	*received = (struct received){ .ordered = true };
	image_init(&image, false);
	file_begin(&image, &one_event, 1, 104);
	if (pattern->auxtrace) {
		start = record_begin(&image, PERF_RECORD_AUXTRACE_INFO, 0);
		image_u32(&image, pattern->auxtrace);
		image_u32(&image, 0);
		record_end(&image, start);
	}
	put_rings(&image, pattern);
	file_end(&image);
	assert_true(opened_file(&opened, &image));
	if (!pattern->no_times) {
		struct feature *feature = &opened.session.features[PERF_FEATURE_SAMPLE_TIME];

		feature->present = true;
		feature->size = sizeof(times);
		feature->data = (const uint8_t *)times; /* this machine's order, which is the file's */
	}
	opened.read = true;
	ok = perffile_read(&opened.session, &handler, 1, &how, &opened.summary, &opened.err);
	assert_int_equal(opened.summary.late != 0,
	                 !ok && (pattern->odd == LATE_SAMPLE || pattern->odd == LATE_COMM));
	*err = opened.err;
	opened_close(&opened);
	image_release(&image);
	return ok;
}

static void expect_the_same(const struct pattern *pattern)
{
	struct received once, twice;
	struct err err;

	assert_true(read_pattern(pattern, true, &once, &err));
	assert_true(read_pattern(pattern, false, &twice, &err));
	assert_true(once.ordered && twice.ordered);
	assert_true(once.count >= 2 * ROUNDS * OF_A_ROUND);
	assert_int_equal(once.count, twice.count);
	assert_int_equal(once.hash, twice.hash);
	/* the one has the header's times, unless it reads twice */
	assert_int_equal(once.last == LAST, !pattern->no_times);
	assert_true(twice.last < LAST);
}

static void expect_refusal(const struct pattern *pattern)
{
	struct received received;
	struct err err;

	assert_false(read_pattern(pattern, true, &received, &err));
	assert_int_equal(err.code, ERR_ORDER);
	assert_true(received.ordered);
	assert_true(read_pattern(pattern, false, &received, &err));
	assert_true(received.ordered);
}

static void the_order_is_that_of_reading_twice(void **state)
{
	struct pattern pattern = plain;

	(void)state;
	expect_the_same(&pattern);
	pattern.threaded = true;
	expect_the_same(&pattern);
	/* nothing has been delivered by then */
	pattern.at_round = 1;
	for (pattern.odd = LATE_SAMPLE; pattern.odd <= TOOL_RECORD; pattern.odd++)
		expect_the_same(&pattern);
}

static void without_times_it_is_read_twice(void **state)
{
	struct pattern pattern = plain;

	(void)state;
	pattern.no_times = true;
	expect_the_same(&pattern);
	pattern.odd = LATE_SAMPLE;
	expect_the_same(&pattern);
}

static void what_comes_too_late_is_refused(void **state)
{
	struct pattern pattern = plain;

	(void)state;
	for (int threaded = 0; threaded < 2; threaded++) {
		pattern.threaded = threaded;
		pattern.odd = LATE_SAMPLE;
		expect_refusal(&pattern);
		pattern.odd = LATE_COMM;
		expect_refusal(&pattern);
		pattern.odd = UNTIMED_COMM;
		expect_refusal(&pattern);
		pattern.odd = TOOL_RECORD;
		expect_refusal(&pattern);
	}
}

static void traces_are_refused(void **state)
{
	struct pattern pattern = plain;

	(void)state;
	pattern.auxtrace = 4;
	expect_refusal(&pattern);
}

/* perf writes how many samples were lost behind all others. */
static void a_loss_may_come_last(void **state)
{
	struct pattern pattern = plain;
	struct received once, twice;
	struct err err;

	(void)state;
	pattern.odd = UNTIMED_LOSS;
	assert_true(read_pattern(&pattern, true, &once, &err));
	assert_true(read_pattern(&pattern, false, &twice, &err));
	assert_true(once.ordered && twice.ordered);
	assert_int_equal(once.count, twice.count);
}

/* Without rounds nothing is complete before the end: then not the whole file may wait. */
static void without_rounds_it_ends_early(void **state)
{
	struct pattern pattern = plain;

	(void)state;
	pattern.no_rounds = true;
	/* 14 MB may, 72 MB may not */
	expect_the_same(&pattern);
	pattern.rounds = 5 * ROUNDS;
	expect_refusal(&pattern);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_is_that_of_reading_twice),
		cmocka_unit_test(without_times_it_is_read_twice),
		cmocka_unit_test(what_comes_too_late_is_refused),
		cmocka_unit_test(traces_are_refused),
		cmocka_unit_test(a_loss_may_come_last),
		cmocka_unit_test(without_rounds_it_ends_early),
	};

	return cmocka_run_group_tests_name("readonce", tests, NULL, NULL);
}
