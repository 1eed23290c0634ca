/* Stacks counted, named and added up: recordings made by hand, read by the real reader. */
#include "decode/tables/remarks.h"

#include "tests/unit/fixture.h"
#include "tests/unit/named.h"
#include "tests/unit/replay.h"
#include "tests/unit/tablefile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* IP, TID, TIME, CALLCHAIN, PERIOD */
#define PLAIN_TYPE ((uint64_t)0x107)
#define CHAIN_TYPE (PLAIN_TYPE | FLAG(5))
#define TRAILER ((uint64_t)0x6)
#define CODE 0x400000u

static const struct test_attr chain_attr = { .sample_type = CHAIN_TYPE, .flags = FLAG(18), .period = 1,
	                                     .ids = { 0 } };
static const struct file_options nowhere = { .symfs = (const char *const[]){ "/no/such" }, .symfs_count = 1, .buildid_dir = "/no/such" };

struct counted_stacks {
	struct replay replay;
	struct stack_options options;
	struct named named;
	bool ok;
};

static void begin(struct counted_stacks *test, const struct test_attr *attr)
{
	const struct test_fields fields = { .pid = 1, .tid = 1, .time = 1 };

	memset(test, 0, sizeof(*test));
	test->options = (struct stack_options){ .files = &nowhere,
		                                .memory = STACK_MEMORY };
	replay_begin(&test->replay, attr, 1);
	put_mmap(&test->replay.image, TRAILER, 2, "/code", CODE, 0x10000, 0, &fields);
}

/* A sample in user mode with these words; the first is its ip. */
static void put_chain(struct counted_stacks *test, uint64_t time, uint64_t period,
                      const uint64_t *words, size_t count)
{
	const struct test_fields fields = { .pid = 1, .tid = 1, .time = time, .period = period,
		                            .ip = words[0] };
	struct image *image = &test->replay.image;
	size_t start = record_begin(image, PERF_RECORD_SAMPLE, 2);

	image_fixed(image, CHAIN_TYPE, &fields);
	image_u64(image, count);
	for (size_t i = 0; i < count; i++)
		image_u64(image, words[i]);
	record_end(image, start);
}

#define CHAIN(test, time, period, ...)                                                           \
	put_chain(test, time, period, (const uint64_t[]){ __VA_ARGS__ },                         \
	          sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* Reads, and names what is called by its address: files are nowhere. */
static void read_all(struct counted_stacks *test)
{
	struct naming_options options = { .lookup = { .symbolizer = SYMBOLIZER_NONE }, .threads = 1 };
	struct opened *opened = &test->replay.opened;
	struct record_handler handler;

	options.lookup.symbols.files = nowhere;
	file_end(&test->replay.image);
	test->ok = opened_file(opened, &test->replay.image) &&
	           strings_init(&test->replay.strings, &opened->err) &&
	           buildstat_init(&test->replay.stat, &opened->session, &test->replay.strings,
	                          &opened->err);
	if (!test->ok)
		return;
	test->replay.stat.stack_options = &test->options;
	handler = buildstat_handler(&test->replay.stat);
	opened->read = true;
	test->ok = perffile_read(&opened->session, &handler, 1, NULL, &opened->summary, &opened->err) &&
	           buildstat_finish(&test->replay.stat, &opened->err) &&
	           named_make(&test->named, &test->replay.stat, &options, &opened->diag,
	                      &opened->err);
}

static void finish(struct counted_stacks *test)
{
	named_release(&test->named);
	replay_end(&test->replay);
}

/* The samples and the period of each way through the tree, by addresses: "20>10 2/7;", innermost last. */
static const char *ways_of(struct counted_stacks *test, char *text, size_t size)
{
	const struct stackstat *stacks = test->replay.stat.stacks;
	const struct stack_tree *tree = &stacks->tree;
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < stacks->cells.count; i++) {
		const struct stack_cell *cell = &stacks->cells.items[i];
		uint64_t path[200];
		size_t depth = 0;
		struct stack_walk walk = stack_walk_from(tree, cell->callers);
		uint32_t at;

		path[depth++] = test->replay.stat.places.addrs[stack_cell_place(cell)];
		while (stack_walk_next(&walk, &at))
			path[depth++] =
				tree->frames[at].binary == tree->folded ? 0 : tree->frames[at].addr;
		used += (size_t)snprintf(text + used, size - used, "%u:", walk.node);
		while (depth--)
			used += (size_t)snprintf(text + used, size - used, "%llx%s",
			                         (unsigned long long)path[depth], depth ? ">" : " ");
		used += (size_t)snprintf(text + used, size - used, "%llu/%llu;",
		                         (unsigned long long)cell->samples,
		                         (unsigned long long)cell->period);
	}
	return text;
}

static void test_counts(void **state)
{
	struct counted_stacks test;
	char text[1000];

	(void)state;
	begin(&test, &chain_attr);
	CHAIN(&test, 2, 5, CODE + 0x10, CODE + 0x21);
	CHAIN(&test, 3, 6, CODE + 0x10, CODE + 0x21);
	CHAIN(&test, 4, 7, CODE + 0x30, CODE + 0x21);
	CHAIN(&test, 5, 8, CODE + 0x10);
	read_all(&test);
	assert_true(test.ok);
	assert_string_equal(ways_of(&test, text, sizeof(text)), "2:20>10 2/11;2:20>30 1/7;2:10 1/8;");
	/* all is one function without a name, which has each sample once */
	assert_int_equal(test.named.results.row_count, 1);
	assert_int_equal(test.named.results.rows[0].samples, 4);
	assert_int_equal(test.named.results.rows[0].total.samples, 4);
	assert_int_equal(test.named.results.rows[0].total.period, 26);
	/* behind "[cut]" and "[lost]" */
	assert_int_equal(test.named.calls.count, 4);
	assert_int_equal(call_tree_total(&test.named.calls, 0, 0)->samples, 0);
	assert_int_equal(call_tree_total(&test.named.calls, 1, 0)->samples, 0);
	assert_int_equal(call_tree_total(&test.named.calls, 2, 0)->period, 26);
	assert_int_equal(call_tree_own(&test.named.calls, 2, 0)->period, 8);
	assert_int_equal(call_tree_total(&test.named.calls, 3, 0)->period, 18);
	finish(&test);
}

/*
 * The same addresses mean something else when another file is mapped there, or the first is gone.
 * Callers outside of all mappings are one place.
 */
static void test_mappings_change(void **state)
{
	const struct test_fields later = { .pid = 1, .tid = 1, .time = 4 };
	struct counted_stacks test;
	char text[1000];

	(void)state;
	begin(&test, &chain_attr);
	CHAIN(&test, 2, 1, CODE + 0x10, CODE + 0x21, 0x900011);
	CHAIN(&test, 3, 1, CODE + 0x10, CODE + 0x21, 0x900777);
	put_mmap(&test.replay.image, TRAILER, 2, "/more", 0x900000, 0x10000, 0x5000, &later);
	CHAIN(&test, 5, 1, CODE + 0x10, CODE + 0x21, 0x900011);
	put_mmap(&test.replay.image, TRAILER, 2, "/other", CODE, 0x10000, 0x7000,
	         &(struct test_fields){ .pid = 1, .tid = 1, .time = 6 });
	CHAIN(&test, 7, 1, CODE + 0x10, CODE + 0x21, 0x900011);
	read_all(&test);
	assert_true(test.ok);
	assert_string_equal(ways_of(&test, text, sizeof(text)),
	                    "2:0>20>10 2/2;2:5010>20>10 1/1;2:5010>7020>7010 1/1;");
	finish(&test);
}

#define KERNEL UINT64_C(0xffffffff81000000)

/* A sample in the kernel, which was called from there. */
static void put_system_call(struct counted_stacks *test, uint64_t time, uint64_t caller)
{
	const struct test_fields fields = { .pid = 1, .tid = 1, .time = time, .period = 1, .ip = KERNEL };
	const uint64_t words[] = { 4, PERF_CONTEXT_KERNEL, KERNEL, PERF_CONTEXT_USER, caller };
	struct image *image = &test->replay.image;
	size_t start = record_begin(image, PERF_RECORD_SAMPLE, 1);

	image_fixed(image, CHAIN_TYPE, &fields);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		image_u64(image, words[i]);
	record_end(image, start);
}

/*
 * Until exec returns, its caller is in the old program; but nothing is sampled there any more. The
 * next exec knows the one before no longer.
 */
static void test_exec(void **state)
{
	static const struct test_attr attr = { .sample_type = CHAIN_TYPE, .flags = FLAG(18) | FLAG(24),
		                               .period = 1, .ids = { 0 } };
	struct counted_stacks test;
	char text[1000];

	(void)state;
	begin(&test, &attr);
	put_system_call(&test, 2, CODE + 0x20);
	put_comm(&test.replay.image, TRAILER, PERF_MISC_COMM_EXEC, "new",
	         &(struct test_fields){ .pid = 1, .tid = 1, .time = 3 });
	put_system_call(&test, 4, CODE + 0x20);
	put_mmap(&test.replay.image, TRAILER, 2, "/new", 0x900000, 0x10000, 0x5000,
	         &(struct test_fields){ .pid = 1, .tid = 1, .time = 5 });
	put_system_call(&test, 6, CODE + 0x20);
	put_system_call(&test, 7, 0x900010);
	CHAIN(&test, 8, 1, CODE + 0x20);
	put_comm(&test.replay.image, TRAILER, PERF_MISC_COMM_EXEC, "newer",
	         &(struct test_fields){ .pid = 1, .tid = 1, .time = 9 });
	put_system_call(&test, 10, 0x900010);
	put_system_call(&test, 11, CODE + 0x20);
	read_all(&test);
	assert_true(test.ok);
	assert_string_equal(ways_of(&test, text, sizeof(text)),
	                    "2:20>ffffffff81000000 3/3;2:5010>ffffffff81000000 2/2;2:400020 1/1;"
	                    "2:400020>ffffffff81000000 1/1;");
	finish(&test);
}

/*
 * Only the caller of a system call is looked for in the program before: a sample in user mode is at
 * the place where other tables have it, even if its chain begins elsewhere.
 */
static void test_exec_sample(void **state)
{
	static const struct test_attr attr = { .sample_type = CHAIN_TYPE, .flags = FLAG(18) | FLAG(24),
		                               .period = 1, .ids = { 0 } };
	const struct test_fields fields = { .pid = 1, .tid = 1, .time = 4, .period = 1, .ip = CODE + 0x20 };
	const uint64_t words[] = { 2, PERF_CONTEXT_USER, 0x900010 };
	struct counted_stacks test;
	char text[1000];
	size_t start;

	(void)state;
	begin(&test, &attr);
	put_comm(&test.replay.image, TRAILER, PERF_MISC_COMM_EXEC, "new",
	         &(struct test_fields){ .pid = 1, .tid = 1, .time = 2 });
	put_mmap(&test.replay.image, TRAILER, 2, "/new", 0x900000, 0x10000, 0x5000,
	         &(struct test_fields){ .pid = 1, .tid = 1, .time = 3 });
	start = record_begin(&test.replay.image, PERF_RECORD_SAMPLE, 2);
	image_fixed(&test.replay.image, CHAIN_TYPE, &fields);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		image_u64(&test.replay.image, words[i]);
	record_end(&test.replay.image, start);
	read_all(&test);
	assert_true(test.ok);
	assert_string_equal(ways_of(&test, text, sizeof(text)), "2:5010>400020 1/1;");
	finish(&test);
}

/* Processes that have a file at different addresses have their stacks in common. */
static void test_processes_share(void **state)
{
	const struct test_fields other = { .pid = 2, .tid = 2, .time = 3 };
	const uint64_t words[] = { 0x700010, 0x700021 };
	struct counted_stacks test;
	struct image *image;
	char text[1000];
	size_t start;

	(void)state;
	begin(&test, &chain_attr);
	CHAIN(&test, 2, 1, CODE + 0x10, CODE + 0x21);
	image = &test.replay.image;
	put_mmap(image, TRAILER, 2, "/code", 0x700000, 0x10000, 0, &other);
	start = record_begin(image, PERF_RECORD_SAMPLE, 2);
	image_fixed(image, CHAIN_TYPE,
	            &(struct test_fields){
			    .pid = 2, .tid = 2, .time = 4, .period = 1, .ip = words[0] });
	image_u64(image, 2);
	image_u64(image, words[0]);
	image_u64(image, words[1]);
	record_end(image, start);
	read_all(&test);
	assert_true(test.ok);
	assert_string_equal(ways_of(&test, text, sizeof(text)), "2:20>10 2/2;");
	finish(&test);
}

/* The cells that were logged, one a sample, are those that have the samples. */
static void check_log(struct counted_stacks *test, size_t count)
{
	struct stackstat *stacks = test->replay.stat.stacks;
	uint32_t *samples = calloc(stacks->cells.count, sizeof(*samples));
	struct err err = { 0 };

	assert_non_null(samples);
	assert_int_equal(spool_size(&stacks->log), count * sizeof(uint32_t));
	assert_true(spool_rewind(&stacks->log, &err));
	for (size_t i = 0; i < count; i++) {
		const uint32_t *cell = spool_take(&stacks->log, sizeof(*cell), &err);

		assert_true(cell && *cell < stacks->cells.count);
		samples[*cell]++;
	}
	for (size_t i = 0; i < stacks->cells.count; i++)
		assert_int_equal(samples[i], stacks->cells.items[i].samples);
	free(samples);
}

/* Stacks that take too much memory are folded, and keep every sample. */
static void test_fold(void **state)
{
	struct counted_stacks test;
	uint64_t words[90], samples = 0, period = 0;
	const struct stackstat *stacks;

	(void)state;
	begin(&test, &chain_attr);
	test.options.memory = 20000;
	test.options.log_dir = ".";
	for (uint64_t n = 0; n < 300; n++) {
		for (uint64_t i = 0; i < 90; i++)
			words[i] = CODE + 1 + (i < 60 ? (n * 61 + i * 7) % 0x8000 : i);
		put_chain(&test, n + 2, n + 1, words, 90);
	}
	read_all(&test);
	assert_true(test.ok);
	stacks = test.replay.stat.stacks;
	assert_true(stacks->tree.depth_most < 64);
	for (size_t i = 0; i < stacks->cells.count; i++) {
		struct stack_walk walk =
			stack_walk_from(&stacks->tree, stacks->cells.items[i].callers);
		uint32_t frame = 0;

		samples += stacks->cells.items[i].samples;
		period += stacks->cells.items[i].period;
		assert_true(stack_walk_next(&walk, &frame));
		assert_int_equal(stacks->tree.frames[frame].binary, stacks->tree.folded);
		/* it stands for no place that has a name */
		assert_int_equal(stacks->places[frame], PLACE_NONE);
	}
	assert_int_equal(samples, 300);
	assert_int_equal(period, 300 * 301 / 2);
	/* those too that were in the tree before it was folded */
	assert_int_equal(stackstat_folded_samples(stacks), 300);
	assert_int_equal(test.named.results.rows[0].total.samples, 300);
	check_log(&test, 300);
	finish(&test);
}

/*
 * Each time that the kernel loads a module, chains get new keys. Cells of one stack are added up
 * before any stack is folded, and from then on there is one.
 */
static void test_equal_stacks(void **state)
{
	struct test_fields kernel = { .pid = UINT32_MAX };
	struct counted_stacks test;
	const struct stackstat *stacks;
	char text[1000];

	(void)state;
	begin(&test, &chain_attr);
	test.options.memory = 20000;
	test.options.log_dir = ".";
	for (uint64_t n = 0; n < 1000; n++) {
		kernel.time = n + 2;
		put_mmap(&test.replay.image, TRAILER, 1, "[module]",
		         0xffffffffc0000000u + n * 0x1000, 0x1000, 0, &kernel);
		CHAIN(&test, n + 2, 1, CODE + 0x10, CODE + 0x21);
		CHAIN(&test, n + 2, 2, CODE + 0x30, CODE + 0x21);
	}
	read_all(&test);
	assert_true(test.ok);
	stacks = test.replay.stat.stacks;
	assert_true(stacks->by_stack);
	assert_true(stacks->tree.depth_most == SIZE_MAX);
	assert_string_equal(ways_of(&test, text, sizeof(text)), "2:20>10 1000/1000;2:20>30 1000/2000;");
	assert_int_equal(test.named.results.rows[0].total.samples, 2000);
	check_log(&test, 2000);
	finish(&test);
}

/* The user part comes later, in a record with the same cookie. */
static void put_deferred(struct counted_stacks *test, uint64_t time, uint64_t cookie, uint64_t ip)
{
	const struct test_fields fields = { .pid = 1, .tid = 1, .time = time };
	size_t start = record_begin(&test->replay.image, PERF_RECORD_CALLCHAIN_DEFERRED, 2);

	image_u64(&test->replay.image, cookie);
	image_u64(&test->replay.image, 2);
	image_u64(&test->replay.image, ip);
	image_u64(&test->replay.image, CODE + 0x99);
	image_trailer(&test->replay.image, TRAILER, &fields);
	record_end(&test->replay.image, start);
}

static void test_deferred(void **state)
{
	struct counted_stacks test;
	char text[1000];

	(void)state;
	begin(&test, &chain_attr);
	CHAIN(&test, 2, 1, CODE + 0x10, PERF_CONTEXT_USER_DEFERRED, 7);
	CHAIN(&test, 3, 1, CODE + 0x10, PERF_CONTEXT_USER_DEFERRED, 8);
	put_deferred(&test, 4, 8, CODE + 0x50);
	CHAIN(&test, 5, 1, CODE + 0x10, PERF_CONTEXT_USER_DEFERRED, 9);
	read_all(&test);
	assert_true(test.ok);
	/* no record has cookie 7 or 9 */
	assert_string_equal(ways_of(&test, text, sizeof(text)), "3:10 2/2;2:98>50>10 1/1;");
	finish(&test);
}

/* The nodes of the first rows of calltree.csv. */
struct first_rows {
	uint32_t nodes[5];
	size_t count;
};

static void keep_row(void *context, uint32_t node, size_t event, const uint32_t *frames)
{
	struct first_rows *rows = context;

	assert_int_equal(event, 0);
	assert_in_range(rows->count, 0, 4);
	assert_int_equal(frames[node], rows->count + 1);
	rows->nodes[rows->count++] = node;
}

/* Callers, and how stacks ended; what is not whole begins with a frame that says so. */
static void test_projections(void **state)
{
	struct counted_stacks test;
	struct call_edge *edges;
	struct err err = { .code = ERR_NONE };
	struct first_rows rows = { 0 };
	uint32_t *frames;
	size_t count;

	(void)state;
	begin(&test, &chain_attr);
	for (unsigned i = 0; i < 2; i++)
		CHAIN(&test, 2 + i, 10, CODE + 0x10, CODE + 0x21, CODE + 0x31);
	CHAIN(&test, 5, 3, CODE + 0x10, PERF_CONTEXT_USER_DEFERRED, 7);
	read_all(&test);
	assert_true(test.ok);
	assert_true(call_tree_edges(&test.named.calls, &test.replay.strings, &edges, &count, &err));
	/* root -> f, f -> f once for each sample, root -> [cut], [cut] -> f */
	assert_int_equal(count, 4);
	assert_int_equal(edges[0].count.period, 20);
	assert_int_equal(edges[1].count.period, 20);
	assert_int_equal(edges[2].count.period, 3);
	free(edges);
	assert_int_equal(test.named.totals.ends[STACK_FRAME_POINTERS].samples, 2);
	assert_int_equal(test.named.totals.ends[STACK_CUT].period, 3);
	frames = call_tree_frames(&test.named.calls, &test.replay.strings, keep_row, &rows, &err);
	assert_non_null(frames);
	assert_int_equal(rows.count, 5);
	assert_int_equal(test.named.calls.nodes[rows.nodes[0]].depth, 0);
	assert_int_equal(test.named.calls.nodes[rows.nodes[1]].parent, rows.nodes[0]);
	assert_int_equal(test.named.calls.nodes[rows.nodes[2]].depth, 2);
	assert_int_equal(test.named.calls.nodes[rows.nodes[3]].kind, CALL_REMARK);
	assert_int_equal(test.named.calls.nodes[rows.nodes[4]].parent, rows.nodes[3]);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(frames[rows.nodes[i]], i + 1);
	free(frames);
	finish(&test);
}

/* The profile of two stacks that were counted in either order. Returns its size. */
static size_t profile_of(bool other_first, char *bytes, size_t room)
{
	struct counted_stacks test;
	FILE *file = tmpfile();
	int fd = fileno(file);
	const struct table_files files = { .context = &fd, .open = open_same_file };
	struct err err = { .code = ERR_NONE };
	struct report report;
	size_t size;

	begin(&test, &chain_attr);
	test.options.by_comm = test.options.by_thread = true;
	if (other_first)
		CHAIN(&test, 2, 1, CODE + 0x50, CODE + 0x61);
	CHAIN(&test, 2, 10, CODE + 0x10, CODE + 0x21, CODE + 0x31);
	if (!other_first)
		CHAIN(&test, 2, 1, CODE + 0x50, CODE + 0x61);
	read_all(&test);
	assert_true(test.ok);
	report = (struct report){ .session = &test.replay.opened.session,
		                  .summary = &test.replay.opened.summary,
		                  .stat = &test.replay.stat,
		                  .names = &test.named.names,
		                  .totals = &test.named.totals,
		                  .calls = &test.named.calls,
		                  .files = &files };
	assert_true(pprof_table.print(NULL, &report, &err));
	rewind(file);
	size = fread(bytes, 1, room, file);
	fclose(file);
	finish(&test);
	return size;
}

/* Samples are counted in any order, which differs with the threads that read them. */
static void test_profile_order(void **state)
{
	char one[4096], other[4096];
	size_t size = profile_of(false, one, sizeof(one));

	(void)state;
	assert_in_range(size, 100, sizeof(one) - 1);
	assert_int_equal(profile_of(true, other, sizeof(other)), size);
	assert_memory_equal(one, other, size);
}

/* Samples that were counted before stacks were have no thread: not that of the first stack. */
static void test_import(void **state)
{
	struct counted_stacks test;
	struct buildstat *stat = &test.replay.stat;
	struct opened *opened = &test.replay.opened;
	struct err *err = &opened->err;
	const struct record damaged = { .pid = 5, .tid = 6 };
	struct stackstat stacks;
	uint32_t process;

	(void)state;
	begin(&test, &chain_attr);
	test.options.by_thread = true;
	file_end(&test.replay.image);
	assert_true(opened_file(opened, &test.replay.image));
	assert_true(strings_init(&test.replay.strings, err));
	assert_true(buildstat_init(stat, &opened->session, &test.replay.strings, err));
	assert_true(stackstat_init(&stacks, &opened->session, &stat->mappings, &test.options, err));
	assert_true(stackstat_import(&stacks, &(struct cell_kind){ 0, GROUP_ALL, 0 }, 0x10, 1, 1, err));
	process = processes_get(&stat->processes, 5, 6, err);
	assert_true(stackstat_add_damaged(&stacks, &damaged, process, 0, err));
	assert_int_equal(stacks.cells.count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct stack_cell *cell = &stacks.cells.items[i];
		const bool imported = cell->addr == 0x10;

		assert_int_equal(stackstat_group(&stacks, cell)->tid, imported ? -1 : 6);
	}
	stackstat_release(&stacks);
	finish(&test);
}

/* What is said of the stacks is one warning, with these words. */
static void expect_remark(struct counted_stacks *test, struct report *report, const char *words)
{
	report->session = &test->replay.opened.session;
	test->replay.opened.warnings = 0;
	remarks_on_stacks(report, &test->replay.opened.diag);
	diag_finish(&test->replay.opened.diag);
	assert_int_equal(test->replay.opened.warnings, 1);
	assert_non_null(strstr(test->replay.opened.warning, words));
}

/* The warning about incomplete stacks: given once, with advice. */
static void test_remarks(void **state)
{
	struct call_count ends[2 * STACK_ENDS] = { 0 };
	struct call_totals totals = { .chains = true, .ends = ends };
	struct counted_stacks test;
	struct report report;
	uint32_t derived;

	(void)state;
	begin(&test, &chain_attr);
	for (uint64_t i = 0; i < 19; i++)
		CHAIN(&test, 2 + i, 10, CODE + 0x10, CODE + 0x21, CODE + 0x31);
	CHAIN(&test, 30, 3, CODE + 0x10, PERF_CONTEXT_USER_DEFERRED, 7);
	read_all(&test);
	report = (struct report){ .session = &test.replay.opened.session,
		                  .stat = &test.replay.stat,
		                  .names = &test.named.names,
		                  .totals = &test.named.totals,
		                  .calls = &test.named.calls };
	test.replay.opened.warnings = 0;
	remarks_on_stacks(&report, &test.replay.opened.diag);
	diag_finish(&test.replay.opened.diag);
	assert_int_equal(test.replay.opened.warnings, 0); /* up to 5 % there is no warning */
	finish(&test);

	begin(&test, &chain_attr);
	CHAIN(&test, 2, 10, CODE + 0x10, CODE + 0x21, CODE + 0x31);
	CHAIN(&test, 30, 3, CODE + 0x10, PERF_CONTEXT_USER_DEFERRED, 7);
	read_all(&test);
	expect_remark(&test, &report, "50.00 % of 2 stacks are not whole, mostly cut: record with");
	assert_non_null(strstr(test.replay.opened.warning, "sysctl kernel.perf_event_max_stack"));
	finish(&test);

	/* the event's own limit is below the kernel's */
	begin(&test, &chain_attr);
	CHAIN(&test, 30, 3, CODE + 0x10, PERF_CONTEXT_USER_DEFERRED, 7);
	read_all(&test);
	test.replay.opened.session.events[0].attr.sample_max_stack = 126;
	expect_remark(&test, &report, "record with a larger max-stack of the event");
	assert_null(strstr(test.replay.opened.warning, "sysctl"));

	/* and an event derived from it has its stacks */
	derived = session_add_derived(&test.replay.opened.session, "lock", &test.replay.opened.err);
	assert_int_equal(derived, 1);
	ends[STACK_ENDS + STACK_CUT].samples = 1;
	report.totals = &totals;
	expect_remark(&test, &report, "lock: 100.00 % of 1 stacks are not whole");
	assert_non_null(strstr(test.replay.opened.warning, "record with a larger max-stack of the event"));
	finish(&test);
}

/* Each allocation refused once: an error, and everything is given back. */
static void test_refused(void **state)
{
	struct counted_stacks test;
	uint64_t words[40];
	bool refused = true;

	(void)state;
	for (unsigned long n = 1; refused; n++) {
		begin(&test, &chain_attr);
		test.options.memory = 20000;
		test.options.log_dir = ".";
		test.options.by_thread = test.options.by_comm = true;
		for (uint64_t k = 0; k < 60; k++) {
			for (uint64_t i = 0; i < 40; i++)
				words[i] = CODE + 1 + (i < 30 ? (k * 61 + i * 7) % 0x8000 : i);
			put_chain(&test, k + 2, 1, words, 40);
		}
		CHAIN(&test, 100, 1, CODE + 0x10, PERF_CONTEXT_USER_DEFERRED, 7);
		refuse_allocation(n);
		read_all(&test);
		refused = allocations_seen() >= n;
		refuse_allocation(0);
		/* symbols that cannot be loaded are only missing */
		assert_true(test.ok || test.replay.opened.err.code == ERR_NOMEM);
		finish(&test);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),   cmocka_unit_test(test_mappings_change), cmocka_unit_test(test_exec),
		cmocka_unit_test(test_exec_sample),
		cmocka_unit_test(test_processes_share),
		cmocka_unit_test(test_fold),     cmocka_unit_test(test_deferred),
		cmocka_unit_test(test_projections), cmocka_unit_test(test_profile_order), cmocka_unit_test(test_remarks), cmocka_unit_test(test_equal_stacks),
		cmocka_unit_test(test_refused),  cmocka_unit_test(test_import),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
