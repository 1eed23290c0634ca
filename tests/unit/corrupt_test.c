/*
 * One wrong field, one message: a sound recording has a single named field overwritten, and what
 * readperf says about it must be exactly the one message that names the place. Both byte orders.
 */
#define _GNU_SOURCE /* memfd_create() */
#include "perffile/facts/facts.h"
#include "tests/inputbytes.h"
#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLE_TYPE                                                                              \
	(FLAG(0) | FLAG(1) | FLAG(2) | FLAG(4) | FLAG(5) | FLAG(6) | FLAG(8) | FLAG(10) |        \
	 FLAG(11) | FLAG(12) | FLAG(13))
#define TRAILER_TYPE SAMPLE_TYPE
#define READ_FORMAT (FLAG(2) | FLAG(3)) /* ID GROUP */

/* Places in the recording, by name. */
enum mark {
	HEADER, ATTRS, RECORDS, TABLE, END,
	MMAP, COMM, SAMPLE, READ_COUNT, CHAIN_COUNT, RAW_SIZE, BRANCH_COUNT, REGS_ABI, STACK_SIZE,
	STACK_USED, NAMESPACES, DEFERRED, LAST, BUILD_ID, HOSTNAME, NRCPUS, CMDLINE, EVENT_DESC,
	GROUP_DESC,
	/* in a pipe */
	PIPE_ATTR, UPDATE, EVENT_TYPE, FEATURE, PIPE_BUILD_ID, PIPE_SAMPLE, AUXTRACE, MARKS,
	SAYS_NO_PLACE
};

struct made {
	struct image image;
	size_t at[MARKS]; /* bytes from the file's start */
};

static const struct test_attr two_events[] = {
	{ .sample_type = SAMPLE_TYPE, .read_format = READ_FORMAT, .flags = FLAG(18), .period = 1,
	  .regs_user = 3, .stack_user = 16, .ids = { 11 }, .id_count = 1 },
	{ .config = 1, .sample_type = SAMPLE_TYPE, .read_format = READ_FORMAT, .flags = FLAG(18),
	  .period = 1, .regs_user = 3, .stack_user = 16, .ids = { 21 }, .id_count = 1 },
};

static const struct test_fields fields = { .ip = 0x1000, .time = 5, .id = 11, .period = 1,
	                                   .pid = 7, .tid = 7 };

static const struct test_attr pipe_event = { .sample_type = FLAG(0) | FLAG(1) | FLAG(2), .flags = FLAG(18),
	                                     .period = 1, .ids = { 11 }, .id_count = 1 };

static void put_full_sample(struct made *made)
{
	struct image *image = &made->image;
	size_t start = made->at[SAMPLE] = record_begin(image, 9, 2);

	image_fixed(image, SAMPLE_TYPE, &fields);
	made->at[READ_COUNT] = image->size;
	image_u64(image, 2);
	for (uint64_t i = 0; i < 2; i++) {
		image_u64(image, 100);
		image_u64(image, 11 + 10 * i);
	}
	made->at[CHAIN_COUNT] = image->size;
	image_u64(image, 1);
	image_u64(image, 0x1000);
	made->at[RAW_SIZE] = image->size;
	image_u32(image, 4);
	image_u32(image, 0);
	made->at[BRANCH_COUNT] = image->size;
	image_u64(image, 1);
	image_zeros(image, 24);
	made->at[REGS_ABI] = image->size;
	image_u64(image, 2);
	image_zeros(image, 16);
	made->at[STACK_SIZE] = image->size;
	image_u64(image, 16);
	image_zeros(image, 16);
	made->at[STACK_USED] = image->size;
	image_u64(image, 16);
	record_end(image, start);
}

static void put_records(struct made *made)
{
	struct image *image = &made->image;
	size_t start;

	made->at[MMAP] = image->size;
	put_mmap(image, TRAILER_TYPE, 2, "/bin/a", 0x1000, 0x1000, 0, &fields);
	made->at[COMM] = image->size;
	put_comm(image, TRAILER_TYPE, 0, "a", &fields);
	put_full_sample(made);
	start = made->at[NAMESPACES] = record_begin(image, 16, 0);
	image_u32(image, 7);
	image_u32(image, 7);
	image_u64(image, 1);
	image_zeros(image, 16);
	image_trailer(image, TRAILER_TYPE, &fields);
	record_end(image, start);
	start = made->at[DEFERRED] = record_begin(image, 22, 0);
	image_u64(image, 1);
	image_u64(image, 1);
	image_u64(image, 0x1000);
	image_trailer(image, TRAILER_TYPE, &fields);
	record_end(image, start);
	made->at[LAST] = image->size;
	put_comm(image, TRAILER_TYPE, 0, "b", &fields);
}

static void put_str(struct image *image, const char *text)
{
	image_u32(image, 64);
	image_bytes(image, text, strlen(text));
	image_zeros(image, 64 - strlen(text));
}

/* As an entry of the feature (type 0) or as a record (format reference, 6.3). */
static void put_build_id(struct image *image, uint32_t type, uint16_t misc)
{
	size_t start = record_begin(image, type, misc);

	image_u32(image, UINT32_MAX);
	image_zeros(image, 24);
	image_text8(image, "/bin/a");
	record_end(image, start);
}

/* HOSTNAME, from which the word size of a big-endian producer is found, and one feature of each shape. */
static void put_features(struct made *made)
{
	static const enum mark marks[] = { BUILD_ID, HOSTNAME, NRCPUS, CMDLINE, EVENT_DESC, GROUP_DESC };
	struct image *image = &made->image;
	size_t table = made->at[TABLE] = image->size, byte;

	image_zeros(image, 16 * ARRAY_SIZE(marks));
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		static const unsigned numbers[] = { 2, 3, 7, 11, 12, 17 };

		made->at[marks[i]] = image->size;
		if (marks[i] == BUILD_ID)
			put_build_id(image, 0, 2);
		else if (marks[i] == HOSTNAME)
			put_str(image, "host");
		else
			image_u32(image, marks[i] == GROUP_DESC ? 1 : marks[i] == NRCPUS ? 8 : 2);
		if (marks[i] == NRCPUS)
			image_u32(image, 8);
		if (marks[i] == CMDLINE) {
			put_str(image, "perf");
			put_str(image, "record");
		}
		if (marks[i] == EVENT_DESC)
			image_u32(image, 136);
		for (uint64_t n = 0; marks[i] == EVENT_DESC && n < 2; n++) {
			image_attr(image, &two_events[n]);
			image_u32(image, 1);
			put_str(image, n ? "other" : "cycles");
			image_u64(image, two_events[n].ids[0]);
		}
		if (marks[i] == GROUP_DESC) {
			put_str(image, "group");
			image_u32(image, 0);
			image_u32(image, 2);
		}
		image_patch(image, table + 16 * i, made->at[marks[i]], 8);
		image_patch(image, table + 16 * i + 8, image->size - made->at[marks[i]], 8);
		byte = image->big_endian ? 72 + 7 - numbers[i] / 8 : 72 + numbers[i] / 8;
		image->data[byte] |= (uint8_t)(1u << numbers[i] % 8);
	}
}

static void make(struct made *made, bool big_endian)
{
	image_init(&made->image, big_endian);
	file_begin(&made->image, two_events, 2, 104);
	made->at[HEADER] = 0;
	made->at[RECORDS] = made->image.data_section;
	made->at[ATTRS] = made->image.data_section - 2 * 152;
	put_records(made);
	file_end(&made->image);
	put_features(made);
	made->at[END] = made->image.size;
}

/* The messages that a reading caused. */
struct said {
	char first[ERR_TEXT_SIZE];
	uint64_t offset;
	unsigned count;
};

static void note(void *context, uint64_t offset, const char *text)
{
	struct said *said = context;

	if (said->count++)
		return;
	snprintf(said->first, sizeof(said->first), "%s", text);
	said->offset = offset;
}

static void read_facts(struct session *session, struct err *err)
{
	struct facts facts = { .session = session };

	facts_fill(&facts, err);
	facts_release(&facts);
}

/* Header, records and features, as readperf reads them. An error is said like a warning. */
static void hear(const struct image *image, size_t size, bool pipe, struct said *said)
{
	struct read_summary summary = { .records = 0 };
	struct read_options how = { .threaded = false };
	struct err err = { .code = ERR_NONE };
	struct session session;
	struct input input;
	struct diag diag;

	memset(said, 0, sizeof(*said));
	diag_init(&diag, note, said);
	session_init(&session, &diag);
	if (input_open_bytes(&input, image->data, size, pipe, &err) &&
	    session_open(&session, &input, &err)) {
		if (perffile_read(&session, NULL, 0, &how, &summary, &err))
			read_facts(&session, &err);
		read_summary_release(&summary);
	}
	if (err.code != ERR_NONE)
		note(said, err.offset, err.text);
	session_release(&session);
	input_close(&input);
	diag_release(&diag);
}

struct damage {
	const char *field;
	enum mark at;     /* the field lies there, */
	size_t behind;    /* this many bytes behind it */
	size_t size;      /* bytes */
	uint64_t value;   /* written over it */
	const char *says; /* the message starts so */
	enum mark said_at;
	size_t said_behind;
};

static const struct damage damages[] = {
	{ "magic", HEADER, 0, 1, 'X', "is no perf.data recording: expected PERFILE2", HEADER, 0 },
	{ "header.size", HEADER, 8, 8, 99, "header: expected a size of 16, 72 or 104 bytes, found 99", HEADER, 8 },
	{ "header.attr_size", HEADER, 16, 8, 60, "header: expected an attr entry of at least 80 bytes, found 60", HEADER, 16 },
	{ "header.attrs.offset", HEADER, 24, 8, 1 << 20, "header: the attrs at 0x100000, 304 bytes, lie behind the file's end", HEADER, 24 },
	{ "header.attrs.size", HEADER, 32, 8, 0, "header: expected 1 to 65536 attrs, found 0", HEADER, 24 },
	{ "header.attrs.size, huge", HEADER, 32, 8, UINT64_MAX, "header: expected 1 to 65536 attrs, found ", HEADER, 24 },
	{ "header.data.offset", HEADER, 40, 8, 8, "header: expected records behind the header, found 0x8", HEADER, 40 },
	{ "header.data.size", HEADER, 48, 8, 1 << 20, "the recording is cut off: expected 1048576 bytes of records", HEADER, 40 },
	{ "header.data.size, none", HEADER, 48, 8, 0, "the recorder was killed before it finished", HEADER, 40 },
	{ "header.event_types.size", HEADER, 64, 8, 1 << 20, "header: event_types lie behind the file's end: dropped", HEADER, 56 },
	{ "attr.ids.offset", ATTRS, 136, 8, 1 << 20, "attrs entry: its ids at 0x100000, 8 bytes, do not fit", ATTRS, 0 },
	{ "attr.ids.size", ATTRS, 152 + 144, 8, 7, "attrs entry: its ids at ", ATTRS, 152 },
	{ "attr.sample_type", ATTRS, 24, 8, SAMPLE_TYPE | FLAG(40), "event 0: unknown sample_type bits 0x10000000000", SAYS_NO_PLACE, 0 },
	{ "attr.read_format", ATTRS, 32, 8, READ_FORMAT | FLAG(40), "event 0: unknown read_format bits 0x10000000000", SAYS_NO_PLACE, 0 },
	{ "ids, the same twice", HEADER, 112, 8, 11, "id 11 belongs to two events: the first is used", SAYS_NO_PLACE, 0 },
	{ "record.size", MMAP, 6, 2, 4, "record of type 1: expected a size of at least 8, found 4", MMAP, 0 },
	{ "record.size, the last's", LAST, 6, 2, 4096, "the recording is cut off: expected a record of 4096 bytes, found ", LAST, 0 },
	{ "record.type", COMM, 0, 4, 60, "record of unknown type 60: skipped", COMM, 0 },
	{ "record.type, 0", COMM, 0, 4, 0, "record of unknown type 0: skipped", COMM, 0 },
	{ "MMAP2, too short", COMM, 0, 4, 10, "MMAP2 record: expected at least 64 bytes, found ", COMM, 0 },
	{ "SAMPLE.read.nr", READ_COUNT, 0, 8, 1 << 20, "SAMPLE record: 1048576 read values do not fit in ", READ_COUNT, 8 },
	{ "SAMPLE.callchain.nr", CHAIN_COUNT, 0, 8, UINT64_MAX, "SAMPLE record: 18446744073709551615 callchain entries do not fit in ", CHAIN_COUNT, 8 },
	{ "SAMPLE.raw.size", RAW_SIZE, 0, 4, 1 << 20, "SAMPLE record: expected 1048576 more bytes, found ", RAW_SIZE, 4 },
	{ "SAMPLE.branches.nr", BRANCH_COUNT, 0, 8, 77, "SAMPLE record: 77 branches do not fit in ", BRANCH_COUNT, 8 },
	{ "SAMPLE.regs.abi", REGS_ABI, 0, 8, 0, "SAMPLE record: 40 bytes behind its last field", SAYS_NO_PLACE, 0 },
	{ "SAMPLE.stack.size", STACK_SIZE, 0, 8, 4096, "SAMPLE record: expected 4096 more bytes, found 24", STACK_SIZE, 8 },
	{ "SAMPLE.stack.dyn_size", STACK_USED, 0, 8, 17, "SAMPLE record: expected at most 16 bytes of stack in use, found 17", STACK_USED, 0 },
	{ "NAMESPACES.nr", NAMESPACES, 16, 8, 1 << 20, "NAMESPACES record: 1048576 entries do not fit in 16 bytes", NAMESPACES, 16 },
	{ "CALLCHAIN_DEFERRED.nr", DEFERRED, 16, 8, 9, "CALLCHAIN_DEFERRED record: 9 entries do not fit in 8 bytes", DEFERRED, 16 },
	{ "feature table: offset", TABLE, 32, 8, 1 << 20, "feature 7 at 0x100000, 8 bytes, does not fit into the file", TABLE, 32 },
	{ "feature table: size", TABLE, 56, 8, UINT64_MAX, "feature 11 at 0x", TABLE, 48 },
	{ "feature table: entries", HEADER, 80, 8, UINT64_MAX, "the feature table is cut off: expected 1120 bytes, found ", TABLE, 0 },
	{ "BUILD_ID.size", BUILD_ID, 6, 2, 400, "feature BUILD_ID: expected a record of at most 44 bytes, found 400", BUILD_ID, 0 },
	{ "BUILD_ID.size, 0", BUILD_ID, 6, 2, 0, "feature BUILD_ID: expected a record of at least 36 bytes, found 0", BUILD_ID, 0 },
	{ "NRCPUS: its size", TABLE, 40, 8, 4, "feature NRCPUS: expected 4 more bytes, found 0", NRCPUS, 4 },
	{ "CMDLINE.nr", CMDLINE, 0, 4, 1000, "feature CMDLINE: 1000 entries do not fit in 136 bytes", CMDLINE, 4 },
	{ "CMDLINE.len", CMDLINE, 4, 4, 1 << 20, "feature CMDLINE: expected 1048576 more bytes, found 132", CMDLINE, 8 },
	{ "EVENT_DESC.attr_size", EVENT_DESC, 4, 4, 8, "feature EVENT_DESC: an attr of 8 bytes is too small", EVENT_DESC, 8 },
	{ "EVENT_DESC.nr", EVENT_DESC, 0, 4, 9, "feature EVENT_DESC: 9 entries do not fit in ", EVENT_DESC, 8 },
	{ "GROUP_DESC.nr", GROUP_DESC, 0, 4, 99, "feature GROUP_DESC: 99 entries do not fit in ", GROUP_DESC, 4 },
	{ "GROUP_DESC.nr_members", GROUP_DESC, 76, 4, 5, "feature GROUP_DESC: a group of 5 events from number 0 on, expected it in 0 to 2", SAYS_NO_PLACE, 0 },
};

/* A pipe with a record of each type that a header is made of. */
static void make_pipe(struct made *made, bool big_endian)
{
	struct image *image = &made->image;
	size_t start;

	image_init(image, big_endian);
	pipe_begin(image, two_events, 0);
	made->at[HEADER] = 0;
	start = made->at[PIPE_ATTR] = record_begin(image, 64, 0);
	image_attr(image, &pipe_event);
	image_u64(image, 11);
	record_end(image, start);
	start = made->at[UPDATE] = record_begin(image, 78, 0);
	image_u64(image, 2); /* the name */
	image_u64(image, 11);
	image_text8(image, "renamed");
	record_end(image, start);
	start = made->at[EVENT_TYPE] = record_begin(image, 65, 0);
	image_u64(image, 0);
	image_text8(image, "cycles");
	record_end(image, start);
	start = made->at[FEATURE] = record_begin(image, 80, 0);
	image_u64(image, 7);
	image_u64(image, 0);
	record_end(image, start);
	made->at[PIPE_BUILD_ID] = image->size;
	put_build_id(image, 67, 2);
	made->at[PIPE_SAMPLE] = image->size;
	put_sample(image, pipe_event.sample_type, 2, &fields);
	start = made->at[AUXTRACE] = record_begin(image, 71, 0);
	image_u64(image, 16);
	image_zeros(image, 32);
	record_end(image, start);
	image_zeros(image, 16);
	made->at[END] = image->size;
}

static const struct damage pipe_damages[] = {
	{ "HEADER_ATTR.size", PIPE_ATTR, 6, 2, 40, "HEADER_ATTR record: expected an attr of at least 64 bytes, found 32", PIPE_ATTR, 8 },
	{ "HEADER_ATTR.attr.size", PIPE_ATTR, 12, 4, 60, "HEADER_ATTR record: an attr of 60 bytes in 144: its ids are dropped", PIPE_ATTR, 8 },
	{ "HEADER_ATTR.attr.size, odd", PIPE_ATTR, 12, 4, 67, "HEADER_ATTR record: an attr of 67 bytes in 144: its ids are dropped", PIPE_ATTR, 8 },
	{ "HEADER_ATTR.attr.size, too long", PIPE_ATTR, 12, 4, 152, "HEADER_ATTR record: an attr of 152 bytes in 144: its ids are dropped", PIPE_ATTR, 8 },
	{ "HEADER_ATTR.attr.sample_type", PIPE_ATTR, 32, 8, FLAG(0) | FLAG(1) | FLAG(2) | FLAG(3), "SAMPLE record: expected at least 40 bytes, found 32", PIPE_SAMPLE, 0 },
	{ "HEADER_ATTR.type", PIPE_ATTR, 0, 4, 68, "SAMPLE record: no event is known before it", PIPE_SAMPLE, 0 },
	{ "EVENT_UPDATE.size", UPDATE, 6, 2, 20, "EVENT_UPDATE record: expected 8 more bytes, found 4", UPDATE, 16 },
	{ "HEADER_EVENT_TYPE.size", EVENT_TYPE, 6, 2, 12, "HEADER_EVENT_TYPE record: expected 8 more bytes, found 4", EVENT_TYPE, 8 },
	{ "HEADER_FEATURE.size", FEATURE, 6, 2, 12, "HEADER_FEATURE record: expected 8 more bytes, found 4", FEATURE, 8 },
	{ "HEADER_FEATURE.number", FEATURE, 8, 8, 99, "feature 99 is not known: skipped", FEATURE, 16 },
	{ "BUILD_ID.size", PIPE_BUILD_ID, 6, 2, 20, "BUILD_ID record: expected a record of at least 36 bytes, found 20", PIPE_BUILD_ID, 0 },
	{ "AUXTRACE.size", AUXTRACE, 8, 8, 1 << 20, "the recording is cut off: expected 1048576 bytes of payload, found 16", AUXTRACE, 48 },
	{ "AUXTRACE.size, 0", AUXTRACE, 8, 8, 0, "record of type 0: expected a size of at least 8, found 0", AUXTRACE, 48 },
};

static void a_sound_recording_says_nothing(void **state)
{
	(void)state;
	for (int big = 0; big <= 1; big++) {
		struct made made;
		struct said said;

		for (int pipe = 0; pipe <= 1; pipe++) {
			if (pipe)
				make_pipe(&made, big);
			else
				make(&made, big);
			hear(&made.image, made.image.size, pipe, &said);
			if (said.count)
				fail_msg("at 0x%" PRIx64 ": %s", said.offset, said.first);
			image_release(&made.image);
		}
	}
}

static void check_damage(const struct damage *damage, bool pipe, bool big_endian)
{
	struct made made;
	struct said said;

	if (pipe)
		make_pipe(&made, big_endian);
	else
		make(&made, big_endian);
	image_patch(&made.image, made.at[damage->at] + damage->behind, damage->value, damage->size);
	hear(&made.image, made.image.size, pipe, &said);
	if (!said.count || strncmp(said.first, damage->says, strlen(damage->says)) != 0)
		fail_msg("%s: expected \"%s\", found \"%s\"", damage->field, damage->says, said.first);
	if (damage->said_at != SAYS_NO_PLACE &&
	    said.offset != made.at[damage->said_at] + damage->said_behind)
		fail_msg("%s: expected it at 0x%zx, found 0x%" PRIx64, damage->field,
		         made.at[damage->said_at] + damage->said_behind, said.offset);
	image_release(&made.image);
}

static void one_field_one_message(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		check_damage(&damages[i], false, false);
		check_damage(&damages[i], false, true);
	}
	for (size_t i = 0; i < ARRAY_SIZE(pipe_damages); i++) {
		check_damage(&pipe_damages[i], true, false);
		check_damage(&pipe_damages[i], true, true);
	}
}

/* A flag that is not known yet: another bit of another byte in the other byte order. */
static void an_unknown_flag(void **state)
{
	struct test_attr attr = pipe_event;

	(void)state;
	attr.flags |= FLAG(60);
	for (int big = 0; big <= 1; big++) {
		struct image image;
		struct said said;

		image_init(&image, big);
		pipe_begin(&image, &attr, 1);
		hear(&image, image.size, true, &said);
		assert_string_equal(said.first, "event 0: unknown attr flags 0x1000000000000000: ignored");
		assert_int_equal(said.count, 1);
		image_release(&image);
	}
}

/* More events than any recording has. */
static void too_many_attrs(void **state)
{
	const struct test_attr small = { .size = 64, .sample_type = FLAG(2), .flags = FLAG(18) };
	struct image image;
	struct said said;
	size_t last = 0;

	(void)state;
	image_init(&image, false);
	pipe_begin(&image, &small, 0);
	for (int i = 0; i <= 65536; i++) {
		last = record_begin(&image, 64, 0);
		image_attr(&image, &small);
		record_end(&image, last);
	}
	hear(&image, image.size, true, &said);
	assert_string_equal(said.first, "HEADER_ATTR record: more than 65536 attrs");
	assert_int_equal(said.offset, last + 8);
	image_release(&image);
}

/* Wherever the file is cut there is a message, or only padding was lost. */
static void every_end_is_said(void **state)
{
	struct made made;
	struct said said;

	(void)state;
	make(&made, false);
	for (size_t size = 0; size < made.image.size; size++) {
		/* exactly as long as the prefix, so that a sanitizer sees a read behind its end */
		uint8_t *cut = malloc(size ? size : 1);
		struct image image = made.image;

		assert_non_null(cut);
		memcpy(cut, made.image.data, size);
		image.data = cut;
		hear(&image, size, false, &said);
		if (!said.count)
			fail_msg("cut to %zu of %zu bytes, and nothing is said", size, made.image.size);
		free(cut);
	}
	image_release(&made.image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_recording_says_nothing),
		cmocka_unit_test(one_field_one_message),
		cmocka_unit_test(an_unknown_flag),
		cmocka_unit_test(too_many_attrs),
		cmocka_unit_test(every_end_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
