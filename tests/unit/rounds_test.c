/*
 * FINISHED_ROUND records between samples, as perf writes them where system calls are traced: every
 * record is counted, and every sample arrives in order of time with its own position.
 */
#define _DEFAULT_SOURCE /* usleep(), for recording.h */
#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>

#define SMALL (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(6) | FLAG(8)) /* IP TID TIME ID PERIOD */
#define SAMPLES 20000

static const struct test_attr one_event = { .sample_type = SMALL, .flags = FLAG(18), .ids = { 10 },
	                                    .id_count = 1 };

struct pattern {
	uint32_t run;     /* so many samples ascend in time; the next run overlaps with them */
	uint32_t samples; /* so many between rounds */
	uint32_t rounds;  /* so many, one behind the other */
	uint32_t cut;     /* every so many-th sample is too short for its fields; 0: none */
	bool big_endian, threaded, any_order;
};

/* What the handler has received. */
struct received {
	uint64_t last_time, last_nr, samples, damaged;
	bool ordered;
};

static void receive(struct received *received, uint64_t time, uint64_t nr, uint64_t ip)
{
	/* each sample has its position as its address */
	assert_int_equal(ip, nr);
	if (received->ordered && received->samples)
		assert_true(time > received->last_time || (time == received->last_time && nr > received->last_nr));
	received->last_time = time;
	received->last_nr = nr;
	received->samples++;
}

static bool receive_record(void *context, const struct record *record, struct err *err)
{
	struct received *received = context;

	(void)err;
	assert_int_equal(record->type, PERF_RECORD_SAMPLE);
	received->damaged += record->damaged;
	receive(received, record->time, record->nr, record->damaged ? record->nr : record->sample.ip);
	return true;
}

static bool receive_samples(void *context, const struct sample *samples, size_t count, struct err *err)
{
	(void)err;
	for (size_t i = 0; i < count; i++)
		receive(context, samples[i].time, samples[i].nr, samples[i].ip);
	return true;
}

static void put_round(struct image *image)
{
	record_end(image, record_begin(image, PERF_RECORD_FINISHED_ROUND, 0));
}

/* Returns the number of rounds. */
static uint64_t put_records(struct image *image, const struct pattern *pattern)
{
	uint64_t nr = 0, rounds = 0;

	for (uint32_t i = 0; i < SAMPLES; i++) {
		uint64_t run = i / pattern->run, in_run = i % pattern->run;
		struct test_fields fields = { .ip = nr++, .id = 10, .pid = 1, .tid = 1, .period = 1,
			                      .time = 1000 + run * pattern->run * 4 + in_run * 10 };

		if (pattern->cut && i % pattern->cut == 0) {
			size_t start = record_begin(image, PERF_RECORD_SAMPLE, 2);

			image_u64(image, fields.ip);
			image_u64(image, 0);
			image_u64(image, fields.time);
			record_end(image, start);
		} else {
			put_sample(image, SMALL, 2, &fields);
		}
		if (i % pattern->samples == pattern->samples - 1)
			for (uint32_t k = 0; k < pattern->rounds; k++, nr++, rounds++)
				put_round(image);
	}
	return rounds;
}

static void read_pattern(const struct pattern *pattern)
{
	struct received received = { .ordered = !pattern->any_order };
	struct record_handler handler = { .context = &received, .record = receive_record,
		                          .samples = receive_samples, .any_order = pattern->any_order,
		                          .any_sample_order = pattern->any_order };
	struct read_options how = { .threaded = pattern->threaded };
	struct opened opened;
	struct image image;
	uint64_t rounds;

	image_init(&image, pattern->big_endian);
	file_begin(&image, &one_event, 1, 104);
	rounds = put_records(&image, pattern);
	file_end(&image);
	assert_true(opened_file(&opened, &image));
	opened.read = true;
	assert_true(perffile_read(&opened.session, &handler, 1, &how, &opened.summary, &opened.err));
	assert_int_equal(received.samples, SAMPLES);
	assert_int_equal(received.damaged, pattern->cut ? (SAMPLES - 1) / pattern->cut + 1 : 0);
	assert_int_equal(opened.summary.records, SAMPLES + rounds);
	assert_int_equal(opened.summary.types[PERF_RECORD_SAMPLE].count, SAMPLES);
	assert_int_equal(opened.summary.types[PERF_RECORD_FINISHED_ROUND].count, rounds);
	assert_int_equal(opened.summary.types[PERF_RECORD_FINISHED_ROUND].bytes, 8 * rounds);
	assert_int_equal(opened.summary.late, 0);
	opened_close(&opened);
	image_release(&image);
}

static void every_pattern(void **state)
{
	static const uint32_t runs[] = { 1, 7, 300, 9000 }, samples[] = { 1, 2, 5 };

	(void)state;
	for (size_t run = 0; run < 4; run++)
		for (size_t k = 0; k < 3; k++)
			for (uint32_t bits = 0; bits < 32; bits++)
				read_pattern(&(struct pattern){ .run = runs[run],
				                                .samples = samples[k],
				                                .rounds = bits & 16 ? 3 : 1,
				                                .cut = bits & 8 ? 11 : 0,
				                                .big_endian = bits & 4,
				                                .threaded = bits & 2,
				                                .any_order = bits & 1 });
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pattern),
	};

	return cmocka_run_group_tests_name("rounds", tests, NULL, NULL);
}
