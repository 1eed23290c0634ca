/* Packets of Arm's Statistical Profiling Extension, by the tables of the architecture's manual. */
#include "decode/spe/packet.h"
#include "decode/spe/source.h"
#include "tests/unit/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

/* A load of the kernel: PC, padding, context, operation, events, latencies, address, physical address, source, time. */
static const uint8_t load[] = {
    0xb0, 0xd0, 0xc2, 0xa1, 0x08, 0x00, 0x80, 0xff, 0xc0, /* PC 0xff800008a1c2d0 at EL2, not secure */
    0x00, 0x00,						  /* padding */
    0x65, 0x80, 0x5f, 0x00, 0x00,			  /* CONTEXTIDR_EL2 0x5f80 */
    0x49, 0x00,						  /* load, general register */
    0x52, 0x16, 0x00,					  /* retired, L1 access, TLB access */
    0x99, 0x04, 0x00,					  /* latency of issue 4 */
    0x98, 0x0c, 0x01,					  /* latency in all 268 */
    0xb2, 0x28, 0x6b, 0x09, 0x03, 0x37, 0x0e, 0xff, 0x00, /* data of the kernel, tag 0 */
    0x9a, 0x01, 0x00,					  /* latency of translation 1 */
    0xb3, 0x40, 0x12, 0x00, 0x80, 0x00, 0x00, 0x00, 0x80, /* physical, not secure */
    0x43, 0x08,						  /* source: L2 */
    0x71, 0x39, 0x30, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* time 12345 */
};

static struct spe_record only_record(const uint8_t *data, size_t size)
{
	uint8_t *copy = exact_copy(data, size);
	struct spe_trace trace = {.data = copy, .size = size};
	struct spe_record record, rest;

	assert_true(spe_next(&trace, &record));
	assert_false(spe_next(&trace, &rest));
	assert_int_equal(trace.skipped, 0);
	assert_int_equal(trace.cut, 0);
	free(copy);
	return record;
}

static void a_load(void **state)
{
	const struct spe_record record = only_record(load, sizeof(load));

	(void)state;
	assert_int_equal(record.kind, SPE_LOAD);
	assert_true(record.ip == 0xffff800008a1c2d0 && record.kernel);
	assert_true(record.address == 0xffff0e3703096b28);
	assert_true(record.physical == 0x80001240);
	assert_int_equal(record.context, 0x5f80);
	assert_int_equal(record.latency, 268);
	assert_int_equal(record.events, 0x16);
	assert_int_equal(record.source, 8);
	assert_int_equal(record.time, 12345);
	/* a load, L2 hit (level number 2), no snoop, the TLB or its walker had the address */
	assert_true(spe_data_source(&record, 0x413fd0c1) ==
		    (2 | (uint64_t)(0x20 | 2) << 5 | 2 << 19 | (uint64_t)(0x20 | 2) << 26 | (uint64_t)2 << 33));
	/* of another processor only the events tell: L1 hit */
	assert_true(spe_data_source(&record, 0x481fd010) ==
		    (2 | (uint64_t)(8 | 2) << 5 | (uint64_t)(0x20 | 2) << 26));
}

/* Cut off anywhere, there is no record, and nothing is read behind the end. */
static void cut_anywhere(void **state)
{
	(void)state;
	for (size_t size = 0; size < sizeof(load); size++) {
		uint8_t *copy = exact_copy(load, size);
		struct spe_trace trace = {.data = copy, .size = size};
		struct spe_record record;

		assert_false(spe_next(&trace, &record));
		assert_int_equal(trace.pos, size);
		assert_int_equal(trace.cut, size != 0);
		free(copy);
	}
}

/* Branches: conditional and not taken, indirect call, return; of user mode. */
static void branches(void **state)
{
	static const uint8_t conditional[] = {
	    0xb0, 0x10, 0, 0x40, 0, 0, 0, 0, 0x80, 0x4a, 0x01, 0x42, 0xc2, 0xb1, 0x20, 0, 0x40, 0, 0, 0, 0, 0x80, 0x01};
	static const uint8_t call[] = {0x4a, 0x0a, 0x01};
	static const uint8_t ret[] = {0x4a, 0x12, 0x01};
	struct spe_record record = only_record(conditional, sizeof(conditional));

	(void)state;
	assert_int_equal(record.kind, SPE_BRANCH);
	assert_true(record.ip == 0x400010 && record.target == 0x400020 && !record.kernel);
	assert_true(record.conditional && !record.indirect && record.has_target);
	assert_int_equal(record.events & (SPE_NOT_TAKEN | SPE_MISPREDICTED), SPE_NOT_TAKEN | SPE_MISPREDICTED);
	assert_true(record.time == SPE_NO_TIME && record.context == SPE_NO_CONTEXT);
	record = only_record(call, sizeof(call));
	assert_true(record.branch == SPE_BRANCH_CALL && record.indirect);
	record = only_record(ret, sizeof(ret));
	assert_true(record.branch == SPE_BRANCH_RETURN && record.indirect);
}

/* A tag in the top byte is no part of an address; an address of the kernel has all bits there. */
static void tags(void **state)
{
	static const uint8_t user[] = {0xb2, 0x08, 0, 0x44, 0, 0, 0, 0, 0xab, 0x01};
	static const uint8_t kernel[] = {0xb2, 0x08, 0, 0x44, 0, 0, 0x80, 0xff, 0x5a, 0x01};

	(void)state;
	assert_true(only_record(user, sizeof(user)).address == 0x440008);
	assert_true(only_record(kernel, sizeof(kernel)).address == 0xffff800000440008);
}

/* Long headers have more bits for the number; number 8 of an address is none that we know. */
static void long_headers(void **state)
{
	static const uint8_t total[] = {0x20, 0x98, 0x07, 0x00, 0x01};
	static const uint8_t other[] = {0x21, 0xb0, 1, 2, 3, 4, 5, 6, 7, 8, 0x01};

	(void)state;
	assert_int_equal(only_record(total, sizeof(total)).latency, 7);
	assert_false(only_record(other, sizeof(other)).has_ip);
}

/* Up to the next 16 bytes of the buffer, which starts at 8. */
static void alignment(void **state)
{
	uint8_t data[32] = {0x98, 5, 0, 0x23, 0x00};
	struct spe_trace trace = {.data = data, .size = 9, .start = 8};
	struct spe_record record;

	(void)state;
	data[5] = 0x98; /* in the gap: not read */
	data[8] = 0x01;
	assert_true(spe_next(&trace, &record));
	assert_int_equal(record.latency, 5);
	assert_int_equal(trace.skipped, 0);
	/* beyond the end */
	trace = (struct spe_trace){.data = data, .size = 7, .start = 8};
	assert_false(spe_next(&trace, &record));
	assert_int_equal(trace.cut, 1);
}

/* What is no packet costs one byte. */
static void no_packets(void **state)
{
	static const uint8_t data[] = {0xff, 0xfe, 0x49, 0x01, 0x01, 0x80};
	struct spe_trace trace = {.data = data, .size = sizeof(data)};
	struct spe_record record;

	(void)state;
	assert_true(spe_next(&trace, &record));
	assert_int_equal(record.kind, SPE_STORE);
	assert_false(spe_next(&trace, &record));
	assert_int_equal(trace.skipped, 3);
	assert_int_equal(trace.cut, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_load), cmocka_unit_test(cut_anywhere), cmocka_unit_test(branches),
	    cmocka_unit_test(tags),   cmocka_unit_test(long_headers), cmocka_unit_test(alignment),
	    cmocka_unit_test(no_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
