/* Accesses to memory: the words and counters of data sources, and hand-made recordings. */
#include "decode/naming/datawords.h"
#include "decode/naming/memoryrows.h"
#include "tests/unit/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BASE (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(3) | FLAG(7) | FLAG(8)) /* IP TID TIME ADDR CPU PERIOD */
#define WEIGHT FLAG(14)
#define SOURCE FLAG(15)
#define PHYSICAL FLAG(19)
#define PARTS FLAG(24)
#define TRAILER (BASE & ~FLAG(3) & ~FLAG(8))

enum { LOAD = 2, STORE = 4, HIT = 2 << 5, MISS = 4 << 5, L1 = 8 << 5, LFB = 0x10 << 5, L2 = 0x20 << 5, L3 = 0x40 << 5, RAM = 0x80 << 5, FAR = 0x100 << 5, FAR_CACHE = 0x400 << 5 };
enum { SNOOP_HIT = 4 << 19, HITM = 16 << 19 };
#define NUMBER(n) ((uint64_t)(n) << 33)
#define REMOTE (UINT64_C(1) << 37)
#define PEER (UINT64_C(2) << 38)

static void test_words(void **state)
{
	static const struct {
		uint64_t source;
		const char *words[DATA_QUESTIONS];
	} cases[] = {
		/* of an event that is no access: nothing is available */
		{ UINT64_C(0x1e05080021), { "", "", "", "", "", "" } },
		{ LOAD | HIT | L1 | 2 << 19 | 2 << 24 | UINT64_C(0x1a) << 26 | UINT64_C(1) << 40,
		  { "load", "L1", "none", "L1 or L2", "yes", "" } },
		{ STORE | MISS | L1 | HITM | UINT64_C(0x24) << 26 | UINT64_C(4) << 40,
		  { "store", "L1 miss", "hitm", "walker miss", "no", "address" } },
		{ 8 | HIT | FAR | FAR << 1 | SNOOP_HIT | PEER, { "prefetch", "remote RAM", "hit or peer", "", "no", "" } },
		{ LOAD | HIT | L3 | NUMBER(13) | REMOTE, { "load", "remote RAM", "", "", "no", "" } },
		{ LOAD | HIT | NUMBER(3) | REMOTE, { "load", "remote cache", "", "", "no", "" } },
		{ LOAD | HIT | NUMBER(12), { "load", "LFB", "", "", "no", "" } },
		{ LOAD | HIT | NUMBER(14), { "load", "PMEM", "", "", "no", "" } },
		{ LOAD | HIT | RAM | NUMBER(15), { "load", "RAM", "", "", "no", "" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (int k = 0; k < DATA_QUESTIONS; k++) {
			char text[DATA_WORD_SIZE];

			data_word(cases[i].source, (enum data_question)k, text);
			assert_string_equal(text, cases[i].words[k]);
		}
	for (int k = 0; k < DATA_QUESTIONS; k++) {
		char text[DATA_WORD_SIZE];

		data_word(UINT64_MAX, (enum data_question)k, text);
		assert_true(strlen(text) < DATA_WORD_SIZE - 1);
	}
}

/* perf's rules (c2c_decode_stats()), by hand. */
static void test_counters(void **state)
{
	static const struct {
		uint64_t source, addr;
		struct line_counts counts;
	} cases[] = {
		{ LOAD | HIT | L1, 8, { .samples = 1, .loads = 1, .l1 = 1 } },
		{ LOAD | HIT | L1, 0, { .samples = 1 } },
		{ LOAD | L1, 8, { .samples = 1, .loads = 1 } },
		{ LOAD | HIT | LFB, 8, { .samples = 1, .loads = 1, .lfb = 1 } },
		{ LOAD | HIT | L3 | HITM, 8, { .samples = 1, .loads = 1, .local_hitm = 1 } },
		{ LOAD | HIT | L3 | SNOOP_HIT, 8, { .samples = 1, .loads = 1, .llc = 1 } },
		{ LOAD | HIT | L2 | PEER, 8, { .samples = 1, .loads = 1, .l2 = 1, .local_peer = 1 } },
		{ LOAD | HIT | RAM, 8, { .samples = 1, .loads = 1, .local_dram = 1 } },
		{ LOAD | HIT | FAR, 8, { .samples = 1, .loads = 1, .remote_dram = 1 } },
		{ LOAD | HIT | L3 | REMOTE | HITM, 8, { .samples = 1, .loads = 1, .local_hitm = 1, .remote_dram = 1, .remote_hitm = 1 } },
		{ LOAD | HIT | L3 | REMOTE | HITM | UINT64_C(1) << 43, 8, { .samples = 1, .loads = 1, .local_hitm = 1 } },
		{ LOAD | MISS | FAR_CACHE | HITM, 8, { .samples = 1, .loads = 1, .remote_hitm = 1 } },
		{ LOAD | FAR_CACHE | SNOOP_HIT | PEER, 8, { .samples = 1, .loads = 1 } },
		{ LOAD | FAR_CACHE | PEER, 8, { .samples = 1, .loads = 1, .remote_peer = 1 } },
		{ STORE | HIT | L1 | HITM, 8, { .samples = 1, .stores = 1 } },
		{ STORE, 0, { .samples = 1 } },
		{ 1, 8, { .samples = 1 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct line_counts counts = { .samples = 0 };

		line_counts_add(&counts, cases[i].source, cases[i].addr, 1);
		assert_memory_equal(&counts, &cases[i].counts, sizeof(counts));
	}
}

struct access {
	uint32_t pid, tid, cpu;
	uint64_t ip, addr, weight, source, physical;
};

static void put_access(struct image *image, uint64_t type, const struct access *access)
{
	const struct test_fields fields = { .ip = access->ip, .pid = access->pid, .tid = access->tid, .time = 100,
		                            .addr = access->addr, .cpu = access->cpu, .period = 2 };
	size_t start = record_begin(image, 9, 2);

	image_fixed(image, type, &fields);
	if (type & (WEIGHT | PARTS))
		image_u64(image, access->weight);
	image_u64(image, access->source);
	if (type & PHYSICAL)
		image_u64(image, access->physical);
	record_end(image, start);
}

static void begin(struct replay *replay, const struct test_attr *attr)
{
	const struct test_fields fields = { .pid = 7, .tid = 7, .time = 1 };

	memset(replay, 0, sizeof(*replay));
	image_init(&replay->image, false);
	file_begin(&replay->image, attr, 1, 104);
	put_mmap(&replay->image, TRAILER, 2, "/no/such/a", 0x400000, 0x1000, 0, &fields);
	put_mmap(&replay->image, TRAILER, 2 | 1 << 13, "/no/such/a", 0x500000, 0x1000, 0x1000, &fields);
	put_mmap(&replay->image, TRAILER, 2 | 1 << 13, "//anon", 0x501000, 0x1000, 0, &fields);
	put_mmap(&replay->image, TRAILER, 2 | 1 << 13, "[heap]", 0x600000, 0x1000, 0, &fields);
	put_mmap(&replay->image, TRAILER, 2 | 1 << 13, "//anon", 0x700000, 0x1000, 0, &fields);
	put_mmap(&replay->image, TRAILER, 2 | 1 << 13, "[stack]", 0x7ff000, 0x1000, 0, &fields);
}

static void make(struct replay *replay, struct memory_rows *rows, const struct memory_machine *machine)
{
	static const char *const nowhere = "/no/such";
	struct naming_options options = { .lookup = { .symbolizer = SYMBOLIZER_NONE }, .threads = 1 };
	struct opened *opened = &replay->opened;
	struct record_handler handler;

	options.lookup.symbols.files.symfs = &nowhere;
	options.lookup.symbols.files.symfs_count = 1;
	options.lookup.symbols.files.buildid_dir = nowhere;
	options.lookup.symbols.vmlinux = options.lookup.symbols.kallsyms = nowhere;
	file_end(&replay->image);
	assert_true(opened_file(opened, &replay->image));
	assert_true(strings_init(&replay->strings, &opened->err));
	assert_true(buildstat_init(&replay->stat, &opened->session, &replay->strings, &opened->err));
	replay->stat.counts_memory = true;
	handler = buildstat_handler(&replay->stat);
	opened->read = true;
	assert_true(perffile_read(&opened->session, &handler, 1, NULL, &opened->summary, &opened->err));
	assert_true(buildstat_finish(&replay->stat, &opened->err));
	memset(rows, 0, sizeof(*rows));
	assert_true(memory_rows_make(rows, &replay->stat, &options, machine, opened->session.diag, &opened->err));
}

static void test_recording(void **state)
{
	/* two threads take a line from each other; others are apart */
	static const struct access accesses[] = {
		{ 7, 7, 0, 0x400010, 0x600040, 100, LOAD | HIT | L3 | HITM, 0 },
		{ 7, 8, 1, 0x400010, 0x600048, 50, STORE | HIT | L1, 0 },
		{ 7, 8, 1, 0x400020, 0x600048, 0, LOAD | HIT | L3 | HITM, 0 },
		{ 7, 7, 0, 0x400010, 0x600080, 7, LOAD | HIT | L1, 0 },
		{ 7, 7, 0, 0x400010, 0x500010, 1, LOAD | HIT | L1, 0 },
		{ 7, 7, 0, 0x400010, 0x501010, 1, LOAD | HIT | L1, 0 }, /* .bss */
		{ 7, 7, 0, 0x400010, 0x700010, 1, LOAD | HIT | L1, 0 },
		{ 7, 7, 0, 0x400010, 0x7ff010, 1, LOAD | HIT | L1, 0 },
		{ 7, 7, 0, 0x400010, 0x900010, 1, LOAD | HIT | L1, 0 }, /* nowhere */
		{ 9, 9, 2, 0x400010, 0x600040, 1, LOAD | HIT | L1, 0 }, /* another process */
		{ 7, 7, 0, 0x400010, 0x600040, 5, UINT64_C(0x1e05080021), 0 }, /* no access */
	};
	static const int16_t nodes[] = { 0, 1, -1 };
	const struct memory_machine machine = { 64, nodes, 3 };
	const struct test_attr attr = { .sample_type = BASE | WEIGHT | SOURCE };
	struct memory_rows rows;
	struct replay replay;
	const struct line_row *line;
	uint64_t samples = 0, weight = 0;
	int found = 0;

	(void)state;
	begin(&replay, &attr);
	for (size_t i = 0; i < ARRAY_SIZE(accesses); i++)
		put_access(&replay.image, attr.sample_type, &accesses[i]);
	make(&replay, &rows, &machine);
	assert_int_equal(rows.line_count, 8);
	line = &rows.lines[0];
	assert_int_equal(line->line, 0x600040);
	assert_int_equal(line->pid, 7);
	assert_int_equal(line->counts.local_hitm, 2);
	assert_int_equal(line->counts.stores, 1);
	assert_int_equal(line->threads, 2);
	assert_int_equal(line->cpus, 2);
	assert_int_equal(line->nodes, 2);
	assert_int_equal(line->offsets, 2);
	assert_int_equal(line->functions, 1);
	assert_int_equal(line->weight, 150);
	assert_string_equal(strings_get(&replay.strings, line->data_symbol), "[heap]");
	assert_int_equal(line->row_count, 2);
	assert_int_equal(rows.offsets[line->first_row].line, line->line);
	assert_int_equal(rows.offsets[line->first_row].offset, 0);
	assert_int_equal(rows.offsets[line->first_row + 1].offset, 8);
	assert_int_equal(rows.offsets[line->first_row + 1].counts.stores, 1);
	assert_int_equal(line_contention(&rows.lines[1]), 0);
	for (size_t i = 0; i < rows.line_count; i++) {
		const char *symbol = strings_get(&replay.strings, rows.lines[i].data_symbol);

		found |= !strcmp(symbol, "[file]") << (rows.lines[i].line == 0x501000 ? 5 : 0);
		/* behind a file that is not here, which could say whether it is its memory */
		found |= (!strcmp(symbol, "[anon]") && rows.lines[i].line == 0x501000) << 1;
		found |= (!strcmp(symbol, "[anon]") && rows.lines[i].line == 0x700000) << 2;
		found |= (!strcmp(symbol, "[stack]") && rows.lines[i].line == 0x7ff000) << 3;
		found |= (!strcmp(symbol, "[unknown]") && rows.lines[i].line == 0x900000) << 4;
		/* no record says where the kernel is, but it is not there */
		if (rows.lines[i].line == 0x900000)
			assert_string_equal(strings_get(&replay.strings, rows.lines[i].data_binary), "[unknown]");
	}
	assert_int_equal(found, 0x1f);
	for (size_t i = 0; i < rows.row_count; i++) {
		samples += rows.rows[i].sum.samples;
		weight += rows.rows[i].sum.weight;
	}
	assert_int_equal(samples, ARRAY_SIZE(accesses));
	assert_int_equal(weight, 168);
	assert_int_equal(rows.rows[0].sum.weight_max, 100);
	assert_int_equal(rows.rows[0].sum.cost, 101);
	memory_rows_release(&rows);
	replay_end(&replay);
}

/* Weights of three parts, physical addresses, and lines of another size. */
static void test_forms(void **state)
{
	static const struct access accesses[] = {
		{ 7, 7, 0, 0x400010, 0x600040, 30 | UINT64_C(5) << 32 | UINT64_C(9) << 48, LOAD | HIT | L1, 0x12345678 },
		{ 7, 7, 0, 0x400010, 0x6000c0, 40 | UINT64_C(6) << 32 | UINT64_C(1) << 48, LOAD | HIT | L1, 0x123456f8 },
	};
	const struct memory_machine machine = { 256, NULL, 0 };
	const struct test_attr attr = { .sample_type = BASE | PARTS | SOURCE | PHYSICAL };
	struct memory_rows rows;
	struct replay replay;

	(void)state;
	begin(&replay, &attr);
	put_access(&replay.image, attr.sample_type, &accesses[0]);
	put_access(&replay.image, attr.sample_type, &accesses[1]);
	make(&replay, &rows, &machine);
	assert_int_equal(rows.row_count, 1);
	assert_int_equal(rows.rows[0].sum.weight, 70);
	assert_int_equal(rows.rows[0].sum.second, 11);
	assert_int_equal(rows.rows[0].sum.third, 10);
	assert_int_equal(rows.line_count, 1);
	assert_int_equal(rows.lines[0].line, 0x600000);
	assert_int_equal(rows.lines[0].physical, 0x12345600);
	assert_int_equal(rows.lines[0].nodes, 0);
	assert_int_equal(rows.offset_count, 2);
	assert_int_equal(rows.offsets[1].offset, 0xc0);
	memory_rows_release(&rows);
	replay_end(&replay);
}

enum { SHARED = 1, PRIVATE = 2 };

static void put_data_map(struct image *image, uint32_t pid, const char *name, uint64_t start, uint64_t pgoff,
			 uint32_t flags)
{
	const struct test_fields fields = {.pid = pid, .tid = pid, .time = 1};
	size_t at = record_begin(image, 10, 2 | 1 << 13);

	image_u32(image, pid);
	image_u32(image, pid);
	image_u64(image, start);
	image_u64(image, 0x1000);
	image_u64(image, pgoff);
	image_u32(image, 8);
	image_u32(image, 1);
	image_u64(image, 99);
	image_u64(image, 0);
	image_u32(image, 3);
	image_u32(image, flags);
	image_text8(image, name);
	image_trailer(image, TRAILER, &fields);
	record_end(image, at);
}

static const struct line_row *line_at(const struct memory_rows *rows, uint64_t line, int32_t pid)
{
	for (size_t i = 0; i < rows->line_count; i++)
		if (rows->lines[i].line == line && rows->lines[i].pid == pid)
			return &rows->lines[i];
	return NULL;
}

/*
 * The same line of a shared file in two processes is one, at other addresses and by the place in the file; by physical
 * addresses it is one in memory without a name, too. What is not shared, or only mapped at the same address, is not.
 */
static void test_shared(void **state)
{
	static const struct access accesses[] = {
	    {7, 7, 0, 0x400010, 0xa00040, 1, LOAD | HIT | L3 | HITM, 0},
	    {9, 9, 1, 0x400010, 0xb01048, 1, STORE | HIT | L1, 0}, /* the same line: 0x1040 in the file */
	    {9, 9, 1, 0x400010, 0xb01080, 1, STORE | HIT | L1, 0},
	    {7, 7, 0, 0x400010, 0xc00040, 1, LOAD | HIT | L1, 0x8040}, /* shared memory without a name */
	    {9, 9, 1, 0x400010, 0xd00050, 1, LOAD | HIT | L1, 0x8050},
	    {7, 7, 0, 0x400010, 0xe00040, 1, LOAD | HIT | L1, 0x9040}, /* private: the page was used again */
	    {9, 9, 1, 0x400010, 0xe00040, 1, LOAD | HIT | L1, 0x9040},
	};
	const struct memory_machine machine = {64, NULL, 0};
	const struct test_attr attr = {.sample_type = BASE | WEIGHT | SOURCE | PHYSICAL};
	const struct line_row *line;
	struct memory_rows rows;
	struct replay replay;

	(void)state;
	begin(&replay, &attr);
	put_data_map(&replay.image, 7, "/dev/shm/common", 0xa00000, 0x1000, SHARED);
	put_data_map(&replay.image, 9, "/dev/shm/common", 0xb00000, 0, SHARED);
	put_data_map(&replay.image, 9, "/dev/shm/common", 0xb01000, 0x1000, SHARED);
	put_data_map(&replay.image, 7, "/dev/zero (deleted)", 0xc00000, 0, SHARED);
	put_data_map(&replay.image, 9, "/dev/zero (deleted)", 0xd00000, 0, SHARED);
	put_data_map(&replay.image, 7, "/lib/private.so", 0xe00000, 0, PRIVATE);
	put_data_map(&replay.image, 9, "/lib/private.so", 0xe00000, 0, PRIVATE);
	for (size_t i = 0; i < ARRAY_SIZE(accesses); i++)
		put_access(&replay.image, attr.sample_type, &accesses[i]);
	make(&replay, &rows, &machine);
	assert_int_equal(rows.line_count, 5);
	line = line_at(&rows, 0xa00040, -1);
	assert_non_null(line);
	assert_int_equal(line->counts.local_hitm, 1);
	assert_int_equal(line->counts.stores, 1);
	assert_int_equal(line->threads, 2);
	assert_int_equal(line->offsets, 2);
	assert_non_null(line_at(&rows, 0xb01080, 9));
	line = line_at(&rows, 0xc00040, -1);
	assert_non_null(line);
	assert_int_equal(line->counts.loads, 2);
	assert_int_equal(line->physical, 0x8040);
	assert_non_null(line_at(&rows, 0xe00040, 7));
	assert_non_null(line_at(&rows, 0xe00040, 9));
	memory_rows_release(&rows);
	replay_end(&replay);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_recording),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
