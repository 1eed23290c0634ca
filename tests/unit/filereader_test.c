/*
 * The parts of a file and their lower bounds, and that both readings see the same records, whatever
 * lies between the samples.
 */
#define _DEFAULT_SOURCE /* usleep(), for recording.h */
#include "perffile/order/filereader.h"
#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define SMALL (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(6) | FLAG(8)) /* IP TID TIME ID PERIOD */
#define MANY 60000

static const struct test_attr one_event = { .sample_type = SMALL, .flags = FLAG(18), .ids = { 10 },
	                                    .id_count = 1 };
static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

/* --- parts */

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

static void each_part_has_its_bound(void **state)
{
	enum { COUNT = 9000 };
	static uint64_t times[COUNT];
	struct file_reader reader = { .first_nr = 77, .nr = 77 };
	struct block_pool pool = { 0 };
	struct err err = { 0 };
	uint64_t random = 7;
	struct opened opened;
	struct image image;

	(void)state;
	image_init(&image, false);
	file_begin(&image, &one_event, 1, 104);
	file_end(&image);
	assert_true(opened_file(&opened, &image));
	reader.stream = stream_open(&opened.input, 0, 0, UINT64_MAX, false, &pool, &err);
	assert_non_null(reader.stream);
	for (size_t i = 0; i < COUNT; i++) {
		times[i] = 1000 * (i + 1) + next_random(&random) % 3000000;
		note_time(&reader, times[i]);
	}
	reader_finish_parts(&reader);
	for (size_t i = 0; i < COUNT; i++) {
		uint64_t end;

		reader.nr = 77 + i;
		assert_true(reader_lower_bound(&reader) <= least(times, i, COUNT));
		end = reader_part_end(&reader);
		/* no part is empty or too long */
		assert_true(end > 77 + i && (end == UINT64_MAX || end - 77 <= i + PART_RECORDS));
		if (reader.parts[reader.part].first_nr == 77 + i)
			assert_int_equal(reader_lower_bound(&reader), least(times, i, COUNT));
	}
	reader_release(&reader);
	block_pool_release(&pool);
	opened_close(&opened);
	image_release(&image);
}

/* --- both readings */

/* What lies where in a recording. */
struct plan {
	struct image image;
	uint32_t types[MANY + 10]; /* of each record */
	size_t count;
	uint64_t first_time, last_time; /* ns, of samples */
};

static void plan_init(struct plan *plan, bool big_endian)
{
	memset(plan, 0, sizeof(*plan));
	image_init(&plan->image, big_endian);
	file_begin(&plan->image, &one_event, 1, 104);
	plan->first_time = TIME_NONE;
}

/* The next record that is put is of that type. */
static void planned(struct plan *plan, uint32_t type)
{
	assert_true(plan->count < MANY + 10);
	plan->types[plan->count++] = type;
}

static void plan_sample(struct plan *plan, const struct test_fields *fields)
{
	put_sample(&plan->image, SMALL, 2, fields);
	plan->first_time = u64_min(plan->first_time, fields->time);
	plan->last_time = u64_max(plan->last_time, fields->time);
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
	assert_true(perffile_read(&opened.session, &handler, 1, &how, &opened.summary, &opened.err));
	assert_int_equal(opened.summary.records, count);
	for (uint32_t i = 0; i < RECORD_TYPES; i++) {
		assert_int_equal(opened.summary.types[i].count, types[i]);
		assert_int_equal(delivered->types[i], i < PERF_RECORD_TOOL_START ? types[i] : 0);
	}
	assert_int_equal(delivered->tools, odd == UNKNOWN_TYPE || odd == TOOL || odd == PAYLOAD);
	assert_true((opened.diag.formats != NULL) ==
	            (odd == UNKNOWN_TYPE || odd == TOO_SHORT || odd == CUT_OFF));
	assert_int_equal(opened.summary.auxtrace_bytes, odd == PAYLOAD ? 4096 : 0);
	assert_int_equal(opened.summary.late, 0);
	assert_int_equal(opened.summary.first_time, plan->first_time);
	assert_int_equal(opened.summary.last_time, plan->last_time);
	opened_close(&opened);
	free(delivered);
}

static void reads_odd_records(void **state)
{
	static struct plan plan;

	(void)state;
	for (enum odd odd = NONE; odd < KINDS; odd++) {
		plan_init(&plan, odd % 2);
		for (uint32_t i = 0; i < MANY; i++) {
			if (odd != NONE && i == (odd == CUT_OFF ? MANY - 1 : MANY / 5 * 4)) {
				put_odd(&plan, odd);
				if (odd == CUT_OFF)
					break;
			}
			/* out of order, too: as two processors take turns */
			plan_usual(&plan, 1000 + i / 4000 * 2000 + i % 4000 * 4 / 3, i);
		}
		file_end(&plan.image);
		expect_reading(&plan, odd);
		image_release(&plan.image);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_part_has_its_bound),
		cmocka_unit_test(reads_odd_records),
	};

	return cmocka_run_group_tests_name("filereader", tests, NULL, NULL);
}
