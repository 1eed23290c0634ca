/* A packed recording and a decompression bomb are distinguished by their unpacked bytes. */
#include "perffile/input/unpackguard.h"

#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>

#define MB ((uint64_t)1 << 20)

/* Whether the guard accepts the bytes, in pieces of that size. */
static bool passes(struct unpack_guard *guard, const uint8_t *data, size_t size, size_t piece,
                   struct err *err)
{
	for (size_t at = 0; at < size; at += piece)
		if (!unpack_guard_look(guard, data + at, size - at < piece ? size - at : piece, err))
			return false;
	return true;
}

/* A sample of that many bytes, most of them zeros. */
static void put_large(struct image *image, uint64_t time, size_t size)
{
	size_t start = record_begin(image, 9, 2);

	image_u64(image, time);
	image_zeros(image, size - 16);
	record_end(image, start);
}

static void begin_pipe(struct image *image, bool big_endian)
{
	image_init(image, big_endian);
	image_bytes(image, big_endian ? "2ELIFREP" : "PERFILE2", 8);
	image_u64(image, 16);
}

/* A header of 104 bytes, a gap of 40, and records of size bytes. */
static void begin_file(struct image *image, bool big_endian, uint64_t size)
{
	image_init(image, big_endian);
	image_bytes(image, big_endian ? "2ELIFREP" : "PERFILE2", 8);
	image_u64(image, 104);
	image_zeros(image, 24);
	image_u64(image, 144);
	image_u64(image, size);
	image_zeros(image, 144 - image->size);
}

/* However the bytes come, the same records and the same odd bytes are seen. */
static void any_pieces(void **state)
{
	(void)state;
	for (int form = 0; form < 4; form++) {
		struct image image;
		bool pipe = form & 1;

		if (pipe)
			begin_pipe(&image, form & 2);
		else
			begin_file(&image, form & 2, 8 + 24 + 24 + 100 + 300);
		record_end(&image, record_begin(&image, 68, 0));
		put_large(&image, 1, 24);
		put_large(&image, 1, 24); /* repeated */
		put_large(&image, 2, 100);
		put_large(&image, 3, 300);
		image_zeros(&image, 50);
		for (size_t piece = 1; piece <= image.size; piece++) {
			struct unpack_guard guard;
			struct err err = { 0 };

			unpack_guard_init(&guard, 1000);
			assert_true(passes(&guard, image.data, image.size, piece, &err));
			assert_int_equal(guard.records, 5);
			/* of the zeros behind a pipe's records eight were a header that cannot be */
			assert_int_equal(guard.odd, pipe ? 24 + 50 - 8 : 24 + 50 + 40);
			assert_int_equal(guard.total, image.size);
		}
		image_release(&image);
	}
}

/* The payload behind two kinds of records is none of it. */
static void payloads(void **state)
{
	struct unpack_guard guard;
	struct err err = { 0 };
	struct image image;
	size_t start;

	(void)state;
	begin_pipe(&image, false);
	start = record_begin(&image, PERF_RECORD_HEADER_TRACING_DATA, 0);
	image_u32(&image, 100);
	record_end(&image, start);
	image_zeros(&image, 100);
	start = record_begin(&image, PERF_RECORD_AUXTRACE, 0);
	image_u64(&image, 200);
	image_zeros(&image, 32);
	record_end(&image, start);
	image_zeros(&image, 200);
	put_large(&image, 1, 24);
	unpack_guard_init(&guard, 1000);
	assert_true(passes(&guard, image.data, image.size, 7, &err));
	assert_int_equal(guard.records, 3);
	assert_int_equal(guard.odd, 300);
	image_release(&image);
}

/* 320 MB of samples that differ in their times pass as 40 KB; the same with equal times do not. */
static void large_records(void **state)
{
	(void)state;
	for (int same = 0; same < 2; same++) {
		struct unpack_guard guard;
		struct err err = { 0 };
		struct image image;
		bool ok = true;

		begin_pipe(&image, false);
		unpack_guard_init(&guard, 40000);
		for (uint64_t i = 0; ok && i < 5000; i++) {
			put_large(&image, same ? 1 : i * 1000, 65000);
			ok = passes(&guard, image.data, image.size, 65536, &err);
			image.size = 0;
		}
		assert_int_equal(ok, !same);
		if (same) {
			assert_int_equal(err.code, ERR_LIMIT);
			assert_in_range(guard.total, 64 * MB, 64 * MB + 40000 * 512 + 66000 * 2);
		}
		image_release(&image);
	}
}

static void zeros(void **state)
{
	uint8_t *block = calloc(1, MB);

	(void)state;
	assert_non_null(block);
	/* nothing; a pipe; a file whose records are all zeros, or whose gap is */
	for (int form = 0; form < 4; form++) {
		struct unpack_guard guard;
		struct err err = { 0 };
		struct image image;
		bool ok;

		if (form < 2)
			begin_pipe(&image, false);
		else
			begin_file(&image, false, UINT64_MAX);
		if (form == 3)
			image_patch(&image, 40, UINT64_MAX, 8);
		unpack_guard_init(&guard, 1000);
		ok = form == 0 || passes(&guard, image.data, image.size, 1000, &err);
		while (ok)
			ok = passes(&guard, block, MB, MB, &err);
		assert_int_equal(err.code, ERR_LIMIT);
		assert_in_range(guard.total, 64 * MB, 66 * MB);
		image_release(&image);
	}
	free(block);
}

/* Small records that differ, and large ones: each kind has its limit. */
static void too_many(void **state)
{
	(void)state;
	for (int large = 0; large < 2; large++) {
		struct unpack_guard guard;
		struct err err = { 0 };
		struct image image;
		uint64_t count = 0;
		bool ok = true;

		begin_pipe(&image, false);
		unpack_guard_init(&guard, 10000);
		while (ok) {
			put_large(&image, ++count, large ? 65528 : 16);
			ok = passes(&guard, image.data, image.size, 65536, &err);
			image.size = 0;
		}
		assert_int_equal(err.code, ERR_LIMIT);
		if (large)
			assert_in_range(guard.total, 220 * MB, 221 * MB);
		else
			assert_int_equal(count, 4000000 + 80000 + 1);
		image_release(&image);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_pieces), cmocka_unit_test(payloads), cmocka_unit_test(large_records),
		cmocka_unit_test(zeros),      cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
