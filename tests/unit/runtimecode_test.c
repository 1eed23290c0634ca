/* Samples in code that a jitdump file describes: by the time of each sample, since memory is used again. */
#include "decode/tally/runtimecode.h"

#include "decode/naming/naming.h"
#include "tests/unit/fixture.h"
#include "tests/unit/named.h"
#include "tests/unit/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define TYPE (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(8)) /* IP TID TIME PERIOD */
#define MONOTONIC 1

struct recording {
	struct replay replay;
	struct fixture fixture;
	struct file_options files;
	struct named named;
};

/* A jitdump record's header; its size comes with dump_end(). */
static size_t dump_begin(struct image *image, uint32_t type, uint64_t time)
{
	size_t start = image->size;

	image_u32(image, type);
	image_u32(image, 0);
	image_u64(image, time);
	image_u32(image, 7);
	image_u32(image, 7);
	return start;
}

static void dump_end(struct image *image, size_t start)
{
	image_patch(image, start + 4, image->size - start, 4);
}

/* room: of the code, so many bytes are in the file */
static void load_part(struct image *image, uint64_t time, uint64_t addr, uint64_t size, uint64_t room,
                      const char *name, uint64_t index)
{
	size_t start = dump_begin(image, 0, time);

	image_u64(image, addr);
	image_u64(image, addr);
	image_u64(image, size);
	image_u64(image, index);
	image_bytes(image, name, strlen(name) + 1);
	image_zeros(image, (size_t)room);
	dump_end(image, start);
}

static void load(struct image *image, uint64_t time, uint64_t addr, uint64_t size, const char *name,
                 uint64_t index)
{
	load_part(image, time, addr, size, size, name, index);
}

static void move(struct image *image, uint64_t time, uint64_t from, uint64_t to, uint64_t size, uint64_t index)
{
	size_t start = dump_begin(image, 1, time);

	image_u64(image, to);
	image_u64(image, from);
	image_u64(image, to);
	image_u64(image, size);
	image_u64(image, index);
	dump_end(image, start);
}

static void a_header(struct image *image, uint64_t flags)
{
	image_u32(image, 0x4a695444);
	image_u32(image, 1);
	image_u32(image, 40);
	image_u32(image, 62);
	image_zeros(image, 16);
	image_u64(image, flags);
}

/* In the file's order: first and second come to 4000, second goes to 4800, third comes to 4000. */
static void a_dump(struct image *image, bool big_endian, uint64_t flags)
{
	image_init(image, big_endian);
	a_header(image, flags);
	load(image, 100, 0x4000, 0x100, "first", 1);
	load(image, 500, 0x4000, 0x80, "third", 3);
	load(image, 200, 0x4040, 0x100, "second", 2); /* another thread's, late */
	move(image, 400, 0x4040, 0x4800, 0x100, 2);
}

static void sample(struct recording *r, uint64_t time, uint64_t ip)
{
	put_sample(&r->replay.image, TYPE, 2,
	           &(struct test_fields){ .time = time, .pid = 7, .tid = 7, .ip = ip, .period = 1 });
}

/* An MMAP record of process 7. */
static void map_at(struct recording *r, uint64_t time, uint16_t misc, const char *name, uint64_t start,
                   uint64_t size)
{
	put_mmap(&r->replay.image, TYPE, misc, name, start, size, 0,
	         &(struct test_fields){ .time = time, .pid = 7, .tid = 7 });
}

static void begin_attr(struct recording *r, const struct test_attr *attr)
{
	fixture_begin(&r->fixture);
	r->files = (struct file_options){ .symfs = r->fixture.roots, .symfs_count = 1 };
	replay_begin(&r->replay, attr, 1);
	r->replay.files = &r->files;
	map_at(r, 1, 2, "//anon", 0x4000, 0x1000);
	map_at(r, 1, 2, "/home/jit-7.dump", 0x8000, 0x1000);
}

static void begin(struct recording *r, uint64_t flags, int32_t clockid)
{
	const struct test_attr attr = { .sample_type = TYPE, .flags = FLAG(18) | flags, .clockid = clockid,
		                        .ids = { 1 }, .id_count = 1 };

	begin_attr(r, &attr);
}

static void name(struct recording *r)
{
	struct naming_options options = { .lookup = { .symbolizer = SYMBOLIZER_NONE } };

	options.lookup.symbols.files = r->files;
	assert_true(replay_run(&r->replay));
	assert_true(named_make(&r->named, &r->replay.stat, &options, &r->replay.opened.diag,
	                       &r->replay.opened.err));
}

static void end(struct recording *r)
{
	named_release(&r->named);
	replay_end(&r->replay);
	fixture_end(&r->fixture);
}

/* Samples of a function of this origin. */
static uint64_t samples_of(const struct recording *r, const char *function, enum symbol_origin origin)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < r->named.results.row_count; i++) {
		const struct result_row *row = &r->named.results.rows[i];

		assert_string_equal(strings_get(&r->replay.strings, row->binary), "[JIT] tid 7");
		if (row->origin == origin && !strcmp(strings_get(&r->replay.strings, row->function), function))
			samples += row->samples;
	}
	return samples;
}

/* Before names: the samples in binaries of this kind. */
static uint64_t samples_in(const struct recording *r, enum binary_kind kind)
{
	const struct buildstat *stat = &r->replay.stat;
	uint64_t samples = 0;

	for (size_t i = 0; i < stat->cells.count; i++) {
		const struct cell *cell = &stat->cells.items[i];

		if (stat->binaries.items[cells_kind_at(&stat->cells, cell->kind)->binary].kind == kind)
			samples += cell->samples;
	}
	return samples;
}

/* The samples that have a call of this function by that one in their stack. */
static uint64_t calls_of(const struct recording *r, const char *callee, const char *caller)
{
	const struct call_tree *tree = &r->named.calls;
	uint64_t samples = 0;

	for (size_t i = 0; i < tree->count; i++) {
		const struct call_node *node = &tree->nodes[i];

		if (node->parent != CALL_NODE_NONE &&
		    !strcmp(strings_get(&r->replay.strings, node->name), callee) &&
		    !strcmp(strings_get(&r->replay.strings, tree->nodes[node->parent].name), caller))
			samples += tree->total[i].samples;
	}
	return samples;
}

static void seven_samples(struct recording *r)
{
	sample(r, 600, 0x4010); /* third; the samples are in no order either */
	sample(r, 100, 0x4010); /* first, just loaded */
	sample(r, 199, 0x4050); /* first */
	sample(r, 200, 0x4050); /* second, over it */
	sample(r, 300, 0x4010); /* first, what is left of it */
	sample(r, 450, 0x4850); /* second, moved */
	sample(r, 600, 0x4f00); /* nobody's */
}

static void times_tell(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct recording r;
		struct image dump;
		unsigned seen = 0;

		begin(&r, FLAG(25), MONOTONIC);
		a_dump(&dump, big, 0);
		fixture_image(&r.fixture, "home/jit-7.dump", &dump);
		seven_samples(&r);
		name(&r);
		assert_int_equal(samples_of(&r, "first", ORIGIN_JITDUMP), 3);
		assert_int_equal(samples_of(&r, "second", ORIGIN_JITDUMP), 2);
		assert_int_equal(samples_of(&r, "third", ORIGIN_JITDUMP), 1);
		assert_int_equal(samples_of(&r, "[unknown]", ORIGIN_NO_SYMBOL), 1);
		/* the row's address is the one in memory, where the code was loaded */
		for (size_t i = 0; i < r.named.addresses.count; i++) {
			const uint64_t addr = r.named.addresses.items[i].words[1];

			seen |= addr == 0x4010 ? 1 : addr == 0x4050 ? 2 : addr == 0x4f00 ? 4 :
			        addr == 0x4090 ? 8 : 16;
		}
		assert_int_equal(seen, 15);
		assert_int_equal(r.replay.opened.warnings, 0);
		end(&r);
	}
}

/* Times of two clocks cannot be compared: the code that came last counts, and it is said. */
static void other_clocks(void **state)
{
	static const struct {
		uint64_t attr_flags, dump_flags;
		int32_t clockid;
	} clocks[] = { { 0, 0, 0 }, { FLAG(25), 0, 0 }, { FLAG(25), 0, 4 }, { FLAG(25), 1, MONOTONIC } };

	(void)state;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		struct recording r;
		struct image dump;

		begin(&r, clocks[i].attr_flags, clocks[i].clockid);
		a_dump(&dump, false, clocks[i].dump_flags);
		fixture_image(&r.fixture, "home/jit-7.dump", &dump);
		seven_samples(&r);
		name(&r);
		assert_int_equal(samples_of(&r, "third", ORIGIN_JITDUMP), 5);
		assert_int_equal(samples_of(&r, "second", ORIGIN_JITDUMP), 1);
		assert_int_equal(r.replay.opened.warnings, 1);
		assert_non_null(strstr(r.replay.opened.warning, "/home/jit-7.dump: code replaced other code"));
		end(&r);
	}
}

/*
 * A sample from before the code was loaded, at an address that no other code has. What is mapped besides has
 * no name of a jitdump file.
 */
static void too_early(void **state)
{
	struct recording r;
	struct image dump;

	(void)state;
	begin(&r, FLAG(25), MONOTONIC);
	a_dump(&dump, false, 0);
	fixture_image(&r.fixture, "home/jit-7.dump", &dump);
	map_at(&r, 2, 2, "/home/jit-x.dump", 0x9000, 0x1000);
	sample(&r, 99, 0x4090);
	sample(&r, 450, 0x4810);
	name(&r);
	assert_int_equal(r.named.results.samples, 2);
	assert_int_equal(samples_of(&r, "second", ORIGIN_JITDUMP), 2);
	end(&r);
}

/* A record of code may lack the code's bytes: it replaces what was at the address all the same. */
static void no_bytes(void **state)
{
	struct recording r;
	struct image dump;

	(void)state;
	begin(&r, FLAG(25), MONOTONIC);
	a_dump(&dump, false, 0);
	load_part(&dump, 700, 0x4000, 0x80, 0, "bare", 4);
	load_part(&dump, 800, 0x4080, 0x80, 0x10, "half", 5);
	fixture_image(&r.fixture, "home/jit-7.dump", &dump);
	sample(&r, 699, 0x4010);
	sample(&r, 700, 0x4010);
	sample(&r, 800, 0x4088);
	sample(&r, 800, 0x40f0);
	name(&r);
	assert_int_equal(samples_of(&r, "third", ORIGIN_JITDUMP), 1);
	assert_int_equal(samples_of(&r, "bare", ORIGIN_JITDUMP), 1);
	assert_int_equal(samples_of(&r, "half", ORIGIN_JITDUMP), 2);
	end(&r);
}

/* The same function may come to the same place again: an address has one row. */
static void a_row_per_address(void **state)
{
	struct recording r;
	struct image dump;

	(void)state;
	begin(&r, FLAG(25), MONOTONIC);
	a_dump(&dump, false, 0);
	load(&dump, 700, 0x4000, 0x80, "third", 4);
	fixture_image(&r.fixture, "home/jit-7.dump", &dump);
	sample(&r, 600, 0x4010);
	sample(&r, 800, 0x4010);
	name(&r);
	assert_int_equal(r.named.addresses.count, 1);
	assert_int_equal(r.named.addresses.items[0].words[1], 0x4010);
	assert_int_equal(r.named.addresses.items[0].samples, 2);
	assert_int_equal(r.named.addresses.items[0].period, 2);
	end(&r);
}

/* Without the jitdump file the perf map is used, or there are no names; a damaged file is a warning. */
static void no_dump(void **state)
{
	struct recording r;
	struct image dump;

	(void)state;
	begin(&r, FLAG(25), MONOTONIC);
	fixture_text(&r.fixture, "tmp/perf-7.map", "4000 100 mapped\n");
	seven_samples(&r);
	name(&r);
	assert_int_equal(samples_of(&r, "mapped", ORIGIN_PERF_MAP), 5);
	assert_int_equal(samples_of(&r, "[unknown]", ORIGIN_NO_SYMBOL), 2);
	end(&r);

	begin(&r, FLAG(25), MONOTONIC);
	seven_samples(&r);
	name(&r);
	assert_int_equal(samples_of(&r, "[unknown]", ORIGIN_NO_PERF_MAP), 7);
	assert_non_null(strstr(r.replay.opened.warning, "/home/jit-7.dump: the recorded jitdump file is not here"));
	end(&r);

	begin(&r, FLAG(25), MONOTONIC);
	a_dump(&dump, false, 0);
	image_patch(&dump, dump_begin(&dump, 0, 700) + 4, 3, 4);
	fixture_image(&r.fixture, "home/jit-7.dump", &dump);
	sample(&r, 300, 0x4010);
	name(&r);
	assert_int_equal(samples_of(&r, "first", ORIGIN_JITDUMP), 1);
	assert_string_equal(r.replay.opened.warning, "/home/jit-7.dump: jitdump record of 3 bytes");
	end(&r);
}

/* Lines of the code that is loaded next, one for each half of it. */
static void put_lines(struct image *image, uint64_t addr, uint32_t line, const char *file)
{
	size_t start = image->size;

	image_u32(image, 2);
	image_u32(image, 0);
	image_u64(image, 1);
	image_u64(image, addr);
	image_u64(image, 2);
	for (uint32_t i = 0; i < 2; i++) {
		image_u64(image, addr + 0x40 * i);
		image_u32(image, line + i);
		image_u32(image, 0);
		image_bytes(image, i ? "\xff" : file, i ? 2 : strlen(file) + 1);
	}
	dump_end(image, start);
}

/* Samples of an address that is in this line. */
static uint64_t samples_at(const struct recording *r, uint64_t addr, const char *file, uint32_t line)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < r->named.addresses.count; i++) {
		/* binary, address, file, line */
		const uint64_t *words = r->named.addresses.items[i].words;

		if (words[1] == addr && words[3] == line &&
		    !strcmp(strings_get(&r->replay.strings, (uint32_t)words[2]), file))
			samples += r->named.addresses.items[i].samples;
	}
	return samples;
}

/* Code at one address, one after the other: each has its own file and lines. */
static void lines_of_their_time(void **state)
{
	(void)state;
	for (int asked = 0; asked < 3; asked++) {
		struct naming_options options = { 0 };
		struct recording r;
		struct image dump;

		begin(&r, FLAG(25), MONOTONIC);
		image_init(&dump, true);
		a_header(&dump, 0);
		put_lines(&dump, 0x4000, 10, "first.js");
		load(&dump, 100, 0x4000, 0x80, "first", 1);
		put_lines(&dump, 0x4000, 20, "file:///second.js");
		load(&dump, 200, 0x4000, 0x80, "second", 2);
		move(&dump, 300, 0x4000, 0x4800, 0x80, 1);
		fixture_image(&r.fixture, "home/jit-7.dump", &dump);
		sample(&r, 150, 0x4048);
		sample(&r, 250, 0x4048);
		sample(&r, 251, 0x4008);
		sample(&r, 350, 0x4808);
		options.lookup.symbols.files = r.files;
		options.lookup.symbolizer = asked == 2 ? SYMBOLIZER_NONE : SYMBOLIZER_ADDR2LINE;
		options.lookup.sources = true;
		options.lookup.lines = asked != 1;
		assert_true(replay_run(&r.replay));
		assert_true(named_make(&r.named, &r.replay.stat, &options, &r.replay.opened.diag, &r.replay.opened.err));
		for (size_t i = 0; i < r.named.results.row_count; i++) {
			const struct result_row *row = &r.named.results.rows[i];
			bool first = !strcmp(strings_get(&r.replay.strings, row->function), "first");

			assert_int_equal(row->samples, 2);
			assert_string_equal(strings_get(&r.replay.strings, row->file),
			                    asked == 2 ? "" : first ? "first.js" : "/second.js");
		}
		assert_int_equal(r.named.results.row_count, 2);
		assert_int_equal(samples_at(&r, 0x4048, "first.js", 11), asked == 0);
		assert_int_equal(samples_at(&r, 0x4048, "/second.js", 21), asked == 0);
		assert_int_equal(samples_at(&r, 0x4008, "/second.js", 20), asked == 0);
		assert_int_equal(samples_at(&r, 0x4008, "first.js", 10), asked == 0);
		assert_int_equal(samples_at(&r, 0x4048, "", 0), asked ? 2 : 0);
		assert_int_equal(r.replay.opened.warnings, 0);
		end(&r);
	}
}

/* A process that was killed, cut in a record or in its header. */
static void cut_off(void **state)
{
	static const struct {
		size_t bytes;
		uint64_t flags;
		const char *said;
	} cuts[] = {
		{ 1, 0, "/home/jit-7.dump: the jitdump file is cut off: code that was loaded after 1.500 s has no name" },
		{ 15, 0, "/home/jit-7.dump: the jitdump file is cut off: code that was loaded after 1.500 s has no name" },
		{ 60, 0, "/home/jit-7.dump: the jitdump file is cut off: code that was loaded after 1.500 s has no name" },
		{ 60, 1, "/home/jit-7.dump: the jitdump file is cut off: the code that was loaded last has no name" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		struct recording r;
		struct image dump;
		size_t whole;

		begin(&r, FLAG(25), MONOTONIC);
		image_init(&dump, false);
		a_header(&dump, cuts[i].flags);
		load(&dump, 1500000000, 0x4000, 0x100, "first", 1);
		whole = dump.size;
		load(&dump, 1600000000, 0x4000, 0x100, "second", 2);
		dump.size = whole + cuts[i].bytes;
		fixture_image(&r.fixture, "home/jit-7.dump", &dump);
		sample(&r, 1700000000, 0x4010);
		name(&r);
		assert_int_equal(samples_of(&r, "first", ORIGIN_JITDUMP), 1);
		assert_string_equal(r.replay.opened.warning, cuts[i].said);
		end(&r);
	}
}

/*
 * Compilers change the protection of memory that has code, which looks like new memory. A file is something
 * else, before and after the code.
 */
static void memory_mapped_again(void **state)
{
	struct recording r;
	struct image dump;

	(void)state;
	begin(&r, FLAG(25), MONOTONIC);
	a_dump(&dump, false, 0);
	load(&dump, 700, 0x5ff0, 0x20, "over a file", 4);
	fixture_image(&r.fixture, "home/jit-7.dump", &dump);
	map_at(&r, 110, 2, "//anon", 0x3000, 0x3000);
	sample(&r, 120, 0x4010); /* first */
	map_at(&r, 410, 2 | PERF_MISC_MMAP_DATA, "//anon", 0x4000, 0x1000);
	sample(&r, 420, 0x4850); /* second */
	sample(&r, 420, 0x4900); /* behind it */
	map_at(&r, 430, 2, "/usr/lib/a.so", 0x4080, 0x800);
	sample(&r, 440, 0x4850); /* a.so */
	sample(&r, 440, 0x4010); /* first */
	map_at(&r, 600, 2, "/usr/lib/b.so", 0x6000, 0x1000);
	sample(&r, 710, 0x5ff8); /* over a file */
	sample(&r, 710, 0x6008); /* b.so */
	assert_true(replay_run(&r.replay));
	assert_true(settle_places(&r.replay.stat.cells, NULL, NULL, &r.replay.stat.places, &r.replay.opened.err));
	assert_int_equal(samples_in(&r, BINARY_JITDUMP), 4);
	assert_int_equal(samples_in(&r, BINARY_SPECIAL), 1);
	assert_int_equal(samples_in(&r, BINARY_FILE), 2);
	memset(&r.named, 0, sizeof(r.named));
	end(&r);
}

/* A forked process has the code of its parent at that time; a new program has none of it. */
static void other_processes(void **state)
{
	const struct test_fields child = { .time = 250, .pid = 8, .tid = 8 };

	(void)state;
	for (int timed = 0; timed < 2; timed++) {
		struct recording r;
		struct image dump;

		begin(&r, timed ? FLAG(25) | FLAG(24) : FLAG(24), timed ? MONOTONIC : 0);
		a_dump(&dump, false, 0);
		fixture_image(&r.fixture, "home/jit-7.dump", &dump);
		put_task(&r.replay.image, PERF_RECORD_FORK, TYPE, 7, 0, &child);
		put_sample(&r.replay.image, TYPE, 2,
		           &(struct test_fields){ .time = 900, .pid = 8, .tid = 8, .ip = 0x4010, .period = 1 });
		put_comm(&r.replay.image, TYPE, PERF_MISC_COMM_EXEC, "other",
		         &(struct test_fields){ .time = 450, .pid = 7, .tid = 7 });
		map_at(&r, 451, 2, "//anon", 0x4000, 0x1000);
		sample(&r, 460, 0x4850); /* no longer there */
		map_at(&r, 470, 2, "/home/jit-7.dump", 0x8000, 0x1000);
		sample(&r, 480, 0x4850); /* without times, there again */
		sample(&r, 510, 0x4010); /* third */
		assert_true(replay_run(&r.replay));
		assert_true(settle_places(&r.replay.stat.cells, NULL, NULL, &r.replay.stat.places,
		                          &r.replay.opened.err));
		assert_int_equal(samples_in(&r, BINARY_JITDUMP), timed ? 2 : 3);
		assert_int_equal(samples_in(&r, BINARY_JIT), timed ? 2 : 1);
		memset(&r.named, 0, sizeof(r.named));
		end(&r);
	}
}

/* The callers of a sample are the code of its time, too. */
static void callers_of_their_time(void **state)
{
	static const uint64_t times[] = { 600, 300, 199 };
	const struct stack_options stacks = { .files = &(struct file_options){ .symfs_count = 0 },
		                              .memory = STACK_MEMORY };
	struct test_attr attr = { .sample_type = TYPE | FLAG(5), .flags = FLAG(18) | FLAG(25),
		                  .clockid = MONOTONIC, .ids = { 1 }, .id_count = 1 };
	struct recording r;
	struct image dump;

	(void)state;
	begin_attr(&r, &attr);
	r.replay.stacks = &stacks;
	a_dump(&dump, false, 0);
	fixture_image(&r.fixture, "home/jit-7.dump", &dump);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct image *image = &r.replay.image;
		const struct test_fields fields = { .time = times[i], .pid = 7, .tid = 7, .ip = 0x4f00,
			                            .period = 1 };
		size_t start = record_begin(image, PERF_RECORD_SAMPLE, 2);

		image_fixed(image, attr.sample_type, &fields);
		image_u64(image, 4);
		image_u64(image, PERF_CONTEXT_USER);
		image_u64(image, 0x4f00);
		image_u64(image, 0x4051); /* third, second, first */
		image_u64(image, 0x40c1); /* second, second, first */
		record_end(image, start);
	}
	name(&r);
	assert_int_equal(calls_of(&r, "third", "second"), 1);
	assert_int_equal(calls_of(&r, "second", "second"), 1);
	assert_int_equal(calls_of(&r, "first", "first"), 1);
	assert_int_equal(calls_of(&r, "[unknown]", "third"), 1);
	end(&r);
}

static void refused(void **state)
{
	const struct record record = { .pid = 7, .tid = 7 };
	unsigned failed = 0;

	(void)state;
	for (unsigned long n = 1;; n++) {
		struct recording r;
		struct image dump;
		bool ok;

		begin(&r, FLAG(25), MONOTONIC);
		a_dump(&dump, false, 0);
		fixture_image(&r.fixture, "home/jit-7.dump", &dump);
		r.replay.files = NULL;
		assert_true(replay_run(&r.replay));
		r.replay.stat.code.files = &r.files;
		refuse_allocation(n);
		ok = run_time_code_mmap(&r.replay.stat.code, &record, &r.replay.opened.err) &&
		     run_time_code_until(&r.replay.stat.code, 450, &r.replay.opened.err);
		if (allocations_seen() < n)
			n = 0;
		refuse_allocation(0);
		assert_int_equal(r.replay.opened.err.code, ok ? ERR_NONE : ERR_NOMEM);
		failed += !ok;
		memset(&r.named, 0, sizeof(r.named));
		end(&r);
		if (!n)
			break;
	}
	assert_true(failed > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_tell), cmocka_unit_test(other_clocks), cmocka_unit_test(too_early),
		cmocka_unit_test(no_dump),    cmocka_unit_test(lines_of_their_time), cmocka_unit_test(cut_off),
		cmocka_unit_test(no_bytes),   cmocka_unit_test(a_row_per_address),
		cmocka_unit_test(memory_mapped_again), cmocka_unit_test(other_processes),
		cmocka_unit_test(callers_of_their_time), cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
