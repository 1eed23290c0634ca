/* What mappings show, where samples fall, and values that a sample read. Format reference, 8.3 to 8.6. */
#include "tests/unit/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define TYPE (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(8)) /* IP TID TIME PERIOD */

enum { UNKNOWN, KERNEL, USER, HYPERVISOR, GUEST_KERNEL, GUEST_USER }; /* cpumodes */

static const struct test_attr attr = { .sample_type = TYPE, .flags = FLAG(18) };

static void map_as(struct replay *r, uint16_t misc, uint32_t pid, const char *name, uint64_t start,
                   uint64_t length, uint64_t pgoff)
{
	put_mmap(&r->image, TYPE, misc, name, start, length, pgoff,
	         &(struct test_fields){ .pid = pid, .tid = pid == (uint32_t)-1 ? 0 : pid });
}

static void sample(struct replay *r, uint16_t misc, uint32_t pid, uint64_t ip)
{
	put_sample(&r->image, TYPE, misc,
	           &(struct test_fields){ .time = 1000, .pid = pid, .tid = pid, .ip = ip, .period = 10 });
}

static void expect(const struct replay *r, const char *binary, uint64_t addr, uint64_t samples)
{
	uint64_t period;

	if (replay_samples(r, 0, binary, addr, &period) != samples)
		fail_msg("%s at 0x%llx: not %llu samples", binary, (unsigned long long)addr,
		         (unsigned long long)samples);
	assert_int_equal(period, 10 * samples);
}

static const struct binary *binary_of(const struct replay *r, const char *name)
{
	for (size_t i = 0; i < r->stat.binaries.count; i++)
		if (!strcmp(strings_get(&r->strings, r->stat.binaries.items[i].name), name))
			return &r->stat.binaries.items[i];
	fail_msg("no binary %s", name);
	return NULL;
}

static void kinds_of_user_maps(void **state)
{
	static const struct {
		const char *recorded, *name;
		enum binary_kind kind;
		uint64_t addr; /* of ip 0x5010, mapped at 0x5000 with offset 0x200 */
	} cases[] = {
		{ "/usr/bin/true", "/usr/bin/true", BINARY_FILE, 0x210 },
		{ "/memfd:jit (deleted)", "/memfd:jit (deleted)", BINARY_FILE, 0x210 },
		{ "/tmp/jit-7.dump", "/tmp/jit-7.dump", BINARY_FILE, 0x210 },
		{ "//anon", "[JIT] tid 7", BINARY_JIT, 0x5010 },
		{ "/dev/zero (deleted)", "[JIT] tid 7", BINARY_JIT, 0x5010 },
		{ "/anon_hugepage (deleted)", "[JIT] tid 7", BINARY_JIT, 0x5010 },
		{ "[heap]", "[JIT] tid 7", BINARY_JIT, 0x5010 },
		{ "[stack]", "[JIT] tid 7", BINARY_JIT, 0x5010 },
		{ "[vdso]", "[vdso]", BINARY_VDSO, 0x10 },
		{ "[vsyscall]", "[vsyscall]", BINARY_SPECIAL, 0x5010 },
		{ "[uprobes]", "[uprobes]", BINARY_SPECIAL, 0x5010 },
		{ "anon_inode:[perf_event]", "anon_inode:[perf_event]", BINARY_SPECIAL, 0x5010 },
		{ "//enomem", "//enomem", BINARY_SPECIAL, 0x5010 },
		{ "//toolong", "//toolong", BINARY_SPECIAL, 0x5010 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct replay r;

		replay_begin(&r, &attr, 1);
		map_as(&r, USER, 7, cases[i].recorded, 0x5000, 0x1000, 0x200);
		sample(&r, USER, 7, 0x5010);
		sample(&r, USER, 8, 0x5010); /* another process has nothing there */
		assert_true(replay_counted(&r));
		expect(&r, cases[i].name, cases[i].addr, 1);
		expect(&r, "[unknown]", 0x5010, 1);
		assert_int_equal(binary_of(&r, cases[i].name)->kind, cases[i].kind);
		replay_end(&r);
	}
}

/* simpleperf marks what it says about run-time code: single functions, all at one "offset". */
static void simpleperfs_run_time_code(void **state)
{
	static const char path[] = "perf.data_jit_app_cache:15480-17544";
	struct replay r;

	(void)state;
	replay_begin(&r, &attr, 1);
	for (uint64_t start = 0x5010; start <= 0x5110; start += 0x100) {
		size_t record = record_begin(&r.image, 10, 2);

		image_u32(&r.image, 7), image_u32(&r.image, 7);
		image_u64(&r.image, start), image_u64(&r.image, 0x40), image_u64(&r.image, 15480);
		image_zeros(&r.image, 24);
		image_u32(&r.image, 0x4000), image_u32(&r.image, 0);
		image_text8(&r.image, path);
		image_trailer(&r.image, TYPE, &(struct test_fields){ .pid = 7, .tid = 7 });
		record_end(&r.image, record);
	}
	sample(&r, USER, 7, 0x5010);
	sample(&r, USER, 7, 0x5110);
	assert_true(replay_counted(&r));
	expect(&r, "[JIT] tid 7", 0x5010, 1);
	expect(&r, "[JIT] tid 7", 0x5110, 1);
	assert_int_equal(binary_of(&r, "[JIT] tid 7")->kind, BINARY_JIT);
	assert_string_equal(strings_get(&r.strings, binary_of(&r, "[JIT] tid 7")->path), path);
	replay_end(&r);
}

/* 32-bit processes of a 64-bit kernel have a vdso of their own, by the same name. */
static void vdsos(void **state)
{
	const uint64_t low = 0xf7fc7000, high = 0x7ffff7fc1000;

	(void)state;
	for (int wide = 0; wide < 2; wide++) {
		const char *compat = wide ? "[vdso32]" : "[vdso]";
		uint64_t kernel = wide ? 0xffffffff81000000 : 0xc1000000;
		struct replay r;

		replay_begin(&r, &attr, 1);
		map_as(&r, KERNEL, (uint32_t)-1, "[kernel.kallsyms]_text", kernel, 0x100000, kernel);
		map_as(&r, USER, 7, "[vdso]", low, 0x2000, 0);
		sample(&r, USER, 7, low + 0x10);
		if (wide) {
			map_as(&r, USER, 8, "[vdso]", high, 0x2000, 0);
			sample(&r, USER, 8, high + 0x10);
			sample(&r, USER, 8, high + 0x10);
		}
		assert_true(replay_counted(&r));
		expect(&r, compat, 0x10, 1);
		assert_int_equal(binary_of(&r, compat)->compat, wide);
		if (wide) {
			expect(&r, "[vdso]", 0x10, 2);
			assert_false(binary_of(&r, "[vdso]")->compat);
		}
		replay_end(&r);
	}
}

/* The cpumode of the sample chooses the maps, never the value of the address. */
static void cpumodes(void **state)
{
	struct replay r;

	(void)state;
	replay_begin(&r, &attr, 1);
	map_as(&r, KERNEL, (uint32_t)-1, "[kernel.kallsyms]_text", 0, 0xffffffff9fffffff, 0xffffffff81000000);
	map_as(&r, USER, 7, "/bin/prog", 0x5000, 0x1000, 0);
	sample(&r, USER, 7, 0x5010);
	sample(&r, KERNEL, 7, 0x5010);
	sample(&r, HYPERVISOR, 7, 0x5010);
	sample(&r, GUEST_KERNEL, 7, 0x5010);
	sample(&r, GUEST_USER, 7, 0x5010);
	sample(&r, UNKNOWN, 7, 0x5010);
	assert_true(replay_counted(&r));
	expect(&r, "/bin/prog", 0x10, 1);
	expect(&r, "[kernel.kallsyms]", 0x5010, 1);
	expect(&r, "[hypervisor]", 0x5010, 1);
	expect(&r, "[guest.kernel]", 0x5010, 1);
	expect(&r, "[guest]", 0x5010, 1);
	expect(&r, "[unknown]", 0x5010, 1);
	replay_end(&r);
}

static void shapes_of_the_kernel_map(void **state)
{
	static const struct {
		const char *name;
		uint64_t start, length, pgoff, inside;
		const char *ref;
	} cases[] = {
		{ "[kernel.kallsyms]_stext", 0, 0xffffffff9fffffff, 0xffffffff81000000, 0xffffffff81000010, "_stext" },
		{ "[kernel.kallsyms]_text", 0xffffffff81000000, 0xe014ba, 0xffffffff81000000, 0xffffffff81000010, "_text" },
		{ "[kernel.kallsyms]_text", 0x80008200, 0xffffffff7fff7dff, 0x80008200, 0xffffffff00000000, "_text" },
		{ "[kernel.kallsyms]_text", 0xffffffff81000000, 0x7f000000, 0xffffffff81000000, 0xffffffffff000000, "_text" },
		{ "[kernel.kallsyms]_text", 0, 0, 0, 0xffffffff81000010, "_text" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct binary *kernel;
		struct replay r;

		replay_begin(&r, &attr, 1);
		map_as(&r, KERNEL, (uint32_t)-1, cases[i].name, cases[i].start, cases[i].length, cases[i].pgoff);
		sample(&r, KERNEL, 7, cases[i].inside);
		assert_true(replay_counted(&r));
		expect(&r, "[kernel.kallsyms]", cases[i].inside, 1);
		kernel = binary_of(&r, "[kernel.kallsyms]");
		assert_int_equal(kernel->kind, BINARY_KERNEL);
		assert_true(kernel->ref_addr == cases[i].pgoff);
		assert_string_equal(strings_get(&r.strings, kernel->ref_name), cases[i].ref);
		replay_end(&r);
	}
}

/* With page-table isolation system calls begin in a second mapping of the kernel's entry code. */
static void trampolines(void **state)
{
	struct replay r;

	(void)state;
	replay_begin(&r, &attr, 1);
	map_as(&r, KERNEL, (uint32_t)-1, "[kernel.kallsyms]_text", 0xffffffff81000000, 0x1000000,
	       0xffffffff81000000);
	map_as(&r, KERNEL, (uint32_t)-1, "__entry_SYSCALL_64_trampoline", 0xfffffe0000006000, 0x1000,
	       0xffffffff81a00000);
	map_as(&r, KERNEL, (uint32_t)-1, "__entry_SYSCALL_64_trampoline", 0xfffffe0000036000, 0x1000,
	       0xffffffff81a00000);
	sample(&r, KERNEL, 7, 0xfffffe0000006123);
	sample(&r, KERNEL, 7, 0xfffffe0000036123);
	sample(&r, KERNEL, 7, 0xffffffff81a00123);
	sample(&r, KERNEL, 7, 0xfffffe0000007123); /* behind it */
	assert_true(replay_counted(&r));
	expect(&r, "[kernel.kallsyms]", 0xffffffff81a00123, 3);
	expect(&r, "[kernel.kallsyms]", 0xfffffe0000007123, 0);
	replay_end(&r);
}

static void kernel_samples_without_a_map(void **state)
{
	struct replay r;

	(void)state;
	replay_begin(&r, &attr, 1);
	sample(&r, KERNEL, 7, 0xffffffff81000010);
	assert_true(replay_counted(&r));
	expect(&r, "[kernel.kallsyms]", 0xffffffff81000010, 1);
	replay_end(&r);
}

static void modules(void **state)
{
	static const struct {
		const char *recorded, *name;
	} cases[] = {
		{ "[ext4]", "[ext4]" },
		{ "/lib/modules/6.1.0/kernel/sound/snd-hda-intel.ko", "[snd_hda_intel]" },
		{ "/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz", "[ext4]" },
		{ "/lib/modules/6.1.0/extra/a.ko.zst", "[a]" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (int order = 0; order <= 1; order++) {
			struct replay r;

			/* the old kernel's shape covers its modules, whichever comes first */
			replay_begin(&r, &attr, 1);
			if (order)
				map_as(&r, KERNEL, (uint32_t)-1, cases[i].recorded, 0xffffffffc0000000, 0x1000, 0);
			map_as(&r, KERNEL, (uint32_t)-1, "[kernel.kallsyms]_text", 0, 0xffffffffffffffff, 0x1000);
			if (!order)
				map_as(&r, KERNEL, (uint32_t)-1, cases[i].recorded, 0xffffffffc0000000, 0x1000, 0);
			sample(&r, KERNEL, 7, 0xffffffffc0000010);
			sample(&r, KERNEL, 7, 0xffffffffc0001010);
			assert_true(replay_counted(&r));
			expect(&r, cases[i].name, 0x10, 1);
			expect(&r, "[kernel.kallsyms]", 0xffffffffc0001010, 1);
			assert_int_equal(binary_of(&r, cases[i].name)->kind, BINARY_MODULE);
			replay_end(&r);
		}
	}
}

static void ksymbol(struct replay *r, uint64_t time, uint64_t addr, uint32_t length, uint16_t flags, const char *name)
{
	size_t start = record_begin(&r->image, 17, 0);

	image_u64(&r->image, addr);
	image_u32(&r->image, length);
	image_u16(&r->image, 1);
	image_u16(&r->image, flags);
	image_text8(&r->image, name);
	image_trailer(&r->image, TYPE, &(struct test_fields){ .time = time });
	record_end(&r->image, start);
}

/* Code that is loaded and unloaded: an address belongs to the code that is there at that time. */
static void ksymbols_in_time(void **state)
{
	static const uint64_t at = 0xffffffffc0100000;
	struct replay r;

	(void)state;
	replay_begin(&r, &attr, 1);
	ksymbol(&r, 10, at, 0x100, 0, "bpf_prog_1");
	ksymbol(&r, 20, at, 0x100, 1, "bpf_prog_1");
	ksymbol(&r, 30, at, 0x80, 0, "bpf_prog_2");
	ksymbol(&r, 31, at + 0x1000, 0, 0, "nothing");
	for (uint64_t time = 15; time <= 35; time += 10)
		put_sample(&r.image, TYPE, KERNEL,
		           &(struct test_fields){ .time = time, .pid = 7, .tid = 7, .ip = at + 8, .period = 10 });
	assert_true(replay_counted(&r));
	expect(&r, "bpf_prog_1", 8, 1);
	expect(&r, "bpf_prog_2", 8, 1);
	assert_int_equal(binary_of(&r, "bpf_prog_2")->kind, BINARY_KSYMBOL);
	replay_end(&r);
}

/* Cut-off lines of /proc/PID/maps (misc bit 12) and guests' maps are counted, not mapped. */
static void maps_that_do_not_count(void **state)
{
	struct replay r;
	size_t start;

	(void)state;
	replay_begin(&r, &attr, 1);
	start = record_begin(&r.image, 10, 1 << 12);
	image_u32(&r.image, 7);
	image_u32(&r.image, 7);
	image_u64(&r.image, 0x5000);
	image_u64(&r.image, 0x1000);
	image_zeros(&r.image, 32);
	image_u32(&r.image, 5);
	image_u32(&r.image, 2);
	image_text8(&r.image, "/half");
	image_trailer(&r.image, TYPE, &(struct test_fields){ .time = 0 });
	record_end(&r.image, start);
	map_as(&r, GUEST_USER, 7, "/guest", 0x5000, 0x1000, 0);
	map_as(&r, GUEST_KERNEL, 7, "[guest.kernel.kallsyms]_text", 0, UINT64_MAX, 0);
	sample(&r, USER, 7, 0x5010);
	assert_true(replay_counted(&r));
	expect(&r, "[unknown]", 0x5010, 1);
	assert_int_equal(replay_process(&r, 7, 0)->mmaps, 3);
	replay_end(&r);
}

/* Text that a program moved onto huge pages is still the file's (format reference, 8.6). */
static void text_on_huge_pages(void **state)
{
	struct replay r;

	(void)state;
	replay_begin(&r, &attr, 1);
	map_as(&r, USER, 7, "/bin/big", 0x10000, 0x30000, 0);
	map_as(&r, USER, 7, "//anon", 0x20000, 0x10000, 0x20000);
	sample(&r, USER, 7, 0x20010);
	map_as(&r, USER, 8, "/bin/big", 0x10000, 0x10000, 0);
	map_as(&r, USER, 8, "//anon", 0x20000, 0x10000, 0x20000); /* nothing of the file behind it */
	sample(&r, USER, 8, 0x20010);
	assert_true(replay_counted(&r));
	expect(&r, "/bin/big", 0x10010, 1);
	expect(&r, "[JIT] tid 8", 0x20010, 1);
	replay_end(&r);
}

/* --- samples that read counters; format reference, 4.2 */

#define READ_TYPE (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(4) | FLAG(6))

/* Two events that are read as a group; inherited ones have a count in each thread. */
static const struct test_attr group[2] = {
	{ .sample_type = READ_TYPE, .read_format = 12, .flags = FLAG(18), .ids = { 10 }, .id_count = 1 },
	{ .config = 1, .sample_type = READ_TYPE, .read_format = 12, .flags = FLAG(18), .ids = { 20 }, .id_count = 1 },
};
static const struct test_attr inherited[2] = {
	{ .sample_type = READ_TYPE, .read_format = 12, .flags = FLAG(18) | FLAG(1), .ids = { 10 }, .id_count = 1 },
	{ .config = 1, .sample_type = READ_TYPE, .read_format = 12, .flags = FLAG(18) | FLAG(1), .ids = { 20 }, .id_count = 1 },
};

static void group_sample_at(struct replay *r, uint64_t time, uint32_t tid, uint64_t a, uint64_t b, uint64_t other_id)
{
	struct test_fields fields = { .ip = 0x5010, .pid = 7, .tid = tid, .time = time, .id = 10 };
	size_t start = record_begin(&r->image, 9, USER);

	image_fixed(&r->image, READ_TYPE, &fields);
	image_u64(&r->image, 2);
	image_u64(&r->image, a);
	image_u64(&r->image, 10);
	image_u64(&r->image, b);
	image_u64(&r->image, other_id);
	record_end(&r->image, start);
}

static void group_sample(struct replay *r, uint32_t tid, uint64_t a, uint64_t b, uint64_t other_id)
{
	group_sample_at(r, 1000 + a, tid, a, b, other_id);
}

/* A group that claims more values than the sample has: they belong to no event, but the sample is counted. */
static void a_group_without_its_values(void **state)
{
	struct test_fields fields = { .ip = 0x5010, .pid = 7, .tid = 7, .time = 2000, .id = 10 };
	uint64_t period;
	struct replay r;
	size_t start;

	(void)state;
	replay_begin(&r, group, 2);
	group_sample(&r, 7, 100, 1000, 20);
	start = record_begin(&r.image, 9, USER);
	image_fixed(&r.image, READ_TYPE, &fields);
	image_u64(&r.image, 1000);
	record_end(&r.image, start);
	assert_true(replay_counted(&r));
	assert_int_equal(replay_samples(&r, 0, "[unknown]", 0x5010, &period), 1);
	assert_int_equal(replay_samples(&r, 0, "[damaged]", 0, &period), 1);
	assert_int_equal(buildstat_totals(&r.stat, 0)->samples, 2);
	assert_int_equal(r.opened.summary.broken, true);
	replay_end(&r);
}

static void group_reads_are_distributed(void **state)
{
	uint64_t period;
	struct replay r;

	(void)state;
	replay_begin(&r, group, 2);
	group_sample(&r, 7, 100, 1000, 20);
	group_sample(&r, 7, 250, 1000, 20);  /* the second stood still: no sample of it */
	group_sample(&r, 7, 300, 1700, 20);
	group_sample(&r, 7, 310, 9, 99);     /* an id of no event */
	assert_true(replay_counted(&r));
	assert_int_equal(replay_samples(&r, 0, "[unknown]", 0x5010, &period), 4);
	assert_int_equal(period, 310);
	assert_int_equal(replay_samples(&r, 1, "[unknown]", 0x5010, &period), 2);
	assert_int_equal(period, 1700);
	assert_int_equal(replay_samples(&r, EVENT_UNKNOWN, "[unknown]", 0x5010, &period), 1);
	assert_int_equal(period, 9);
	assert_int_equal(buildstat_totals(&r.stat, EVENT_UNKNOWN)->samples, 1);
	assert_int_equal(buildstat_totals(&r.stat, 0)->samples, 4);
	assert_int_equal(buildstat_totals(&r.stat, 1)->period, 1700);
	replay_end(&r);
}

/*
 * Inherited counters run per thread. Ids and tids are small numbers that may well be equal: id 10
 * in thread 10 and id 20 in thread 20 are still two counters.
 */
static void inherited_reads_are_per_thread(void **state)
{
	uint64_t period;
	struct replay r;

	(void)state;
	replay_begin(&r, inherited, 2);
	group_sample(&r, 10, 100, 1000, 20);
	group_sample(&r, 20, 5, 3, 20);
	group_sample(&r, 10, 150, 1010, 20);
	group_sample(&r, 20, 6, 5, 20);
	assert_true(replay_counted(&r));
	assert_int_equal(replay_samples(&r, 0, "[unknown]", 0x5010, &period), 4);
	assert_int_equal(period, 150 + 6);
	assert_int_equal(replay_samples(&r, 1, "[unknown]", 0x5010, &period), 4);
	assert_int_equal(period, 1010 + 5);
	replay_end(&r);
}

/* A thread that takes over a tid starts its counters anew. */
static void reads_that_run_backwards(void **state)
{
	uint64_t period;
	struct replay r;

	(void)state;
	replay_begin(&r, inherited, 2);
	group_sample_at(&r, 1, 11, 5000, 10, 20);
	group_sample_at(&r, 2, 11, 3000, 4, 20);
	assert_true(replay_counted(&r));
	assert_int_equal(replay_samples(&r, 0, "[unknown]", 0x5010, &period), 2);
	assert_int_equal(period, 8000);
	assert_int_equal(buildstat_totals(&r.stat, 1)->period, 14);
	replay_end(&r);
}

/* One event without ids: what is read is its own, whatever id it has (format reference, 7.3). */
static void reads_without_ids(void **state)
{
	struct test_attr attr_alone = { .sample_type = READ_TYPE, .read_format = 4, .flags = FLAG(18) };
	uint64_t period;
	struct replay r;

	(void)state;
	replay_begin(&r, &attr_alone, 1);
	for (uint64_t value = 100; value <= 300; value += 100) {
		struct test_fields fields = { .ip = 0x5010, .pid = 7, .tid = 7, .time = value, .id = 77 };
		size_t start = record_begin(&r.image, 9, USER);

		image_fixed(&r.image, READ_TYPE, &fields);
		image_u64(&r.image, value);
		image_u64(&r.image, 77);
		record_end(&r.image, start);
	}
	assert_true(replay_counted(&r));
	assert_int_equal(replay_samples(&r, 0, "[unknown]", 0x5010, &period), 3);
	assert_int_equal(period, 300);
	assert_int_equal(buildstat_totals(&r.stat, EVENT_UNKNOWN)->samples, 0);
	replay_end(&r);
}

/* What a BPF filter was asked to drop (misc bit 15) was not lost. */
static void lost_samples(void **state)
{
	struct replay r;

	(void)state;
	replay_begin(&r, &attr, 1);
	for (unsigned filter = 0; filter < 2; filter++) {
		size_t start = record_begin(&r.image, 13, filter ? 0x8000 : 0);

		image_u64(&r.image, filter ? 100 : 7);
		image_trailer(&r.image, attr.sample_type, &(struct test_fields){ .time = 5 });
		record_end(&r.image, start);
	}
	assert_true(replay_run(&r));
	assert_int_equal(r.opened.summary.lost_samples, 7);
	assert_int_equal(buildstat_totals(&r.stat, 0)->lost, 7);
	replay_end(&r);
}

/* Without PERIOD: the attr's period, but a frequency is none (format reference, 4.1). */
static void periods_that_are_not_recorded(void **state)
{
	(void)state;
	for (int freq = 0; freq <= 1; freq++) {
		struct test_attr a = { .sample_type = FLAG(0) | FLAG(1) | FLAG(2), .period = 4000,
			               .flags = FLAG(18) | (freq ? FLAG(10) : 0) };
		uint64_t period;
		struct replay r;

		replay_begin(&r, &a, 1);
		for (int i = 0; i < 3; i++)
			put_sample(&r.image, a.sample_type, USER, &(struct test_fields){ .ip = 0x10, .time = 5 });
		assert_true(replay_counted(&r));
		assert_int_equal(replay_samples(&r, 0, "[unknown]", 0x10, &period), 3);
		assert_int_equal(period, freq ? 3 : 12000);
		assert_int_equal(r.stat.guessed_period, freq);
		replay_end(&r);
	}
}

/* Without PERF_FORMAT_ID a value's position gives the member of the group, and the sample's CPU the instance. */
static void group_reads_without_ids(void **state)
{
	static const uint64_t values[][3] = { { 10, 100, 1000 }, { 11, 7, 5 }, { 10, 150, 1030 }, { 11, 9, 5 } };
	struct test_attr pair[2] = { group[0], group[1] };
	uint64_t period;
	struct replay r;

	(void)state;
	for (size_t i = 0; i < 2; i++)
		pair[i].read_format = FLAG(3);
	pair[0].ids[1] = 11;
	pair[0].id_count = 2;
	replay_begin(&r, pair, 2);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		struct test_fields fields = { .ip = 0x5010, .pid = 7, .tid = 7, .time = 10 + i, .id = values[i][0] };
		size_t start = record_begin(&r.image, 9, USER);

		image_fixed(&r.image, READ_TYPE, &fields);
		image_u64(&r.image, i == 3 ? 3 : 2);
		image_u64(&r.image, values[i][1]);
		image_u64(&r.image, values[i][2]);
		if (i == 3)
			image_u64(&r.image, 77); /* of no event */
		record_end(&r.image, start);
	}
	assert_true(replay_counted(&r));
	assert_int_equal(replay_samples(&r, 0, "[unknown]", 0x5010, &period), 4);
	assert_int_equal(period, 150 + 9);
	assert_int_equal(replay_samples(&r, 1, "[unknown]", 0x5010, &period), 3);
	assert_int_equal(period, 1030 + 5);
	assert_int_equal(replay_samples(&r, EVENT_UNKNOWN, "[unknown]", 0x5010, &period), 1);
	assert_int_equal(period, 77);
	replay_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_of_user_maps), cmocka_unit_test(simpleperfs_run_time_code), cmocka_unit_test(vdsos),   cmocka_unit_test(cpumodes),
		cmocka_unit_test(shapes_of_the_kernel_map), cmocka_unit_test(kernel_samples_without_a_map),
		cmocka_unit_test(trampolines),
		cmocka_unit_test(modules),              cmocka_unit_test(ksymbols_in_time),
		cmocka_unit_test(maps_that_do_not_count), cmocka_unit_test(text_on_huge_pages),
		cmocka_unit_test(group_reads_are_distributed), cmocka_unit_test(a_group_without_its_values), cmocka_unit_test(inherited_reads_are_per_thread),
		cmocka_unit_test(group_reads_without_ids),
		cmocka_unit_test(reads_that_run_backwards), cmocka_unit_test(reads_without_ids),
		cmocka_unit_test(lost_samples),
		cmocka_unit_test(periods_that_are_not_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
