/* Stacks counted, named and added up: recordings made by hand, read by the real reader. */
#include "decode/tables/remarks.h"

#include "tests/unit/fixture.h"
#include "tests/unit/named.h"
#include "tests/unit/replay.h"

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
static const struct file_options nowhere = { .symfs = "/no/such", .buildid_dir = "/no/such" };

struct told_stacks {
	struct replay replay;
	struct stack_options options;
	struct named named;
	bool ok;
};

static void begin(struct told_stacks *told, const struct test_attr *attr)
{
	const struct test_fields fields = { .pid = 1, .tid = 1, .time = 1 };

	memset(told, 0, sizeof(*told));
	told->options = (struct stack_options){ .files = &nowhere,
		                                .every_name = true,
		                                .memory = STACK_MEMORY };
	replay_begin(&told->replay, attr, 1);
	put_mmap(&told->replay.image, TRAILER, 2, "/code", CODE, 0x10000, 0, &fields);
}

/* A sample in user mode with these words; the first is its ip. */
static void put_chain(struct told_stacks *told, uint64_t time, uint64_t period,
                      const uint64_t *words, size_t count)
{
	const struct test_fields fields = { .pid = 1, .tid = 1, .time = time, .period = period,
		                            .ip = words[0] };
	struct image *image = &told->replay.image;
	size_t start = record_begin(image, PERF_RECORD_SAMPLE, 2);

	image_fixed(image, CHAIN_TYPE, &fields);
	image_u64(image, count);
	for (size_t i = 0; i < count; i++)
		image_u64(image, words[i]);
	record_end(image, start);
}

#define CHAIN(told, time, period, ...)                                                           \
	put_chain(told, time, period, (const uint64_t[]){ __VA_ARGS__ },                         \
	          sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* Reads, and names what is called by its address: files are nowhere. */
static void read_all(struct told_stacks *told)
{
	struct naming_options options = { .lookup = { .symbolizer = SYMBOLIZER_NONE }, .threads = 1 };
	struct opened *opened = &told->replay.opened;
	struct record_handler handler;

	options.lookup.symbols.files = nowhere;
	file_end(&told->replay.image);
	told->ok = opened_file(opened, &told->replay.image) &&
	           strings_init(&told->replay.strings, &opened->err) &&
	           buildstat_init(&told->replay.stat, &opened->session, &told->replay.strings,
	                          &opened->err);
	if (!told->ok)
		return;
	told->replay.stat.stack_options = &told->options;
	handler = buildstat_handler(&told->replay.stat);
	opened->read = true;
	told->ok = perffile_read(&opened->input, &opened->session, &handler, 1, NULL, &opened->diag,
	                         &opened->summary, &opened->err) &&
	           buildstat_finish(&told->replay.stat, &opened->err) &&
	           named_make(&told->named, &told->replay.stat, &options, &opened->diag,
	                      &opened->err);
}

static void finish(struct told_stacks *told)
{
	named_release(&told->named);
	replay_end(&told->replay);
}

/* The samples and the period of each way through the tree, by addresses: "20>10 2/7;", innermost last. */
static const char *ways_of(struct told_stacks *told, char *text, size_t size)
{
	const struct stackstat *stacks = told->replay.stat.stacks;
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < stacks->cells.count; i++) {
		const struct cell *cell = &stacks->cells.items[i];
		uint64_t path[200];
		size_t depth = 0;
		uint32_t at = (uint32_t)cell->key;

		for (; at >= STACK_ENDS; at = stacks->tree.nodes[at].parent)
			path[depth++] = stacks->tree.nodes[at].binary == stacks->tree.folded
			                        ? 0
			                        : stacks->tree.nodes[at].addr;
		used += (size_t)snprintf(text + used, size - used, "%u:", at);
		while (depth--)
			used += (size_t)snprintf(text + used, size - used, "%llx%s",
			                         (unsigned long long)path[depth], depth ? ">" : " ");
		used += (size_t)snprintf(text + used, size - used, "%u/%llu;", cell->samples,
		                         (unsigned long long)cell->period);
	}
	return text;
}

static void test_counts(void **state)
{
	struct told_stacks told;
	char text[1000];

	(void)state;
	begin(&told, &chain_attr);
	CHAIN(&told, 2, 5, CODE + 0x10, CODE + 0x21);
	CHAIN(&told, 3, 6, CODE + 0x10, CODE + 0x21);
	CHAIN(&told, 4, 7, CODE + 0x30, CODE + 0x21);
	CHAIN(&told, 5, 8, CODE + 0x10);
	read_all(&told);
	assert_true(told.ok);
	assert_string_equal(ways_of(&told, text, sizeof(text)), "3:20>10 2/11;3:20>30 1/7;3:10 1/8;");
	/* all is one function without a name, which has each sample once */
	assert_int_equal(told.named.results.row_count, 1);
	assert_int_equal(told.named.results.rows[0].samples, 4);
	assert_int_equal(told.named.results.rows[0].total.samples, 4);
	assert_int_equal(told.named.results.rows[0].total.period, 26);
	assert_int_equal(told.named.calls.count, 2);
	assert_int_equal(call_tree_total(&told.named.calls, 0, 0)->period, 26);
	assert_int_equal(call_tree_own(&told.named.calls, 0, 0)->period, 8);
	assert_int_equal(call_tree_total(&told.named.calls, 1, 0)->period, 18);
	finish(&told);
}

/* The same addresses mean something else when another file is mapped there, or the first is gone. */
static void test_mappings_change(void **state)
{
	const struct test_fields later = { .pid = 1, .tid = 1, .time = 4 };
	struct told_stacks told;
	char text[1000];

	(void)state;
	begin(&told, &chain_attr);
	CHAIN(&told, 2, 1, CODE + 0x10, CODE + 0x21, 0x900011);
	CHAIN(&told, 3, 1, CODE + 0x10, CODE + 0x21, 0x900011);
	put_mmap(&told.replay.image, TRAILER, 2, "/more", 0x900000, 0x10000, 0x5000, &later);
	CHAIN(&told, 5, 1, CODE + 0x10, CODE + 0x21, 0x900011);
	put_mmap(&told.replay.image, TRAILER, 2, "/other", CODE, 0x10000, 0x7000,
	         &(struct test_fields){ .pid = 1, .tid = 1, .time = 6 });
	CHAIN(&told, 7, 1, CODE + 0x10, CODE + 0x21, 0x900011);
	read_all(&told);
	assert_true(told.ok);
	assert_string_equal(ways_of(&told, text, sizeof(text)),
	                    "3:900010>20>10 2/2;3:5010>20>10 1/1;3:5010>7020>7010 1/1;");
	finish(&told);
}

/* Processes that have a file at different addresses have their stacks in common. */
static void test_processes_share(void **state)
{
	const struct test_fields other = { .pid = 2, .tid = 2, .time = 3 };
	const uint64_t words[] = { 0x700010, 0x700021 };
	struct told_stacks told;
	struct image *image;
	char text[1000];
	size_t start;

	(void)state;
	begin(&told, &chain_attr);
	CHAIN(&told, 2, 1, CODE + 0x10, CODE + 0x21);
	image = &told.replay.image;
	put_mmap(image, TRAILER, 2, "/code", 0x700000, 0x10000, 0, &other);
	start = record_begin(image, PERF_RECORD_SAMPLE, 2);
	image_fixed(image, CHAIN_TYPE,
	            &(struct test_fields){
			    .pid = 2, .tid = 2, .time = 4, .period = 1, .ip = words[0] });
	image_u64(image, 2);
	image_u64(image, words[0]);
	image_u64(image, words[1]);
	record_end(image, start);
	read_all(&told);
	assert_true(told.ok);
	assert_string_equal(ways_of(&told, text, sizeof(text)), "3:20>10 2/2;");
	finish(&told);
}

/* A tree that grows too large keeps every sample, and both sides of its stacks. */
/* The nodes that were logged, one a sample, are those that have the samples. */
static void check_log(struct told_stacks *told, size_t count)
{
	struct stackstat *stacks = told->replay.stat.stacks;
	uint32_t *samples = calloc(stacks->tree.count, sizeof(*samples));
	struct err err = { 0 };

	assert_non_null(samples);
	assert_int_equal(spool_size(&stacks->log), count * sizeof(uint32_t));
	assert_true(spool_rewind(&stacks->log, &err));
	for (size_t i = 0; i < count; i++) {
		const uint32_t *node = spool_take(&stacks->log, sizeof(*node), &err);

		assert_true(node && *node < stacks->tree.count);
		samples[*node]++;
	}
	for (size_t i = 0; i < stacks->cells.count; i++)
		assert_int_equal(samples[stacks->cells.items[i].key], stacks->cells.items[i].samples);
	free(samples);
}

static void test_fold(void **state)
{
	struct told_stacks told;
	uint64_t words[90], samples = 0, period = 0;
	const struct stackstat *stacks;
	bool folded = false;

	(void)state;
	begin(&told, &chain_attr);
	told.options.memory = 20000;
	told.options.log_dir = ".";
	for (uint64_t n = 0; n < 300; n++) {
		for (uint64_t i = 0; i < 90; i++)
			words[i] = CODE + 1 + (i < 60 ? (n * 61 + i * 7) % 0x8000 : i);
		put_chain(&told, n + 2, n + 1, words, 90);
	}
	read_all(&told);
	assert_true(told.ok);
	stacks = told.replay.stat.stacks;
	assert_true(stacks->tree.folded_chains > 0 && stacks->tree.depth_most < 64);
	for (size_t i = 0; i < stacks->cells.count; i++) {
		const struct stack_node *leaf = &stacks->tree.nodes[stacks->cells.items[i].key];

		samples += stacks->cells.items[i].samples;
		period += stacks->cells.items[i].period;
		folded |= stacks->tree.nodes[leaf->parent].binary == stacks->tree.folded;
	}
	assert_int_equal(samples, 300);
	assert_int_equal(period, 300 * 301 / 2);
	assert_true(folded);
	assert_int_equal(told.named.results.rows[0].total.samples, 300);
	check_log(&told, 300);
	finish(&told);
}

/* The user part comes later, in a record with the same cookie. */
static void put_deferred(struct told_stacks *told, uint64_t time, uint64_t cookie, uint64_t ip)
{
	const struct test_fields fields = { .pid = 1, .tid = 1, .time = time };
	size_t start = record_begin(&told->replay.image, PERF_RECORD_CALLCHAIN_DEFERRED, 2);

	image_u64(&told->replay.image, cookie);
	image_u64(&told->replay.image, 2);
	image_u64(&told->replay.image, ip);
	image_u64(&told->replay.image, CODE + 0x99);
	image_trailer(&told->replay.image, TRAILER, &fields);
	record_end(&told->replay.image, start);
}

static void test_deferred(void **state)
{
	struct told_stacks told;
	char text[1000];

	(void)state;
	begin(&told, &chain_attr);
	CHAIN(&told, 2, 1, CODE + 0x10, PERF_CONTEXT_USER_DEFERRED, 7);
	CHAIN(&told, 3, 1, CODE + 0x10, PERF_CONTEXT_USER_DEFERRED, 8);
	put_deferred(&told, 4, 8, CODE + 0x50);
	CHAIN(&told, 5, 1, CODE + 0x10, PERF_CONTEXT_USER_DEFERRED, 9);
	read_all(&told);
	assert_true(told.ok);
	/* 7 had another record's cookie, 9's never came */
	assert_string_equal(ways_of(&told, text, sizeof(text)), "11:10 2/2;3:98>50>10 1/1;");
	finish(&told);
}

/* Callers, and how stacks ended; what is not whole begins with a frame that says so. */
static void test_projections(void **state)
{
	struct told_stacks told;
	struct call_edge *edges;
	struct call_count *ends;
	struct err err = { .code = ERR_NONE };
	uint32_t *order;
	size_t count;

	(void)state;
	begin(&told, &chain_attr);
	for (unsigned i = 0; i < 2; i++)
		CHAIN(&told, 2 + i, 10, CODE + 0x10, CODE + 0x21, CODE + 0x31);
	CHAIN(&told, 5, 3, CODE + 0x10, PERF_CONTEXT_USER_DEFERRED, 7);
	read_all(&told);
	assert_true(told.ok);
	assert_true(call_tree_edges(&told.named.calls, &told.replay.strings, &edges, &count, &err));
	/* root -> f, f -> f once for each sample, root -> [cut], [cut] -> f */
	assert_int_equal(count, 4);
	assert_int_equal(edges[0].count.period, 20);
	assert_int_equal(edges[1].count.period, 20);
	assert_int_equal(edges[2].count.period, 3);
	free(edges);
	ends = chain_ends_count(&told.named.calls, &told.replay.stat, &err);
	assert_non_null(ends);
	assert_int_equal(ends[CHAIN_FRAME_POINTERS].samples, 2);
	assert_int_equal(ends[CHAIN_CUT].period, 3);
	free(ends);
	assert_true(call_tree_order(&told.named.calls, &told.replay.strings, 0, &order, &count, &err));
	assert_int_equal(count, 5);
	assert_int_equal(told.named.calls.nodes[order[0]].depth, 0);
	assert_int_equal(told.named.calls.nodes[order[1]].parent, order[0]);
	assert_int_equal(told.named.calls.nodes[order[2]].depth, 2);
	assert_int_equal(told.named.calls.nodes[order[3]].kind, CALL_REMARK);
	assert_int_equal(told.named.calls.nodes[order[4]].parent, order[3]);
	free(order);
	finish(&told);
}

/* What is said where stacks are not whole: once, with what helps. */
static void test_remarks(void **state)
{
	struct told_stacks told;
	struct err err = { .code = ERR_NONE };
	struct report report;

	(void)state;
	begin(&told, &chain_attr);
	for (uint64_t i = 0; i < 19; i++)
		CHAIN(&told, 2 + i, 10, CODE + 0x10, CODE + 0x21, CODE + 0x31);
	CHAIN(&told, 30, 3, CODE + 0x10, PERF_CONTEXT_USER_DEFERRED, 7);
	read_all(&told);
	report = (struct report){ .session = &told.replay.opened.session,
		                  .stat = &told.replay.stat,
		                  .calls = &told.named.calls };
	told.replay.opened.warnings = 0;
	assert_true(remarks_on_stacks(&report, &told.replay.opened.diag, &err));
	diag_finish(&told.replay.opened.diag);
	assert_int_equal(told.replay.opened.warnings, 0); /* 5 % are borne */
	finish(&told);

	begin(&told, &chain_attr);
	CHAIN(&told, 2, 10, CODE + 0x10, CODE + 0x21, CODE + 0x31);
	CHAIN(&told, 30, 3, CODE + 0x10, PERF_CONTEXT_USER_DEFERRED, 7);
	read_all(&told);
	report.session = &told.replay.opened.session;
	told.replay.opened.warnings = 0;
	assert_true(remarks_on_stacks(&report, &told.replay.opened.diag, &err));
	diag_finish(&told.replay.opened.diag);
	assert_int_equal(told.replay.opened.warnings, 1);
	assert_non_null(strstr(told.replay.opened.warning,
	                       "50.00 % of 2 stacks are not whole, mostly cut: record with"));
	finish(&told);
}

/* Each allocation refused once: an error, and everything is given back. */
static void test_refused(void **state)
{
	struct told_stacks told;
	uint64_t words[40];
	bool refused = true;

	(void)state;
	for (unsigned long n = 1; refused; n += 1 + n / 8) {
		begin(&told, &chain_attr);
		told.options.memory = 20000;
		told.options.by_thread = told.options.by_comm = true;
		for (uint64_t k = 0; k < 60; k++) {
			for (uint64_t i = 0; i < 40; i++)
				words[i] = CODE + 1 + (i < 30 ? (k * 61 + i * 7) % 0x8000 : i);
			put_chain(&told, k + 2, 1, words, 40);
		}
		CHAIN(&told, 100, 1, CODE + 0x10, PERF_CONTEXT_USER_DEFERRED, 7);
		refuse_allocation(n);
		read_all(&told);
		refused = allocations_seen() >= n;
		refuse_allocation(0);
		/* symbols that cannot be loaded are only missing */
		assert_true(told.ok || told.replay.opened.err.code == ERR_NOMEM);
		finish(&told);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),   cmocka_unit_test(test_mappings_change),
		cmocka_unit_test(test_processes_share),
		cmocka_unit_test(test_fold),     cmocka_unit_test(test_deferred),
		cmocka_unit_test(test_projections), cmocka_unit_test(test_remarks),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
