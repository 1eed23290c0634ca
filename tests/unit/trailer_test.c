/* Records that the kernel made too long: what is behind their trailers is not read. */
#include "perffile/session/trailer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define TRAILER 32

/* A record of this type, with bytes at 24, and `more` bytes behind the payload. Returns its size. */
static size_t make(uint8_t record[256], uint32_t type, const char *text, size_t payload, size_t more)
{
	const uint16_t size = (uint16_t)(payload + more);

	memset(record, 0xee, 256);
	memcpy(record, &type, sizeof(type));
	memcpy(record + 6, &size, sizeof(size));
	memset(record + 8, 0, payload - 8);
	memcpy(record + 24, text, strlen(text));
	return size;
}

/* The number of bytes before the trailer's end, of what the kernel writes for the first, second and third recorder. */
static void expect(uint32_t type, const char *text, size_t payload)
{
	uint8_t record[256];

	for (size_t recorder = 1; recorder <= 3; recorder++) {
		const size_t size = make(record, type, text, payload, recorder * TRAILER);

		assert_int_equal(trailer_end(record, size, false, TRAILER), payload + TRAILER);
	}
}

static void longer_records(void **state)
{
	(void)state;
	/* as a stream of perf 6.1 on Linux 6.18 had them: 96, 128 bytes and so on */
	expect(PERF_RECORD_KSYMBOL, "bpf_prog_500a7aa2d12e5fe7_hot_filter", 64);
	/* 23 characters and the NUL fill three words; 24 need a fourth one */
	expect(PERF_RECORD_KSYMBOL, "bpf_prog_0123456789abcd", 48);
	expect(PERF_RECORD_KSYMBOL, "bpf_prog_0123456789abcde", 56);
	expect(PERF_RECORD_BPF_EVENT, "", 24);
}

/* 5 old and 2 new bytes behind two sizes: 11 bytes, so 16. */
static void text_poke(void **state)
{
	uint8_t record[256];
	const size_t size = make(record, PERF_RECORD_TEXT_POKE, "", 32, 2 * TRAILER);

	(void)state;
	record[16] = 5;
	record[18] = 2;
	assert_int_equal(trailer_end(record, size, false, TRAILER), 32 + TRAILER);
	record[17] = 1; /* 261 bytes do not fit: nothing is known */
	assert_int_equal(trailer_end(record, size, false, TRAILER), size);
}

static void other_records(void **state)
{
	uint8_t record[256];
	size_t size = make(record, PERF_RECORD_CGROUP, "/user.slice", 40, 2 * TRAILER);

	(void)state;
	assert_int_equal(trailer_end(record, size, false, TRAILER), size);
	size = make(record, PERF_RECORD_KSYMBOL, "no end", 64, 0);
	memset(record + 24, 'x', 40);
	assert_int_equal(trailer_end(record, size, false, TRAILER), size);
	assert_int_equal(trailer_end(record, 16, false, TRAILER), 16);
	size = make(record, PERF_RECORD_BPF_EVENT, "", 24, TRAILER);
	assert_int_equal(trailer_end(record, size, false, 0), size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(longer_records),
		cmocka_unit_test(text_poke),
		cmocka_unit_test(other_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
