/* Which samples count, in which groups, and the rows of --by. Periods are powers of two: a sum says which samples it is of. */
#include "decode/naming/grouprows.h"

#include "tests/unit/named.h"
#include "tests/unit/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *const nowhere = "/no/such/readperf-root";

#include <stdio.h>

#define TYPE (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(6) | FLAG(7) | FLAG(8)) /* IP TID TIME ID CPU PERIOD */
#define KERNEL 0xffffffff81000000u

static const struct test_attr attrs[2] = {
	{ .sample_type = TYPE, .flags = FLAG(18), .ids = { 10 }, .id_count = 1 },
	{ .config = 1, .sample_type = TYPE, .flags = FLAG(18), .ids = { 20 }, .id_count = 1 },
};

static void sample(struct replay *r, uint64_t time, uint64_t id, uint32_t pid, uint32_t tid, uint32_t cpu,
                   uint64_t ip, uint64_t period)
{
	put_sample(&r->image, TYPE, ip == KERNEL ? 1 : 2,
	           &(struct test_fields){ .time = time, .id = id, .pid = pid, .tid = tid, .cpu = cpu, .ip = ip,
	                                  .period = period });
}

static void comm(struct replay *r, uint64_t time, uint32_t pid, uint32_t tid, const char *name)
{
	put_comm(&r->image, TYPE, 0, name,
	         &(struct test_fields){ .time = time, .pid = pid, .tid = tid, .id = 10 });
}

static void map(struct replay *r, uint32_t pid, const char *name)
{
	put_mmap(&r->image, TYPE, 2, name, 0x1000, 0x1000, 0,
	         &(struct test_fields){ .time = 500, .pid = pid, .tid = pid, .id = 10 });
}

static void a_recording(struct replay *r)
{
	replay_begin(r, attrs, 2);
	comm(r, 100, 7, 7, "alpha");
	comm(r, 200, 9, 9, "beta");
	comm(r, 300, 7, 8, "worker");
	map(r, 7, "/bin/a");
	map(r, 9, "/bin/b");
	sample(r, 1000, 10, 7, 7, 0, 0x1010, 1);
	sample(r, 2000, 10, 7, 8, 1, 0x1020, 2);
	sample(r, 3000, 20, 9, 9, 0, 0x1010, 4);
	sample(r, 4000, 10, 9, 9, 1, KERNEL, 8);
	comm(r, 4500, 7, 7, "gamma");
	sample(r, 5000, 10, 7, 7, 0, 0x1010, 16);
	sample(r, 6000, 20, 7, 8, 1, KERNEL, 32);
}

/* The sum of periods, which must be the same in cells, processes and totals. */
static uint64_t selected(const struct replay *r)
{
	const struct buildstat *stat = &r->stat;
	uint64_t cells = 0, processes = 0, totals = 0, whole = 0;

	for (size_t i = 0; i < stat->cells.count; i++)
		cells += stat->cells.items[i].period;
	for (size_t i = 0; i < stat->process_sums.count; i++)
		processes += stat->process_sums.items[i].period;
	for (size_t i = 0; i < stat->total_count; i++) {
		totals += stat->totals[i].selected_period;
		whole += stat->totals[i].period;
	}
	assert_int_equal(cells, processes);
	assert_int_equal(cells, totals);
	assert_int_equal(whole, 63);
	return cells;
}

struct asked {
	enum select_field field;
	const char *list;
};

/* Runs the recording with these options; the selection's warnings are r->opened's. */
static void run_asked(struct replay *r, struct select_request *request, const struct asked *asked, size_t count)
{
	struct choice_options options = { .request = request };

	memset(request, 0, sizeof(*request));
	a_recording(r);
	for (size_t i = 0; i < count; i++)
		assert_true(select_request_add(request, asked[i].field, asked[i].list, &r->opened.err));
	r->choice = &options;
	assert_true(replay_counted(r));
	selection_report(&r->stat.choice.selection, &r->opened.diag);
}

static void end(struct replay *r, struct select_request *request)
{
	replay_end(r);
	select_request_release(request);
}

static void each_option(void **state)
{
	static const struct {
		struct asked asked;
		uint64_t sum;
		unsigned warnings;
	} cases[] = {
		{ { SELECT_COMM, "alpha" }, 1 + 2, 0 }, /* the name at that moment */
		{ { SELECT_COMM, "gamma" }, 16 + 32, 0 },
		{ { SELECT_COMM, "!beta" }, 51, 0 },
		{ { SELECT_COMM, "alpha,gamma" }, 51, 0 },
		{ { SELECT_COMM, "*,!beta" }, 51, 0 },
		{ { SELECT_COMM, "?????" }, 51, 0 },
		{ { SELECT_COMM, "worker" }, 0, 1 }, /* is a thread's */
		{ { SELECT_PID, "7" }, 51, 0 },
		{ { SELECT_PID, "8-9" }, 12, 0 },
		{ { SELECT_PID, "7,1234" }, 51, 1 },
		{ { SELECT_TID, "8" }, 34, 0 },
		{ { SELECT_TID, "!8" }, 29, 0 },
		{ { SELECT_CPU, "1" }, 42, 0 },
		{ { SELECT_CPU, "0-3" }, 63, 0 },
		{ { SELECT_CPU, "2" }, 0, 1 },
		{ { SELECT_MODE, "kernel" }, 40, 0 },
		{ { SELECT_MODE, "!kernel" }, 23, 0 },
		{ { SELECT_MODE, "user,kernel" }, 63, 0 },
		{ { SELECT_BINARY, "/bin/a" }, 19, 0 },
		{ { SELECT_BINARY, "/bin/*" }, 23, 0 },
		{ { SELECT_BINARY, "[kernel.kallsyms]" }, 40, 0 },
		{ { SELECT_BINARY, "/bin/c" }, 0, 1 },
		{ { SELECT_TIME, "0.000001-0.000003" }, 2 + 4, 0 },
		{ { SELECT_TIME, "20%-60%" }, 2 + 4, 0 },
		{ { SELECT_TIME, "60%-" }, 56, 0 },
		{ { SELECT_TIME, "0%-100%" }, 63, 0 },
		{ { SELECT_TIME, "!20%-60%" }, 57, 0 },
		{ { SELECT_TIME, "@5000-" }, 48, 0 },
		{ { SELECT_TIME, "-@2000,@6000-@6001" }, 33, 0 },
		{ { SELECT_TIME, "@7000-" }, 0, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct select_request request;
		struct replay r;

		run_asked(&r, &request, &cases[i].asked, 1);
		if (selected(&r) != cases[i].sum)
			fail_msg("--%s=%s: %d", select_field_name(cases[i].asked.field), cases[i].asked.list,
			         (int)selected(&r));
		assert_int_equal(r.opened.warnings, cases[i].warnings);
		end(&r, &request);
	}
}

static void options_together(void **state)
{
	static const struct asked asked[] = {
		{ SELECT_PID, "7" }, { SELECT_CPU, "1" }, { SELECT_MODE, "user" }, { SELECT_TIME, "-50%" }
	};
	struct select_request request;
	struct replay r;

	(void)state;
	run_asked(&r, &request, asked, 2);
	assert_int_equal(selected(&r), 34);
	end(&r, &request);
	run_asked(&r, &request, asked, 4);
	assert_int_equal(selected(&r), 2);
	end(&r, &request);
}

static void by_event(void **state)
{
	struct asked asked = { SELECT_EVENT, NULL };
	struct select_request request;
	struct replay r;
	char name[100];

	(void)state;
	run_asked(&r, &request, &asked, 0);
	snprintf(name, sizeof(name), "%s", buildstat_event_name(&r.opened.session, 1));
	end(&r, &request);
	asked.list = name;
	run_asked(&r, &request, &asked, 1);
	assert_int_equal(selected(&r), 4 + 32);
	assert_int_equal(buildstat_totals(&r.stat, 0)->samples, 4);
	assert_int_equal(buildstat_totals(&r.stat, 0)->selected_samples, 0);
	assert_int_equal(buildstat_totals(&r.stat, 1)->selected_samples, 2);
	end(&r, &request);
}

/* A sample that does not say its CPU is on none, and that is said. */
static void a_missing_field(void **state)
{
	static const struct test_attr attr = { .sample_type = TYPE & ~FLAG(7), .flags = FLAG(18), .ids = { 10 }, .id_count = 1 };
	struct select_request request = { 0 };
	struct choice_options options = { .request = &request };
	struct replay r;

	(void)state;
	replay_begin(&r, &attr, 1);
	for (int i = 0; i < 3; i++)
		put_sample(&r.image, TYPE & ~FLAG(7), 2,
		           &(struct test_fields){ .time = 1000, .id = 10, .pid = 7, .tid = 7, .ip = 1, .period = 21 });
	assert_true(select_request_add(&request, SELECT_CPU, "!0", &r.opened.err));
	r.choice = &options;
	assert_true(replay_counted(&r));
	assert_int_equal(selected(&r), 0);
	assert_int_equal(r.stat.choice.selection.missing[SELECT_CPU], 3);
	end(&r, &request);
}

static void names_that_were_meant(void **state)
{
	static const struct asked asked = { SELECT_BINARY, "b" };
	static const struct asked comm_asked = { SELECT_COMM, "alhpa" };
	struct select_request request;
	struct replay r;

	(void)state;
	run_asked(&r, &request, &comm_asked, 1);
	assert_non_null(strstr(r.opened.warning, "--comm=alhpa: matches nothing; near it are alpha"));
	end(&r, &request);
	run_asked(&r, &request, &asked, 1);
	assert_non_null(strstr(r.opened.warning, "--binary=b: matches nothing"));
	end(&r, &request);
}

static void wrong_values(void **state)
{
	static const struct asked wrong[] = {
		{ SELECT_CPU, "x" },    { SELECT_CPU, "3-1" },  { SELECT_CPU, "1-" },    { SELECT_CPU, "1,,2" },
		{ SELECT_PID, "" },     { SELECT_PID, "99999999999" }, { SELECT_PID, "--5" },
		{ SELECT_MODE, "root" }, { SELECT_COMM, "!" },  { SELECT_TIME, "5" },    { SELECT_COMM, "a," },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct select_request request = { 0 };
		struct err err = { 0 };

		if (select_request_add(&request, wrong[i].field, wrong[i].list, &err))
			fail_msg("%s", wrong[i].list);
		assert_int_equal(err.code, ERR_USAGE);
		select_request_release(&request);
	}
}

/* Runs with a table of these keys and no selection, and names what was counted. */
static void run_table(struct replay *r, struct named *named, struct listed_rows *rows, const struct group_table *table,
                      const struct choice_options *how, const char *functions)
{
	struct naming_options options = { .lookup = { .symbolizer = SYMBOLIZER_NONE } };
	struct select_request request = { 0 };
	struct choice_options choice = *how;

	options.lookup.symbols.files.symfs = &nowhere;
	options.lookup.symbols.files.symfs_count = 1;
	a_recording(r);
	if (functions)
		assert_true(select_request_add(&request, SELECT_FUNCTION, functions, &r->opened.err));
	choice.request = &request;
	r->choice = &choice;
	assert_true(replay_run(r));
	memset(named, 0, sizeof(*named));
	assert_true(naming_run(&named->names, &r->stat, &options, &r->opened.diag, &r->opened.err));
	if (functions)
		assert_true(functions_select(&r->stat, &named->names, &r->opened.err));
	assert_true(list_rows(rows, table, &r->stat, &named->names, SORTER_LIMIT, &r->opened.err));
	select_request_release(&request);
}

static void end_table(struct replay *r, struct named *named, struct listed_rows *rows)
{
	free(rows->items);
	named_release(named);
	replay_end(r);
}

static const char *text_of(const struct replay *r, const struct listed_rows *rows, size_t row, unsigned word)
{
	return strings_get(&r->strings, (uint32_t)rows->items[row].words[word]);
}

/* By event, period and keys; the names of threads and processes are those of that moment. */
static void rows_by_keys(void **state)
{
	static const struct group_table table = { .name = "groups", .keys = { KEY_THREAD, KEY_COMM, KEY_CPU, KEY_BINARY }, .key_count = 4 };
	static const struct {
		const char *thread, *comm;
		uint64_t cpu;
		const char *binary;
		uint64_t event, period;
	} expected[] = {
		{ "gamma", "gamma", 0, "/bin/a", 0, 16 },
		{ "beta", "beta", 1, "[kernel.kallsyms]", 0, 8 },
		{ "worker", "alpha", 1, "/bin/a", 0, 2 },
		{ "alpha", "alpha", 0, "/bin/a", 0, 1 },
		{ "worker", "gamma", 1, "[kernel.kallsyms]", 1, 32 },
		{ "beta", "beta", 0, "/bin/b", 1, 4 },
	};
	const struct choice_options how = { .keys = group_table_keys(&table) };
	struct listed_rows rows;
	struct named named;
	struct replay r;

	(void)state;
	run_table(&r, &named, &rows, &table, &how, NULL);
	assert_int_equal(rows.count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_string_equal(text_of(&r, &rows, i, 0), expected[i].thread);
		assert_string_equal(text_of(&r, &rows, i, 1), expected[i].comm);
		assert_int_equal(rows.items[i].words[2], expected[i].cpu);
		assert_string_equal(text_of(&r, &rows, i, 3), expected[i].binary);
		assert_int_equal(rows.items[i].words[4], expected[i].event);
		assert_int_equal(rows.items[i].period, expected[i].period);
		assert_int_equal(rows.items[i].samples, 1);
	}
	end_table(&r, &named, &rows);
}

/* Slices start with the first sample; where the width is a part of the whole, the last one counts, too. */
static void slices(void **state)
{
	static const struct group_table table = { .name = "groups", .keys = { KEY_TIME, KEY_PID }, .key_count = 2 };
	static const struct {
		uint64_t time, pid, event;
	} samples[] = { { 1000, 7, 0 }, { 2000, 7, 0 }, { 3000, 9, 1 }, { 4000, 9, 0 }, { 5000, 7, 0 }, { 6000, 7, 1 } };
	static const struct time_side widths[] = { { TIME_SECONDS, 2000 }, { TIME_PERCENT, 400000000 } };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct choice_options how = { .slice = widths[i / 2] };
		struct listed_rows rows;
		struct named named;
		struct replay r;
		uint64_t sum = 0;

		/* with places and without */
		*(i % 2 ? &how.keys : &how.apart_keys) = group_table_keys(&table);
		run_table(&r, &named, &rows, &table, &how, NULL);
		for (size_t k = 0; k < rows.count; k++) {
			const uint64_t *words = rows.items[k].words; /* time, pid, event */
			uint64_t period = rows.items[k].period, expected = 0;
			/* that the last sample is still in the last of two and a half */
			uint64_t width = i / 2 ? 2001 : 2000;

			assert_int_equal((words[0] - 1000) % width, 0);
			for (size_t j = 0; j < ARRAY_SIZE(samples); j++)
				if (samples[j].time >= words[0] && samples[j].time < words[0] + width &&
				    samples[j].pid == words[1] && samples[j].event == words[2])
					expected += (uint64_t)1 << j;
			assert_int_equal(period, expected);
			sum += period;
		}
		assert_int_equal(sum, 63);
		end_table(&r, &named, &rows);
	}
}

/* Functions are selected when places have names; all tables are then of them. */
static void functions_afterwards(void **state)
{
	static const struct group_table table = { .name = "groups", .keys = { KEY_PID }, .key_count = 1 };
	const struct choice_options how = { .keys = 1u << KEY_PID | 1u << KEY_PROCESS };
	struct listed_rows rows;
	struct named named;
	struct replay r;

	(void)state;
	run_table(&r, &named, &rows, &table, &how, "[unknown]");
	assert_int_equal(selected(&r), 63);
	end_table(&r, &named, &rows);
	run_table(&r, &named, &rows, &table, &how, "main,!x*");
	assert_int_equal(selected(&r), 0);
	assert_int_equal(rows.count, 0);
	assert_int_equal(r.stat.process_sums.count, 0);
	end_table(&r, &named, &rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_option),     cmocka_unit_test(options_together),
		cmocka_unit_test(by_event),        cmocka_unit_test(a_missing_field),
		cmocka_unit_test(names_that_were_meant), cmocka_unit_test(wrong_values),
		cmocka_unit_test(rows_by_keys),    cmocka_unit_test(slices),
		cmocka_unit_test(functions_afterwards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
