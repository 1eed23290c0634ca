/* Attrs of every size and byte order, and the layouts that follow from them. */
#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>

static bool host_is_big(void)
{
	const uint16_t probe = 1;

	return *(const uint8_t *)&probe == 0;
}

static struct event_attr decode(const struct image *image, struct err *err)
{
	struct event_attr attr;

	event_attr_decode(&attr, cursor_over(image->data, image->size, 0, "attr",
	                                     image->big_endian != host_is_big(), err),
	                  image->big_endian);
	return attr;
}

/* Fields in the order of the format reference, 2.2, each byte different. */
static void whole_attr(struct image *image, uint32_t size)
{
	image_u32(image, 4);                   /* type */
	image_u32(image, size);
	image_u64(image, 0x1122334455667788);  /* config */
	image_u64(image, 4000);                /* sample_period */
	image_u64(image, 0x187);               /* sample_type */
	image_u64(image, 4);                   /* read_format */
	image_u64(image, 0);                   /* flags */
	image_u32(image, 1);                   /* wakeup */
	image_u32(image, 3);                   /* bp_type */
	image_u64(image, 0xb0);                /* bp_addr, at 56 */
	image_u64(image, 0xb1);                /* bp_len, at 64 */
	image_u64(image, 0x20008);             /* branch_sample_type, at 72 */
	image_u64(image, 0xff0fff);            /* sample_regs_user, at 80 */
	image_u32(image, 8192);                /* sample_stack_user, at 88 */
	image_u32(image, (uint32_t)-3);        /* clockid, at 92 */
	image_u64(image, 0xf0f0);              /* sample_regs_intr, at 96 */
	image_zeros(image, 200);               /* what later kernels added */
	image->size = size;
}

static void every_size(void **state)
{
	(void)state;
	for (int big = 0; big <= 1; big++) {
		for (uint32_t size = 64; size <= 200; size += 8) {
			struct err err = { 0 };
			struct event_attr attr;
			struct image image, exact;

			image_init(&image, big);
			whole_attr(&image, size);
			image_init(&exact, big); /* no byte behind it */
			exact.data = malloc(size);
			assert_non_null(exact.data);
			memcpy(exact.data, image.data, size);
			exact.size = size;
			attr = decode(&exact, &err);
			assert_int_equal(err.code, ERR_NONE);
			assert_int_equal(attr.type, 4);
			assert_int_equal(attr.size, size);
			assert_int_equal(attr.config, 0x1122334455667788);
			assert_int_equal(attr.sample_period, 4000);
			assert_int_equal(attr.sample_type, 0x187);
			assert_int_equal(attr.read_format, 4);
			assert_int_equal(attr.bp_type, 3);
			assert_int_equal(attr.bp_addr, 0xb0);
			assert_int_equal(attr.branch_sample_type, size >= 80 ? 0x20008 : 0);
			assert_int_equal(attr.sample_regs_user, size >= 88 ? 0xff0fff : 0);
			assert_int_equal(attr.sample_stack_user, size >= 96 ? 8192 : 0);
			assert_int_equal(attr.clockid, size >= 96 ? -3 : 0);
			assert_int_equal(attr.sample_regs_intr, size >= 104 ? 0xf0f0 : 0);
			image_release(&image);
			image_release(&exact);
		}
	}
}

static void size_0_means_64(void **state)
{
	struct err err = { 0 };
	struct image image;

	(void)state;
	image_init(&image, false);
	whole_attr(&image, 64);
	image_patch(&image, 4, 0, 4);
	assert_int_equal(decode(&image, &err).size, 64);
	image_release(&image);
}

static void flags_in_both_byte_orders(void **state)
{
	(void)state;
	for (int big = 0; big <= 1; big++) {
		for (unsigned flag = 0; flag < 40; flag++) {
			struct err err = { 0 };
			struct image image;

			if (flag == PERF_FLAG_PRECISE_IP || flag == PERF_FLAG_PRECISE_IP + 1)
				continue;
			image_init(&image, big);
			whole_attr(&image, 136);
			/* format reference, 2.3: flag n is bit n, or bit 63 - n of a big-endian producer */
			image_patch(&image, 40, (uint64_t)1 << (big ? 63 - flag : flag), 8);
			assert_int_equal(decode(&image, &err).flags, (uint64_t)1 << flag);
			image_release(&image);
		}
		for (uint64_t precise = 0; precise < 4; precise++) {
			struct err err = { 0 };
			struct image image;

			image_init(&image, big);
			whole_attr(&image, 136);
			image_patch(&image, 40, precise << (big ? 47 : 15), 8);
			assert_int_equal(decode(&image, &err).flags >> 15 & 3, precise);
			image_release(&image);
		}
	}
}

/* The bytes of a real flag word on both sides: sample_id_all (18) and precise_ip 2 (bit 16). */
static void flag_bytes(void **state)
{
	static const uint8_t little[] = { 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00 };
	/* bits 63 - 18 = 45, and 2 << 47 = bit 48: 0x0001200000000000 */
	static const uint8_t big[] = { 0x00, 0x01, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00 };

	(void)state;
	for (int order = 0; order <= 1; order++) {
		struct err err = { 0 };
		struct event_attr attr;
		struct image image;

		image_init(&image, order);
		whole_attr(&image, 136);
		memcpy(image.data + 40, order ? big : little, 8);
		attr = decode(&image, &err);
		assert_true(attr_flag(&attr, PERF_FLAG_SAMPLE_ID_ALL));
		assert_int_equal(attr.flags >> PERF_FLAG_PRECISE_IP & 3, 2);
		assert_int_equal(attr.flags & ~((uint64_t)1 << 18 | (uint64_t)3 << 15), 0);
		image_release(&image);
	}
}

/* Format reference, 4.1 and 3.2: the fixed fields in their order, as sample_type bits. */
static const unsigned front[] = { 16, 0, 1, 2, 3, 6, 9, 7, 8 };
static const unsigned back[] = { 16, 7, 9, 6, 2, 1 };

static int front_of(uint64_t type, unsigned bit)
{
	int at = 8;

	for (size_t i = 0; i < ARRAY_SIZE(front); i++) {
		if (front[i] == bit)
			return type >> bit & 1 ? at : -1;
		at += type >> front[i] & 1 ? 8 : 0;
	}
	return -1;
}

static int back_of(uint64_t type, unsigned bit)
{
	int at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(back); i++) {
		at += type >> back[i] & 1 ? 8 : 0;
		if (back[i] == bit)
			return type >> bit & 1 ? at : -1;
	}
	return -1;
}

/* Every one of the 2^9 combinations of fixed fields. */
static void layouts(void **state)
{
	(void)state;
	for (unsigned set = 0; set < 512; set++) {
		struct event_attr attr = { .flags = FLAG(PERF_FLAG_SAMPLE_ID_ALL) };
		uint64_t type = 0;
		struct sample_layout l;

		for (unsigned i = 0; i < 9; i++)
			type |= set >> i & 1 ? (uint64_t)1 << front[i] : 0;
		attr.sample_type = type;
		layout_init(&l, &attr);
		assert_int_equal(l.ip, front_of(type, 0));
		assert_int_equal(l.tid, front_of(type, 1));
		assert_int_equal(l.time, front_of(type, 2));
		assert_int_equal(l.addr, front_of(type, 3));
		assert_int_equal(l.cpu, front_of(type, 7));
		assert_int_equal(l.period, front_of(type, 8));
		assert_int_equal(l.id, type >> 16 & 1 ? 8 : front_of(type, 6));
		assert_int_equal(l.fixed, 8 + 8 * __builtin_popcount(set));
		assert_false(l.variable);
		assert_int_equal(l.back_tid, back_of(type, 1));
		assert_int_equal(l.back_time, back_of(type, 2));
		assert_int_equal(l.back_cpu, back_of(type, 7));
		assert_int_equal(l.back_id, type >> 16 & 1 ? 8 : back_of(type, 6));
		assert_int_equal(l.trailer, 8 * __builtin_popcountll(type & 0x102c6));
		attr.flags = 0;
		layout_init(&l, &attr);
		assert_int_equal(l.trailer, 0);
		assert_int_equal(l.back_time, -1);
	}
}

static void what_makes_a_sample_variable(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 25; bit++) {
		struct event_attr attr = { .sample_type = (uint64_t)1 << bit };
		struct sample_layout l;
		bool fixed = false;

		for (size_t i = 0; i < ARRAY_SIZE(front); i++)
			fixed |= front[i] == bit;
		layout_init(&l, &attr);
		assert_int_equal(l.variable, fixed ? 0 : attr.sample_type);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size),  cmocka_unit_test(size_0_means_64),
		cmocka_unit_test(flags_in_both_byte_orders), cmocka_unit_test(flag_bytes),
		cmocka_unit_test(layouts),
		cmocka_unit_test(what_makes_a_sample_variable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
