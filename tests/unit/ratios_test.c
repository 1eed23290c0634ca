/* Ratios of made-up events and counts; the numbers are worked out by hand. */
#include "decode/tables/ratios.h"

#include "decode/tables/counters.h"
#include "decode/tables/ratiosprinter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#define EVENTS 8

struct fixture {
	struct session session;
	struct event events[EVENTS];
	struct counters counters;
	struct collection kept;
	struct results results;
	struct report report;
	struct ratio_rows rows;
};

static struct fixture *open_fixture(void)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	session_init(&f->session, NULL);
	f->session.events = f->events;
	f->counters = (struct counters){ .session = &f->session, .scale = true };
	f->kept = (struct collection){ { { &counters_collector, &f->counters } }, 1 };
	f->report = (struct report){
		.session = &f->session, .kept = &f->kept, .results = &f->results
	};
	return f;
}

static void close_fixture(struct fixture *f)
{
	ratio_rows_release(&f->rows);
	counters_collector.close(&f->counters);
	f->session.events = NULL;
	f->session.event_count = 0;
	session_release(&f->session);
	free(f);
}

/* Its number is its id. */
static struct event *add_event(struct fixture *f, uint32_t type, uint64_t config)
{
	const uint32_t number = (uint32_t)f->session.event_count++;
	struct err err = { .code = ERR_NONE };

	assert_true(number < EVENTS);
	f->events[number] = (struct event){
		.attr = { .type = type, .config = config }, .scale = 1, .leader = number
	};
	assert_true(map_put(&f->session.ids, number, number, &err));
	return &f->events[number];
}

static void add_counter(struct fixture *f, uint64_t time, uint32_t event, uint32_t cpu,
                        const uint64_t values[3])
{
	f->counters.items =
		realloc(f->counters.items, (f->counters.count + 1) * sizeof(struct counter));
	assert_non_null(f->counters.items);
	f->counters.items[f->counters.count++] = (struct counter){ .time = time,
		                                                   .id = event,
		                                                   .cpu = cpu,
		                                                   .value = values[0],
		                                                   .enabled = values[1],
		                                                   .running = values[2] };
}

static void make(struct fixture *f)
{
	struct err err = { .code = ERR_NONE };

	ratio_rows_release(&f->rows);
	assert_true(ratio_rows_make(&f->rows, &f->report, &err));
}

/* The only row of that kind in a scope. */
static const struct ratio_row *only(const struct fixture *f, enum ratio_scope scope,
                                    enum ratio_kind kind)
{
	const struct ratio_row *found = NULL;

	for (size_t i = 0; i < f->rows.count; i++)
		if (f->rows.rows[i].scope == scope && f->rows.rows[i].kind == kind) {
			assert_null(found);
			found = &f->rows.rows[i];
		}
	assert_non_null(found);
	return found;
}

static bool is(double found, double expected)
{
	return fabs(found - expected) < 1e-9 * fabs(expected) + 1e-12;
}

#define ANY_CPU UINT32_MAX

/* One end, no intervals. The misses were counted in a quarter of the time. */
static void totals(void **state)
{
	struct fixture *f = open_fixture();

	(void)state;
	add_event(f, PERF_TYPE_HARDWARE, 0);
	add_event(f, PERF_TYPE_HARDWARE, 1);
	add_event(f, PERF_TYPE_HARDWARE, 4);
	add_event(f, PERF_TYPE_HARDWARE, 5);
	add_event(f, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	add_event(f, PERF_TYPE_SOFTWARE, 2);
	add_counter(f, 2000, 0, ANY_CPU, (const uint64_t[]){ 3000, 1000, 1000 });
	add_counter(f, 2000, 1, ANY_CPU, (const uint64_t[]){ 4500, 1000, 1000 });
	add_counter(f, 2000, 2, ANY_CPU, (const uint64_t[]){ 400, 1000, 500 });
	add_counter(f, 2000, 3, ANY_CPU, (const uint64_t[]){ 2, 1000, 250 });
	add_counter(f, 2000, 4, ANY_CPU, (const uint64_t[]){ 1000, 1000, 1000 });
	add_counter(f, 2000, 5, ANY_CPU, (const uint64_t[]){ 7, 1000, 1000 });
	make(f);
	assert_int_equal(f->rows.count, 6);
	assert_true(is(only(f, RATIO_TOTAL, RATIO_IPC)->value, 1.5));
	assert_true(is(only(f, RATIO_TOTAL, RATIO_GHZ)->value, 3));
	assert_true(is(only(f, RATIO_TOTAL, RATIO_BRANCH_MISS)->value, 1));
	assert_true(is(only(f, RATIO_TOTAL, RATIO_BRANCH_MISS)->running_percent, 25));
	assert_true(is(only(f, RATIO_TOTAL, RATIO_BRANCH_MISS)->below, 800));
	assert_true(is(only(f, RATIO_TOTAL, RATIO_CPUS)->value, 0.5));
	for (size_t i = 0; i < f->rows.count; i++) /* branches 0.8 GHz, faults 7 in 1000 ns */
		if (f->rows.rows[i].kind == RATIO_PER_SECOND)
			assert_true(is(f->rows.rows[i].value,
			               f->rows.rows[i].numerator == 5 ? 7e6 : 8e8));
	close_fixture(f);
}

/* Intervals of two CPUs, and what was counted behind the last one. */
static void intervals(void **state)
{
	static const uint64_t cycles[2][3][3] = {
		{ { 100, 10, 10 }, { 300, 20, 20 }, { 310, 21, 21 } },
		{ { 50, 10, 10 }, { 150, 20, 20 }, { 190, 21, 21 } },
	};
	static const uint64_t instructions[2][3][3] = {
		{ { 200, 10, 10 }, { 500, 20, 20 }, { 510, 21, 21 } },
		{ { 25, 10, 10 }, { 50, 20, 20 }, { 90, 21, 21 } },
	};
	static const uint64_t times[] = { 10, 20, TIME_NONE };
	static const double expected[] = { 225 / 150.0, 325 / 300.0 };
	static const double of_cpus[] = { 510 / 310.0, 90 / 190.0, 2, 0.5, 1.5, 0.25 };
	struct fixture *f = open_fixture();
	size_t interval = 0, cpu = 0;

	(void)state;
	add_event(f, PERF_TYPE_HARDWARE, 0);
	add_event(f, PERF_TYPE_HARDWARE, 1);
	for (size_t i = 0; i < 3; i++)
		for (uint32_t c = 0; c < 2; c++) {
			add_counter(f, times[i], 0, c, cycles[c][i]);
			add_counter(f, times[i], 1, c, instructions[c][i]);
		}
	make(f);
	assert_true(is(only(f, RATIO_TOTAL, RATIO_IPC)->value, 600 / 500.0));
	for (size_t i = 0; i < f->rows.count; i++) {
		const struct ratio_row *row = &f->rows.rows[i];

		if (row->kind != RATIO_IPC) /* cycles per second of the time that passed */
			continue;
		if (row->scope == RATIO_INTERVAL) {
			assert_int_equal(row->time, times[interval]);
			assert_true(is(row->value, expected[interval++]));
		} else if (row->scope == RATIO_CPU) {
			assert_int_equal(row->cpu, cpu % 2);
			assert_int_equal(row->time, cpu < 2 ? TIME_NONE : times[cpu / 2 - 1]);
			assert_true(is(row->value, of_cpus[cpu++]));
		}
	}
	assert_int_equal(interval, 2);
	assert_int_equal(cpu, 6);
	close_fixture(f);
}

/* Which of several denominators: of the same PMU, the same modifiers, the same group. */
static void partners(void **state)
{
	struct fixture *f = open_fixture();
	struct err err = { .code = ERR_NONE };
	struct ratio *ratios;

	(void)state;
	add_event(f, PERF_TYPE_HARDWARE, 0);
	add_event(f, PERF_TYPE_HARDWARE, 0)->attr.flags = UINT64_C(1) << PERF_FLAG_EXCLUDE_KERNEL;
	add_event(f, PERF_TYPE_HARDWARE, 0 | UINT64_C(8) << 32);
	add_event(f, PERF_TYPE_HARDWARE, 0);
	add_event(f, PERF_TYPE_HARDWARE, 1)->attr.flags = UINT64_C(1) << PERF_FLAG_EXCLUDE_KERNEL;
	add_event(f, PERF_TYPE_HARDWARE, 1 | UINT64_C(8) << 32);
	add_event(f, PERF_TYPE_HARDWARE, 1)->leader = 3;
	add_event(f, PERF_TYPE_HARDWARE, 1 | UINT64_C(9) << 32);
	ratios = ratios_of_events(&f->session, false, &err);
	assert_non_null(ratios);
	assert_int_equal(ratios[0].kind, RATIO_NONE);
	assert_int_equal(ratios[4].denominator, 1);
	assert_int_equal(ratios[5].denominator, 2);
	assert_int_equal(ratios[6].kind, RATIO_IPC);
	assert_int_equal(ratios[6].denominator, 3);
	assert_int_equal(ratios[7].kind, RATIO_NONE);
	free(ratios);
	close_fixture(f);
}

/* Events that are called by their names in the PMU. */
static void names(void **state)
{
	struct fixture *f = open_fixture();
	struct err err = { .code = ERR_NONE };
	struct ratio *ratios;

	(void)state;
	add_event(f, PERF_TYPE_RAW, 0x76)->name = "cpu/cpu-cycles/u";
	add_event(f, PERF_TYPE_HARDWARE, 1)->name = "instructions";
	add_event(f, 9, 0x11)->name = "armv8_pmuv3_0/cpu_cycles/";
	add_event(f, 9, 0x8)->name = "armv8_pmuv3_0/inst_retired/";
	add_event(f, PERF_TYPE_HW_CACHE, 0x10002);
	add_event(f, PERF_TYPE_HW_CACHE, 0x2);
	ratios = ratios_of_events(&f->session, false, &err);
	assert_non_null(ratios);
	assert_int_equal(ratios[1].denominator, 0);
	assert_int_equal(ratios[3].kind, RATIO_IPC);
	assert_int_equal(ratios[3].denominator, 2);
	assert_int_equal(ratios[4].kind, RATIO_LLC_MISS);
	assert_int_equal(ratios[4].denominator, 5);
	assert_int_equal(ratios[5].kind, RATIO_NONE);
	free(ratios);
	close_fixture(f);
}

/* Sampled events: by function, whatever its source files. */
static void functions(void **state)
{
	struct result_row rows[] = {
		{ .period = 600, .samples = 6, .function = 1, .binary = 9, .file = 3, .event = 0 },
		{ .period = 200, .samples = 2, .function = 1, .binary = 9, .file = 4, .event = 0 },
		{ .period = 100, .samples = 1, .function = 2, .binary = 9, .event = 0 },
		{ .period = 1200, .samples = 3, .function = 1, .binary = 9, .file = 3, .event = 1 },
		{ .period = 500, .samples = 3, .function = 1, .binary = 8, .file = 3, .event = 1 },
	};
	struct fixture *f = open_fixture();

	(void)state;
	add_event(f, PERF_TYPE_HARDWARE, 0);
	add_event(f, PERF_TYPE_HARDWARE, 1);
	f->results = (struct results){ .rows = rows, .row_count = ARRAY_SIZE(rows) };
	make(f);
	assert_int_equal(f->rows.count, 1);
	assert_true(is(only(f, RATIO_FUNCTION, RATIO_IPC)->value, 1.5));
	assert_int_equal(f->rows.rows[0].function, 1);
	assert_int_equal(f->rows.rows[0].binary, 9);
	assert_true(f->rows.rows[0].running_percent < 0);
	close_fixture(f);
}

/* No division by 0, and nothing of a counter that never ran. */
static void zeros(void **state)
{
	struct fixture *f = open_fixture();

	(void)state;
	add_event(f, PERF_TYPE_HARDWARE, 0);
	add_event(f, PERF_TYPE_HARDWARE, 1);
	add_counter(f, 0, 0, ANY_CPU, (const uint64_t[]){ 0, 10, 10 });
	add_counter(f, 0, 1, ANY_CPU, (const uint64_t[]){ 5, 10, 10 });
	make(f);
	assert_int_equal(f->rows.count, 0);
	f->counters.items[0] = (struct counter){ .time = 5, .value = 7, .enabled = 10 };
	make(f);
	assert_int_equal(f->rows.count, 0);
	close_fixture(f);
}

/* Four digits on the console, and never an exponent: of faults in ten seconds. */
static void printed(void **state)
{
	static const struct {
		uint64_t faults;
		const char *text;
	} lines[] = { { 12345, "1234  " },    { 99994, "9999  " },     { 99996, "10000  " },
		      { 99999, "10000  " }, { 262874, "26287  " }, { 12, "1.2  " } };
	struct fixture *f = open_fixture();
	struct err err = { 0 };
	size_t size;

	(void)state;
	add_event(f, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK)->name = "task-clock";
	add_event(f, PERF_TYPE_SOFTWARE, 2)->name = "faults";
	add_counter(f, 2000, 0, ANY_CPU, (const uint64_t[]){ 10000000000, 10, 10 });
	add_counter(f, 2000, 1, ANY_CPU, (const uint64_t[]){ 0, 10, 10 });
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		char *text = NULL, *line;
		FILE *out = open_memstream(&text, &size);

		f->counters.items[1].value = lines[i].faults;
		assert_non_null(out);
		assert_true(ratios_print(out, &f->report, UINT64_MAX, &err));
		assert_int_equal(fclose(out), 0);
		line = strstr(text, lines[i].text);
		assert_true(line && line[-1] == ' ');
		free(text);
	}
	close_fixture(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals),    cmocka_unit_test(intervals),
		cmocka_unit_test(partners),  cmocka_unit_test(names),
		cmocka_unit_test(functions), cmocka_unit_test(zeros),
		cmocka_unit_test(printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
