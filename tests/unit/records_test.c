/* Every kernel record type, 1 to 22, with and without a trailer, in both byte orders. */
#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define TYPE (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(6) | FLAG(7) | FLAG(9) | FLAG(16))

static const struct test_fields trailer = {
	.time = 9000, .id = 77, .stream_id = 78, .pid = 50, .tid = 51, .cpu = 2,
};

/* One recording with one record. */
struct single {
	struct image image;
	struct opened opened;
	struct seen_list list;
	uint64_t sample_type;
	size_t start;
};

static void begin(struct single *s, bool big, bool with_trailer, uint32_t type, uint16_t misc)
{
	struct test_attr attr = { .sample_type = TYPE, .read_format = 4 | 1,
		                  .flags = with_trailer ? FLAG(18) : 0, .ids = { 77 }, .id_count = 1 };

	memset(s, 0, sizeof(*s));
	s->sample_type = with_trailer ? TYPE : 0;
	image_init(&s->image, big);
	file_begin(&s->image, &attr, 1, 104);
	s->start = record_begin(&s->image, type, misc);
}

static const struct seen *read_it(struct single *s)
{
	image_trailer(&s->image, s->sample_type, &trailer);
	record_end(&s->image, s->start);
	file_end(&s->image);
	assert_true(opened_file(&s->opened, &s->image));
	assert_true(read_seen(&s->opened, &s->list));
	assert_int_equal(s->list.count, 1);
	return s->list.items;
}

static void end(struct single *s)
{
	seen_release(&s->list);
	opened_close(&s->opened);
	image_release(&s->image);
}

/* The payload of each type as the format reference, 3.3, lays it out. */
static void payload(struct image *image, uint32_t type)
{
	switch (type) {
	case 1:
	case 10:
		image_u32(image, 100);
		image_u32(image, 101);
		image_u64(image, 0x400000);
		image_u64(image, 0x2000);
		image_u64(image, 0x1000);
		if (type == 10) {
			image_u32(image, 8);
			image_u32(image, 1);
			image_u64(image, 4711);
			image_u64(image, 12);
			image_u32(image, 5);
			image_u32(image, 2);
		}
		image_text8(image, "/usr/bin/true");
		break;
	case 2:
		image_u64(image, 77);
		image_u64(image, 5);
		break;
	case 3:
		image_u32(image, 100);
		image_u32(image, 101);
		image_text8(image, "fifteen-letters");
		break;
	case 4:
	case 7:
		image_u32(image, 100);
		image_u32(image, 90);
		image_u32(image, 101);
		image_u32(image, 91);
		image_u64(image, 8888);
		break;
	case 5:
	case 6:
		image_u64(image, 8889);
		image_u64(image, 77);
		image_u64(image, 78);
		break;
	case 8:
		image_u32(image, 100);
		image_u32(image, 101);
		image_u64(image, 123456);
		image_u64(image, 555);
		image_u64(image, 77);
		break;
	case 11:
		image_u64(image, 0x100);
		image_u64(image, 0x200);
		image_u64(image, 1);
		break;
	case 12:
	case 15:
		image_u32(image, 100);
		image_u32(image, 101);
		break;
	case 13:
		image_u64(image, 6);
		break;
	case 16:
		image_u32(image, 100);
		image_u32(image, 101);
		image_u64(image, 2);
		for (uint64_t i = 0; i < 4; i++)
			image_u64(image, 0xf0 + i);
		break;
	case 17:
		image_u64(image, 0xffffffffc0001000);
		image_u32(image, 200);
		image_u16(image, 1);
		image_u16(image, 1);
		image_text8(image, "bpf_prog_0123456789abcdef_x");
		break;
	case 18:
		image_u16(image, 2);
		image_u16(image, 0);
		image_u32(image, 42);
		image_bytes(image, "\1\2\3\4\5\6\7\10", 8);
		break;
	case 19:
		image_u64(image, 1234);
		image_text8(image, "/user.slice");
		break;
	case 20:
		image_u64(image, 0xffffffff81000000);
		image_u16(image, 5);
		image_u16(image, 5);
		image_zeros(image, 10 + 2);
		break;
	case 21:
		image_u64(image, 99);
		break;
	case 22:
		image_u64(image, 0xc00c1e);
		image_u64(image, 2);
		image_u64(image, 0x401000);
		image_u64(image, 0x401010);
		break;
	default:
		break;
	}
}

static void expect_fields(const struct seen *seen)
{
	const struct record *r = &seen->record;

	switch (r->type) {
	case 1:
	case 10:
		assert_int_equal(r->mmap.start, 0x400000);
		assert_int_equal(r->mmap.length, 0x2000);
		assert_int_equal(r->mmap.pgoff, 0x1000);
		assert_string_equal(seen->text, "/usr/bin/true");
		assert_int_equal(r->mmap.prot & 4, 4);
		assert_int_equal(r->mmap.inode, r->type == 10 ? 4711 : 0);
		assert_int_equal(r->mmap.major, r->type == 10 ? 8 : 0);
		assert_int_equal(r->mmap.generation, r->type == 10 ? 12 : 0);
		assert_int_equal(r->mmap.flags, r->type == 10 ? 2 : 0);
		break;
	case 2:
		assert_int_equal(r->lost, 5);
		break;
	case 3:
		assert_string_equal(seen->text, "fifteen-letters");
		break;
	case 4:
	case 7:
		assert_int_equal(r->task.ppid, 90);
		assert_int_equal(r->task.ptid, 91);
		assert_int_equal(r->task.own_time, 8888);
		break;
	case 8:
		assert_int_equal(seen->values[0], 123456);
		assert_int_equal(r->read.enabled, 555);
		break;
	case 13:
		assert_int_equal(r->lost, 6);
		break;
	case 17:
		assert_true(r->ksymbol.addr == 0xffffffffc0001000);
		assert_int_equal(r->ksymbol.length, 200);
		assert_int_equal(r->ksymbol.flags, 1);
		assert_string_equal(seen->text, "bpf_prog_0123456789abcdef_x");
		break;
	case 19:
		assert_int_equal(r->cgroup.id, 1234);
		assert_string_equal(seen->text, "/user.slice");
		break;
	case 22:
		assert_int_equal(r->deferred.cookie, 0xc00c1e);
		assert_int_equal(r->deferred.count, 2);
		assert_int_equal(seen->values[1], 0x401010);
		break;
	default:
		break;
	}
}

static bool has_own_tid(uint32_t type)
{
	static const uint32_t own = FLAG(1) | FLAG(3) | FLAG(4) | FLAG(7) | FLAG(8) | FLAG(10) | FLAG(12) | FLAG(16);

	return own >> type & 1;
}

static void every_type(void **state)
{
	(void)state;
	for (uint32_t type = 1; type <= 22; type++) {
		for (int form = 0; form < 4 && type != 9; form++) {
			bool big = form & 1, with = form & 2;
			const struct seen *seen;
			struct single s;

			begin(&s, big, with, type, 2);
			payload(&s.image, type);
			seen = read_it(&s);
			assert_int_equal(s.opened.warnings, 0);
			assert_false(seen->record.damaged);
			assert_int_equal(seen->record.type, type);
			assert_int_equal(seen->record.misc, 2);
			assert_int_equal(seen->record.cpu, with ? 2 : -1);
			assert_int_equal(seen->record.has_event, with);
			if (has_own_tid(type))
				assert_int_equal(seen->record.tid, 101);
			else
				assert_int_equal(seen->record.tid, with ? 51 : -1);
			if (with)
				assert_int_equal(seen->record.time, 9000);
			else if (type == 4 || type == 7)
				assert_int_equal(seen->record.time, 8888);
			else
				assert_true(seen->record.time == TIME_NONE);
			expect_fields(seen);
			end(&s);
		}
	}
}

/* Types without a row in the list: the trailer still gives a time. */
static void unknown_types(void **state)
{
	static const uint32_t types[] = { PERF_RECORD_KERNEL_END, 40, PERF_RECORD_TOOL_START - 1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		const struct seen *seen;
		struct single s;

		begin(&s, false, true, types[i], 0);
		image_zeros(&s.image, 16);
		seen = read_it(&s);
		assert_int_equal(seen->record.time, 9000);
		assert_int_equal(seen->record.pid, 50);
		assert_int_equal(s.opened.warnings, 1);
		assert_int_equal(s.opened.summary.types[types[i]].count, 1);
		end(&s);
	}
}

/* Cut at every size: damaged or decoded, but never a read behind the record. */
static void every_cut(void **state)
{
	(void)state;
	for (uint32_t type = 1; type <= 22; type++) {
		struct image whole;
		size_t size;

		image_init(&whole, false);
		payload(&whole, type);
		size = whole.size;
		for (size_t cut = 0; cut < size && type != 9; cut++) {
			struct single s;

			begin(&s, false, false, type, 0);
			image_bytes(&s.image, whole.data, cut);
			read_it(&s);
			end(&s);
		}
		image_release(&whole);
	}
}

static void too_short_is_damaged(void **state)
{
	/* bytes with the header that a record must have before its text; format reference, 3.3 */
	static const struct {
		uint32_t type;
		size_t least;
	} cases[] = {
		{ 1, 40 },  { 2, 24 },  { 3, 16 },  { 4, 32 },  { 5, 32 },  { 7, 32 },  { 8, 24 },
		{ 10, 64 }, { 11, 32 }, { 12, 16 }, { 13, 16 }, { 15, 16 }, { 16, 24 }, { 17, 24 },
		{ 18, 24 }, { 19, 16 }, { 21, 16 }, { 22, 24 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct single s;

		begin(&s, false, false, cases[i].type, 0);
		image_zeros(&s.image, cases[i].least - 16);
		assert_true(read_it(&s)->record.damaged);
		assert_int_equal(s.opened.summary.damaged, 1);
		assert_true(s.opened.summary.broken);
		assert_int_equal(s.opened.warnings, 1);
		end(&s);
	}
}

/* Lists whose count does not fit into the record. */
static void absurd_counts(void **state)
{
	static const uint64_t counts[] = { 3, 1 << 16, (uint64_t)1 << 60, UINT64_MAX };
	static const uint32_t types[] = { 16, 22 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(types); j++) {
			struct single s;

			begin(&s, false, true, types[j], 0);
			payload(&s.image, types[j]);
			image_patch(&s.image, s.start + 16, counts[i], 8);
			assert_true(read_it(&s)->record.damaged);
			assert_true(s.opened.summary.broken);
			end(&s);
		}
	}
}

/* RHEL 7.0's MMAP2 has neither prot nor flags: the name starts at 64. */
static void short_mmap2(void **state)
{
	static const char *const names[] = { "/usr/bin/true", "[vdso]", "anon_inode:[perf]", "//anon" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		for (int big = 0; big <= 1; big++) {
			for (uint16_t misc = 2; misc == 2 || misc == 0x2002; misc = misc == 2 ? 0x2002 : 0) {
				const struct seen *seen;
				struct single s;

				begin(&s, big, true, 10, misc);
				image_zeros(&s.image, 56);
				image_text8(&s.image, names[i]);
				seen = read_it(&s);
				assert_string_equal(seen->text, names[i]);
				assert_int_equal(seen->record.mmap.prot, misc == 2 ? 4 : 0);
				end(&s);
			}
		}
	}
}

/* perf inject --jit writes its file's mode for prot: it maps code. */
static void mmap2_with_a_mode(void **state)
{
	static const uint32_t modes[] = { 0100644, 0100600, 0100755 };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(modes); i++) {
		const struct seen *seen;
		struct single s;

		begin(&s, i % 2, true, 10, 2);
		image_zeros(&s.image, 56);
		image_u32(&s.image, modes[i / 2]);
		image_u32(&s.image, 2);
		image_text8(&s.image, "/tmp/jitted-1-2.so");
		seen = read_it(&s);
		assert_string_equal(seen->text, "/tmp/jitted-1-2.so");
		assert_int_equal(seen->record.mmap.prot, 4);
		end(&s);
	}
}

/*
 * Prots that are not the usual ones: simpleperf's mark of run-time code, what arm64 adds; as the producer
 * writes them, and as tools leave them that turned all words but this.
 */
static void mmap2_with_any_prot(void **state)
{
	static const uint32_t prots[] = { 0, 1, 5, 7, 0x25, 0x4000, 0x4005 };

	(void)state;
	for (unsigned i = 0; i < 4 * ARRAY_SIZE(prots); i++) {
		uint32_t prot = prots[i / 4];
		const struct seen *seen;
		struct single s;

		begin(&s, i & 1, true, 10, 2);
		image_zeros(&s.image, 56);
		image_u32(&s.image, i & 2 ? __builtin_bswap32(prot) : prot);
		image_u32(&s.image, 2);
		image_text8(&s.image, "perf.data_jit_app_cache:15480-17544");
		seen = read_it(&s);
		assert_string_equal(seen->text, "perf.data_jit_app_cache:15480-17544");
		assert_int_equal(seen->record.mmap.prot, prot);
		end(&s);
	}
}

static void mmap2_with_build_id(void **state)
{
	static const uint8_t sizes[] = { 20, 16, 8, 0, 21, 255 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		const struct seen *seen;
		struct single s;

		begin(&s, i % 2, true, 10, 2 | 1 << 14);
		image_zeros(&s.image, 32);
		image_u8(&s.image, sizes[i]);
		image_zeros(&s.image, 3);
		for (uint8_t b = 1; b <= 20; b++)
			image_u8(&s.image, b);
		image_u32(&s.image, 1);
		image_u32(&s.image, 2);
		image_text8(&s.image, "/lib/x.so");
		seen = read_it(&s);
		assert_true(seen->record.mmap.has_build_id);
		assert_int_equal(seen->record.mmap.build_id.size, sizes[i] <= 20 ? sizes[i] : 20);
		assert_int_equal(seen->record.mmap.build_id.bytes[19], 20);
		assert_int_equal(seen->record.mmap.inode, 0);
		assert_int_equal(seen->record.mmap.prot, 1);
		assert_string_equal(seen->text, "/lib/x.so");
		end(&s);
	}
}

/* A text that fills its region without a NUL ends where the trailer starts. */
static void text_without_nul(void **state)
{
	const struct seen *seen;
	struct single s;

	(void)state;
	begin(&s, false, true, 3, 0);
	image_u32(&s.image, 1);
	image_u32(&s.image, 1);
	image_bytes(&s.image, "12345678", 8);
	seen = read_it(&s);
	assert_string_equal(seen->text, "12345678");
	end(&s);
}

/* Too short for its trailer: none is taken for one (format reference, 3.2). */
static void no_room_for_a_trailer(void **state)
{
	const struct seen *seen;
	struct single s;

	(void)state;
	begin(&s, false, true, 13, 0);
	image_u64(&s.image, 6);
	s.sample_type = FLAG(2); /* of 48 bytes of trailer only 8 */
	seen = read_it(&s);
	assert_true(seen->record.time == TIME_NONE);
	assert_int_equal(seen->record.lost, 6);
	end(&s);
}

/* Time 0 and ~0 are none. */
static void times_that_are_none(void **state)
{
	static const uint64_t times[] = { 0, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		struct single s;

		begin(&s, false, true, 14, 0);
		image_trailer(&s.image, TYPE, &(struct test_fields){ .time = times[i] });
		s.sample_type = 0;
		assert_true(read_it(&s)->record.time == TIME_NONE);
		assert_false(s.list.items->record.has_event);
		end(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type),           cmocka_unit_test(unknown_types),
		cmocka_unit_test(every_cut),            cmocka_unit_test(too_short_is_damaged),
		cmocka_unit_test(absurd_counts),        cmocka_unit_test(short_mmap2), cmocka_unit_test(mmap2_with_a_mode), cmocka_unit_test(mmap2_with_any_prot),
		cmocka_unit_test(mmap2_with_build_id),  cmocka_unit_test(text_without_nul),
		cmocka_unit_test(no_room_for_a_trailer), cmocka_unit_test(times_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
