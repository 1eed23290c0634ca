/* What huffman.c packs is unpacked by a library. */
#include "util/huffman.h"

#include "util/deflate.h"
#include "util/inflate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SIZE ((size_t)600 * 1000) /* more than two blocks, and no multiple of 3 */

static uint8_t data[SIZE];

/* Returns how many bytes it was packed in. */
static size_t pack_and_compare(size_t size)
{
	uint8_t *packed, *unpacked = malloc(size + 1);
	struct err err = { ERR_NONE };
	size_t packed_size = 0;

	assert_non_null(unpacked);
	assert_true(huffman_zlib(data, size, &packed, &packed_size, &err));
	assert_true(inflate_exact(INFLATE_ZLIB, packed, packed_size, unpacked, size, &err));
	assert_memory_equal(unpacked, data, size);
	packed[packed_size - 1] ^= 1; /* of the checksum */
	assert_false(inflate_exact(INFLATE_ZLIB, packed, packed_size, unpacked, size, &err));
	free(packed);
	free(unpacked);
	return packed_size;
}

static void assert_near(size_t estimate, size_t size)
{
	assert_in_range(estimate, size - size / 10, size + size / 10 + 400);
}

static uint32_t random_number(void)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return state >> 8;
}

static void few_bytes(void **state)
{
	(void)state;
	for (size_t size = 1; size < 20; size++) {
		data[size - 1] = (uint8_t)(size * size);
		pack_and_compare(size);
	}
}

/* At best a bit for each byte. */
static void equal_bytes(void **state)
{
	(void)state;
	memset(data, 7, SIZE);
	assert_in_range(pack_and_compare(SIZE), SIZE / 8, SIZE / 8 + 500);
	assert_near(huffman_estimate(data, SIZE), SIZE / 8);
}

static void random_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIZE; i++)
		data[i] = (uint8_t)random_number();
	assert_near(huffman_estimate(data, SIZE), pack_and_compare(SIZE));
}

/* Those near 0 are more frequent: 2.6 bits each. */
static void skewed_bytes(void **state)
{
	size_t size;

	(void)state;
	for (size_t i = 0; i < SIZE; i++)
		for (data[i] = 0; random_number() % 3 == 0 && data[i] < 255;)
			data[i]++;
	size = pack_and_compare(SIZE);
	assert_in_range(size, SIZE / 10, SIZE / 5);
	assert_near(huffman_estimate(data, SIZE), size);
}

/* As frequent as the Fibonacci numbers: the best code would have longer ones than are allowed. */
static void long_codes(void **state)
{
	size_t size = 0, count = 1, next = 1;

	(void)state;
	for (unsigned byte = 0; size + count <= 250000; byte++) {
		const size_t sum = count + next;

		memset(data + size, (int)byte, count);
		size += count;
		count = next;
		next = sum;
	}
	assert_near(huffman_estimate(data, size), pack_and_compare(size));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_bytes),    cmocka_unit_test(equal_bytes),
		cmocka_unit_test(random_bytes), cmocka_unit_test(skewed_bytes),
		cmocka_unit_test(long_codes),
	};

	if (!deflate_can()) {
		printf("skip huffman: this build has no library that unpacks\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
