/* counters.csv from records put together by hand; the numbers are worked out by hand too. */
#include "decode/tables/counters.h"

#include "tests/unit/tablefile.h"

#define HEADER "time,event,cpu,thread,value,enabled,running,unit,scaled"

#include "tests/unit/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

struct fixture {
	struct session session;
	struct event events[2];
	struct counters counters;
	struct record_handler handler;
	struct foreign_bytes record;
	char text[4096]; /* what was printed */
	struct err damage; /* of the last record */
};

static struct fixture *open_fixture(void)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err err = {.code = ERR_NONE};

	assert_non_null(f);
	session_init(&f->session, NULL);
	f->session.swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__; /* the records are little-endian */
	f->session.events = f->events;
	f->session.event_count = 2;
	f->events[0] = (struct event){.name = "task-clock", .unit = "msec", .scale = 1e-6};
	f->events[1] = (struct event){.name = "page-faults", .scale = 1};
	assert_true(map_put(&f->session.ids, 11, 0, &err));
	assert_true(map_put(&f->session.ids, 12, 0, &err));
	assert_true(map_put(&f->session.ids, 21, 1, &err));
	assert_true(counters_collector.open(&f->counters, &f->session, &err));
	f->handler = counters_collector.handler(&f->counters);
	return f;
}

static void close_fixture(struct fixture *f)
{
	counters_collector.close(&f->counters);
	f->session.events = NULL;
	f->session.event_count = 0;
	session_release(&f->session);
	free(f);
}

static void start(struct fixture *f, uint32_t type)
{
	memset(&f->record, 0, sizeof(f->record));
	put_u32(&f->record, type);
	put_u32(&f->record, 0); /* misc and size, which the handler gets as arguments */
}

static void feed_size(struct fixture *f, size_t size)
{
	uint8_t *copy = exact_copy(f->record.data, size);
	struct raw_record raw = {.data = copy, .size = (uint16_t)size};
	struct err err = {.code = ERR_NONE};

	raw.type = f->record.data[0];
	f->damage.code = ERR_NONE;
	assert_true(f->handler.tool(f->handler.context, &raw, &f->damage, &err));
	free(copy);
}

static void feed(struct fixture *f)
{
	feed_size(f, f->record.size);
}

static void feed_stat(struct fixture *f, uint64_t id, uint32_t cpu, const uint64_t values[3])
{
	start(f, PERF_RECORD_STAT);
	put_u64(&f->record, id);
	put_u32(&f->record, cpu);
	put_u32(&f->record, 0);
	for (int i = 0; i < 3; i++)
		put_u64(&f->record, values[i]);
	feed(f);
}

static void feed_round(struct fixture *f, uint64_t time)
{
	start(f, PERF_RECORD_STAT_ROUND);
	put_u64(&f->record, 0);
	put_u64(&f->record, time);
	feed(f);
}

static void print(struct fixture *f)
{
	char path[] = "/tmp/counters_test_XXXXXX";
	struct err err = {.code = ERR_NONE};
	int fd = mkstemp(path);
	const struct collection kept = { { { &counters_collector, &f->counters } }, 1 };
	struct report report = { .kept = &kept };
	ssize_t size;

	assert_true(fd >= 0);
	unlink(path);
	assert_true(table_to_file(fd, &counters_table, &report, &err));
	size = pread(fd, f->text, sizeof(f->text) - 1, 0);
	assert_true(size >= 0);
	f->text[size] = '\0';
	close(fd);
}

/* Intervals: records hold counts since the start, the table shows differences. */
static void intervals(void **state)
{
	struct fixture *f = open_fixture();

	(void)state;
	start(f, PERF_RECORD_THREAD_MAP);
	put_u64(&f->record, 1);
	put_u64(&f->record, 6916);
	put_zeros(&f->record, 16);
	feed(f);
	start(f, PERF_RECORD_CPU_MAP);
	put_u16(&f->record, 2);
	put(&f->record, 1, 1); /* any CPU */
	put_zeros(&f->record, 1);
	put_u16(&f->record, 1); /* an empty range */
	put_u16(&f->record, 0);
	feed(f);
	feed_stat(f, 11, UINT32_MAX, (const uint64_t[]){98947893, 98946761, 98946761});
	feed_stat(f, 21, UINT32_MAX, (const uint64_t[]){64, 200, 50}); /* ran a quarter of it */
	feed_round(f, 100221798);
	feed_stat(f, 11, UINT32_MAX, (const uint64_t[]){199760137, 199759265, 199759265});
	feed_stat(f, 21, UINT32_MAX, (const uint64_t[]){65, 300, 100}); /* ran half of it */
	feed_round(f, 200975568);
	feed_stat(f, 21, UINT32_MAX, (const uint64_t[]){65, 500, 200}); /* totals, although it ran on */
	print(f);
	assert_string_equal(
	    f->text, HEADER
	    "\n"
	    "100221798,task-clock,,6916,98947893,98946761,98946761,msec,98.947893\n"
	    "100221798,page-faults,,6916,64,200,50,,256\n"
	    "200975568,task-clock,,6916,199760137,199759265,199759265,msec,100.812244\n"
	    "200975568,page-faults,,6916,65,300,100,,2\n"
	    ",page-faults,,6916,65,500,200,,\n");
	close_fixture(f);
}

/* Two instances of one event; the second STAT of each is compared with its own first. */
static void per_cpu(void **state)
{
	struct fixture *f = open_fixture();

	(void)state;
	start(f, PERF_RECORD_CPU_MAP);
	put_u16(&f->record, 0);
	put_u16(&f->record, 2);
	put_u16(&f->record, 4);
	put_u16(&f->record, 5);
	feed(f);
	start(f, PERF_RECORD_STAT_CONFIG);
	put_u64(&f->record, 1);
	put_u64(&f->record, 2); /* scale */
	put_u64(&f->record, 0); /* no */
	feed(f);
	feed_stat(f, 11, 4, (const uint64_t[]){1000000, 2, 1});
	feed_stat(f, 12, 1, (const uint64_t[]){3000000, 2, 2}); /* a place, not a number */
	feed_round(f, 10);
	feed_stat(f, 11, 4, (const uint64_t[]){1500000, 4, 2});
	feed_stat(f, 12, 1, (const uint64_t[]){500000, 4, 4}); /* started anew */
	feed_stat(f, 99, 5, (const uint64_t[]){1, 1, 1});      /* nobody's */
	feed_round(f, 20);
	print(f);
	assert_string_equal(f->text, HEADER "\n"
							 "10,task-clock,4,,1000000,2,1,msec,1\n"
							 "10,task-clock,5,,3000000,2,2,msec,3\n"
							 "20,task-clock,4,,1500000,4,2,msec,0.5\n"
							 "20,task-clock,5,,500000,4,4,msec,0.5\n"
							 "20,,5,,1,1,1,,1\n");
	close_fixture(f);
}

static void put_mask(struct foreign_bytes *record, uint16_t word_size, uint64_t mask)
{
	put_u16(record, 1);
	put_u16(record, 1);
	put_u16(record, word_size);
	put_zeros(record, word_size == 8 ? 4 : 0);
	put(record, mask, word_size);
}

static void put_list(struct foreign_bytes *record)
{
	put_u16(record, 0);
	put_u16(record, 3);
	for (uint16_t cpu = 3; cpu <= 5; cpu++)
		put_u16(record, cpu);
}

static void put_range(struct foreign_bytes *record)
{
	put_u16(record, 2);
	put_zeros(record, 2);
	put_u16(record, 3);
	put_u16(record, 5);
}

/* The forms of a CPU map that say 3, 4, 5: their places are 0, 1, 2. */
static void cpu_maps(void **state)
{
	const uint64_t values[] = { 1, 1, 1 };

	(void)state;
	for (int form = 0; form < 4; form++) {
		struct fixture *f = open_fixture();

		start(f, PERF_RECORD_CPU_MAP);
		if (form == 0)
			put_list(&f->record);
		else if (form == 3)
			put_range(&f->record);
		else
			put_mask(&f->record, form == 1 ? 4 : 8, 0x38);
		feed(f);
		for (uint32_t cpu = 0; cpu < 7; cpu++)
			feed_stat(f, 21, cpu, values);
		feed_round(f, 10);
		print(f);
		assert_string_equal(f->text, HEADER "\n"
							 "10,page-faults,3,,1,1,1,,1\n"
							 "10,page-faults,4,,1,1,1,,1\n"
							 "10,page-faults,5,,1,1,1,,1\n"
							 "10,page-faults,3,,1,1,1,,1\n"
							 "10,page-faults,4,,1,1,1,,1\n"
							 "10,page-faults,5,,1,1,1,,1\n"
							 "10,page-faults,6,,1,1,1,,1\n");
		close_fixture(f);
	}
}

/* A record that ends too early is damage, and is called by its name. */
static void damage_is_told(void **state)
{
	static const struct {
		uint32_t type;
		const char *name;
		uint64_t payload[5];
		size_t words;
	} cases[] = {
	    {PERF_RECORD_THREAD_MAP, "THREAD_MAP record", {1, 6916, 0, 0}, 4},
	    {PERF_RECORD_CPU_MAP, "CPU_MAP record", {2 | 3u << 16 | 1ull << 32 | 2ull << 48}, 1},
	    {PERF_RECORD_STAT_CONFIG, "STAT_CONFIG record", {1, 2, 1}, 3},
	    {PERF_RECORD_STAT, "STAT record", {11, 0, 1, 1, 1}, 5},
	    {PERF_RECORD_STAT_ROUND, "STAT_ROUND record", {0, 1}, 2},
	};
	struct fixture *f = open_fixture();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		start(f, cases[i].type);
		for (size_t k = 0; k < cases[i].words; k++)
			put_u64(&f->record, cases[i].payload[k]);
		feed(f);
		assert_int_equal(f->damage.code, ERR_NONE);
		feed_size(f, f->record.size - 4);
		assert_int_equal(f->damage.code, ERR_FORMAT);
		assert_non_null(strstr(f->damage.text, cases[i].name));
	}
	close_fixture(f);
}

/* Cut off anywhere, with counts that promise more than there is. */
static void cut_records(void **state)
{
	static const uint8_t types[] = {PERF_RECORD_THREAD_MAP,	 PERF_RECORD_CPU_MAP,
					PERF_RECORD_STAT_CONFIG, PERF_RECORD_STAT,
					PERF_RECORD_STAT_ROUND,	 PERF_RECORD_FINISHED_ROUND};
	struct fixture *f = open_fixture();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		for (unsigned fill = 0; fill < 256; fill++)
			for (size_t size = 8; size < 64; size++) {
				start(f, types[i]);
				memset(f->record.data + 8, (int)fill, 64);
				f->record.data[8] = (uint8_t)(fill % 4);
				f->record.data[9] = 0;
				feed_size(f, size);
			}
	close_fixture(f);
	f = open_fixture();
	print(f);
	assert_string_equal(f->text, HEADER "\n");
	close_fixture(f);
}

/* A value that is no number in its unit. */
static void a_scale_beyond_all_numbers(void **state)
{
	struct fixture *f = open_fixture();

	(void)state;
	f->events[0].scale = 1e300;
	feed_stat(f, 11, UINT32_MAX, (const uint64_t[]){1000000000, 100, 100});
	feed_round(f, 1);
	print(f);
	assert_string_equal(f->text, HEADER "\n1,task-clock,,,1000000000,100,100,msec,\n");
	close_fixture(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scale_beyond_all_numbers),
	    cmocka_unit_test(intervals),
	    cmocka_unit_test(per_cpu),
	    cmocka_unit_test(cpu_maps),
	    cmocka_unit_test(damage_is_told),
	    cmocka_unit_test(cut_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
