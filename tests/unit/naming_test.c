/* From the tally to rows: order, sums, and reasons where there are no names. */
#include "decode/tables/remarks.h"

#include "tests/unit/named.h"
#include "tests/unit/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const char *const nowhere = "/no/such/readperf-root";

#define TYPE (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(6) | FLAG(8)) /* IP TID TIME ID PERIOD */

static const struct test_attr attrs[2] = {
	{ .sample_type = TYPE, .flags = FLAG(18), .ids = { 10 }, .id_count = 1 },
	{ .config = 1, .sample_type = TYPE, .flags = FLAG(18), .ids = { 20 }, .id_count = 1 },
};

static void sample(struct replay *r, uint64_t id, uint16_t misc, uint64_t ip, uint64_t period)
{
	put_sample(&r->image, TYPE, misc,
	           &(struct test_fields){ .time = 1000, .id = id, .pid = 7, .tid = 7, .ip = ip, .period = period });
}

static void a_recording(struct replay *r)
{
	struct test_fields fields = { .pid = 7, .tid = 7 };

	replay_begin(r, attrs, 2);
	put_mmap(&r->image, TYPE, 2, "/no/such/readperf-binary", 0x1000, 0x1000, 0, &fields);
	put_mmap(&r->image, TYPE, 2, "//anon", 0x4000, 0x1000, 0, &fields);
	put_mmap(&r->image, TYPE, 2, "[vsyscall]", 0x6000, 0x1000, 0, &fields);
	for (uint64_t i = 0; i < 10; i++) {
		sample(r, 10, 2, 0x1000 + 16 * i, 5); /* ten addresses of one file: 50 */
		sample(r, 20, 2, 0x1000, 1);
	}
	sample(r, 10, 2, 0x4010, 70);
	sample(r, 10, 2, 0x6010, 50); /* as expensive as the file, but one sample */
	sample(r, 10, 2, 0x9000, 3);  /* nothing is mapped there */
	sample(r, 10, 3, 0x9000, 2);
	assert_true(replay_run(r));
}

static void name(struct replay *r, struct named *named, bool lines)
{
	struct naming_options options = { .lookup = { .symbolizer = SYMBOLIZER_NONE, .lines = lines } };

	options.lookup.symbols.files.symfs = &nowhere;
	options.lookup.symbols.files.symfs_count = 1;
	assert_true(named_make(named, &r->stat, &options, &r->opened.diag, &r->opened.err));
}

static void rows_are_ordered_and_add_up(void **state)
{
	static const struct {
		uint32_t event;
		const char *binary;
		uint64_t period, samples;
		enum symbol_origin origin;
	} expected[] = {
		{ 0, "[JIT] tid 7", 70, 1, ORIGIN_NO_PERF_MAP },
		{ 0, "/no/such/readperf-binary", 50, 10, ORIGIN_FILE_MISSING },
		{ 0, "[vsyscall]", 50, 1, ORIGIN_NO_SYMBOL },
		{ 0, "[unknown]", 3, 1, ORIGIN_NO_MAP },
		{ 0, "[hypervisor]", 2, 1, ORIGIN_GUEST },
		{ 1, "/no/such/readperf-binary", 10, 10, ORIGIN_FILE_MISSING },
	};
	struct named named;
	struct replay r;

	(void)state;
	a_recording(&r);
	name(&r, &named, false);
	assert_int_equal(named.results.row_count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct result_row *row = &named.results.rows[i];

		assert_int_equal(row->event, expected[i].event);
		assert_string_equal(strings_get(&r.strings, row->binary), expected[i].binary);
		assert_string_equal(strings_get(&r.strings, row->function), "[unknown]");
		assert_int_equal(row->file, STRING_EMPTY);
		assert_int_equal(row->period, expected[i].period);
		assert_int_equal(row->samples, expected[i].samples);
		assert_string_equal(symbol_origin_name(row->origin), symbol_origin_name(expected[i].origin));
	}
	assert_int_equal(named.results.samples, 24);
	assert_int_equal(named.results.unnamed[ORIGIN_FILE_MISSING].samples, 20);
	named_release(&named);
	replay_end(&r);
}

/* A sample that cannot be decoded is in a row that says so. */
static void a_damaged_sample(void **state)
{
	struct named named;
	struct replay r;
	size_t start;

	(void)state;
	replay_begin(&r, attrs, 2);
	sample(&r, 10, 2, 0x1000, 5);
	start = record_begin(&r.image, 9, 2);
	image_u64(&r.image, 0x1000);
	record_end(&r.image, start);
	assert_true(replay_run(&r));
	name(&r, &named, false);
	assert_int_equal(named.results.row_count, 2);
	assert_int_equal(named.results.rows[0].origin, ORIGIN_NO_MAP);
	assert_string_equal(strings_get(&r.strings, named.results.rows[1].binary), "[damaged]");
	assert_string_equal(strings_get(&r.strings, named.results.rows[1].function), "[unknown]");
	assert_int_equal(named.results.rows[1].samples, 1);
	assert_int_equal(named.results.rows[1].period, 0);
	assert_int_equal(named.results.rows[1].origin, ORIGIN_DAMAGED);
	named_release(&named);
	replay_end(&r);
}

static void a_row_per_address(void **state)
{
	uint64_t samples = 0, period = 0;
	struct named named;
	struct replay r;

	(void)state;
	a_recording(&r);
	name(&r, &named, true);
	assert_int_equal(named.addresses.count, 10 + 1 + 4);
	for (size_t i = 0; i < named.addresses.count; i++) {
		const struct group_row *row = &named.addresses.items[i];

		samples += row->samples;
		period += row->period;
		/* the event is the last word of a row */
		if (i && row[0].words[address_table.key_count] == row[-1].words[address_table.key_count])
			assert_true(row[0].period <= row[-1].period);
	}
	assert_int_equal(samples, 24);
	assert_int_equal(period, 50 + 10 + 70 + 50 + 3 + 2);
	samples = 0;
	for (size_t i = 0; i < named.lines.count; i++)
		samples += named.lines.items[i].samples;
	assert_int_equal(samples, 24);
	named_release(&named);
	replay_end(&r);
}

static void nothing_to_name(void **state)
{
	struct named named;
	struct replay r;

	(void)state;
	replay_begin(&r, attrs, 2);
	put_comm(&r.image, TYPE, 0, "idle", &(struct test_fields){ .pid = 7, .tid = 7 });
	assert_true(replay_run(&r));
	name(&r, &named, true);
	assert_int_equal(named.results.row_count, 0);
	assert_int_equal(named.results.samples, 0);
	named_release(&named);
	replay_end(&r);
}

/* Code that the kernel made lies inside of the kernel where that is taken to be everywhere. */
static void a_ksymbol_inside_of_the_kernel(void **state)
{
	static const uint64_t kernel = 0xffffffff81000000, at = 0xffffffffc0100000;
	struct named named;
	struct replay r;
	size_t start;

	(void)state;
	replay_begin(&r, attrs, 2);
	put_mmap(&r.image, TYPE, 1, "[kernel.kallsyms]_text", kernel, UINT64_MAX - kernel, kernel,
	         &(struct test_fields){ .pid = UINT32_MAX });
	start = record_begin(&r.image, 17, 0);
	image_u64(&r.image, at);
	image_u32(&r.image, 0x100);
	image_u16(&r.image, 1);
	image_u16(&r.image, 0);
	image_text8(&r.image, "bpf_prog_1");
	image_trailer(&r.image, TYPE, &(struct test_fields){ .time = 10, .id = 10 });
	record_end(&r.image, start);
	sample(&r, 10, 1, at + 8, 5);
	assert_true(replay_run(&r));
	name(&r, &named, false);
	assert_int_equal(named.results.row_count, 1);
	assert_string_equal(strings_get(r.stat.strings, named.results.rows[0].function), "bpf_prog_1");
	assert_string_equal(strings_get(r.stat.strings, named.results.rows[0].binary), "[kernel.kallsyms]");
	assert_int_equal(named.results.rows[0].origin, ORIGIN_BPF);
	named_release(&named);
	replay_end(&r);
}

static void keep_text(void *context, uint64_t offset, const char *text)
{
	(void)offset;
	snprintf(context, ERR_TEXT_SIZE, "%s", text);
}

/* However long a path is, the warning's advice behind it is not cut off. */
static void advice_behind_a_long_path(void **state)
{
	struct symbol_options options = { 0 };
	struct err err = { 0 };
	struct results results;
	struct strings strings;
	struct diag diag;
	char path[2000], text[ERR_TEXT_SIZE] = "";

	(void)state;
	memset(path, 'd', sizeof(path));
	memcpy(path + sizeof(path) - 10, "/the-name", 10);
	assert_true(strings_init(&strings, &err));
	memset(&results, 0, sizeof(results));
	results.nameable.samples = results.nameable.period = 2 * (ORIGIN_COUNT - ORIGIN_FIRST_REASON);
	for (size_t i = ORIGIN_FIRST_REASON; i < ORIGIN_COUNT; i++)
		results.unnamed[i] = (struct unnamed){ 1, 1, strings_put_text(&strings, path, &err), 1 };
	results.unnamed[ORIGIN_STRIPPED].samples = 2;
	diag_init(&diag, keep_text, text);
	remarks_on_names(&results, &strings, &options, false, &diag);
	assert_non_null(strstr(text, "stripped mostly in ...dddd"));
	assert_non_null(strstr(text, "/the-name: install its debug symbols, or try --debuginfod"));
	diag_release(&diag);
	results_release(&results);
	strings_release(&strings);
}

static void expect_kernel_advice(enum symbol_origin reason, const char *kallsyms, const char *advice)
{
	struct symbol_options options = { .kallsyms = kallsyms };
	struct results results = { .nameable.samples = 3 };
	struct err err = { 0 };
	struct strings strings;
	struct diag diag;
	char text[ERR_TEXT_SIZE] = "";

	assert_true(strings_init(&strings, &err));
	results.unnamed[reason] = (struct unnamed){ 3, 0, strings_put_text(&strings, "[kernel.kallsyms]", &err), 3 };
	diag_init(&diag, keep_text, text);
	remarks_on_names(&results, &strings, &options, false, &diag);
	if (!strstr(text, advice))
		fail_msg("%s", text);
	diag_release(&diag);
	strings_release(&strings);
}

/* Who has passed --kallsyms is not told to pass it. */
static void advice_on_kallsyms(void **state)
{
	(void)state;
	expect_kernel_advice(ORIGIN_KERNEL_HIDDEN, NULL, "pass its --kallsyms or --vmlinux");
	expect_kernel_advice(ORIGIN_KERNEL_HIDDEN, "list", "the file of --kallsyms names none of its functions");
	expect_kernel_advice(ORIGIN_NO_SYMBOL, NULL, "its debug symbols may have more");
	expect_kernel_advice(ORIGIN_NO_SYMBOL, "list", "the file of --kallsyms has no symbol there");
}

/* What most of the period lacks is advised on, not what most samples lack: damaged ones have no period. */
static void advice_by_period(void **state)
{
	struct result_row row = { .period = 5, .samples = 11 };
	struct symbol_options options = { 0 };
	struct err err = { 0 };
	struct results results;
	struct strings strings;
	struct diag diag;
	char text[ERR_TEXT_SIZE] = "";

	(void)state;
	assert_true(strings_init(&strings, &err));
	memset(&results, 0, sizeof(results));
	results.rows = &row;
	results.row_count = 1;
	results.nameable.samples = 11;
	results.nameable.period = 5;
	results.unnamed[ORIGIN_DAMAGED] = (struct unnamed){ 10, 0, strings_put_text(&strings, "[damaged]", &err), 10 };
	results.unnamed[ORIGIN_STRIPPED] = (struct unnamed){ 1, 5, strings_put_text(&strings, "/bin/a", &err), 1 };
	diag_init(&diag, keep_text, text);
	remarks_on_names(&results, &strings, &options, false, &diag);
	assert_non_null(strstr(text, "stripped 100.00 %; stripped mostly in /bin/a: "));
	/* a warning from 1 % on, below that for those who ask */
	for (uint64_t whole = 500; whole <= 501; whole++) {
		results.nameable.period = row.period = whole;
		for (int verbose = 0; verbose < 2; verbose++) {
			diag_release(&diag);
			diag_init(&diag, keep_text, text);
			*text = '\0';
			remarks_on_names(&results, &strings, &options, verbose, &diag);
			assert_int_equal(*text != '\0', verbose || whole == 500);
		}
	}
	diag_release(&diag);
	strings_release(&strings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_ordered_and_add_up),
		cmocka_unit_test(a_damaged_sample),
		cmocka_unit_test(a_row_per_address),
		cmocka_unit_test(nothing_to_name),
		cmocka_unit_test(a_ksymbol_inside_of_the_kernel),
		cmocka_unit_test(advice_behind_a_long_path),
		cmocka_unit_test(advice_by_period),
		cmocka_unit_test(advice_on_kallsyms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
