/*
 * Samples of every layout, written by a builder that follows the field table of the format
 * reference, 4.1, and read back in both byte orders.
 */
#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>

#define ALL_BITS ((1u << 25) - 1)
#define WEIGHT_BOTH (FLAG(14) | FLAG(24)) /* share one slot */

static const struct test_fields fields = {
	.ip = 0x401000, .time = 5000, .addr = 0x7fff0010, .id = 77, .stream_id = 78, .period = 1234,
	.pid = 100, .tid = 101, .cpu = 3,
};

/* What the lists of a built sample hold. */
struct lists {
	unsigned reads, chain, branches, raw, stack, aux;
	bool leave_out_index; /* the kernel's shorter form of an empty branch stack */
	bool counters;
};

static const struct lists usual = { .reads = 3, .chain = 4, .branches = 2, .raw = 12, .stack = 16, .aux = 24 };

static void build_read(struct image *image, uint64_t format, unsigned count)
{
	bool group = format & FLAG(3);

	image_u64(image, group ? count : 1000);
	if (format & FLAG(0))
		image_u64(image, 555);
	if (format & FLAG(1))
		image_u64(image, 444);
	for (unsigned i = 0; i < (group ? count : 1); i++) {
		if (group)
			image_u64(image, 1000 + i);
		if (format & FLAG(2))
			image_u64(image, 77 + i);
		if (format & FLAG(4))
			image_u64(image, 9);
	}
}

static void build_branches(struct image *image, const struct test_attr *attr,
                           const struct lists *lists)
{
	image_u64(image, lists->branches);
	if ((attr->branches & FLAG(17)) && !lists->leave_out_index)
		image_u64(image, UINT64_MAX);
	for (unsigned i = 0; i < lists->branches; i++) {
		image_u64(image, 0x7000 + i);
		image_u64(image, 0x8000 + i);
		image_u64(image, 1);
	}
	if (lists->counters)
		image_zeros(image, 8 * lists->branches);
}

static void build_regs(struct image *image, uint64_t mask)
{
	image_u64(image, 2);
	for (unsigned i = 0; i < (unsigned)__builtin_popcountll(mask); i++)
		image_u64(image, mask + i);
}

static void build_bytes(struct image *image, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		image_u8(image, (uint8_t)(100 + i));
}

static void build_sample(struct image *image, const struct test_attr *attr,
                         const struct lists *lists)
{
	uint64_t type = attr->sample_type;
	size_t start = record_begin(image, 9, 2);

	image_fixed(image, type, &fields);
	if (type & FLAG(4))
		build_read(image, attr->read_format, lists->reads);
	if (type & FLAG(5)) {
		image_u64(image, lists->chain);
		for (unsigned i = 0; i < lists->chain; i++)
			image_u64(image, 0x401000 + i);
	}
	if (type & FLAG(10)) {
		image_u32(image, lists->raw);
		build_bytes(image, lists->raw);
	}
	if (type & FLAG(11))
		build_branches(image, attr, lists);
	if (type & FLAG(12))
		build_regs(image, attr->regs_user);
	if (type & FLAG(13)) {
		image_u64(image, lists->stack);
		build_bytes(image, lists->stack);
		if (lists->stack)
			image_u64(image, lists->stack / 2);
	}
	if (type & WEIGHT_BOTH)
		image_u64(image, 7);
	if (type & FLAG(15))
		image_u64(image, 0x1e05080021);
	if (type & FLAG(17))
		image_u64(image, 2);
	if (type & FLAG(18))
		build_regs(image, attr->regs_intr);
	if (type & FLAG(19))
		image_u64(image, 0x1000);
	if (type & FLAG(21))
		image_u64(image, 33);
	if (type & FLAG(22))
		image_u64(image, 4096);
	if (type & FLAG(23))
		image_u64(image, 4096);
	if (type & FLAG(20)) {
		image_u64(image, lists->aux);
		image_zeros(image, lists->aux);
	}
	record_end(image, start);
}

static struct test_attr attr_of(uint64_t sample_type)
{
	struct test_attr attr = { .sample_type = sample_type, .period = 99, .read_format = 4,
		                  .regs_user = 0xff0fff, .regs_intr = 0x11, .flags = FLAG(18) };

	return attr;
}

/* Reads the only sample of a recording with this attr. */
static struct seen read_one(const struct test_attr *attr, const struct lists *lists, bool big,
                            unsigned *warnings)
{
	struct seen_list list;
	struct opened opened;
	struct image image;
	struct seen seen;

	image_init(&image, big);
	file_begin(&image, attr, 1, 104);
	build_sample(&image, attr, lists);
	file_end(&image);
	assert_true(opened_file(&opened, &image));
	assert_true(read_seen(&opened, &list));
	assert_int_equal(list.count, 1);
	seen = list.items[0];
	*warnings = opened.warnings;
	seen_release(&list);
	opened_close(&opened);
	image_release(&image);
	return seen;
}

static void expect_fixed(const struct seen *seen, uint64_t type)
{
	const struct record *r = &seen->record;

	assert_int_equal(r->sample.ip, type & FLAG(0) ? fields.ip : 0);
	assert_int_equal(r->has_tid, (type & FLAG(1)) != 0);
	assert_int_equal(r->pid, type & FLAG(1) ? 100 : -1);
	assert_int_equal(r->tid, type & FLAG(1) ? 101 : -1);
	assert_true(r->time == (type & FLAG(2) ? fields.time : TIME_NONE));
	assert_int_equal(r->sample.has_addr, (type & FLAG(3)) != 0);
	assert_int_equal(r->sample.addr, type & FLAG(3) ? fields.addr : 0);
	assert_int_equal(r->sample.id, type & (FLAG(6) | FLAG(16)) ? 77 : 0);
	assert_int_equal(r->cpu, type & FLAG(7) ? 3 : -1);
	/* without PERIOD it is the attr's */
	assert_int_equal(r->sample.period, type & FLAG(8) ? 1234 : 99);
}

static void expect_sample(uint64_t type, bool big)
{
	struct test_attr attr = attr_of(type);
	unsigned warnings;
	struct seen seen = read_one(&attr, &usual, big, &warnings);

	assert_false(seen.record.damaged);
	assert_false(seen.record.sample.damaged);
	assert_int_equal(warnings, 0);
	expect_fixed(&seen, type);
	if (type & FLAG(5)) {
		assert_int_equal(seen.record.sample.callchain_count, 4);
		for (unsigned i = 0; i < 4; i++)
			assert_int_equal(seen.values[i], 0x401000 + i);
	}
	assert_int_equal(seen.record.sample.raw_size, type & FLAG(10) ? 12 : 0);
	assert_int_equal(seen.record.sample.read.count, type & FLAG(4) ? 1 : 0);
}

static void every_bit_alone(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 25; bit++)
		for (int big = 0; big <= 1; big++)
			expect_sample(FLAG(bit), big);
}

static void all_bits_together(void **state)
{
	(void)state;
	for (int big = 0; big <= 1; big++) {
		expect_sample(ALL_BITS & ~FLAG(14), big); /* with WEIGHT_STRUCT */
		expect_sample(ALL_BITS & ~FLAG(24), big); /* with WEIGHT */
	}
}

static void all_bits_but_one(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 25; bit++)
		expect_sample(ALL_BITS & ~FLAG(14) & ~FLAG(bit), bit % 2);
}

static void random_sets_of_bits(void **state)
{
	uint64_t random = 7;

	(void)state;
	for (int i = 0; i < 150; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		expect_sample(random >> 30 & ALL_BITS & ~FLAG(14), i % 2);
	}
}

static void read_formats(void **state)
{
	(void)state;
	for (uint64_t format = 0; format < 32; format++) {
		for (int big = 0; big <= 1; big++) {
			struct test_attr attr = attr_of(FLAG(4) | FLAG(5));
			struct record_read *read;
			unsigned warnings;
			struct seen seen;

			attr.read_format = format;
			seen = read_one(&attr, &usual, big, &warnings);
			read = &seen.record.sample.read;
			assert_int_equal(warnings, 0);
			assert_int_equal(read->group, (format & 8) != 0);
			assert_int_equal(read->has_id, (format & 4) != 0);
			assert_int_equal(read->count, format & 8 ? 3 : 1);
			assert_int_equal(read->enabled, format & 1 ? 555 : 0);
			assert_int_equal(read->running, format & 2 ? 444 : 0);
			/* the chain behind is found: the values had the right size */
			assert_int_equal(seen.record.sample.callchain_count, 4);
			assert_int_equal(seen.values[3], 0x401003);
		}
	}
}

/*
 * Branch stacks: with and without hw_idx and counters, empty or not, alone and with fields behind.
 * Without branches the kernel may leave out hw_idx (format reference, 4.5).
 */
static void branch_stacks(void **state)
{
	static const uint64_t behind[] = { 0, FLAG(14), FLAG(12) | FLAG(13), FLAG(20), FLAG(14) | FLAG(23) };

	(void)state;
	for (unsigned form = 0; form < 16; form++) {
		for (size_t i = 0; i < ARRAY_SIZE(behind); i++) {
			struct test_attr attr = attr_of(FLAG(0) | FLAG(11) | behind[i]);
			struct lists lists = usual;
			unsigned warnings;
			struct seen seen;

			lists.branches = form & 1 ? 3 : 0;
			lists.counters = form & 4;
			lists.leave_out_index = form & 8;
			attr.branches = (form & 2 ? FLAG(17) : 0) | (form & 4 ? FLAG(19) : 0);
			if (lists.leave_out_index && (lists.branches || !(form & 2)))
				continue;
			seen = read_one(&attr, &lists, false, &warnings);
			assert_false(seen.record.sample.damaged);
			assert_int_equal(warnings, 0);
		}
	}
}

static void lists_without_entries(void **state)
{
	struct lists empty = { 0 };

	(void)state;
	for (unsigned bit = 0; bit < 25; bit++) {
		for (uint64_t format = 4; format <= 12; format += 8) {
			struct test_attr attr = attr_of(FLAG(bit) | FLAG(2));
			unsigned warnings;
			struct seen seen;

			attr.read_format = format;
			attr.regs_user = attr.regs_intr = 0;
			seen = read_one(&attr, &empty, false, &warnings);
			assert_false(seen.record.sample.damaged);
			assert_int_equal(warnings, 0);
		}
	}
}

/* Ends the record of the only sample that began at start, and reads the file: whether the sample is damaged. */
static bool ends_damaged(struct image *image, size_t start)
{
	struct seen_list list;
	struct opened opened;
	bool damaged;

	record_end(image, start);
	file_end(image);
	assert_true(opened_file(&opened, image));
	assert_true(read_seen(&opened, &list));
	assert_int_equal(list.count, 1);
	damaged = list.items[0].record.sample.damaged;
	assert_int_equal(opened.summary.broken, damaged);
	assert_int_equal(opened.warnings, damaged);
	seen_release(&list);
	opened_close(&opened);
	image_release(image);
	return damaged;
}

/* Registers of a task that had none: only the abi word, 0. */
static void registers_without_abi(void **state)
{
	(void)state;
	for (unsigned bit = 12; bit <= 18; bit += 6) {
		struct test_attr attr = attr_of(FLAG(0) | FLAG(bit));
		struct image image;
		size_t start;

		image_init(&image, false);
		file_begin(&image, &attr, 1, 104);
		start = record_begin(&image, 9, 2);
		image_u64(&image, 1);
		image_u64(&image, 0);
		assert_false(ends_damaged(&image, start));
	}
}

/* A sample cut at every byte: never a read behind it, its fixed fields or nothing are used. */
static void every_cut_of_a_sample(void **state)
{
	struct test_attr attr = attr_of(ALL_BITS & ~FLAG(14));
	size_t whole;

	(void)state;
	attr.branches = FLAG(17);
	for (size_t size = 8;; size++) {
		struct seen_list list;
		struct opened opened;
		struct image image;

		image_init(&image, false);
		file_begin(&image, &attr, 1, 104);
		build_sample(&image, &attr, &usual);
		whole = image.size - image.data_section;
		if (size >= whole) {
			image_release(&image);
			break;
		}
		image_patch(&image, image.data_section + 6, size, 2);
		image.size = image.data_section + size;
		file_end(&image);
		assert_true(opened_file(&opened, &image));
		assert_true(read_seen(&opened, &list));
		assert_int_equal(list.count, 1);
		assert_true(opened.summary.broken);
		assert_int_equal(opened.warnings, 1);
		if (size < 8 + 9 * 8)
			assert_true(list.items[0].record.damaged);
		else
			assert_int_equal(list.items[0].record.sample.ip, 0x401000);
		seen_release(&list);
		opened_close(&opened);
		image_release(&image);
	}
	assert_true(whole > 300);
}

static void bytes_behind_the_last_field(void **state)
{
	struct test_attr attr = attr_of(FLAG(0) | FLAG(14));
	struct image image;
	size_t start;

	(void)state;
	image_init(&image, false);
	file_begin(&image, &attr, 1, 104);
	start = record_begin(&image, 9, 2);
	image_zeros(&image, 24); /* 16 are known */
	assert_true(ends_damaged(&image, start));
}

/* Whether a sample is damaged that ends with a list of so many entries, and a few bytes behind it. */
static bool is_damaged(uint64_t field, uint64_t said, unsigned entries, unsigned behind, bool big)
{
	struct test_attr attr = attr_of(FLAG(0) | FLAG(2) | field);
	struct image image;
	size_t start;

	image_init(&image, big);
	file_begin(&image, &attr, 1, 104);
	start = record_begin(&image, 9, 2);
	image_u64(&image, 0x401000);
	image_u64(&image, 1000);
	if (field == FLAG(10))
		image_u32(&image, (uint32_t)said);
	else
		image_u64(&image, said);
	image_zeros(&image, entries * (field == FLAG(10) ? 1 : 8) + behind);
	return ends_damaged(&image, start);
}

/* Samples whose only field of variable size is a call chain or raw data are checked in a way of their own. */
static void one_list_ends_with_the_record(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		assert_false(is_damaged(FLAG(5), 3, 3, 0, big));
		assert_false(is_damaged(FLAG(5), 0, 0, 0, big));
		assert_true(is_damaged(FLAG(5), 4, 3, 0, big));
		assert_true(is_damaged(FLAG(5), 2, 3, 0, big));
		assert_true(is_damaged(FLAG(5), 3, 3, 4, big));
		assert_true(is_damaged(FLAG(5), UINT64_MAX, 3, 0, big));
		assert_true(is_damaged(FLAG(5), FLAG(61) + 3, 3, 0, big));
		assert_false(is_damaged(FLAG(10), 20, 20, 0, big));
		assert_true(is_damaged(FLAG(10), 21, 20, 0, big));
		assert_true(is_damaged(FLAG(10), 19, 20, 0, big));
	}
}

/* Counts that no record can hold. */
static void absurd_counts(void **state)
{
	static const uint64_t counts[] = { 2, 1 << 20, (uint64_t)1 << 61, UINT64_MAX };
	static const unsigned bits[] = { 4, 5, 11, 13, 20 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(bits); j++) {
			struct test_attr attr = attr_of(FLAG(0) | FLAG(bits[j]));
			struct seen_list list;
			struct opened opened;
			struct image image;
			size_t start;

			attr.read_format = 8 | 4;
			image_init(&image, false);
			file_begin(&image, &attr, 1, 104);
			start = record_begin(&image, 9, 2);
			image_u64(&image, 0x401000);
			image_u64(&image, bits[j] == 13 || bits[j] == 20 ? counts[i] + 8 : counts[i]);
			image_u64(&image, 1);
			record_end(&image, start);
			file_end(&image);
			assert_true(opened_file(&opened, &image));
			assert_true(read_seen(&opened, &list));
			assert_false(list.items[0].record.damaged);
			assert_true(list.items[0].record.sample.damaged);
			assert_int_equal(list.items[0].record.sample.ip, 0x401000);
			assert_int_equal(list.items[0].record.sample.callchain_count, 0);
			seen_release(&list);
			opened_close(&opened);
			image_release(&image);
		}
	}
}

/* An unknown bit: what precedes the unknown field is used, and it is said. */
static void unknown_bits_are_opaque(void **state)
{
	struct test_attr attr = attr_of(FLAG(0) | FLAG(2) | FLAG(5));
	unsigned warnings;
	struct seen seen;

	(void)state;
	attr.sample_type |= FLAG(40);
	seen = read_one(&attr, &usual, false, &warnings);
	assert_false(seen.record.sample.damaged);
	assert_int_equal(seen.record.sample.callchain_count, 4);
	assert_int_equal(warnings, 1);
}

/*
 * `perf record --off-cpu`: what happened is in the raw part, which counts as far as it reaches. The
 * name is what tells such an event (format reference, 7.3).
 */
static void put_off_cpu(struct image *image, const char *name, uint32_t raw_size, uint64_t ips)
{
	const struct test_attr attr = { .type = 1, .config = 10, .flags = FLAG(18), .period = 1,
		                        .sample_type = FLAG(0) | FLAG(1) | FLAG(2) | FLAG(8) | FLAG(10) };
	size_t start, raw;

	pipe_begin(image, &attr, 1);
	start = record_begin(image, 78, 0);
	image_u64(image, 2);
	image_u64(image, 0);
	image_text8(image, name);
	record_end(image, start);
	start = record_begin(image, 9, 2);
	image_fixed(image, attr.sample_type, &fields);
	image_u32(image, raw_size);
	raw = image->size;
	image_u32(image, 500);
	image_u32(image, 501);
	image_u64(image, 7000000000);
	image_u64(image, ips);
	image_u64(image, UINT64_MAX - 511); /* what follows are the user's */
	image_u64(image, 0xabcd);
	image->size = raw + raw_size;
	record_end(image, start);
}

static void off_cpu_samples(void **state)
{
	static const struct {
		const char *name;
		uint32_t raw_size;
		uint64_t ips, ip, period;
		int32_t pid;
		uint64_t chain;
	} cases[] = {
		{ "offcpu-time", 40, 2, 0xabcd, 7000000000, 500, 2 },
		{ "offcpu-time:u", 40, 1, 0x1111, 7000000000, 500, 1 },
		{ "offcpu-time", 40, 3, 0x1111, 7000000000, 500, 0 },
		{ "offcpu-time", 20, 2, 0x1111, 1234, 100, 0 },
		{ "other", 40, 2, 0x1111, 1234, 100, 0 },
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		size_t n = i / 2;
		struct seen_list list;
		struct opened opened;
		struct image image;
		const struct record *record;

		image_init(&image, i % 2);
		put_off_cpu(&image, cases[n].name, cases[n].raw_size, cases[n].ips);
		assert_true(opened_file(&opened, &image));
		assert_true(read_seen(&opened, &list));
		assert_int_equal(list.count, 1);
		record = &list.items[0].record;
		assert_int_equal(record->sample.ip, cases[n].ip == 0x1111 ? fields.ip : cases[n].ip);
		assert_int_equal(record->sample.period, cases[n].period);
		assert_int_equal(record->pid, cases[n].pid);
		assert_int_equal(record->tid, cases[n].pid + 1);
		assert_int_equal(record->sample.callchain_count, cases[n].chain);
		assert_int_equal(opened.warnings, 0);
		seen_release(&list);
		opened_close(&opened);
		image_release(&image);
	}
}

/* What a handler of the next test expects. */
struct expectation {
	const struct session *session;
	struct test_attr attr;
	bool together; /* samples() was called */
};

static void expect_words(const struct record *record, const uint8_t *words, uint64_t first, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(record_word(record, words, i), first + i);
}

static void expect_regs(const struct record *record, const struct record_regs *regs, uint64_t mask)
{
	if (!mask) {
		assert_null(regs->values);
		assert_int_equal(regs->abi, 0);
		return;
	}
	assert_int_equal(regs->abi, 2);
	assert_int_equal(regs->mask, mask);
	expect_words(record, regs->values, mask, (unsigned)__builtin_popcountll(mask));
}

static void expect_bytes(const uint8_t *bytes, uint64_t size, unsigned expected)
{
	assert_int_equal(size, expected);
	for (unsigned i = 0; i < expected; i++)
		assert_int_equal(bytes[i], 100 + i);
}

/* All that build_sample() wrote behind the fixed fields. */
static bool check_record(void *context, const struct record *record, struct err *err)
{
	const struct expectation *expected = context;
	const struct record_sample *sample = &record->sample;
	const uint64_t type = expected->attr.sample_type;

	(void)err;
	assert_false(sample->damaged);
	assert_int_equal(sample->callchain_count, type & FLAG(5) ? 4 : 0);
	expect_words(record, sample->callchain, 0x401000, type & FLAG(5) ? 4 : 0);
	expect_bytes(sample->raw, sample->raw_size, type & FLAG(10) ? 12 : 0);
	assert_int_equal(sample->branches.count, type & FLAG(11) ? 2 : 0);
	for (unsigned i = 0; i < sample->branches.count; i++) {
		assert_int_equal(record_branch(record, i).from, 0x7000 + i);
		assert_int_equal(record_branch(record, i).to, 0x8000 + i);
	}
	expect_regs(record, &sample->user_regs, type & FLAG(12) ? expected->attr.regs_user : 0);
	/* only half of the copy holds data */
	expect_bytes(sample->user_stack.data, sample->user_stack.used, type & FLAG(13) ? 8 : 0);
	assert_int_equal(sample->weight, type & WEIGHT_BOTH ? 7 : 0);
	assert_int_equal(sample->data_source, type & FLAG(15) ? 0x1e05080021 : 0);
	assert_int_equal(sample->transaction, type & FLAG(17) ? 2 : 0);
	assert_int_equal(sample->cgroup, type & FLAG(21) ? 33 : 0);
	return true;
}

static bool check_samples(void *context, const struct sample *samples, size_t count, struct err *err)
{
	struct expectation *expected = context;
	struct record record;

	for (size_t i = 0; i < count; i++) {
		sample_record(&record, expected->session, &samples[i]);
		check_record(context, &record, err);
	}
	expected->together = true;
	return true;
}

static void expect_handlers_get_variable(uint64_t type, bool big, bool threaded)
{
	struct expectation expected = { .attr = attr_of(type) };
	struct record_handler handlers[] = {
		{ .context = &expected, .record = check_record },
		{ .context = &expected, .record = check_record, .samples = check_samples, .any_sample_order = true },
	};
	const struct read_options how = { .threaded = threaded };
	struct opened opened;
	struct image image;

	image_init(&image, big);
	file_begin(&image, &expected.attr, 1, 104);
	for (int i = 0; i < 3; i++)
		build_sample(&image, &expected.attr, &usual);
	file_end(&image);
	assert_true(opened_file(&opened, &image));
	opened.read = true;
	expected.session = &opened.session;
	for (size_t i = 0; i < 2; i++) {
		assert_true(perffile_read(&opened.session, &handlers[i], 1, &how, &opened.summary, &opened.err));
		read_summary_release(&opened.summary);
	}
	/* samples without a time or with values of counters come one at a time */
	assert_int_equal(expected.together, (type & FLAG(2)) && !(type & FLAG(4)));
	opened_close(&opened);
	image_release(&image);
}

static void handlers_get_variable_fields(void **state)
{
	uint64_t random = 11;

	(void)state;
	for (unsigned bit = 0; bit < 25; bit++)
		expect_handlers_get_variable(FLAG(2) | FLAG(bit), bit % 2, bit % 3);
	for (int i = 0; i < 150; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		expect_handlers_get_variable(random >> 30 & ALL_BITS & ~FLAG(14), i % 4 == 3, i % 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(off_cpu_samples),
		cmocka_unit_test(every_bit_alone),       cmocka_unit_test(all_bits_together),
		cmocka_unit_test(all_bits_but_one),      cmocka_unit_test(random_sets_of_bits),
		cmocka_unit_test(read_formats),          cmocka_unit_test(branch_stacks),
		cmocka_unit_test(handlers_get_variable_fields),
		cmocka_unit_test(lists_without_entries), cmocka_unit_test(registers_without_abi),
		cmocka_unit_test(every_cut_of_a_sample), cmocka_unit_test(bytes_behind_the_last_field),
		cmocka_unit_test(one_list_ends_with_the_record),
		cmocka_unit_test(absurd_counts),         cmocka_unit_test(unknown_bits_are_opaque),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
