#include "util/inflate.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char plain[] = "packed text, packed text, packed text\n";

/* The same text packed by gzip, xz and zstd. */
static const uint8_t gzipped[] = {
	0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x2b, 0x48,
	0x4c, 0xce, 0x4e, 0x4d, 0x51, 0x28, 0x49, 0xad, 0x28, 0xd1, 0x51, 0x28,
	0xc0, 0xc1, 0xe1, 0x02, 0x00, 0xc4, 0x27, 0x39, 0xa0, 0x26, 0x00, 0x00,
	0x00,
};

static const uint8_t xzipped[] = {
	0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46,
	0x02, 0x00, 0x21, 0x01, 0x16, 0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3,
	0xe0, 0x00, 0x25, 0x00, 0x15, 0x5d, 0x00, 0x38, 0x18, 0x48, 0x99, 0xcd,
	0x5c, 0x1c, 0x25, 0x42, 0xa8, 0x6e, 0xbb, 0x87, 0x2b, 0x8a, 0x52, 0x3a,
	0xc8, 0x73, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x86, 0x12, 0x1a, 0xb7,
	0xc6, 0xa4, 0xc1, 0x10, 0x00, 0x01, 0x31, 0x26, 0x64, 0x37, 0xd6, 0x34,
	0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a,
};

static const uint8_t zstandard[] = {
	0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0xa5, 0x00, 0x00, 0x70, 0x70, 0x61,
	0x63, 0x6b, 0x65, 0x64, 0x20, 0x74, 0x65, 0x78, 0x74, 0x2c, 0x20, 0x0a,
	0x01, 0x00, 0x00, 0xce, 0x2f, 0xfc, 0x49, 0x5f, 0xfa,
};

/* The same in the frame of zlib, as sections of ELF files have it. */
static const uint8_t zlibbed[] = {
	0x78, 0x9c, 0x2b, 0x48, 0x4c, 0xce, 0x4e, 0x4d, 0x51, 0x28, 0x49, 0xad,
	0x28, 0xd1, 0x51, 0x28, 0xc0, 0xc1, 0xe1, 0x02, 0x00, 0x0d, 0x6e, 0x0d,
	0x8a,
};

struct packed {
	const uint8_t *data;
	size_t size;
	bool built_in;
	const char *library;
};

#ifdef HAVE_ZLIB
#define WITH_ZLIB true
#else
#define WITH_ZLIB false
#endif
#ifdef HAVE_LZMA
#define WITH_LZMA true
#else
#define WITH_LZMA false
#endif
#ifdef HAVE_ZSTD
#define WITH_ZSTD true
#else
#define WITH_ZSTD false
#endif

#ifdef HAVE_LIBDEFLATE
#define WITH_SECTIONS true
#else
#define WITH_SECTIONS WITH_ZLIB
#endif

static const struct packed formats[] = {
	{ gzipped, sizeof(gzipped), WITH_ZLIB, "zlib" },
	{ xzipped, sizeof(xzipped), WITH_LZMA, "liblzma" },
	{ zstandard, sizeof(zstandard), WITH_ZSTD, "libzstd" },
};

/* Without the library the error names it. */
static void test_memory(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		const struct packed *packed = &formats[i];
		struct err err = { .code = ERR_NONE };
		uint8_t *out = NULL;
		size_t size = 0;

		assert_true(inflate_recognises(packed->data, packed->size));
		if (inflate_memory(packed->data, packed->size, 1000, &out, &size, &err)) {
			assert_true(packed->built_in);
			assert_int_equal(size, sizeof(plain) - 1);
			assert_memory_equal(out, plain, size);
			free(out);
		} else {
			assert_false(packed->built_in);
			assert_int_equal(err.code, ERR_UNSUPPORTED);
			assert_non_null(strstr(err.text, packed->library));
		}
	}
}

static void test_damage(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		const struct packed *packed = &formats[i];
		uint8_t *out = NULL;
		size_t size = 0;
		struct err limit = { .code = ERR_NONE };

		for (size_t cut = 0; cut < packed->size; cut++) {
			struct err err = { .code = ERR_NONE };
			uint8_t *copy = malloc(cut + 1);

			memcpy(copy, packed->data, cut);
			assert_false(inflate_memory(copy, cut, 1000, &out, &size, &err));
			assert_int_not_equal(err.code, ERR_NONE);
			free(copy);
		}
		if (!packed->built_in)
			continue;
		assert_false(inflate_memory(packed->data, packed->size, sizeof(plain) - 2, &out, &size,
		                            &limit));
		assert_int_equal(limit.code, ERR_LIMIT);
	}
}

/* A check that accepts 1000 bytes. */
static bool look_up_to_1000(void *context, const uint8_t *data, size_t size, struct err *err)
{
	size_t *seen = context;

	assert_non_null(data);
	*seen += size;
	return *seen <= 1000 || err_set(err, ERR_LIMIT, "more than 1000 bytes");
}

/* Several parts one behind the other are one file. */
static void test_fd(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		const struct packed *packed = &formats[i];
		struct err err = { .code = ERR_NONE };
		FILE *in = tmpfile(), *out = tmpfile();
		char text[2 * sizeof(plain)] = { 0 };
		size_t seen = 0;
		struct inflate_watch up_to_1000 = { look_up_to_1000, &seen };

		assert_non_null(in);
		assert_non_null(out);
		for (int part = 0; part < 2; part++)
			assert_int_equal(write(fileno(in), packed->data, packed->size),
			                 (ssize_t)packed->size);
		lseek(fileno(in), 0, SEEK_SET);
		assert_int_equal(inflate_fd(fileno(in), fileno(out), &up_to_1000, &err), packed->built_in);
		lseek(fileno(out), 0, SEEK_SET);
		if (packed->built_in) {
			assert_int_equal(read(fileno(out), text, sizeof(text)),
			                 2 * (sizeof(plain) - 1));
			assert_memory_equal(text + sizeof(plain) - 1, plain, sizeof(plain) - 1);
			assert_int_equal(seen, 2 * (sizeof(plain) - 1));
			/* what the caller's check refuses is not written */
			lseek(fileno(in), 0, SEEK_SET);
			lseek(fileno(out), 0, SEEK_SET);
			assert_int_equal(ftruncate(fileno(out), 0), 0);
			seen = 1000;
			assert_false(inflate_fd(fileno(in), fileno(out), &up_to_1000, &err));
			assert_int_equal(err.code, ERR_LIMIT);
			assert_int_equal(lseek(fileno(out), 0, SEEK_END), 0);
		}
		fclose(in);
		fclose(out);
	}
}

static bool unpacks(enum inflate_format format, const uint8_t *data, size_t size, size_t out_size,
                    uint8_t *out)
{
	/* of the very sizes, so that a sanitizer sees what is passed */
	uint8_t *copy = malloc(size ? size : 1), *room = malloc(out_size ? out_size : 1);
	struct err err = { .code = ERR_NONE };
	bool ok;

	memcpy(copy, data, size);
	ok = inflate_exact(format, copy, size, room, out_size, &err);
	assert_int_equal(err.code, ERR_NONE);
	if (ok && out)
		memcpy(out, room, out_size);
	free(copy);
	free(room);
	return ok;
}

/* All of it, no more and no less. */
static void test_exact(void **state)
{
	const struct packed packed[] = {
		[INFLATE_ZLIB] = { zlibbed, sizeof(zlibbed), WITH_SECTIONS, NULL },
		[INFLATE_ZSTD] = { zstandard, sizeof(zstandard), WITH_ZSTD, NULL },
	};
	const size_t whole = sizeof(plain) - 1;

	(void)state;
	for (enum inflate_format i = INFLATE_ZLIB; i <= INFLATE_ZSTD; i++) {
		const uint8_t *data = packed[i].data;
		size_t size = packed[i].size;
		uint8_t out[sizeof(plain)], damaged[64];

		assert_int_equal(unpacks(i, data, size, whole, out), packed[i].built_in);
		if (packed[i].built_in)
			assert_memory_equal(out, plain, whole);
		assert_false(unpacks(i, data, size, whole - 1, NULL));
		assert_false(unpacks(i, data, size, whole + 1, NULL));
		for (size_t cut = 0; cut < size; cut++)
			assert_false(unpacks(i, data, cut, whole, NULL));
		/* the last byte is the checksum's */
		memcpy(damaged, data, size);
		damaged[size - 1] ^= 1;
		assert_false(unpacks(i, damaged, size, whole, NULL));
	}
}

/* One byte of what is packed is another one: said, whichever check notices it. */
static void test_wrong_bytes(void **state)
{
	static const struct {
		size_t format, at;
		uint8_t value;
		const char *says;
	} wrong[] = {
		{ 0, 10, 0xff, "gzip data is damaged" },   /* a block of no known type */
		{ 0, 33, 0x27, "gzip data is damaged" }, /* the length at the end */
		{ 1, 40, 0x55, "xz data is damaged" },
		{ 1, 7, 0x0e, "xz data is damaged" },
		{ 2, 32, 0, "zstd data is damaged: " },     /* the checksum */
		{ 2, 6, 0xa7, "zstd data is damaged: " },   /* a block of a reserved type */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		const struct packed *packed = &formats[wrong[i].format];
		struct err err = { .code = ERR_NONE };
		uint8_t bytes[200], *out;
		size_t size;

		if (!packed->built_in)
			continue;
		memcpy(bytes, packed->data, packed->size);
		bytes[wrong[i].at] = wrong[i].value;
		if (inflate_memory(bytes, packed->size, 1000, &out, &size, &err))
			fail_msg("%zu: is not noticed", i);
		assert_int_equal(err.code, ERR_FORMAT);
		if (strncmp(err.text, wrong[i].says, strlen(wrong[i].says)) != 0)
			fail_msg("%zu: expected \"%s\", found \"%s\"", i, wrong[i].says, err.text);
	}
}

/* Bit by bit, as everybody else does it with a table. */
static uint32_t crc32_of(const uint8_t *data, size_t size)
{
	uint32_t crc = UINT32_MAX;

	while (size--) {
		crc ^= *data++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

/* Small inputs whose headers ask for gigabytes of memory. */
static void test_large_windows(void **state)
{
	/* window descriptor 0x98: 2^(10 + 19) bytes (RFC 8878, 3.1.1.1.2) */
	static const uint8_t zstd[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x98, 0x09, 0x00, 0x00, 'x' };
	struct err err = { .code = ERR_NONE };
	uint8_t xz[sizeof(xzipped)], *out;
	uint32_t crc;
	size_t size;

	(void)state;
	memcpy(xz, xzipped, sizeof(xz));
	assert_int_equal(xz[16], 0x16); /* the dictionary's size, in the block header from 12 on */
	assert_int_equal(crc32_of(xz + 12, 8), 0xa3e52f74);
	xz[16] = 0x27; /* 3 GB */
	crc = crc32_of(xz + 12, 8);
	for (int i = 0; i < 4; i++)
		xz[20 + i] = (uint8_t)(crc >> 8 * i);
	assert_false(inflate_memory(xz, sizeof(xz), 1000, &out, &size, &err));
	if (WITH_LZMA)
		assert_string_equal(err.text, "xz data asks for too large a dictionary");
	err.code = ERR_NONE;
	assert_false(inflate_memory(zstd, sizeof(zstd), 1000, &out, &size, &err));
	if (WITH_ZSTD)
		assert_string_equal(err.text, "zstd data asks for too large a window");
}

/* More than fits in one go, and nothing at all. */
static void test_sizes(void **state)
{
	static const uint8_t empty[] = { 0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 2, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
	struct err err = { .code = ERR_NONE };
	uint8_t *many = malloc(10000 * sizeof(gzipped)), *out;
	size_t size;

	(void)state;
	assert_non_null(many);
	for (size_t i = 0; i < 10000; i++)
		memcpy(many + i * sizeof(gzipped), gzipped, sizeof(gzipped));
	if (WITH_ZLIB) {
		assert_true(inflate_memory(many, 10000 * sizeof(gzipped), 1000000, &out, &size, &err));
		assert_int_equal(size, 10000 * (sizeof(plain) - 1));
		assert_memory_equal(out + size - (sizeof(plain) - 1), plain, sizeof(plain) - 1);
		free(out);
		assert_true(inflate_memory(empty, sizeof(empty), 10, &out, &size, &err));
		assert_int_equal(size, 0);
		free(out);
	}
	assert_false(inflate_memory((const uint8_t *)"nothing packed", 14, 10, &out, &size, &err));
	assert_string_equal(err.text, "neither gzip nor xz nor zstd data");
	free(many);
}

/* A file that cannot be read, and one that cannot be written. */
static void test_bad_fds(void **state)
{
	FILE *in = tmpfile(), *out = tmpfile();
	int folder = open("/", O_RDONLY), full = open("/dev/full", O_WRONLY);
	struct err err = { .code = ERR_NONE };
	size_t seen = 0;
	struct inflate_watch up_to_1000 = { look_up_to_1000, &seen };

	(void)state;
	assert_non_null(in);
	assert_non_null(out);
	assert_true(folder >= 0);
	assert_false(inflate_fd(folder, fileno(out), &up_to_1000, &err));
	assert_string_equal(err.text, "cannot read packed data: Is a directory");
	assert_int_equal(write(fileno(in), gzipped, sizeof(gzipped)), sizeof(gzipped));
	lseek(fileno(in), 0, SEEK_SET);
	err.code = ERR_NONE;
	if (WITH_ZLIB && full >= 0) {
		assert_false(inflate_fd(fileno(in), full, &up_to_1000, &err));
		assert_string_equal(err.text, "cannot write unpacked data: No space left on device");
	}
	close(folder);
	if (full >= 0)
		close(full);
	fclose(in);
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_fd),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_wrong_bytes),
		cmocka_unit_test(test_large_windows),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_bad_fds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
