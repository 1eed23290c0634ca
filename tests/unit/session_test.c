/* Headers in every form, attrs with their ids, the feature table, and the tool's own records. */
#include "perffile/session/eventname.h"
#include "perffile/session/features.h"
#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>

#include <stdio.h>

#define IDS_TYPE (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(6) | FLAG(8)) /* IP TID TIME ID PERIOD */

static const struct test_attr two_events[] = {
	{ .type = 0, .config = 0, .period = 1000, .sample_type = IDS_TYPE, .flags = FLAG(18),
	  .ids = { 11, 12 }, .id_count = 2 },
	{ .type = 0, .config = 1, .period = 2000, .sample_type = IDS_TYPE, .flags = FLAG(18),
	  .ids = { 21 }, .id_count = 1 },
};

static void header_sizes_and_byte_orders(void **state)
{
	static const uint64_t sizes[] = { 72, 104, 112, 4096 };

	(void)state;
	for (int big = 0; big <= 1; big++) {
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			for (int version = 1; version <= 2; version++) {
				struct opened opened;
				struct image image;

				image_init(&image, big);
				file_begin(&image, two_events, 2, sizes[i]);
				image_zeros(&image, 8);
				file_end(&image);
				if (version == 1)
					memcpy(image.data, "PERFFILE", 8);
				/* of an unknown size, a version 1 header does not tell its byte order */
				if (version == 1 && i >= 2) {
					image_release(&image);
					continue;
				}
				assert_true(opened_file(&opened, &image));
				assert_int_equal(opened.session.version, version);
				assert_int_equal(opened.session.big_endian, big);
				assert_false(opened.session.pipe);
				assert_false(opened.session.killed);
				assert_false(opened.session.damaged);
				assert_int_equal(opened.session.data_offset, image.data_section);
				assert_int_equal(opened.session.data_size, 8);
				assert_int_equal(opened.session.event_count, 2);
				assert_int_equal(opened.session.events[1].attr.sample_period, 2000);
				assert_int_equal(opened.session.events[0].id_count, 2);
				assert_int_equal(session_event_of_id(&opened.session, 21), 1);
				assert_int_equal(opened.warnings, 0);
				opened_close(&opened);
				image_release(&image);
			}
		}
	}
}

static void attr_sizes(void **state)
{
	(void)state;
	for (uint32_t size = 64; size <= 176; size += 8) {
		struct test_attr attrs[2] = { two_events[0], two_events[1] };
		struct opened opened;
		struct image image;

		attrs[0].size = attrs[1].size = size;
		image_init(&image, false);
		file_begin(&image, attrs, 2, 104);
		image_zeros(&image, 8);
		file_end(&image);
		assert_true(opened_file(&opened, &image));
		assert_int_equal(opened.session.event_count, 2);
		assert_int_equal(opened.session.events[1].attr.config, 1);
		assert_int_equal(session_event_of_id(&opened.session, 21), 1);
		assert_int_equal(opened.warnings, 0);
		opened_close(&opened);
		image_release(&image);
	}
}

/* The attr says 72 bytes, its entry leaves 104: ids stand behind what the attr says. */
static void entry_and_attr_disagree(void **state)
{
	struct test_attr attr = two_events[0];
	struct opened opened;
	struct image image;
	size_t entry;

	(void)state;
	attr.size = 104;
	image_init(&image, false);
	file_begin(&image, &attr, 1, 104);
	entry = 104 + 16;
	image_patch(&image, entry + 4, 72, 4);
	image_patch(&image, entry + 72, 104, 8);  /* ids: offset */
	image_patch(&image, entry + 80, 16, 8);   /* and size */
	image_patch(&image, entry + 104, 0xdeadbeef00, 8); /* at the entry's end: nonsense */
	image_patch(&image, entry + 112, 3, 8);
	image_zeros(&image, 8);
	file_end(&image);
	assert_true(opened_file(&opened, &image));
	assert_int_equal(opened.session.events[0].id_count, 2);
	assert_int_equal(session_event_of_id(&opened.session, 12), 0);
	opened_close(&opened);
	image_release(&image);
}

static void killed_recorder(void **state)
{
	struct opened opened;
	struct image image;

	(void)state;
	image_init(&image, false);
	file_begin(&image, two_events, 2, 104);
	image_zeros(&image, 80);
	image_patch(&image, 48, 0, 8);
	memset(image.data + 72, 0xff, 32); /* every feature promised, none written */
	assert_true(opened_file(&opened, &image));
	assert_true(opened.session.killed);
	assert_int_equal(opened.session.data_size, 80);
	for (unsigned i = 0; i < PERF_FEATURE_BITS; i++)
		assert_false(opened.session.features[i].present);
	opened_close(&opened);
	image_release(&image);
}

static void cut_off_data(void **state)
{
	struct opened opened;
	struct image image;

	(void)state;
	image_init(&image, false);
	file_begin(&image, two_events, 2, 104);
	image_zeros(&image, 80);
	image_patch(&image, 48, 1000, 8);
	assert_true(opened_file(&opened, &image));
	assert_true(opened.session.damaged);
	assert_int_equal(opened.session.data_size, 80);
	assert_int_equal(opened.warnings, 1);
	opened_close(&opened);
	image_patch(&image, 48, UINT64_MAX, 8); /* offset + size wraps */
	assert_true(opened_file(&opened, &image));
	assert_int_equal(opened.session.data_size, 80);
	opened_close(&opened);
	image_patch(&image, 40, UINT64_MAX - 7, 8);
	assert_true(opened_file(&opened, &image));
	assert_int_equal(opened.session.data_size, 0);
	opened_close(&opened);
	image_release(&image);
}

/* What is no recording is an error that says so; no byte of the header makes it crash. */
static void refused_headers(void **state)
{
	static const struct {
		size_t at, size;
		uint64_t value;
		const char *says;
	} cases[] = {
		{ 0, 1, 'X', "no perf.data" },        { 8, 8, 17, "16, 72 or 104" },
		{ 8, 8, 0, "16, 72 or 104" },         { 8, 8, 103, "16, 72 or 104" },
		{ 16, 8, 0, "attr entry" },           { 16, 8, 79, "attr entry" },
		{ 24, 8, 1 << 20, "attrs" },          { 24, 8, UINT64_MAX, "attrs" },
		{ 32, 8, 0, "1 to 65536 attrs" },     { 32, 8, UINT64_MAX, "1 to 65536 attrs" },
		{ 32, 8, 152 * 1000, "attrs" },       { 40, 8, 8, "behind the header" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct opened opened;
		struct image image;

		image_init(&image, false);
		file_begin(&image, two_events, 2, 104);
		image_zeros(&image, 8);
		file_end(&image);
		image_patch(&image, cases[i].at, cases[i].value, cases[i].size);
		assert_false(opened_file(&opened, &image));
		assert_int_equal(opened.err.code, ERR_FORMAT);
		assert_non_null(strstr(opened.err.text, cases[i].says));
		opened_close(&opened);
		image_release(&image);
	}
}

static void every_cut_of_the_header(void **state)
{
	struct image whole, part;

	(void)state;
	image_init(&whole, false);
	file_begin(&whole, two_events, 2, 104);
	file_end(&whole);
	for (size_t size = 0; size < whole.size; size++) {
		struct opened opened;

		part = whole;
		part.size = size;
		assert_false(opened_file(&opened, &part));
		assert_int_equal(opened.err.code, ERR_FORMAT);
		opened_close(&opened);
	}
	image_release(&whole);
}

static void bad_ids_are_dropped(void **state)
{
	static const uint64_t sections[][2] = {
		{ 104, 7 }, { 1 << 20, 8 }, { UINT64_MAX, 8 }, { 104, UINT64_MAX - 7 }, { 104, (uint64_t)1 << 30 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		struct opened opened;
		struct image image;

		image_init(&image, false);
		file_begin(&image, two_events, 2, 104);
		image_zeros(&image, 8);
		file_end(&image);
		image_patch(&image, image.data_section - 16, sections[i][0], 8);
		image_patch(&image, image.data_section - 8, sections[i][1], 8);
		assert_true(opened_file(&opened, &image));
		assert_int_equal(opened.session.events[1].id_count, 0);
		assert_int_equal(opened.session.events[0].id_count, 2);
		assert_int_equal(opened.warnings, 1);
		opened_close(&opened);
		image_release(&image);
	}
}

static void an_id_of_two_events(void **state)
{
	struct test_attr attrs[2] = { two_events[0], two_events[1] };
	struct opened opened;
	struct image image;

	(void)state;
	attrs[1].ids[0] = 12;
	image_init(&image, false);
	file_begin(&image, attrs, 2, 104);
	image_zeros(&image, 8);
	file_end(&image);
	assert_true(opened_file(&opened, &image));
	assert_int_equal(opened.warnings, 1);
	assert_int_equal(map_get(&opened.session.ids, 12), 0);
	opened_close(&opened);
	image_release(&image);
}

/* --- features */

/* Puts bits into the bitmap as a producer with words of word_bytes does. */
static void set_feature(struct image *image, unsigned bit, size_t word_bytes)
{
	size_t word = bit / (8 * word_bytes), in_word = bit % (8 * word_bytes) / 8;
	size_t byte = image->big_endian ? word_bytes - 1 - in_word : in_word;

	image->data[72 + word * word_bytes + byte] |= (uint8_t)(1u << bit % 8);
}

static void feature_tables(void **state)
{
	static const unsigned bits[] = { 2, 3, 33, 70, 128, 255 };

	(void)state;
	/* little-endian; big-endian with words of 8 and of 4 bytes */
	for (int form = 0; form < 3; form++) {
		struct opened opened;
		struct image image;
		size_t table;

		image_init(&image, form > 0);
		file_begin(&image, two_events, 2, 104);
		image_zeros(&image, 8);
		file_end(&image);
		table = image.size;
		for (size_t i = 0; i < ARRAY_SIZE(bits); i++) {
			set_feature(&image, bits[i], form == 2 ? 4 : 8);
			image_u64(&image, table + 16 * ARRAY_SIZE(bits) + i);
			image_u64(&image, i + 1);
		}
		image_zeros(&image, 20);
		assert_true(opened_file(&opened, &image));
		assert_false(opened.session.damaged);
		for (unsigned n = 0, i = 0; n < PERF_FEATURE_BITS; n++) {
			const struct feature *feature = &opened.session.features[n];

			if (i < ARRAY_SIZE(bits) && bits[i] == n) {
				assert_true(feature->present);
				assert_int_equal(feature->size, i + 1);
				assert_int_equal(feature->offset, table + 96 + i);
				i++;
			} else {
				assert_false(feature->present);
			}
		}
		opened_close(&opened);
		image_release(&image);
	}
}

static void a_feature_behind_the_end(void **state)
{
	static const uint64_t offsets[] = { 1 << 20, UINT64_MAX, UINT64_MAX - 63 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		struct seen_list list;
		struct opened opened;
		struct image image;
		size_t table;

		image_init(&image, false);
		file_begin(&image, two_events, 2, 104);
		image_zeros(&image, 8);
		file_end(&image);
		table = image.size;
		set_feature(&image, 3, 8);
		set_feature(&image, 4, 8);
		image_u64(&image, offsets[i]);
		image_u64(&image, 64);
		image_u64(&image, table + 32);
		image_u64(&image, 68);
		image_u32(&image, 64);
		image_bytes(&image, "6.1.0", 5);
		image_zeros(&image, 59);
		assert_true(opened_file(&opened, &image));
		assert_true(opened.session.damaged);
		assert_false(opened.session.features[3].present);
		/* reading loads the text, so that a handler that asks for it uses no memory of the session */
		assert_true(read_seen(&opened, &list));
		assert_string_equal(opened.session.features[4].text, "6.1.0");
		assert_ptr_equal(feature_text(&opened.session, 4), opened.session.features[4].text);
		seen_release(&list);
		assert_null(feature_text(&opened.session, 3));
		opened_close(&opened);
		image_release(&image);
	}
}

static void a_cut_feature_table(void **state)
{
	struct opened opened;
	struct image image;

	(void)state;
	image_init(&image, false);
	file_begin(&image, two_events, 2, 104);
	image_zeros(&image, 8);
	file_end(&image);
	set_feature(&image, 3, 8);
	image_zeros(&image, 15); /* of 16 */
	assert_true(opened_file(&opened, &image));
	assert_true(opened.session.damaged);
	assert_int_equal(opened.warnings, 1);
	opened_close(&opened);
	image_release(&image);
}

static void old_event_types(void **state)
{
	struct opened opened;
	struct image image;
	size_t at;

	(void)state;
	image_init(&image, false);
	file_begin(&image, two_events, 2, 104);
	image_zeros(&image, 8);
	file_end(&image);
	at = image.size;
	for (uint64_t i = 0; i < 2; i++) {
		image_u64(&image, i);
		image_bytes(&image, i ? "instructions\0\0\0\0" : "cycles\0\0\0\0\0\0\0\0\0\0", 16);
		image_zeros(&image, 48);
	}
	image_patch(&image, 56, at, 8);
	image_patch(&image, 64, image.size - at + 5, 8); /* behind the end */
	assert_true(opened_file(&opened, &image));
	assert_int_equal(opened.session.event_types.count, 0);
	assert_int_equal(opened.warnings, 1);
	opened_close(&opened);
	image_patch(&image, 64, image.size - at, 8);
	assert_true(opened_file(&opened, &image));
	assert_int_equal(opened.session.event_types.count, 2);
	assert_string_equal(numbered_names_find(&opened.session.event_types, 1), "instructions");
	opened_close(&opened);
	image_release(&image);
}

/* --- the pipe layout: everything is in records */

static void update(struct image *image, uint64_t what, uint64_t id, const void *data, size_t size)
{
	size_t start = record_begin(image, 78, 0xdcb8);

	image_u64(image, what);
	image_u64(image, id);
	image_bytes(image, data, size);
	record_end(image, start);
}

/* A name stands in each row of its event: one that is too long is cut, and that is said. */
static void long_names(void **state)
{
	struct seen_list list;
	struct opened opened;
	struct image image;
	char name[5000];

	(void)state;
	memset(name, 'n', sizeof(name));
	image_init(&image, false);
	pipe_begin(&image, two_events, 2);
	update(&image, 2, 21, name, sizeof(name));
	assert_true(opened_pipe(&opened, &image));
	assert_true(read_seen(&opened, &list));
	assert_int_equal(strlen(opened.session.events[1].name), 1024);
	assert_string_equal(opened.warning, "the name of an event has 5000 bytes: cut to 1024");
	/* where it comes from elsewhere, too */
	opened.session.events[0].named = true;
	opened.session.events[0].name = arena_text(&opened.session.arena, name, 1025, &opened.err);
	assert_true(session_names_fill(&opened.session, &opened.err));
	assert_int_equal(strlen(opened.session.events[0].name), 1024);
	assert_int_equal(strlen(opened.session.events[1].name), 1024);
	seen_release(&list);
	opened_close(&opened);
	image_release(&image);
}

/* A record of the tool that ends too early is damage, and changes nothing. */
static void cut_records_change_nothing(void **state)
{
	struct seen_list list;
	struct opened opened;
	struct image image;
	size_t start;

	(void)state;
	image_init(&image, false);
	pipe_begin(&image, two_events, 1);
	update(&image, 0, 11, "ms", 3);
	start = record_begin(&image, 78, 0);
	image_zeros(&image, 4);
	record_end(&image, start);
	start = record_begin(&image, 65, 0);
	image_u64(&image, 0);
	image_bytes(&image, "cycles", 7);
	record_end(&image, start);
	start = record_begin(&image, 65, 0);
	image_zeros(&image, 4);
	record_end(&image, start);
	assert_true(opened_pipe(&opened, &image));
	assert_true(read_seen(&opened, &list));
	assert_string_equal(opened.session.events[0].unit, "ms");
	assert_string_equal(numbered_names_find(&opened.session.event_types, 0), "cycles");
	assert_int_equal(opened.warnings, 2);
	seen_release(&list);
	opened_close(&opened);
	image_release(&image);
}

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* A scale that is not finite, or cut off, is damage, and is not used. */
static void scales(void **state)
{
	static const struct {
		double scale;
		size_t size;
		bool fine;
	} cases[] = { { 0.25, 8, true },      { 0, 8, true },         { 1e300, 8, true },
		      { -1e-9, 8, false },    { INFINITY, 8, false }, { -INFINITY, 8, false },
		      { NAN, 8, false },      { 0.25, 4, false },     { 5e-324, 8, true } };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		uint64_t bits = bits_of(cases[i / 2].scale);
		struct seen_list list;
		struct opened opened;
		struct image image;
		size_t start;

		image_init(&image, i % 2);
		pipe_begin(&image, two_events, 2);
		start = record_begin(&image, 78, 0);
		image_u64(&image, 1);
		image_u64(&image, 21);
		image_put(&image, bits, cases[i / 2].size);
		record_end(&image, start);
		assert_true(opened_pipe(&opened, &image));
		assert_true(read_seen(&opened, &list));
		assert_true(opened.session.events[0].scale == 1.0);
		assert_true(opened.session.events[1].scale == (cases[i / 2].fine ? cases[i / 2].scale : 1.0));
		assert_int_equal(opened.summary.broken, !cases[i / 2].fine);
		assert_int_equal(opened.warnings, !cases[i / 2].fine);
		seen_release(&list);
		opened_close(&opened);
		image_release(&image);
	}
}

static void pipe_records(void **state)
{
	(void)state;
	for (int big = 0; big <= 1; big++) {
		struct seen_list list;
		struct opened opened;
		struct image image;
		size_t start;

		image_init(&image, big);
		pipe_begin(&image, two_events, 2);
		update(&image, 2, 21, "my-event", 9);
		update(&image, 0, 12, "Joules", 7);
		start = record_begin(&image, 80, 0x1234); /* HEADER_FEATURE: HOSTNAME */
		image_u64(&image, 3);
		image_u32(&image, 64);
		image_text8(&image, "box");
		image_zeros(&image, 56);
		record_end(&image, start);
		start = record_begin(&image, 80, 0); /* the empty end mark */
		image_u64(&image, 32);
		record_end(&image, start);
		assert_true(opened_file(&opened, &image));
		assert_true(opened.session.pipe);
		assert_int_equal(opened.session.event_count, 0);
		assert_true(read_seen(&opened, &list));
		assert_int_equal(opened.session.event_count, 2);
		assert_int_equal(opened.session.events[0].id_count, 2);
		assert_int_equal(session_event_of_id(&opened.session, 21), 1);
		assert_string_equal(opened.session.events[1].name, "my-event");
		assert_string_equal(opened.session.events[0].unit, "Joules");
		assert_string_equal(opened.session.features[3].text, "box");
		assert_ptr_equal(feature_text(&opened.session, 3), opened.session.features[3].text);
		assert_false(opened.session.features[32].present);
		assert_false(opened.summary.broken);
		seen_release(&list);
		opened_close(&opened);
		image_release(&image);
	}
}

/* 0 means 64 bytes. Of a size that cannot be, 64 are taken and no ids (format reference, 5.3). */
static void pipe_attr_sizes(void **state)
{
	static const uint32_t sizes[] = { 0, 1, 63, 65, 1000, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct test_attr attr = two_events[0];
		struct seen_list list;
		struct opened opened;
		struct image image;

		attr.size = 64;
		image_init(&image, false);
		pipe_begin(&image, &attr, 1);
		image_patch(&image, 16 + 8 + 4, sizes[i], 4);
		assert_true(opened_file(&opened, &image));
		assert_true(read_seen(&opened, &list));
		assert_int_equal(opened.session.event_count, 1);
		assert_int_equal(opened.session.events[0].attr.sample_period, 1000);
		assert_int_equal(opened.session.events[0].id_count, sizes[i] ? 0 : 2);
		seen_release(&list);
		opened_close(&opened);
		image_release(&image);
	}
}

static void a_short_attr_record(void **state)
{
	struct seen_list list;
	struct opened opened;
	struct image image;
	size_t start;

	(void)state;
	image_init(&image, false);
	pipe_begin(&image, two_events, 1);
	start = record_begin(&image, 64, 0);
	image_zeros(&image, 56);
	record_end(&image, start);
	assert_true(opened_file(&opened, &image));
	assert_true(read_seen(&opened, &list));
	assert_int_equal(opened.session.event_count, 1);
	assert_int_equal(opened.warnings, 1);
	assert_non_null(strstr(opened.warning, "HEADER_ATTR"));
	seen_release(&list);
	opened_close(&opened);
	image_release(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_sizes_and_byte_orders), cmocka_unit_test(attr_sizes),
		cmocka_unit_test(entry_and_attr_disagree),      cmocka_unit_test(killed_recorder),
		cmocka_unit_test(cut_off_data),                 cmocka_unit_test(refused_headers),
		cmocka_unit_test(every_cut_of_the_header),      cmocka_unit_test(bad_ids_are_dropped),
		cmocka_unit_test(an_id_of_two_events),          cmocka_unit_test(feature_tables),
		cmocka_unit_test(a_feature_behind_the_end),     cmocka_unit_test(a_cut_feature_table),
		cmocka_unit_test(old_event_types),              cmocka_unit_test(scales), cmocka_unit_test(long_names), cmocka_unit_test(pipe_records),
		cmocka_unit_test(pipe_attr_sizes),              cmocka_unit_test(a_short_attr_record),
		cmocka_unit_test(cut_records_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
