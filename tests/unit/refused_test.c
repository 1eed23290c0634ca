/*
 * A recording of many kinds of records is read, named and printed, and each time another allocation
 * is refused: an error that says so and nothing leaked, or everything as if nothing had been. What
 * samples/ have no records for is reached here.
 */
#define _DEFAULT_SOURCE /* mkstemp() */
#include "decode/tables/about.h"
#include "decode/tables/grouptables.h"
#include "perffile/record/collector.h"
#include "decode/intervals/sched.h"
#include "decode/tally/intervalstat.h"
#include "perffile/facts/facts.h"
#include "tests/unit/fixture.h"
#include "tests/unit/named.h"
#include "tests/unit/replay.h"
#include "tests/unit/tablefile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const nowhere = "/no/such/readperf-root";

#define TYPE (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(4) | FLAG(6) | FLAG(8)) /* IP TID TIME READ ID PERIOD */
#define TRAILER (TYPE & ~FLAG(4))
#define GROUP (FLAG(2) | FLAG(3)) /* PERF_FORMAT_ID, GROUP */
#define RUNS 400

static const struct test_attr attrs[2] = {
	{ .sample_type = TYPE, .read_format = GROUP, .flags = FLAG(18), .ids = { 10 }, .id_count = 1 },
	{ .config = 1, .sample_type = TYPE, .read_format = GROUP, .flags = FLAG(18), .ids = { 20 }, .id_count = 1 },
};

static void put_group_sample(struct image *image, uint16_t misc, const struct test_fields *fields,
                             uint64_t first, uint64_t second)
{
	size_t start = record_begin(image, 9, misc);

	image_fixed(image, TRAILER, fields);
	image_u64(image, 2);
	image_u64(image, first);
	image_u64(image, 10);
	image_u64(image, second);
	image_u64(image, 20);
	record_end(image, start);
}

static void put_ksymbol(struct image *image, uint64_t addr, uint16_t flags, const char *name,
                        const struct test_fields *fields)
{
	size_t start = record_begin(image, 17, 0);

	image_u64(image, addr);
	image_u32(image, 64);
	image_u16(image, 1);
	image_u16(image, flags);
	image_text8(image, name);
	image_trailer(image, TRAILER, fields);
	record_end(image, start);
}

/* Families of processes that map, share, unmap and execute; kernels, modules, run-time code. */
static void put_records(struct image *image)
{
	struct test_fields fields = { .id = 10, .period = 5 };
	char name[40];

	put_mmap(image, TRAILER, 1, "[kernel.kallsyms]_text", 0xffffffff81000000, 0x1000000,
	         0xffffffff81000000, &(struct test_fields){ .pid = UINT32_MAX });
	put_mmap(image, TRAILER, 1, "/no/snd-hda.ko.xz", 0xffffffffc0000000, 0x1000, 0, &fields);
	put_mmap(image, TRAILER, 1, "__entry_SYSCALL_64_trampoline", 0xfffffe0000006000, 0x1000,
	         0xffffffff81a00000, &fields);
	for (uint32_t n = 1; n <= 40; n++) {
		fields.pid = fields.tid = n;
		fields.time = 1000 * n;
		snprintf(name, sizeof(name), "/no/such/file-%u", n);
		if (n > 1)
			put_task(image, 7, TRAILER, n - 1, 0, &fields);
		for (uint64_t i = 0; i < 12; i++)
			put_mmap(image, TRAILER, 2, i % 4 == 3 ? "//anon" : name, 0x10000 * (i + n % 3), 0x18000,
			         0x1000 * i, &fields);
		put_mmap(image, TRAILER, 2, "/no/jit-1.dump", 0x9000000, 0x1000, 0, &fields);
		put_mmap(image, TRAILER, 2, "[vdso]", 0x9100000, 0x1000, 0, &fields);
		put_ksymbol(image, 0xffffffffa0000000 + 64 * n, 0, name + 4, &fields);
		for (uint64_t i = 0; i < 8; i++) {
			fields.ip = i == 7 ? 0xffffffffa0000008 + 64 * n : 0x10000 * i + 0x100 * n;
			put_group_sample(image, i == 7 ? 1 : 2, &fields, 100 * n + i, 7 * n);
		}
		fields.ip = 0xffffffffc0000010;
		put_group_sample(image, 1, &fields, 100 * n + 9, 7 * n);
		fields.ip = 0xfffffe0000006123;
		put_group_sample(image, 1, &fields, 100 * n + 10, 7 * n);
		put_group_sample(image, (uint16_t)(3 + n % 3), &fields, 100 * n + 11, 7 * n);
		put_comm(image, TRAILER, n % 2 ? 1u << 13 : 0, name + 9, &fields);
		if (n % 5 == 0)
			put_task(image, 4, TRAILER, n - 1, 0, &fields);
		if (n % 4 == 0)
			put_ksymbol(image, 0xffffffffa0000000 + 64 * n, 1, "", &fields);
	}
}

/* Every table that is made after the last record. */
static bool print_all(FILE *out, struct replay *r, struct named *named, struct err *err)
{
	struct intervalstat intervals = { .stat = NULL };
	struct sched sched = { .threads.strings = &r->strings };
	struct group_tables groups = { .count = 0 };
	struct about about = { .file = "", .options = "", .tables = "" };
	struct facts facts = { .session = &r->opened.session };
	struct collection kept = { .count = 0 };
	struct report report = {
		.about = &about,
		.by = &groups,
		.session = &r->opened.session,
		.facts = &facts,
		.summary = &r->opened.summary,
		.stat = &r->stat,
		.names = &named->names,
		.results = &named->results,
		.totals = &named->totals,
		.calls = &named->calls,
		.instructions = &named->instructions,
		.branches = &named->branches,
		.memory = &named->memory,
		.kept = &kept,
		.sched = &sched,
		.intervals = &intervals,
		.latency = group_tables_latency(&groups),
	};
	bool ok = table_set_collect(&(struct table_set){ .bits = ~0ull }, &kept, &r->opened.session, err) &&
	          facts_fill(&facts, err);

	for (unsigned i = 0; ok && i < TABLE_COUNT; i++)
		ok = !tables[i]->print || tables[i]->file || table_to_file(fileno(out), tables[i], &report, err);
	facts_release(&facts);
	collection_release(&kept);
	return ok;
}

/* Everything, into out. The recording is read as a file of its own, by one thread. */
static bool whole_way(struct replay *r, FILE *out)
{
	struct naming_options options = { .lookup = { .symbolizer = SYMBOLIZER_NONE, .lines = true },
		                          .threads = 1 };
	struct record_handler handler;
	struct named named;
	struct opened *opened = &r->opened;
	bool ok;

	options.lookup.symbols.files.symfs = &nowhere;
	options.lookup.symbols.files.symfs_count = 1;
	options.lookup.symbols.files.buildid_dir = options.lookup.symbols.vmlinux = options.lookup.symbols.kallsyms = "/no/such";
	memset(&r->strings, 0, sizeof(r->strings));
	memset(&r->stat, 0, sizeof(r->stat));
	ok = opened_file(opened, &r->image) && strings_init(&r->strings, &opened->err) &&
	     buildstat_init(&r->stat, &opened->session, &r->strings, &opened->err) &&
	     buildstat_keep_samples(&r->stat, ".", &opened->err) &&
	     buildstat_keep_trace(&r->stat, ".", &opened->err);
	if (ok) {
		r->stat.counts_branches = r->stat.counts_memory = true;
		handler = buildstat_handler(&r->stat);
		opened->read = true;
		ok = perffile_read(&opened->session, &handler, 1, NULL, &opened->summary, &opened->err) &&
		     buildstat_finish(&r->stat, &opened->err);
	}
	if (ok) {
		ok = named_make(&named, &r->stat, &options, &opened->diag, &opened->err) &&
		     print_all(out, r, &named, &opened->err);
		named_release(&named);
	}
	return ok;
}

static void release(struct replay *r)
{
	buildstat_release(&r->stat);
	strings_release(&r->strings);
	opened_close(&r->opened);
}

static long text_of(FILE *file, char **text)
{
	long size;

	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	*text = calloc(1, (size_t)size + 1);
	rewind(file);
	assert_int_equal(fread(*text, 1, (size_t)size, file), size);
	fclose(file);
	return size;
}

static void each_allocation(void **state)
{
	unsigned long total, step, refused = 0;
	char *expected, *found;
	FILE *out = tmpfile();
	struct replay r;

	(void)state;
	memset(&r, 0, sizeof(r));
	image_init(&r.image, false);
	file_begin(&r.image, attrs, 2, 104);
	put_records(&r.image);
	file_end(&r.image);
	refuse_allocation(0);
	assert_true(out && whole_way(&r, out));
	total = allocations_seen();
	release(&r);
	assert_true(text_of(out, &expected) > 3000);
	step = total / RUNS + 1;
	for (unsigned long n = 1; n <= total; n += step) {
		bool ok;

		out = tmpfile();
		refuse_allocation(n);
		ok = whole_way(&r, out);
		refuse_allocation(0);
		assert_true(ok || r.opened.err.code == ERR_NOMEM);
		refused += !ok;
		release(&r);
		text_of(out, &found);
		if (ok)
			assert_string_equal(found, expected);
		free(found);
	}
	assert_true(refused > RUNS / 8);
	free(expected);
	image_release(&r.image);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_allocation) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
