/* Raw records out of a file or a pipe: sizes that cannot be, cuts, payloads behind records. */
#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

static const struct test_attr one_event = { .sample_type = FLAG(2), .flags = FLAG(18) };

/* A recording of the pipe layout, through a file or a pipe. */
static bool open_it(struct opened *opened, const struct image *image, bool pipe)
{
	return pipe ? opened_pipe(opened, image) : opened_file(opened, image);
}

static void put_samples(struct image *image, uint64_t first, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		put_sample(image, FLAG(2), 2, &(struct test_fields){ .time = first + i });
}

/* After the header and attr, three records; cut at every byte behind. */
static void every_cut(void **state)
{
	struct image whole;
	size_t start;

	(void)state;
	image_init(&whole, false);
	pipe_begin(&whole, &one_event, 1);
	start = whole.size;
	put_samples(&whole, 1, 3);
	for (size_t size = start; size <= whole.size; size++) {
		for (int pipe = 0; pipe <= 1; pipe++) {
			struct seen_list list;
			struct opened opened;
			struct image part = whole;

			part.size = size;
			assert_true(open_it(&opened, &part, pipe));
			assert_true(read_seen(&opened, &list));
			assert_int_equal(list.count, (size - start) / 16);
			assert_int_equal(opened.summary.broken, (size - start) % 16 != 0);
			assert_int_equal(opened.warnings, (size - start) % 16 != 0);
			seen_release(&list);
			opened_close(&opened);
		}
	}
	image_release(&whole);
}

static void sizes_that_cannot_be(void **state)
{
	(void)state;
	for (unsigned size = 0; size < 8; size++) {
		for (int pipe = 0; pipe <= 1; pipe++) {
			struct seen_list list;
			struct opened opened;
			struct image image;
			size_t start;

			image_init(&image, false);
			pipe_begin(&image, &one_event, 1);
			put_samples(&image, 1, 2);
			start = image.size;
			put_samples(&image, 3, 2);
			image_patch(&image, start + 6, size, 2);
			assert_true(open_it(&opened, &image, pipe));
			assert_true(read_seen(&opened, &list));
			assert_int_equal(list.count, 2); /* what was read is kept */
			assert_true(opened.summary.broken);
			assert_non_null(strstr(opened.warning, "expected a size of at least 8"));
			seen_release(&list);
			opened_close(&opened);
			image_release(&image);
		}
	}
}

/* perf record -o - 2>&1: the tool's own words behind the records (format reference, 1.6). */
static void text_behind_the_records(void **state)
{
	static const char text[] = "[ perf record: Woken up 1 times to write data ]\n";
	struct seen_list list;
	struct opened opened;
	struct image image;

	(void)state;
	image_init(&image, false);
	pipe_begin(&image, &one_event, 1);
	put_samples(&image, 1, 2);
	image_bytes(&image, text, sizeof(text) - 1);
	assert_true(opened_file(&opened, &image));
	assert_true(read_seen(&opened, &list));
	assert_int_equal(list.count, 2);
	assert_true(opened.summary.broken);
	assert_true(opened.warnings >= 1);
	seen_release(&list);
	opened_close(&opened);
	image_release(&image);
}

/* Records of odd sizes: what follows them is not aligned (format reference, 5). */
static void unaligned_records(void **state)
{
	struct seen_list list;
	struct opened opened;
	struct image image;

	(void)state;
	image_init(&image, false);
	pipe_begin(&image, &one_event, 1);
	for (size_t odd = 1; odd < 8; odd++) {
		size_t start = record_begin(&image, 74, 0);

		image_zeros(&image, odd);
		record_end(&image, start);
		put_samples(&image, odd, 1);
	}
	assert_true(opened_file(&opened, &image));
	assert_true(read_seen(&opened, &list));
	assert_int_equal(list.count, 7);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(list.items[i].record.time, i + 1);
	assert_int_equal(opened.warnings, 0);
	seen_release(&list);
	opened_close(&opened);
	image_release(&image);
}

/* TRACING_DATA and AUXTRACE have a payload behind the record, which may look like records. */
static void payload(struct image *image, uint32_t type, uint64_t promised, size_t size)
{
	size_t start = record_begin(image, type, 0);

	if (type == 66) {
		image_u32(image, (uint32_t)promised);
	} else {
		image_u64(image, promised);
		image_zeros(image, 32);
	}
	record_end(image, start);
	for (size_t i = 0; i < size; i++)
		image_u8(image, (uint8_t)(i * 7));
}

static void payloads_are_passed_over(void **state)
{
	static const size_t sizes[] = { 0, 1, 8, 1000, 300000, 1000000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (int form = 0; form < 4; form++) {
			struct seen_list list;
			struct opened opened;
			struct image image;

			image_init(&image, false);
			pipe_begin(&image, &one_event, 1);
			payload(&image, form & 1 ? 66 : 71, sizes[i], sizes[i]);
			put_samples(&image, 1, 3);
			assert_true(open_it(&opened, &image, form & 2));
			assert_true(read_seen(&opened, &list));
			assert_int_equal(list.count, 3);
			/* that these bytes are no tracing data is the only damage */
			assert_int_equal(opened.summary.broken, form & 1 && sizes[i]);
			assert_int_equal(opened.warnings, opened.summary.broken);
			assert_int_equal(opened.summary.auxtrace_bytes, form & 1 ? 0 : sizes[i]);
			assert_int_equal(opened.session.tracing_size, form & 1 ? sizes[i] : 0);
			for (size_t b = 0; b < opened.session.tracing_size; b += 997)
				assert_int_equal(opened.session.tracing_bytes[b], (uint8_t)(b * 7));
			seen_release(&list);
			opened_close(&opened);
			image_release(&image);
		}
	}
}

/* simpleperf's record holds its tracing data, padded: what follows is a record, not more of the data. */
static void payloads_inside_the_record(void **state)
{
	static const uint32_t sizes[] = { 5, 2012, 60000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (int form = 0; form < 4; form++) {
			struct seen_list list;
			struct opened opened;
			struct image image;
			size_t start;

			image_init(&image, form & 1);
			pipe_begin(&image, &one_event, 1);
			start = record_begin(&image, 66, 0);
			image_u32(&image, sizes[i]);
			for (uint32_t b = 0; b < sizes[i]; b++)
				image_u8(&image, (uint8_t)(b * 7));
			image_zeros(&image, 36);
			record_end(&image, start);
			put_samples(&image, 1, 3);
			assert_true(open_it(&opened, &image, form & 2));
			assert_true(read_seen(&opened, &list));
			assert_int_equal(list.count, 3);
			/* that these bytes are no tracing data is the only damage */
			assert_true(opened.summary.broken);
			assert_int_equal(opened.warnings, 1);
			assert_int_equal(opened.session.tracing_size, sizes[i]);
			for (size_t b = 0; b < opened.session.tracing_size; b++)
				assert_int_equal(opened.session.tracing_bytes[b], (uint8_t)(b * 7));
			seen_release(&list);
			opened_close(&opened);
			image_release(&image);
		}
	}
}

static void payloads_longer_than_the_file(void **state)
{
	static const uint64_t promised[] = { 101, 1 << 20, UINT32_MAX, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(promised); i++) {
		for (int form = 0; form < 4; form++) {
			struct seen_list list;
			struct opened opened;
			struct image image;

			image_init(&image, false);
			pipe_begin(&image, &one_event, 1);
			put_samples(&image, 1, 3);
			payload(&image, form & 1 ? 66 : 71, promised[i], 100);
			assert_true(open_it(&opened, &image, form & 2));
			assert_true(read_seen(&opened, &list));
			assert_int_equal(list.count, 3);
			assert_true(opened.summary.broken);
			assert_true(opened.warnings >= 1); /* tracing data without an end is damaged, too */
			seen_release(&list);
			opened_close(&opened);
			image_release(&image);
		}
	}
}

/* The largest records, in every position to the blocks that they are read into. */
static void records_across_blocks(void **state)
{
	const struct test_attr attr = { .sample_type = FLAG(2) | FLAG(10), .flags = FLAG(18) };

	(void)state;
	for (int pipe = 0; pipe <= 1; pipe++) {
		struct seen_list list;
		struct opened opened;
		struct image image;

		image_init(&image, pipe);
		pipe_begin(&image, &attr, 1);
		for (uint32_t i = 0; i < 120; i++) {
			uint32_t size = 65500 - 520 * (i % 100);
			size_t start = record_begin(&image, 9, 2);

			image_u64(&image, 1000 - i);
			image_u32(&image, size);
			image_zeros(&image, size);
			record_end(&image, start);
		}
		assert_true(open_it(&opened, &image, pipe));
		assert_true(read_seen(&opened, &list));
		assert_int_equal(list.count, 120);
		for (size_t i = 0; i < 120; i++) {
			uint32_t at = 119 - (uint32_t)i;

			assert_int_equal(list.items[i].record.time, 1000 - at);
			assert_int_equal(list.items[i].record.sample.raw_size, 65500 - 520 * (at % 100));
		}
		assert_false(opened.summary.broken);
		seen_release(&list);
		opened_close(&opened);
		image_release(&image);
	}
}

/* Random bytes behind a sane beginning end the reading, never the process. */
/* Without libzstd a compressed record ends everything, as it should. */
#ifdef HAVE_ZSTD
#define NOISE_TYPES 90
#else
#define NOISE_TYPES PERF_RECORD_COMPRESSED
#endif

static void noise(void **state)
{
	uint64_t random = 11;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct seen_list list;
		struct opened opened;
		struct image image;

		image_init(&image, round % 2);
		pipe_begin(&image, &one_event, 1);
		put_samples(&image, 1, 2);
		for (int i = 0; i < 300; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			/* types and sizes that are mostly small, so that many are taken for records */
			image_u64(&image, round % 2 ? random >> 40 : (random >> 34 & 0x30) << 48 | (random >> 50) % NOISE_TYPES);
		}
		assert_true(opened_file(&opened, &image));
		assert_true(read_seen(&opened, &list));
		assert_true(list.count >= 2);
		seen_release(&list);
		opened_close(&opened);
		image_release(&image);
	}
}

/* A handler that finds a record of the tool damaged. */
static bool find_damage(void *context, const struct raw_record *record, struct err *damage, struct err *err)
{
	(void)err;
	++*(unsigned *)context;
	err_at(damage, ERR_FORMAT, record->offset, "CPU_MAP record: is no good");
	return true;
}

/* Damage that a handler of the tool's records finds is reported, and changes the exit status. */
static void damage_that_a_handler_finds(void **state)
{
	struct record_handler handler = { .tool = find_damage };
	struct opened opened;
	struct image image;

	(void)state;
	for (int pipe = 0; pipe < 2; pipe++) {
		unsigned found = 0;
		size_t start;

		image_init(&image, false);
		if (pipe)
			pipe_begin(&image, &one_event, 1);
		else
			file_begin(&image, &one_event, 1, 104);
		start = record_begin(&image, 74, 0);
		image_u64(&image, 0);
		record_end(&image, start);
		if (!pipe)
			file_end(&image);
		assert_true(opened_file(&opened, &image));
		opened.read = true;
		handler.context = &found;
		assert_true(perffile_read(&opened.session, &handler, 1, NULL, &opened.summary, &opened.err));
		assert_int_equal(found, pipe ? 2 : 1); /* of a pipe the attr is a record, too */
		assert_true(opened.summary.broken);
		assert_string_equal(opened.warning, "CPU_MAP record: is no good");
		opened_close(&opened);
		image_release(&image);
	}
}

/* Closes the file at the first record: the tool's are delivered at once. */
static bool close_file(void *context, const struct raw_record *record, struct err *damage, struct err *err)
{
	struct opened *opened = context;

	(void)record;
	(void)damage;
	(void)err;
	if (opened->input.files[0].fd >= 0)
		close(opened->input.files[0].fd);
	/* a number that nothing else gets: tests open few files */
	opened->input.files[0].fd = 1000;
	return true;
}

/* A disk that fails: in the records, and in a payload behind one. */
static void reads_that_fail(void **state)
{
	(void)state;
	for (int form = 0; form < 4; form++) {
		struct record_handler handler = { .tool = close_file };
		struct opened opened;
		struct image image;

		image_init(&image, false);
		pipe_begin(&image, &one_event, 1);
		record_end(&image, record_begin(&image, 82, 0));
		if (form & 1)
			payload(&image, 66, 1000000, 1000000);
		else
			put_samples(&image, 1, 60000);
		assert_true(open_it(&opened, &image, form & 2));
		handler.context = &opened;
		opened.read = true;
		assert_false(perffile_read(&opened.session, &handler, 1, NULL, &opened.summary, &opened.err));
		assert_int_equal(opened.err.code, ERR_IO);
		assert_string_equal(opened.err.text, "cannot read: Bad file descriptor");
		opened.input.files[0].fd = -1;
		opened_close(&opened);
		image_release(&image);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cut),            cmocka_unit_test(sizes_that_cannot_be),
		cmocka_unit_test(text_behind_the_records), cmocka_unit_test(unaligned_records),
		cmocka_unit_test(payloads_inside_the_record), cmocka_unit_test(payloads_are_passed_over), cmocka_unit_test(payloads_longer_than_the_file),
		cmocka_unit_test(records_across_blocks), cmocka_unit_test(noise),
		cmocka_unit_test(damage_that_a_handler_finds),
		cmocka_unit_test(reads_that_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
