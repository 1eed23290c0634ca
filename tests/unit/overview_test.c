/*
 * overview.csv, one row per record: recordings of every type, and their rows worked out by hand
 * from the format reference and the table's contract. The rows are the same in both byte orders.
 */
#define _DEFAULT_SOURCE /* mkstemp() */
#include "perffile/overview/overviewprinter.h"
#include "perffile/record/recordtypes.h"
#include "tests/unit/recording.h"
#include "util/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* IP TID TIME ADDR READ ID CPU PERIOD */
#define TYPE (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(3) | FLAG(6) | FLAG(7) | FLAG(8))
#define HEADER "nr,type,pid,tid,time,info,address,size,offset,period,cpu,event\n"
#define FILES_MAX 3

static const struct test_attr clock_event = { .type = 1, .sample_type = TYPE, .read_format = FLAG(2),
	                                      .flags = FLAG(18) | FLAG(20), .period = 1, .ids = { 11 },
	                                      .id_count = 1 };

/* The tables, as they come out. */
struct tables {
	char paths[FILES_MAX][64];
	int fds[FILES_MAX];
	char names[FILES_MAX][40];
	int count;
};

static int open_table(void *context, const char *name, struct packer **packer, struct err *err)
{
	struct tables *tables = context;

	(void)packer;
	if (tables->count == FILES_MAX) {
		err_set(err, ERR_LIMIT, "no more files");
		return -1;
	}
	snprintf(tables->names[tables->count], sizeof(tables->names[0]), "%s", name);
	write_temporary(tables->paths[tables->count], "", 0);
	tables->fds[tables->count] = open(tables->paths[tables->count], O_RDWR);
	return tables->fds[tables->count++];
}

/* malloc'd text of a table, which is removed. */
static char *take_table(struct tables *tables, int number)
{
	off_t size = lseek(tables->fds[number], 0, SEEK_END);
	char *text = malloc((size_t)size + 1);

	assert_non_null(text);
	assert_int_equal(pread(tables->fds[number], text, (size_t)size, 0), size);
	text[size] = 0;
	close(tables->fds[number]);
	unlink(tables->paths[number]);
	return text;
}

struct way {
	bool pipe, threaded, spreadsheet;
};

static bool pass(void *context, const struct record *record, struct err *err)
{
	(void)context;
	(void)record;
	(void)err;
	return true;
}

/* Reads with two threads if wanted: beside a handler of another kind the overview has its own. */
static bool read_for(struct opened *opened, struct overview *overview, bool threaded)
{
	struct record_handler handlers[] = { overview_handler(overview),
		                             {.any_sample_order = true, .record = pass } };
	struct read_options how = { .threaded = threaded };

	opened->read = true;
	return perffile_read(&opened->session, handlers, 2, &how, &opened->summary, &opened->err);
}

static void print_overview(const struct image *image, const struct way *way, struct tables *tables)
{
	struct table_files files = { .context = tables, .open = open_table };
	struct overview *overview;
	struct table_writer out;
	struct opened opened;
	struct csv csv;

	memset(tables, 0, sizeof(*tables));
	assert_true(way->pipe ? opened_pipe(&opened, image) : opened_file(&opened, image));
	csv_init(&csv, &files, way->spreadsheet);
	out = csv_writer(&csv);
	overview = overview_new(&opened.session, &out, &opened.err);
	assert_non_null(overview);
	assert_true(read_for(&opened, overview, way->threaded));
	assert_true(overview_finish(overview, &opened.err));
	overview_free(overview);
	opened_close(&opened);
}

static void expect_text(const char *found, const char *expected)
{
	size_t at = 0;

	while (found[at] && found[at] == expected[at])
		at++;
	while (at && found[at - 1] != '\n')
		at--;
	if (strcmp(found, expected))
		fail_msg("expected\n%.*s\nfound\n%.*s", (int)strcspn(expected + at, "\n"), expected + at,
		         (int)strcspn(found + at, "\n"), found + at);
}

static void expect_table(const struct image *image, const struct way *way, const char *expected)
{
	struct tables tables;
	char *text;

	print_overview(image, way, &tables);
	assert_int_equal(tables.count, 1);
	text = take_table(&tables, 0);
	expect_text(text, expected);
	free(text);
}

static const struct test_fields outer = { .pid = 70, .tid = 71, .id = 11, .cpu = 3 };

static size_t begin(struct image *image, uint32_t type, uint16_t misc)
{
	return record_begin(image, type, misc);
}

/* The trailer that all but samples have, with the next time. */
static void end(struct image *image, size_t start, uint64_t *time)
{
	struct test_fields fields = outer;

	fields.time = (*time)++;
	image_trailer(image, TYPE, &fields);
	record_end(image, start);
}

static void put_own_pid(struct image *image)
{
	image_u32(image, 7);
	image_u32(image, 8);
}

static void put_mmap2(struct image *image, bool build_id, uint64_t *time)
{
	size_t start = begin(image, 10, build_id ? 0x4002 : 2);

	put_own_pid(image);
	image_u64(image, 0xffff800000001000);
	image_u64(image, 4096);
	image_u64(image, 0x3000);
	if (build_id) {
		image_u32(image, image->big_endian ? (uint32_t)20 << 24 : 20);
		image_zeros(image, 20);
	} else {
		image_u32(image, 8);
		image_u32(image, 1);
		image_u64(image, 99);
		image_u64(image, 1);
	}
	image_u32(image, 5);
	image_u32(image, 2);
	image_text8(image, build_id ? "/lib/b.so" : "//anon");
	end(image, start, time);
}

static void put_task_record(struct image *image, uint32_t type, uint64_t *time)
{
	size_t start = begin(image, type, 0);

	image_u32(image, 7);
	image_u32(image, type == 7 ? UINT32_MAX : 6);
	image_u32(image, 8);
	image_u32(image, 6);
	image_u64(image, 12345);
	end(image, start, time);
}

/* Types 1 to 8: what the kernel has had from the beginning. */
static void put_old_types(struct image *image, uint64_t *time)
{
	size_t start;

	start = begin(image, 1, 2);
	put_own_pid(image);
	image_u64(image, 0x1000);
	image_u64(image, 0x2000);
	image_u64(image, 0x3000);
	image_text8(image, "/bin/a b");
	end(image, start, time);
	start = begin(image, 2, 0);
	image_u64(image, 11);
	image_u64(image, 0x100000005);
	end(image, start, time);
	start = begin(image, 3, 0);
	put_own_pid(image);
	image_text8(image, "a,\"b\"\n\xff\\");
	end(image, start, time);
	put_task_record(image, 4, time);
	for (uint32_t type = 5; type <= 6; type++) {
		start = begin(image, type, 0);
		image_u64(image, *time);
		image_u64(image, 11);
		image_u64(image, 12);
		end(image, start, time);
	}
	put_task_record(image, 7, time);
	start = begin(image, 8, 0);
	put_own_pid(image);
	image_u64(image, 0x100000002);
	image_u64(image, 11);
	end(image, start, time);
}

#define OLD_ROWS                                                                 \
	"0,MMAP,7,8,100,/bin/a b,0x1000,8192,12288,,3,cpu-clock\n"               \
	"1,LOST,70,71,101,4294967301,,,,,3,cpu-clock\n"                          \
	"2,COMM,7,8,102,\"a,\"\"b\"\"\\x0a\\xff\\\",,,,,3,cpu-clock\n"           \
	"3,EXIT,7,8,103,,,,,,3,cpu-clock\n"                                      \
	"4,THROTTLE,70,71,104,11,,,,,3,cpu-clock\n"                              \
	"5,UNTHROTTLE,70,71,105,11,,,,,3,cpu-clock\n"                            \
	"6,FORK,7,8,106,-1,,,,,3,cpu-clock\n"                                    \
	"7,READ,7,8,107,,,,,4294967298,3,cpu-clock\n"

/* Types 9 to 16. */
static void put_middle_types(struct image *image, uint64_t *time)
{
	struct test_fields fields = outer;
	size_t start;

	fields.ip = 0xffffffff81000010;
	fields.addr = 0x7fff00000008;
	fields.period = 5000000000;
	fields.time = (*time)++;
	put_sample(image, TYPE, 1, &fields);
	put_mmap2(image, false, time);
	put_mmap2(image, true, time);
	start = begin(image, 11, 0);
	image_u64(image, 0x10000);
	image_u64(image, 0x800);
	image_u64(image, 1);
	end(image, start, time);
	start = begin(image, 12, 0);
	put_own_pid(image);
	end(image, start, time);
	start = begin(image, 13, 0);
	image_u64(image, 6);
	end(image, start, time);
	end(image, begin(image, 14, 0), time);
	end(image, begin(image, 14, 0x2000), time);
	for (uint16_t preempted = 0; preempted <= 1; preempted++) {
		start = begin(image, 15, preempted ? 0x6000 : 0x2000);
		image_u32(image, 500);
		image_u32(image, 501);
		end(image, start, time);
	}
	start = begin(image, 16, 0);
	put_own_pid(image);
	image_u64(image, 2);
	image_zeros(image, 32);
	end(image, start, time);
}

#define MIDDLE_ROWS                                                                              \
	"0,SAMPLE,70,71,100,0xffffffff81000010,0x7fff00000008,,,5000000000,3,cpu-clock\n"        \
	"1,MMAP2,7,8,101,//anon,0xffff800000001000,4096,12288,,3,cpu-clock\n"                    \
	"2,MMAP2,7,8,102,/lib/b.so,0xffff800000001000,4096,12288,,3,cpu-clock\n"                 \
	"3,AUX,70,71,103,,,2048,65536,,3,cpu-clock\n"                                            \
	"4,ITRACE_START,7,8,104,,,,,,3,cpu-clock\n"                                              \
	"5,LOST_SAMPLES,70,71,105,6,,,,,3,cpu-clock\n"                                           \
	"6,SWITCH,70,71,106,in,,,,,3,cpu-clock\n"                                                \
	"7,SWITCH,70,71,107,out,,,,,3,cpu-clock\n"                                               \
	"8,SWITCH_CPU_WIDE,70,71,108,out,,,,,3,cpu-clock\n"                                      \
	"9,SWITCH_CPU_WIDE,70,71,109,preempt,,,,,3,cpu-clock\n"                                  \
	"10,NAMESPACES,7,8,110,2,,,,,3,cpu-clock\n"

/* Types 17 to 22. */
static void put_new_types(struct image *image, uint64_t *time)
{
	size_t start = begin(image, 17, 0);

	image_u64(image, 0xffffffffc0000000);
	image_u32(image, 300);
	image_u16(image, 1);
	image_u16(image, 0);
	image_text8(image, "bpf_prog_1");
	end(image, start, time);
	for (uint16_t what = 1; what <= 3; what++) {
		start = begin(image, 18, 0);
		image_u16(image, what);
		image_u16(image, 0);
		image_u32(image, 77);
		image_zeros(image, 8);
		end(image, start, time);
	}
	start = begin(image, 19, 0);
	image_u64(image, 4);
	image_text8(image, "/user.slice");
	end(image, start, time);
	start = begin(image, 20, 1);
	image_u64(image, 0xffffffff81000020);
	image_u16(image, 5);
	image_u16(image, 2);
	image_zeros(image, 12);
	end(image, start, time);
	start = begin(image, 21, 0);
	image_u64(image, 0x12);
	end(image, start, time);
	start = begin(image, 22, 2);
	image_u64(image, 0x300000001);
	image_u64(image, 1);
	image_u64(image, 0x1000);
	end(image, start, time);
}

#define NEW_ROWS                                                                                 \
	"0,KSYMBOL,70,71,100,bpf_prog_1,0xffffffffc0000000,300,,,3,cpu-clock\n"                  \
	"1,BPF_EVENT,70,71,101,load 77,,,,,3,cpu-clock\n"                                        \
	"2,BPF_EVENT,70,71,102,unload 77,,,,,3,cpu-clock\n"                                      \
	"3,BPF_EVENT,70,71,103,3 77,,,,,3,cpu-clock\n"                                           \
	"4,CGROUP,70,71,104,/user.slice,,,,,3,cpu-clock\n"                                       \
	"5,TEXT_POKE,70,71,105,,0xffffffff81000020,2,,,3,cpu-clock\n"                            \
	"6,AUX_OUTPUT_HW_ID,70,71,106,18,,,,,3,cpu-clock\n"                                      \
	"7,CALLCHAIN_DEFERRED,70,71,107,12884901889,,,,,3,cpu-clock\n"

/* A type that was added without a record here fails. */
static void every_type_has_a_row(void **state)
{
	(void)state;
	for (uint32_t type = 1; type < PERF_RECORD_KERNEL_END; type++) {
		char cell[64];

		assert_non_null(record_type_name(type));
		snprintf(cell, sizeof(cell), ",%s,", record_type_name(type));
		if (!strstr(OLD_ROWS MIDDLE_ROWS NEW_ROWS, cell))
			fail_msg("no record of type %s here", record_type_name(type));
	}
}

static void expect_rows(void (*put)(struct image *, uint64_t *), const char *rows)
{
	for (int form = 0; form < 8; form++) {
		struct way way = { .pipe = form & 2, .threaded = form & 4 };
		struct image image;
		uint64_t time = 100;

		image_init(&image, form & 1);
		file_begin(&image, &clock_event, 1, 104);
		put(&image, &time);
		file_end(&image);
		expect_table(&image, &way, rows);
		image_release(&image);
	}
}

static void old_types(void **state)
{
	(void)state;
	expect_rows(put_old_types, HEADER OLD_ROWS);
}

static void middle_types(void **state)
{
	(void)state;
	expect_rows(put_middle_types, HEADER MIDDLE_ROWS);
}

static void new_types(void **state)
{
	(void)state;
	expect_rows(put_new_types, HEADER NEW_ROWS);
}

/* Made by perf: no time, nor anything else but an id. And pids of tasks that are gone. */
static void put_made_up(struct image *image, uint64_t *time)
{
	struct test_fields none = { .pid = UINT32_MAX, .tid = UINT32_MAX };
	struct test_fields idle = { .cpu = UINT32_MAX, .id = 11, .period = 1 };
	size_t start;

	put_comm(image, TYPE, 0, "late", &(struct test_fields){ .pid = 9, .tid = 9, .time = 300 });
	put_comm(image, TYPE, 0, "early", &none);
	start = record_begin(image, 13, 0);
	image_u64(image, 6);
	image_trailer(image, TYPE, &(struct test_fields){ .id = 11 }); /* LOST_SAMPLES at the end */
	record_end(image, start);
	idle.time = (*time)++;
	put_sample(image, TYPE, 1, &idle);
	idle.pid = idle.tid = UINT32_MAX;
	idle.time = (*time)++;
	put_sample(image, TYPE, 1, &idle);
}

static void what_is_not_known_is_empty(void **state)
{
	(void)state;
	expect_rows(put_made_up, HEADER "1,COMM,-1,-1,,early,,,,,,\n"
	                                "2,LOST_SAMPLES,,,,6,,,,,,cpu-clock\n"
	                                "3,SAMPLE,0,0,100,0x0,0x0,,,1,,cpu-clock\n"
	                                "4,SAMPLE,-1,-1,101,0x0,0x0,,,1,,cpu-clock\n"
	                                "0,COMM,9,9,300,late,,,,,0,\n");
}

/* Unknown types, and records that are too short for their type. */
static void put_odd(struct image *image, uint64_t *time)
{
	size_t start = begin(image, 40, 0);

	image_u64(image, 1);
	end(image, start, time);
	start = begin(image, 17, 0);
	image_u64(image, 1);
	record_end(image, start);
	start = begin(image, 9, 0);
	image_u64(image, 1);
	record_end(image, start);
}

static void odd_records_have_rows(void **state)
{
	(void)state;
	expect_rows(put_odd, HEADER "1,KSYMBOL,,,,,,,,,,\n"
	                            "2,SAMPLE,,,,,,,,,,cpu-clock\n"
	                            "0,UNKNOWN_40,70,71,100,,,,,,3,cpu-clock\n");
}

/* The event's name is a cell, too. */
static void put_named(struct image *image, uint64_t *time)
{
	struct test_fields fields = outer;
	size_t start = begin(image, 78, 0);

	image_u64(image, 2);
	image_u64(image, 11);
	image_text8(image, "a,\"b\"");
	record_end(image, start);
	for (int i = 0; i < 2; i++) {
		fields.time = (*time)++;
		put_sample(image, TYPE, 1, &fields);
	}
	start = begin(image, 2, 0);
	image_u64(image, 11);
	image_u64(image, 0x100000005);
	end(image, start, time);
	put_task_record(image, 7, time);
}

static void names_of_events_are_quoted(void **state)
{
	(void)state;
	expect_rows(put_named, HEADER "1,SAMPLE,70,71,100,0x0,0x0,,,0,3,\"a,\"\"b\"\"\"\n"
	                              "2,SAMPLE,70,71,101,0x0,0x0,,,0,3,\"a,\"\"b\"\"\"\n"
	                              "3,LOST,70,71,102,4294967301,,,,,3,\"a,\"\"b\"\"\"\n"
	                              "4,FORK,7,8,103,-1,,,,,3,\"a,\"\"b\"\"\"\n");
}

/* --- records without a time that come late in a pipe */

#define ROUND 68
#define TIMED 700000 /* records of 24 bytes: more than a pipe lets wait */

static const struct test_attr timed_event = { .type = 1, .sample_type = FLAG(1) | FLAG(2),
	                                      .flags = FLAG(18) | FLAG(20), .period = 1 };

/* SWITCH records in rounds, and late ones without a time behind them. */
static void put_late(struct image *image, uint32_t late)
{
	struct test_fields fields = { .pid = 1, .tid = 1 };
	size_t start;

	pipe_begin(image, &timed_event, 1);
	for (uint32_t i = 0; i < TIMED; i++) {
		fields.time = i + 1;
		start = record_begin(image, 14, 0);
		image_trailer(image, timed_event.sample_type, &fields);
		record_end(image, start);
		if (i % 100000 == 99999)
			record_end(image, record_begin(image, ROUND, 0));
	}
	fields.time = 0;
	for (uint32_t i = 0; i < late; i++) {
		fields.pid = fields.tid = i;
		put_comm(image, timed_event.sample_type, 0, "late", &fields);
	}
}

/* Number, pid and time of a row. */
static const char *read_row(const char *text, uint64_t *nr, uint64_t *pid, uint64_t *time)
{
	char *end;

	*nr = strtoull(text, &end, 10);
	text = strchr(end + 1, ',') + 1;
	*pid = strtoull(text, &end, 10);
	text = strchr(end + 1, ',') + 1;
	*time = strtoull(text, NULL, 10);
	return strchr(text, '\n') + 1;
}

/*
 * Rows of a pipe were written when a record without a time came: it stands before them all the
 * same. Only what would take too much memory stands where it came.
 */
static void what_comes_late_stands_in_front(void **state)
{
	static const uint32_t late[] = { 1, 5000, 32 * 4096 + 100 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(late); i++) {
		struct way way = { .pipe = true, .threaded = i % 2 };
		uint64_t nr, pid, time, timed = 0, rest;
		struct tables tables;
		struct image image;
		const char *row;
		char *text;

		image_init(&image, false);
		put_late(&image, late[i]);
		print_overview(&image, &way, &tables);
		text = take_table(&tables, 0);
		row = text + strlen(HEADER);
		for (uint32_t n = 0; n < late[i] && n < 32 * 4096; n++) {
			row = read_row(row, &nr, &pid, &time);
			assert_int_equal(nr, 1 + TIMED + TIMED / 100000 + n);
			assert_int_equal(pid, n);
			assert_int_equal(time, 0);
		}
		rest = late[i] > 32 * 4096 ? late[i] - 32 * 4096 : 0;
		while (*row) {
			row = read_row(row, &nr, &pid, &time);
			assert_int_equal(time ? time : pid, time ? ++timed : late[i] - rest--);
		}
		assert_int_equal(timed, TIMED);
		assert_int_equal(rest, 0);
		free(text);
		image_release(&image);
	}
}

/* --- tables that cannot be written, each way of them */

/* To be written only: rows that come late cannot be put in front. */
static int open_write_only(void *context, const char *name, struct packer **packer, struct err *err)
{
	struct tables *tables = context;
	int fd = open_table(tables, name, packer, err);

	close(fd);
	return tables->fds[0] = open(tables->paths[0], O_WRONLY);
}

static int open_full(void *context, const char *name, struct packer **packer, struct err *err)
{
	struct tables *tables = context;

	close(open_table(tables, name, packer, err));
	return tables->fds[0] = open("/dev/full", O_WRONLY);
}

static void expect_failure(const struct image *image, bool threaded, bool full, const char *says)
{
	struct tables tables = { .count = 0 };
	struct table_files files = { .context = &tables, .open = full ? open_full : open_write_only };
	struct overview *overview;
	struct table_writer out;
	struct opened opened;
	struct csv csv;

	assert_true(opened_pipe(&opened, image));
	csv_init(&csv, &files, false);
	out = csv_writer(&csv);
	overview = overview_new(&opened.session, &out, &opened.err);
	assert_non_null(overview);
	assert_false(read_for(&opened, overview, threaded) &&
	             overview_finish(overview, &opened.err));
	assert_string_equal(opened.err.text, says);
	overview_free(overview);
	close(tables.fds[0]);
	unlink(tables.paths[0]);
	opened_close(&opened);
}

static void tables_that_cannot_be_written(void **state)
{
	struct image image;

	(void)state;
	if (access("/dev/full", W_OK) != 0)
		skip();
	image_init(&image, false);
	put_late(&image, 10);
	for (int threaded = 0; threaded <= 1; threaded++) {
		expect_failure(&image, threaded, true,
		               "overview.csv: cannot write: No space left on device");
		expect_failure(&image, threaded, false, "overview.csv: cannot read: Bad file descriptor");
	}
	image_release(&image);
}

/* --- the same rows for other writers */

#define STARTED_NEVER 1

static bool note_start(void *context, uint64_t first, uint64_t last, struct err *err)
{
	(void)last;
	(void)err;
	*(uint64_t *)context = first;
	return true;
}

static void put_few(struct image *image, bool samples)
{
	static const uint64_t sampled[] = { 20, 10 };
	struct test_fields fields = { .pid = 1, .tid = 1 };

	file_begin(image, &timed_event, 1, 104);
	put_comm(image, timed_event.sample_type, 0, "no-time", &fields);
	for (size_t i = 0; samples && i < ARRAY_SIZE(sampled); i++) {
		fields.time = sampled[i];
		put_sample(image, timed_event.sample_type, 2, &fields);
	}
	fields.time = 5;
	put_comm(image, timed_event.sample_type, 0, "first", &fields);
	file_end(image);
}

/* A writer that is taken for one of another kind; the first sample is known before its time. */
static void other_writers_have_the_same_rows(void **state)
{
	(void)state;
	for (int samples = 0; samples <= 1; samples++) {
		uint64_t started = STARTED_NEVER;
		struct tables tables = { .count = 0 };
		struct table_files files = { &tables, open_table };
		struct table_writer_kind kind;
		struct table_writer out;
		struct overview *overview;
		struct opened opened;
		struct image image;
		struct csv csv;
		char *text;

		image_init(&image, false);
		put_few(&image, samples);
		assert_true(opened_file(&opened, &image));
		csv_init(&csv, &files, false);
		kind = *csv_writer(&csv).kind;
		out = (struct table_writer){ .kind = &kind, .context = &csv };
		overview = overview_new(&opened.session, &out, &opened.err);
		assert_non_null(overview);
		opened.read = true;
		assert_true(perffile_read(&opened.session, (struct record_handler[]){ { .context = &started, .times = note_start }, overview_handler(overview) }, 2, NULL, &opened.summary, &opened.err));
		assert_true(overview_finish(overview, &opened.err));
		overview_free(overview);
		assert_int_equal(started, samples ? 10 : UINT64_MAX);
		text = take_table(&tables, 0);
		assert_non_null(strstr(text, HEADER "0,COMM,1,1,,no-time,"));
		assert_int_equal(!strstr(text, "SAMPLE"), !samples);
		free(text);
		opened_close(&opened);
		image_release(&image);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_has_a_row),
		cmocka_unit_test(old_types),
		cmocka_unit_test(middle_types),
		cmocka_unit_test(new_types),
		cmocka_unit_test(what_is_not_known_is_empty),
		cmocka_unit_test(odd_records_have_rows),
		cmocka_unit_test(names_of_events_are_quoted),
		cmocka_unit_test(what_comes_late_stands_in_front),
		cmocka_unit_test(tables_that_cannot_be_written),
		cmocka_unit_test(other_writers_have_the_same_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
