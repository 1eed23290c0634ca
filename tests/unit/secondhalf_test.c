/*
 * The first reading in two threads: where the second half begins and ends, what is counted in it,
 * and that the tables are the same, whatever lies there.
 */
#define _DEFAULT_SOURCE /* usleep(), for recording.h */
#include "perffile/order/secondhalf.h"
#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define SMALL (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(6) | FLAG(8)) /* IP TID TIME ID PERIOD */
#define WITH_RAW (SMALL | FLAG(10))
#define MANY 60000

static const struct test_attr one_event = { .sample_type = SMALL, .flags = FLAG(18), .ids = { 10 },
	                                    .id_count = 1 };
static const struct test_attr raw_event = { .sample_type = WITH_RAW, .flags = FLAG(18), .ids = { 10 },
	                                    .id_count = 1 };

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

/* --- the bounds of a reader to which records of another one are appended */

static void note_time(struct file_reader *reader, uint64_t time)
{
	struct err err = { 0 };

	assert_true(reader_begin_part(reader, &err) > 0);
	reader_note_time(reader, time);
	reader->nr++;
}

static uint64_t least(const uint64_t *times, size_t from, size_t count)
{
	uint64_t found = UINT64_MAX;

	for (size_t i = from; i < count; i++)
		found = times[i] < found ? times[i] : found;
	return found;
}

static void bounds_of_appended_records(void **state)
{
	enum { COUNT = 9000 };
	static uint64_t times[COUNT];
	static const size_t firsts[] = { 0, 1, 1023, 1024, 1025, 4000, 5120, 8999, COUNT };
	uint64_t random = 7;
	struct opened opened;
	struct image image;

	(void)state;
	image_init(&image, false);
	file_begin(&image, &one_event, 1, 104);
	file_end(&image);
	assert_true(opened_file(&opened, &image));
	for (size_t split = 0; split < sizeof(firsts) / sizeof(*firsts); split++) {
		struct file_reader reader = { 0 }, rest = { 0 };
		struct block_pool pool = { 0 };
		struct err err = { 0 };

		reader.first_nr = reader.nr = 77;
		reader.stream = stream_open(&opened.input, 0, 0, UINT64_MAX, false, &pool, &err);
		rest.stream = stream_open(&opened.input, 0, 0, UINT64_MAX, false, &pool, &err);
		assert_true(reader.stream && rest.stream);
		for (size_t i = 0; i < COUNT; i++) {
			times[i] = 1000 * (i + 1) + next_random(&random) % 3000000;
			note_time(i < firsts[split] ? &reader : &rest, times[i]);
		}
		assert_true(reader_append(&reader, &rest, &err));
		reader_finish_parts(&reader);
		for (size_t i = 0; i < COUNT; i++) {
			uint64_t end, bound;

			reader.nr = 77 + i;
			bound = reader_lower_bound(&reader);
			end = reader_part_end(&reader);
			/* no part is empty or too long, and each has the bound of its records */
			assert_true(end > 77 + i && (end == UINT64_MAX || end - 77 <= i + PART_RECORDS));
			assert_true(bound <= least(times, i, COUNT));
			if (i == 0 || reader.parts[reader.part].first_nr == 77 + i)
				assert_int_equal(bound, least(times, i, COUNT));
		}
		reader_release(&reader);
		reader_release(&rest);
		block_pool_release(&pool);
	}
	opened_close(&opened);
	image_release(&image);
}

/* --- the second half alone */

/* What lies where in a recording. */
struct plan {
	struct image image;
	size_t *offsets; /* of each record, from the start of the file */
	uint32_t *types;
	size_t count;
	uint64_t first_time, last_time; /* ns, of samples */
};

static void plan_init(struct plan *plan, const struct test_attr *attr, bool big_endian)
{
	memset(plan, 0, sizeof(*plan));
	image_init(&plan->image, big_endian);
	file_begin(&plan->image, attr, 1, 104);
	plan->first_time = TIME_NONE;
	plan->offsets = calloc(MANY + 10, sizeof(*plan->offsets));
	plan->types = calloc(MANY + 10, sizeof(*plan->types));
	assert_non_null(plan->offsets);
	assert_non_null(plan->types);
}

static void plan_release(struct plan *plan)
{
	image_release(&plan->image);
	free(plan->offsets);
	free(plan->types);
}

/* The next record that is put is of that type. */
static void planned(struct plan *plan, uint32_t type)
{
	assert_true(plan->count < MANY + 10);
	plan->offsets[plan->count] = plan->image.size;
	plan->types[plan->count++] = type;
}

static void note_sample(struct plan *plan, uint64_t time)
{
	plan->first_time = u64_min(plan->first_time, time);
	plan->last_time = u64_max(plan->last_time, time);
}

static void plan_sample(struct plan *plan, const struct test_fields *fields)
{
	put_sample(&plan->image, SMALL, 2, fields);
	note_sample(plan, fields->time);
}

static void plan_usual(struct plan *plan, uint64_t time, uint32_t i)
{
	struct test_fields fields = { .ip = i, .time = time, .id = 10, .pid = i % 5, .tid = i % 5, .period = 1 };
	uint32_t type = i % 50 == 0 ? PERF_RECORD_COMM : i % 1000 == 1 ? PERF_RECORD_FINISHED_ROUND
	                                                               : PERF_RECORD_SAMPLE;

	planned(plan, type);
	if (type == PERF_RECORD_COMM)
		put_comm(&plan->image, SMALL, 0, "somebody", &fields);
	else if (type == PERF_RECORD_SAMPLE)
		plan_sample(plan, &fields);
	else
		record_end(&plan->image, record_begin(&plan->image, type, 0));
}

static size_t find_offset(const struct plan *plan, uint64_t offset)
{
	size_t i = 0;

	while (i < plan->count && plan->offsets[i] < offset)
		i++;
	return i;
}

/* Reads the second half; it should end before record number `stop`. */
static void expect_second_half(const struct plan *plan, size_t stop)
{
	uint64_t end = stop < plan->count ? plan->offsets[stop] : plan->image.size;
	uint64_t types[RECORD_TYPES] = { 0 };
	struct second_half *half = calloc(1, sizeof(*half));
	struct opened opened;
	size_t start;

	assert_non_null(half);
	assert_true(opened_file(&opened, &plan->image));
	assert_true(second_half_open(half, &opened.input, &opened.session));
	second_half_join(half);
	start = find_offset(plan, half->start);
	assert_int_equal(plan->offsets[start], half->start);
	/* about the middle */
	assert_true(start > plan->count / 4 && start < plan->count / 4 * 3);
	assert_int_equal(half->stop, end);
	assert_int_equal(half->file.nr, stop - start);
	for (size_t i = start; i < stop; i++)
		types[plan->types[i]]++;
	for (size_t i = 0; i < RECORD_TYPES; i++)
		assert_int_equal(half->summary.types[i].count, types[i]);
	second_half_close(half);
	opened_close(&opened);
	free(half);
}

static void counts_the_second_half(void **state)
{
	(void)state;
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		struct plan plan;

		plan_init(&plan, &one_event, big_endian);
		for (uint32_t i = 0; i < MANY; i++)
			plan_usual(&plan, 1000 + i, i);
		file_end(&plan.image);
		expect_second_half(&plan, plan.count);
		plan_release(&plan);
	}
}

static void expect_no_second_half(const struct plan *plan)
{
	struct second_half *half = calloc(1, sizeof(*half));
	struct opened opened;

	assert_non_null(half);
	assert_true(opened_file(&opened, &plan->image));
	assert_false(second_half_open(half, &opened.input, &opened.session));
	second_half_close(half);
	opened_close(&opened);
	free(half);
}

static void not_worth_it(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan, &one_event, false);
	for (uint32_t i = 0; i < 100; i++)
		plan_usual(&plan, 1000 + i, i);
	file_end(&plan.image);
	expect_no_second_half(&plan);
	plan_release(&plan);
}

static void no_records_in_the_middle(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan, &one_event, false);
	for (uint32_t i = 0; i < MANY; i++)
		plan_usual(&plan, 1000 + i, i);
	memset(plan.image.data + plan.image.size / 2 - 1000, 0xff, 600000);
	file_end(&plan.image);
	expect_no_second_half(&plan);
	plan_release(&plan);
}

/* --- the whole reading, with records in the second half that need more than counting */

enum odd { NONE, TIMELESS, UNKNOWN_TYPE, TOOL, PAYLOAD, TOO_SHORT, CUT_OFF, OLD, KINDS };

static void put_odd(struct plan *plan, enum odd odd)
{
	static const uint32_t types[KINDS] = {
		[TIMELESS] = PERF_RECORD_SAMPLE, [UNKNOWN_TYPE] = 120, [TOOL] = PERF_RECORD_TIME_CONV,
		[PAYLOAD] = PERF_RECORD_AUXTRACE, [TOO_SHORT] = PERF_RECORD_COMM, [CUT_OFF] = PERF_RECORD_SAMPLE,
		[OLD] = PERF_RECORD_SAMPLE,
	};
	struct image *image = &plan->image;
	size_t start;

	planned(plan, types[odd]);
	switch (odd) {
	case TIMELESS:
		put_sample(image, SMALL, 2, &(struct test_fields){ .id = 10 });
		break;
	case OLD:
		plan_sample(plan, &(struct test_fields){ .id = 10, .time = 1 });
		break;
	case CUT_OFF:
		image_u32(image, PERF_RECORD_SAMPLE);
		image_u16(image, 2);
		image_u16(image, 60000);
		break;
	case PAYLOAD:
		start = record_begin(image, types[odd], 0);
		image_u64(image, 4096);
		image_zeros(image, 32);
		record_end(image, start);
		for (size_t i = 0; i < 512; i++) /* would be a record */
			image_u64(image, 0x0008000000000003u);
		break;
	default:
		record_end(image, record_begin(image, types[odd], 0));
		break;
	}
}

struct delivered {
	uint64_t last_time, last_nr, types[RECORD_TYPES], count, tools;
};

static bool count_record(void *context, const struct record *record, struct err *err)
{
	struct delivered *delivered = context;
	/* those without a time come first */
	uint64_t time = record->time == TIME_NONE ? 0 : record->time;

	(void)err;
	assert_true(!delivered->count || time > delivered->last_time || (time == delivered->last_time && record->nr > delivered->last_nr));
	delivered->last_time = time;
	delivered->last_nr = record->nr;
	delivered->types[record->type % RECORD_TYPES]++;
	delivered->count++;
	return true;
}

static bool count_tool_record(void *context, const struct raw_record *record, struct err *damage, struct err *err)
{
	(void)record;
	(void)damage;
	(void)err;
	((struct delivered *)context)->tools++;
	return true;
}

static void expect_reading(const struct plan *plan, enum odd odd)
{
	uint64_t types[RECORD_TYPES] = { 0 };
	size_t count = plan->count - (odd == CUT_OFF);
	struct delivered *delivered = calloc(1, sizeof(*delivered));
	struct record_handler handler = { .context = delivered, .record = count_record, .tool = count_tool_record };
	struct read_options how = { .threaded = true };
	struct opened opened;

	assert_non_null(delivered);
	for (size_t i = 0; i < count; i++)
		types[plan->types[i]]++;
	assert_true(opened_file(&opened, &plan->image));
	opened.read = true;
	assert_true(perffile_read(&opened.input, &opened.session, &handler, 1, &how, &opened.diag,
	                          &opened.summary, &opened.err));
	assert_int_equal(opened.summary.records, count);
	for (uint32_t i = 0; i < RECORD_TYPES; i++) {
		assert_int_equal(opened.summary.types[i].count, types[i]);
		assert_int_equal(delivered->types[i], i < PERF_RECORD_TOOL_START ? types[i] : 0);
	}
	assert_int_equal(delivered->tools, odd == UNKNOWN_TYPE || odd == TOOL || odd == PAYLOAD);
	assert_int_equal(opened.diag.count, odd == UNKNOWN_TYPE || odd == TOO_SHORT || odd == CUT_OFF);
	assert_int_equal(opened.summary.auxtrace_bytes, odd == PAYLOAD ? 4096 : 0);
	assert_int_equal(opened.summary.late, 0);
	assert_int_equal(opened.summary.first_time, plan->first_time);
	assert_int_equal(opened.summary.last_time, plan->last_time);
	opened_close(&opened);
	free(delivered);
}

static void ends_before_odd_records(void **state)
{
	(void)state;
	for (enum odd odd = NONE; odd < KINDS; odd++) {
		struct plan plan;
		size_t at = MANY;

		plan_init(&plan, &one_event, false);
		for (uint32_t i = 0; i < MANY; i++) {
			if (odd != NONE && i == (odd == CUT_OFF ? MANY - 1 : MANY / 5 * 4)) {
				/* an old one is taken: only what it says counts */
				at = odd == OLD || odd == TOO_SHORT ? MANY + 1 : plan.count;
				put_odd(&plan, odd);
				if (odd == CUT_OFF)
					break;
			}
			/* out of order, too: as two processors take turns */
			plan_usual(&plan, 1000 + i / 4000 * 2000 + i % 4000 * 4 / 3, i);
		}
		file_end(&plan.image);
		if (odd != TOO_SHORT)
			expect_second_half(&plan, at < plan.count ? at : plan.count);
		expect_reading(&plan, odd);
		plan_release(&plan);
	}
}

/* Bytes that look like records, in the middle of a record: what is found there does not count. */
static void starts_in_the_wrong_place(void **state)
{
	struct second_half *half = calloc(1, sizeof(*half));
	struct opened opened;
	struct plan plan;

	(void)state;
	assert_non_null(half);
	plan_init(&plan, &raw_event, false);
	for (uint32_t i = 0; i < 61; i++) {
		struct test_fields fields = { .ip = i, .time = 1000 + i, .id = 10, .period = 1 };
		size_t start;

		planned(&plan, PERF_RECORD_SAMPLE);
		note_sample(&plan, fields.time);
		start = record_begin(&plan.image, PERF_RECORD_SAMPLE, 2);
		image_fixed(&plan.image, WITH_RAW, &fields);
		image_u32(&plan.image, 60004);
		image_u32(&plan.image, 0);
		for (size_t k = 0; k < 60000 / 16; k++) {
			image_u32(&plan.image, PERF_RECORD_FINISHED_ROUND);
			image_u16(&plan.image, 0);
			image_u16(&plan.image, 16);
			image_u64(&plan.image, 99);
		}
		record_end(&plan.image, start);
	}
	file_end(&plan.image);
	assert_true(opened_file(&opened, &plan.image));
	assert_true(second_half_open(half, &opened.input, &opened.session));
	second_half_join(half);
	assert_true(plan.offsets[find_offset(&plan, half->start)] != half->start);
	assert_true(half->file.nr > 100);
	second_half_close(half);
	opened_close(&opened);
	free(half);
	expect_reading(&plan, NONE);
	plan_release(&plan);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_of_appended_records),
		cmocka_unit_test(counts_the_second_half),
		cmocka_unit_test(not_worth_it),
		cmocka_unit_test(no_records_in_the_middle),
		cmocka_unit_test(ends_before_odd_records),
		cmocka_unit_test(starts_in_the_wrong_place),
	};

	return cmocka_run_group_tests_name("secondhalf", tests, NULL, NULL);
}
