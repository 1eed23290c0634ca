/*
 * Compressed records: the payloads of a file's COMPRESSED and COMPRESSED2 records are one zstd
 * stream (format reference, 5.4). It may be cut anywhere, damaged, or a bomb.
 */
#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

/* From the call with this number on, libzstd gets no memory; calls are counted down. */
static size_t calls_left = SIZE_MAX;

size_t __real_ZSTD_decompressStream(ZSTD_DStream *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in);
size_t __wrap_ZSTD_decompressStream(ZSTD_DStream *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in);

size_t __wrap_ZSTD_decompressStream(ZSTD_DStream *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in)
{
	if (calls_left == 0)
		return (size_t)-ZSTD_error_memory_allocation;
	if (calls_left != SIZE_MAX)
		calls_left--;
	return __real_ZSTD_decompressStream(stream, out, in);
}

#define TYPE (FLAG(2) | FLAG(8)) /* TIME PERIOD: samples of 24 bytes */
#define COMPRESSED 81
#define COMPRESSED2 83
#define PAYLOAD_MAX 60000

static const struct test_attr one_event = { .sample_type = TYPE, .flags = FLAG(18), .period = 1 };

static void put_samples(struct image *image, uint64_t first, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		put_sample(image, TYPE, 2, &(struct test_fields){ .time = first + i, .period = 1 });
}

/* zstd's own stream: appended to packed. ended: the frame is closed. */
static void compress(struct image *packed, const void *data, size_t size, bool ended)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t room = ZSTD_compressBound(size) + 1024;
	ZSTD_outBuffer out = { malloc(room), room, 0 };
	ZSTD_inBuffer in = { data, size, 0 };

	assert_non_null(context);
	assert_non_null(out.dst);
	assert_int_equal(ZSTD_compressStream2(context, &out, &in, ended ? ZSTD_e_end : ZSTD_e_flush), 0);
	image_bytes(packed, out.dst, out.pos);
	free(out.dst);
	ZSTD_freeCCtx(context);
}

/* count samples with times from first on, as a frame of its own */
static void compress_samples(struct image *packed, uint64_t first, uint64_t count, bool ended)
{
	struct image plain;

	image_init(&plain, packed->big_endian);
	put_samples(&plain, first, count);
	compress(packed, plain.data, plain.size, ended);
	image_release(&plain);
}

/* A record of that type; what pads a COMPRESSED2 to 8 bytes is no part of the stream. */
static void put_packed(struct image *image, uint32_t type, const uint8_t *data, size_t size)
{
	size_t start = record_begin(image, type, 0xdcb8); /* misc is garbage in real files */

	if (type == COMPRESSED2)
		image_u64(image, size);
	image_bytes(image, data, size);
	while (type == COMPRESSED2 && (image->size - start) % 8)
		image_u8(image, 0xee);
	record_end(image, start);
}

static void put_all_packed(struct image *image, const struct image *packed)
{
	for (size_t at = 0; at < packed->size; at += PAYLOAD_MAX)
		put_packed(image, COMPRESSED, packed->data + at,
		           packed->size - at < PAYLOAD_MAX ? packed->size - at : PAYLOAD_MAX);
}

/* What is in the image: count samples of ascending times from 1 on, and this warning or none. */
static void expect_samples(const struct image *image, size_t count, const char *warning)
{
	for (int pipe = 0; pipe <= 1; pipe++) {
		struct seen_list list;
		struct opened opened;

		assert_true(pipe ? opened_pipe(&opened, image) : opened_file(&opened, image));
		assert_true(read_seen(&opened, &list));
		assert_int_equal(list.count, count);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(list.items[i].record.time, i + 1);
		assert_int_equal(opened.warnings, warning ? 1 : 0);
		assert_int_equal(opened.summary.broken, warning != NULL);
		if (warning && !strstr(opened.warning, warning))
			fail_msg("expected \"%s\", found \"%s\"", warning, opened.warning);
		seen_release(&list);
		opened_close(&opened);
	}
}

/* A record inside that promises a payload has none: what follows it is the rest of the stream. */
static void payloads_inside(void **state)
{
	static const uint32_t types[] = { PERF_RECORD_HEADER_TRACING_DATA, PERF_RECORD_AUXTRACE };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct image plain, packed, image;
		size_t start;

		image_init(&plain, false);
		put_samples(&plain, 1, 20000);
		start = record_begin(&plain, types[i], 0);
		image_u64(&plain, 1000000);
		image_zeros(&plain, 32);
		record_end(&plain, start);
		put_samples(&plain, 20001, 20000);
		image_init(&packed, false);
		compress(&packed, plain.data, plain.size, false);
		image_init(&image, false);
		pipe_begin(&image, &one_event, 1);
		put_all_packed(&image, &packed);
		put_samples(&image, 40001, 3);
		expect_samples(&image, 40003, NULL);
		image_release(&image);
		image_release(&packed);
		image_release(&plain);
	}
}

/* The stream cut into two records at every byte, and into records of one byte each. */
static void cut_anywhere(void **state)
{
	(void)state;
	for (int form = 0; form < 4; form++) {
		uint32_t type = form & 1 ? COMPRESSED2 : COMPRESSED;
		struct image packed, image;

		image_init(&packed, form & 2);
		compress_samples(&packed, 1, 20, false);
		for (size_t at = 0; at <= packed.size; at++) {
			image_init(&image, form & 2);
			pipe_begin(&image, &one_event, 1);
			put_packed(&image, type, packed.data, at);
			put_packed(&image, type, packed.data + at, packed.size - at);
			put_samples(&image, 21, 1);
			expect_samples(&image, 21, NULL);
			image_release(&image);
		}
		image_init(&image, form & 2);
		pipe_begin(&image, &one_event, 1);
		for (size_t at = 0; at < packed.size; at++)
			put_packed(&image, type, packed.data + at, 1);
		expect_samples(&image, 20, NULL);
		image_release(&image);
		image_release(&packed);
	}
}

/* A record inside of the stream that goes on in the next one, whatever lies between. */
static void a_record_in_two_flushes(void **state)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	struct image plain;

	(void)state;
	assert_non_null(context);
	image_init(&plain, false);
	put_samples(&plain, 1, 3);
	for (size_t cut = 1; cut < plain.size; cut++) {
		ZSTD_inBuffer in = { plain.data, cut, 0 };
		struct image image;

		image_init(&image, false);
		pipe_begin(&image, &one_event, 1);
		ZSTD_CCtx_reset(context, ZSTD_reset_session_only);
		for (int half = 0; half < 2; half++) {
			uint8_t bytes[500];
			ZSTD_outBuffer out = { bytes, sizeof(bytes), 0 };

			in.size = half ? plain.size : cut;
			assert_int_equal(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush), 0);
			put_packed(&image, COMPRESSED, bytes, out.pos);
			if (!half)
				put_samples(&image, 4, 1);
		}
		expect_samples(&image, 4, NULL);
		image_release(&image);
	}
	image_release(&plain);
	ZSTD_freeCCtx(context);
}

static void several_frames(void **state)
{
	struct image packed, image;

	(void)state;
	for (int one_record = 0; one_record <= 1; one_record++) {
		size_t first;

		image_init(&packed, false);
		compress_samples(&packed, 1, 5, true);
		first = packed.size;
		compress_samples(&packed, 6, 5, true);
		image_init(&image, false);
		pipe_begin(&image, &one_event, 1);
		put_packed(&image, COMPRESSED, packed.data, one_record ? packed.size : first);
		if (!one_record)
			put_packed(&image, COMPRESSED2, packed.data + first, packed.size - first);
		expect_samples(&image, 10, NULL);
		image_release(&image);
		image_release(&packed);
	}
}

/* What came before, and what is not compressed, is used. */
static void garbage_behind_a_frame(void **state)
{
	static const uint8_t garbage[] = "no frame starts like this";
	struct image packed, image;

	(void)state;
	image_init(&packed, false);
	compress_samples(&packed, 1, 5, true);
	image_bytes(&packed, garbage, sizeof(garbage));
	image_init(&image, false);
	pipe_begin(&image, &one_event, 1);
	put_packed(&image, COMPRESSED, packed.data, packed.size);
	put_packed(&image, COMPRESSED, packed.data, packed.size); /* lost */
	put_samples(&image, 6, 2);
	expect_samples(&image, 7, "what is compressed from here on is lost");
	image_release(&image);
	image_release(&packed);
}

/* The stream just ends: complete records are there. At most the last one is missing. */
static void a_frame_that_ends_early(void **state)
{
	struct image plain;

	(void)state;
	image_init(&plain, false);
	put_samples(&plain, 1, 3);
	for (size_t size = 1; size <= plain.size; size++) {
		struct image packed, image;

		image_init(&packed, false);
		compress(&packed, plain.data, size, size % 2);
		image_init(&image, false);
		pipe_begin(&image, &one_event, 1);
		put_packed(&image, COMPRESSED, packed.data, packed.size);
		expect_samples(&image, size / 24, size % 24 ? "the last record in it is cut off" : NULL);
		image_release(&image);
		image_release(&packed);
	}
	image_release(&plain);
}

/* Sizes of the records themselves. */
static void odd_compressed_records(void **state)
{
	struct image packed, image;
	size_t start;

	(void)state;
	image_init(&packed, false);
	compress_samples(&packed, 1, 5, false);
	image_init(&image, false);
	pipe_begin(&image, &one_event, 1);
	put_packed(&image, COMPRESSED, NULL, 0);
	put_packed(&image, COMPRESSED2, NULL, 0);
	record_end(&image, record_begin(&image, COMPRESSED2, 0)); /* its size is missing */
	start = image.size;
	put_packed(&image, COMPRESSED2, packed.data, packed.size);
	/* more than the record has: all of it counts, as for COMPRESSED */
	image.size = start + 16 + packed.size;
	record_end(&image, start);
	image_patch(&image, start + 8, UINT64_MAX, 8);
	put_samples(&image, 6, 1);
	expect_samples(&image, 6, NULL);
	image_release(&image);
	image_release(&packed);
}

/* Records that are not possible inside of a stream. */
static void bad_records_inside(void **state)
{
	static const struct {
		uint32_t type;
		uint16_t size;
		const char *says;
	} inside[] = {
		{ 9, 0, "a record in it has an impossible size" },
		{ 9, 7, "a record in it has an impossible size" },
		{ COMPRESSED, 16, "a compressed record lies inside of it" },
		{ COMPRESSED2, 24, "a compressed record lies inside of it" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(inside); i++) {
		struct image plain, packed, image;

		image_init(&plain, true);
		put_samples(&plain, 1, 2);
		image_u32(&plain, inside[i].type);
		image_u16(&plain, 0);
		image_u16(&plain, inside[i].size);
		image_zeros(&plain, 100);
		image_init(&packed, true);
		compress(&packed, plain.data, plain.size, false);
		image_init(&image, true);
		pipe_begin(&image, &one_event, 1);
		put_packed(&image, COMPRESSED, packed.data, packed.size);
		put_samples(&image, 3, 1);
		expect_samples(&image, 3, inside[i].says);
		image_release(&plain);
		image_release(&packed);
		image_release(&image);
	}
}

/* A later file of a series has no beginning of a stream; so do bytes that never were one. */
static void no_stream_starts(void **state)
{
	struct image packed, image;

	(void)state;
	image_init(&packed, false);
	compress_samples(&packed, 1, 5, false);
	image_init(&image, false);
	pipe_begin(&image, &one_event, 1);
	put_packed(&image, COMPRESSED, packed.data + 4, packed.size - 4);
	put_samples(&image, 1, 1);
	expect_samples(&image, 1, "no zstd stream starts here");
	image_release(&image);
	image_release(&packed);
}

/* Memory that libzstd is refused is no damage of the recording. */
static void refused_memory(void **state)
{
	struct image packed, image;

	(void)state;
	image_init(&packed, false);
	compress_samples(&packed, 1, 100, false);
	image_init(&image, false);
	pipe_begin(&image, &one_event, 1);
	put_all_packed(&image, &packed);
	for (size_t calls = 0; calls < 2; calls++) {
		struct seen_list list = { 0 };
		struct opened opened;

		assert_true(opened_file(&opened, &image));
		calls_left = calls;
		assert_false(read_seen(&opened, &list));
		calls_left = SIZE_MAX;
		assert_int_equal(opened.err.code, ERR_NOMEM);
		assert_int_equal(opened.warnings, 0);
		seen_release(&list);
		opened_close(&opened);
	}
	image_release(&image);
	image_release(&packed);
}

static bool accept_record(void *context, const struct record *record, struct err *err)
{
	(void)context;
	(void)record;
	(void)err;
	return true;
}

/* With it records wait for their order; without any handler they need not. */
static const struct record_handler accepts_all = { .record = accept_record };

/* --- bombs: small files that say that they are large */

static void expect_bomb(const struct image *image, const char *warning, uint64_t bytes_most,
                        uint64_t records_most)
{
	struct opened opened;

	assert_true(opened_file(&opened, image));
	opened.read = true;
	assert_true(perffile_read(&opened.session, &accepts_all, 1, NULL, &opened.summary, &opened.err));
	assert_true(opened.summary.broken);
	assert_int_equal(opened.warnings, 2); /* its records have no known type; and this one: */
	if (!strstr(opened.warning, warning))
		fail_msg("expected \"%s\", found \"%s\"", warning, opened.warning);
	assert_in_range(opened.summary.memory_most, 0, bytes_most);
	assert_in_range(opened.summary.records, 1, records_most);
	opened_close(&opened);
}

/*
 * A frame that repeats one byte: blocks of 128 KB, each of four bytes (RFC 8878, 3.1.1). 8 is a
 * byte that makes sound records: of type 0x08080808, and 0x0808 bytes long.
 */
static void put_repeating_frame(struct image *packed, uint32_t blocks)
{
	static const uint8_t head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 0x38 }; /* a window of 128 KB */

	image_bytes(packed, head, sizeof(head));
	for (uint32_t block = 0; block < blocks; block++) {
		uint32_t header = 131072u << 3 | 1 << 1 | (block == blocks - 1);

		image_u8(packed, (uint8_t)header);
		image_u8(packed, (uint8_t)(header >> 8));
		image_u8(packed, (uint8_t)(header >> 16));
		image_u8(packed, 8);
	}
}

#define MB ((uint64_t)1 << 20)

/* 64 KB that unfold to 2 GB: more than records that differ could. */
static void packed_too_well(void **state)
{
	struct image packed, image;

	(void)state;
	image_init(&packed, false);
	put_repeating_frame(&packed, 16384);
	image_init(&image, false);
	pipe_begin(&image, &one_event, 1);
	put_all_packed(&image, &packed);
	expect_bomb(&image, "inflates to more bytes than", 2 * MB, (64 * MB + image.size * 16384) / 2056);
	image_release(&image);
	image_release(&packed);
}

/* Samples with large copies of a stack that hardly changes: 3,000 times as large as what is packed. */
static void stacks_pack_well(void **state)
{
	const struct test_attr attr = { .sample_type = FLAG(2) | FLAG(10), .flags = FLAG(18), .period = 1 };
	ZSTD_CCtx *context = ZSTD_createCCtx();
	const uint64_t count = 3000, raw = 65484, samples_a_flush = 30;
	struct image plain, packed, image;
	uint8_t room[70000];
	struct opened opened;

	(void)state;
	assert_non_null(context);
	image_init(&packed, false);
	image_init(&plain, false);
	for (uint64_t i = 1; i <= count; i++) {
		ZSTD_outBuffer out = { room, sizeof(room), 0 };
		ZSTD_inBuffer in;
		size_t start = record_begin(&plain, 9, 2);

		image_u64(&plain, i * 250000 + i * i % 1000);
		image_u32(&plain, raw);
		image_zeros(&plain, raw);
		record_end(&plain, start);
		if (i % samples_a_flush)
			continue;
		in = (ZSTD_inBuffer){ plain.data, plain.size, 0 };
		assert_int_equal(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush), 0);
		image_bytes(&packed, room, out.pos);
		image_release(&plain);
		image_init(&plain, false);
	}
	ZSTD_freeCCtx(context);
	image_init(&image, false);
	pipe_begin(&image, &attr, 1);
	put_all_packed(&image, &packed);
	assert_in_range(image.size, 0, count * raw / 3000);
	assert_true(opened_file(&opened, &image));
	opened.read = true;
	assert_true(perffile_read(&opened.session, NULL, 0, NULL, &opened.summary, &opened.err));
	assert_int_equal(opened.summary.types[9].count, count);
	assert_int_equal(opened.warnings, 0);
	opened_close(&opened);
	image_release(&plain);
	image_release(&image);
	image_release(&packed);
}

/* Not many bytes, but far more records than anything that took time could make. */
static void too_many_records(void **state)
{
	struct image plain, packed, image;

	(void)state;
	image_init(&plain, false);
	for (uint32_t i = 0; i < 5000000; i++)
		record_end(&plain, record_begin(&plain, 50, 0));
	image_init(&packed, false);
	compress(&packed, plain.data, plain.size, false);
	image_init(&image, false);
	pipe_begin(&image, &one_event, 1);
	put_all_packed(&image, &packed);
	assert_in_range(image.size, 0, 100000);
	expect_bomb(&image, "inflates to more records than", 70 * MB, 4000000 + 8 * image.size);
	image_release(&plain);
	image_release(&packed);
	image_release(&image);
}

/*
 * 200 MB out of less than 1 MB, each record older than the one before, so that all would have to
 * wait for the last: only as many do as the packed bytes justify.
 */
static void all_records_wait(void **state)
{
	const struct test_attr attr = { .sample_type = FLAG(2) | FLAG(10), .flags = FLAG(18), .period = 1 };
	ZSTD_CCtx *context = ZSTD_createCCtx();
	struct image plain, packed, image;
	uint8_t room[70000];
	uint64_t random = 5;
	struct opened opened;

	(void)state;
	assert_non_null(context);
	image_init(&packed, false);
	for (uint64_t i = 0; i < 3400; i++) {
		ZSTD_outBuffer out = { room, sizeof(room), 0 };
		ZSTD_inBuffer in;
		size_t start;

		image_init(&plain, false);
		start = record_begin(&plain, 9, 2);
		image_u64(&plain, 1000000 - i);
		image_u32(&plain, 60004);
		for (int n = 0; n < 25; n++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			image_u64(&plain, random);
		}
		image_zeros(&plain, 60004 - 25 * 8);
		record_end(&plain, start);
		in = (ZSTD_inBuffer){ plain.data, plain.size, 0 };
		assert_int_equal(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush), 0);
		image_bytes(&packed, room, out.pos);
		image_release(&plain);
	}
	ZSTD_freeCCtx(context);
	image_init(&image, false);
	pipe_begin(&image, &attr, 1);
	put_all_packed(&image, &packed);
	assert_in_range(image.size, 0, MB);
	assert_true(opened_file(&opened, &image));
	opened.read = true;
	assert_true(perffile_read(&opened.session, &accepts_all, 1, NULL, &opened.summary, &opened.err));
	assert_int_equal(opened.summary.types[9].count, 3400);
	assert_true(opened.summary.late > 0);
	assert_in_range(opened.summary.memory_most, 0, 135 * MB);
	opened_close(&opened);
	image_release(&image);
	image_release(&packed);
}

/* Small records, each older than the one before: what keeps them in order is bounded too. */
static void all_runs_wait(void **state)
{
	const struct test_attr attr = { .sample_type = FLAG(2), .flags = FLAG(18), .period = 1 };
	struct image plain, packed, image;
	struct opened opened;

	(void)state;
	image_init(&plain, false);
	for (uint64_t i = 0; i < 1600000; i++) {
		size_t start = record_begin(&plain, 9, 2);

		image_u64(&plain, 4000000 - i);
		record_end(&plain, start);
	}
	image_init(&packed, false);
	compress(&packed, plain.data, plain.size, false);
	image_init(&image, false);
	pipe_begin(&image, &attr, 1);
	put_all_packed(&image, &packed);
	assert_true(opened_file(&opened, &image));
	opened.read = true;
	assert_true(perffile_read(&opened.session, &accepts_all, 1, NULL, &opened.summary, &opened.err));
	assert_int_equal(opened.summary.types[9].count, 1600000);
	assert_true(opened.summary.late > 0);
	assert_in_range(opened.summary.window_most, 512 * 1024, 512 * 1024 + image.size / 16 + 1);
	opened_close(&opened);
	image_release(&plain);
	image_release(&packed);
	image_release(&image);
}

/* A handler of the runs below: counts the records that stand behind younger ones. */
struct order {
	uint64_t most, behind;
};

static bool note_order(void *context, const struct record *record, struct err *err)
{
	struct order *order = context;

	(void)err;
	order->behind += record->time < order->most;
	if (record->time > order->most)
		order->most = record->time;
	return true;
}

/* Runs that overlap, more of them than the window may hold: records that come behind younger ones are counted. */
static void runs_before_their_time(void **state)
{
	const struct test_attr attr = { .sample_type = FLAG(2), .flags = FLAG(18), .period = 1 };
	struct order order = { 0, 0 };
	struct record_handler handler = {.context = &order, .record = note_order};
	struct image plain, packed, image;
	struct opened opened;

	(void)state;
	image_init(&plain, false);
	for (uint64_t i = 0; i < 1800000; i++) {
		size_t start = record_begin(&plain, 9, 2);

		image_u64(&plain, 1 + i / 3 % 1000 + i % 3 * 1000);
		record_end(&plain, start);
	}
	image_init(&packed, false);
	compress(&packed, plain.data, plain.size, false);
	image_init(&image, false);
	pipe_begin(&image, &attr, 1);
	put_all_packed(&image, &packed);
	assert_true(opened_file(&opened, &image));
	opened.read = true;
	assert_true(perffile_read(&opened.session, &handler, 1, NULL, &opened.summary, &opened.err));
	assert_true(order.behind > 0);
	assert_in_range(order.behind, 1, opened.summary.late);
	opened_close(&opened);
	image_release(&plain);
	image_release(&packed);
	image_release(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(a_record_in_two_flushes),
		cmocka_unit_test(several_frames),
		cmocka_unit_test(garbage_behind_a_frame),
		cmocka_unit_test(a_frame_that_ends_early),
		cmocka_unit_test(odd_compressed_records),
		cmocka_unit_test(bad_records_inside),
		cmocka_unit_test(payloads_inside),
		cmocka_unit_test(no_stream_starts),
		cmocka_unit_test(refused_memory),
		cmocka_unit_test(packed_too_well),
		cmocka_unit_test(stacks_pack_well),
		cmocka_unit_test(too_many_records),
		cmocka_unit_test(all_records_wait),
		cmocka_unit_test(all_runs_wait),
		cmocka_unit_test(runs_before_their_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void needs_libzstd(void **state)
{
	(void)state;
	skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(needs_libzstd) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
