/* What samples.csv is made of: temporary files, the log of samples, words of data sources. */
#include "decode/tables/datasource.h"
#include "decode/tally/samplelog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SAMPLES UINT64_C(1600000) /* more tasks than are kept */
#define NUMBERS 200000u /* 800 kB: more than the buffer three times */

/* Numbers that were appended, and some written over, are read twice. */
static void test_spool(void **state)
{
	static const uint32_t changed[] = { 0, 1, 70000, 150000, NUMBERS - 1 };
	struct spool spool = { .open = false };
	struct err err = { 0 };

	(void)state;
	assert_true(spool_open(&spool, ".", &err));
	for (uint32_t n = 0; n < NUMBERS; n++)
		assert_true(spool_append(&spool, &n, sizeof(n), &err));
	assert_int_equal(spool_size(&spool), NUMBERS * sizeof(uint32_t));
	for (size_t i = sizeof(changed) / sizeof(*changed); i-- > 0;) {
		uint32_t other = ~changed[i], there;

		assert_true(spool_get(&spool, 4 * (uint64_t)changed[i], &there, 4, &err));
		assert_int_equal(there, changed[i]);
		assert_true(spool_put(&spool, 4 * (uint64_t)changed[i], &other, 4, &err));
	}
	for (int round = 0; round < 2; round++) {
		assert_true(spool_rewind(&spool, &err));
		for (uint32_t n = 0, i = 0; n < NUMBERS; n++) {
			const uint32_t *number = spool_take(&spool, sizeof(n), &err);
			bool other = n == changed[i];

			assert_non_null(number);
			assert_int_equal(*number, other ? ~n : n);
			i += other && i + 1 < sizeof(changed) / sizeof(*changed);
		}
		assert_null(spool_take(&spool, 4, &err));
		err.code = ERR_NONE;
	}
	spool_close(&spool);
}

/* What was never written to the file can be written over, too, and is read from the buffer. */
static void test_small_spool(void **state)
{
	struct spool spool = { .open = false };
	struct err err = { 0 };
	const uint64_t *number;

	(void)state;
	assert_true(spool_open(&spool, ".", &err));
	for (uint64_t n = 0; n < 3; n++)
		assert_true(spool_append(&spool, &n, sizeof(n), &err));
	assert_true(spool_put(&spool, 8, &(uint64_t){ 7 }, 8, &err));
	for (int round = 0; round < 2; round++) {
		assert_true(spool_rewind(&spool, &err));
		for (uint64_t n = 0; n < 3; n++) {
			number = spool_take(&spool, 8, &err);
			assert_non_null(number);
			assert_int_equal(*number, n == 1 ? 7 : n);
		}
	}
	spool_close(&spool);
}

static void test_no_folder(void **state)
{
	struct spool spool = { .open = false };
	struct err err = { 0 };

	(void)state;
	assert_false(spool_open(&spool, "/no/such/folder", &err));
	assert_int_equal(err.code, ERR_IO);
	spool_close(&spool);
}

static struct log_task some_who(uint64_t n)
{
	return (struct log_task){ .pid = (int32_t)n, .tid = -1, .cpu = (int32_t)(n % 3),
		                 .event = EVENT_UNKNOWN, .mode = n % 2, .has_tid = true };
}

static bool is_large(uint64_t n)
{
	return n % 7 == 0;
}

/*
 * Samples with and without what few have, with numbers that do not fit into a row, and of more
 * threads than are kept.
 */
static void test_log(void **state)
{
	const uint64_t large = UINT64_C(1) << 32;
	struct sample_log log;
	struct err err = { 0 };

	(void)state;
	assert_true(sample_log_open(&log, &(struct log_world){ NULL, NULL, NULL }, ".", &err));
	for (uint64_t n = 0; n < SAMPLES; n++) {
		const struct log_task task = some_who(n);
		const struct logged_sample sample = { .nr = n,
			                              .time = n % 100 ? n : TIME_NONE,
			                              .ip = ~n,
			                              .addr = n << 40,
			                              .period = is_large(n) ? n * large : n,
			                              .binary = (uint32_t)n,
			                              .task = &task,
			                              .more = { .weight = n * n } };

		assert_true(sample_log_add(&log, &sample, n % 5 == 0, &err));
	}
	assert_int_equal(log.count, SAMPLES);
	assert_int_equal(log.untimed, SAMPLES / 100);
	assert_int_equal(log.tasks.count, LOG_TASKS_MOST);
	for (int round = 0; round < 2; round++) {
		assert_true(spool_rewind(&log.rows, &err));
		for (uint64_t n = 0; n < log.count; n++) {
			const struct log_task task = some_who(n);
			struct logged_sample sample;

			assert_true(sample_log_next(&log, &sample, &err));
			assert_int_equal(sample.nr, n);
			assert_int_equal(sample.time, n % 100 ? n : TIME_NONE);
			assert_int_equal(sample.ip, ~n);
			assert_int_equal(sample.addr, n << 40);
			assert_int_equal(sample.period, is_large(n) ? n * large : n);
			assert_int_equal(sample.binary, n);
			assert_memory_equal(sample.task, &task, sizeof(task));
			if (n % 5 == 0 || (is_large(n) && n))
				assert_int_equal(sample.number, LOG_MORE);
			if (sample.number == LOG_MORE)
				assert_int_equal(sample.more.weight, n % 5 ? 0 : n * n);
			else
				assert_ptr_equal(sample.task, tuples_get(&log.tasks, sample.number));
		}
	}
	sample_log_close(&log);
}

/* The texts are those that perf script 6.1 -F data_src printed for these values. */
static void test_data_sources(void **state)
{
	static const struct {
		uint64_t value;
		const char *words;
	} sources[] = {
		{ 0x5080021, "OP N/A|LVL N/A|SNP N/A|TLB N/A|LCK N/A|BLK N/A" },
		/* perf says "N/A or N/A" of the level */
		{ 0x1e05080021, "OP N/A|LVL N/A|SNP N/A|TLB N/A|LCK N/A|BLK N/A" },
		{ 0, "OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK N/A" },
		{ 0x268100142,
		  "OP LOAD|LVL L1 or L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK N/A" },
		{ 0x24692800884,
		  "OP STORE|LVL L3 or L3 miss|SNP HitM or Fwd|TLB Walker miss|LCK Yes|BLK Data" },
		{ 0x0,
		  "OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK N/A" },
		{ 0x263800000002,
		  "OP LOAD|LVL Remote board LFB/MAB|SNP N/A|TLB N/A|LCK No|BLK Data Addr" },
	};
	char text[DATA_SOURCE_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		data_source_format(sources[i].value, text);
		assert_string_equal(text, sources[i].words);
	}
	/* whatever is set, it fits */
	data_source_format(UINT64_MAX, text);
	for (unsigned bit = 0; bit < 64; bit++) {
		data_source_format(UINT64_C(1) << bit, text);
		data_source_format(~(UINT64_C(1) << bit), text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spool), cmocka_unit_test(test_small_spool),
		cmocka_unit_test(test_no_folder), cmocka_unit_test(test_log),
		cmocka_unit_test(test_data_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
