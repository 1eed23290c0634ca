/* Rows of samples that are put together from cached pieces, each compared with the row that printf() makes. */
#include "perffile/perffile.h"
#include "perffile/overview/overviewprinter.h"
#include "perffile/overview/samplerow.h"
#include "tests/unit/tablefile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS 6
#define LONG_NAME "0123456789012345678901234567890123456789012345678901234567890123456789012345678"

static struct {
	const char *name, *cell; /* cell: as the table shows it; NULL: no row is made here */
} names[EVENTS] = {
	{ "cycles", "cycles" },
	{ "cpu/event=0x1,umask=2/", "\"cpu/event=0x1,umask=2/\"" },
	{ "raw_syscalls:sys_enter:of:some:length:that:is:usual", "raw_syscalls:sys_enter:of:some:length:that:is:usual" },
	{ "with \"quotes\"\n", "\"with \"\"quotes\"\"\\x0a\"" },
	{ LONG_NAME LONG_NAME, NULL },
	{ NULL, NULL },
};

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 20;
}

/* Mostly one of few values, so that cached pieces are used again, and replace each other. */
static uint64_t pick(uint64_t *random, const uint64_t *values, size_t count)
{
	return values[next_random(random) % count];
}

static void make_sample(struct sample *sample, uint64_t *random)
{
	static const uint64_t tids[] = { 0, 1, 64, 65, 128, 4194304, 2147483647, UINT64_MAX };
	static const uint64_t nrs[] = { 0, 9999, 10000, 10001, 170000, 65536, 131072, 9999999999, UINT64_MAX };
	static const uint64_t times[] = { 1, 99999999, 100000000, 1700000000, 123456789012345, UINT64_MAX - 9 };
	static const uint64_t periods[] = { 0, 1, 1, 1, 4000000, 20000000000, UINT64_MAX };
	static const uint64_t addresses[] = { 0, 1, 0xff, 0x400000, 0x7fffffffffff, UINT64_MAX };

	memset(sample, 0, sizeof(*sample));
	sample->nr = pick(random, nrs, ARRAY_SIZE(nrs)) - next_random(random) % 2;
	sample->time = pick(random, times, ARRAY_SIZE(times)) + next_random(random) % 9;
	sample->ip = pick(random, addresses, ARRAY_SIZE(addresses));
	sample->has_addr = next_random(random) % 2;
	sample->addr = pick(random, addresses, ARRAY_SIZE(addresses));
	sample->period = pick(random, periods, ARRAY_SIZE(periods));
	sample->has_tid = next_random(random) % 16 != 0;
	sample->pid = sample->has_tid ? (int32_t)(uint32_t)pick(random, tids, ARRAY_SIZE(tids)) : -1;
	sample->tid = sample->has_tid ? (int32_t)(uint32_t)pick(random, tids, ARRAY_SIZE(tids)) : -1;
	sample->cpu = (int32_t)(next_random(random) % 20) - 1 + 64 * (next_random(random) % 5 == 0);
	sample->event = (uint32_t)(next_random(random) % 16 ? next_random(random) % 4 : next_random(random) % EVENTS);
}

/* The expected row, or none where samplerow leaves the row to the general printer. */
static bool row_of(char *row, size_t size, const struct sample *sample)
{
	char addr[32] = "", cpu[16] = "";
	const char *cell = names[sample->event].cell;

	if (!cell || !sample->has_tid || sample->pid < 0 || sample->tid < 0)
		return false;
	if (sample->has_addr)
		snprintf(addr, sizeof(addr), "0x%" PRIx64, sample->addr);
	if (sample->cpu >= 0)
		snprintf(cpu, sizeof(cpu), "%" PRId32, sample->cpu);
	snprintf(row, size, "%" PRIu64 ",SAMPLE,%" PRId32 ",%" PRId32 ",%" PRIu64 ",0x%" PRIx64 ",%s,,,%" PRIu64 ",%s,%s\n",
	         sample->nr, sample->pid, sample->tid, sample->time, sample->ip, addr, sample->period, cpu, cell);
	return true;
}

static void begin(struct csv *csv, FILE *file)
{
	struct err err = { 0 };

	csv_init(csv, &(struct table_files){ .context = &(int){ fileno(file) }, .open = open_same_file }, false);
	assert_true(csv_writer(csv).kind->begin(csv, &overview_format, &err));
}

static void rows(void **state)
{
	struct sample_row_cells *cells = calloc(1, sizeof(*cells));
	struct event *events = calloc(EVENTS, sizeof(*events));
	struct session session = { .events = events, .event_count = EVENTS, .active = EVENTS };
	struct sample samples[SAMPLES_MOST];
	uint64_t random = 5, written = 0, left = 0;
	struct err err = { 0 };
	FILE *file = tmpfile();
	struct csv csv;
	char row[512];

	(void)state;
	assert_non_null(cells);
	assert_non_null(events);
	assert_non_null(file);
	for (size_t i = 0; i < EVENTS; i++)
		events[i].name = names[i].name;
	begin(&csv, file);
	for (int round = 0; round < 3000; round++) {
		size_t count = 1 + next_random(&random) % SAMPLES_MOST, made = 0;

		for (size_t i = 0; i < count; i++)
			make_sample(&samples[i], &random);
		for (size_t i = 0; i < count; i += made + 1) {
			const char *at = csv.buffer;

			assert_true(csv_flush(&csv, &err)); /* the next row is the first in the buffer */
			made = sample_rows(cells, &csv, &session, samples + i, count - i);
			for (size_t k = 0; k < made && at < csv.buffer + csv.used; k++) {
				assert_true(row_of(row, sizeof(row), &samples[i + k]));
				assert_memory_equal(at, row, strlen(row));
				at += strlen(row);
				written++;
			}
			assert_ptr_equal(at, csv.buffer + csv.used);
			if (i + made < count) {
				assert_false(row_of(row, sizeof(row), &samples[i + made]));
				left++;
			}
		}
		/* what is kept of an event is not what another name has */
		if (round == 1500) {
			events[0].name = names[1].name;
			events[1].name = names[0].name;
			names[0].cell = names[1].cell;
			names[1].cell = events[1].name;
		}
	}
	assert_true(written > 50000);
	assert_true(left > 5000);
	assert_true(csv_flush(&csv, &err));
	csv_writer(&csv).kind->discard(&csv);
	fclose(file);
	free(cells);
	free(events);
}

/* Eight events on 64 CPUs: each pair's tail is made once, not again with each sample. */
static void tails_are_kept(void **state)
{
	enum { MANY = 8, CPUS = 64 };
	struct sample_row_cells *cells = calloc(1, sizeof(*cells));
	struct event *events = calloc(MANY, sizeof(*events));
	struct session session = { .events = events, .event_count = MANY, .active = MANY };
	struct sample sample = { .nr = 1, .time = 2, .has_tid = true };
	struct err err = { 0 };
	FILE *file = tmpfile();
	struct csv csv;
	size_t used = 0;

	(void)state;
	assert_non_null(cells);
	assert_non_null(events);
	assert_non_null(file);
	begin(&csv, file);
	for (size_t i = 0; i < MANY; i++)
		events[i].name = &"abcdefgh"[i];
	for (int round = 0; round < 2; round++) {
		for (sample.cpu = CPUS - 1; sample.cpu >= 0; sample.cpu--)
			for (sample.event = 0; sample.event < MANY; sample.event++)
				assert_int_equal(sample_rows(cells, &csv, &session, &sample, 1), 1);
	}
	for (size_t i = 0; i < TAIL_CELLS; i++)
		used += cells->tails[i].length != 0;
	assert_int_equal(used, MANY * CPUS);
	assert_true(csv_flush(&csv, &err));
	csv_writer(&csv).kind->discard(&csv);
	fclose(file);
	free(events);
	free(cells);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows),
		cmocka_unit_test(tails_are_kept),
	};

	return cmocka_run_group_tests_name("samplerow", tests, NULL, NULL);
}
