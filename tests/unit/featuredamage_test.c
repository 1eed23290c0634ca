/*
 * Damaged feature sections: of each kind of feature, each length and each count is made too large, and the last byte is
 * cut off. Whatever reads the feature, and however often, there is one message, and the recording counts as damaged.
 */
#include "perffile/facts/facts.h"
#include "perffile/session/buildid.h"
#include "perffile/session/eventname.h"
#include "perffile/session/simpleperf.h"
#include "perffile/session/tracingdata.h"
#include "tests/unit/sectionfixture.h"

#include <inttypes.h>

#define SECTION_OFFSET 0x1000
#define FALSE_VALUE 0x7fffffff /* of a length or a count */

/*
 * The fields of a feature, a letter each. u, U: the number 1, in 32 or 64 bits; z: 0. n, N: a count of 1; c: a count of 0.
 * s: a text with its length in front; t: one with a NUL at its end. l: the size of the next 24 bytes; L: of all that follow.
 * A: the size of an attr, and the attr; B: a build id; P: a path in a protocol buffer; T: the start of tracing data.
 */
static const struct shape {
	unsigned number;
	const char *name; /* in messages */
	const char *fields;
} shapes[] = {
	{ PERF_FEATURE_TRACING_DATA, "tracing data", "Tczzzzz" },
	{ PERF_FEATURE_BUILD_ID, "feature BUILD_ID", "BB" },
	{ PERF_FEATURE_HOSTNAME, "feature HOSTNAME", "s" },
	{ PERF_FEATURE_OSRELEASE, "feature OSRELEASE", "s" },
	{ PERF_FEATURE_VERSION, "feature VERSION", "s" },
	{ PERF_FEATURE_ARCH, "feature ARCH", "s" },
	{ PERF_FEATURE_NRCPUS, "feature NRCPUS", "uu" },
	{ PERF_FEATURE_CPUDESC, "feature CPUDESC", "s" },
	{ PERF_FEATURE_CPUID, "feature CPUID", "s" },
	{ PERF_FEATURE_TOTAL_MEM, "feature TOTAL_MEM", "U" },
	{ PERF_FEATURE_CMDLINE, "feature CMDLINE", "ns" },
	{ PERF_FEATURE_EVENT_DESC, "feature EVENT_DESC", "nAnsU" },
	{ PERF_FEATURE_CPU_TOPOLOGY, "feature CPU_TOPOLOGY", "nsns" },
	{ PERF_FEATURE_NUMA_TOPOLOGY, "feature NUMA_TOPOLOGY", "nuUUs" },
	{ PERF_FEATURE_PMU_MAPPINGS, "feature PMU_MAPPINGS", "nus" },
	{ PERF_FEATURE_GROUP_DESC, "feature GROUP_DESC", "nszu" },
	{ PERF_FEATURE_AUXTRACE, "feature AUXTRACE", "NUU" },
	{ PERF_FEATURE_CACHE, "feature CACHE", "unuuuusss" },
	{ PERF_FEATURE_SAMPLE_TIME, "feature SAMPLE_TIME", "UU" },
	{ PERF_FEATURE_MEM_TOPOLOGY, "feature MEM_TOPOLOGY", "UUNUUUU" },
	{ PERF_FEATURE_CLOCKID, "feature CLOCKID", "U" },
	{ PERF_FEATURE_DIR_FORMAT, "feature DIR_FORMAT", "U" },
	{ PERF_FEATURE_BPF_PROG_INFO, "feature BPF_PROG_INFO", "nlzUuuUuu" },
	{ PERF_FEATURE_BPF_BTF, "feature BPF_BTF", "nulUUU" },
	{ PERF_FEATURE_COMPRESSED, "feature COMPRESSED", "uuuuu" },
	{ PERF_FEATURE_CPU_PMU_CAPS, "feature CPU_PMU_CAPS", "nss" },
	{ PERF_FEATURE_CLOCK_DATA, "feature CLOCK_DATA", "uuUU" },
	{ PERF_FEATURE_HYBRID_TOPOLOGY, "feature HYBRID_TOPOLOGY", "nss" },
	{ PERF_FEATURE_PMU_CAPS, "feature PMU_CAPS", "nnsss" },
	{ PERF_FEATURE_CPU_DOMAIN_INFO, "feature CPU_DOMAIN_INFO", "uuunuss" },
	{ PERF_FEATURE_E_MACHINE, "feature E_MACHINE", "uu" },
	{ PERF_FEATURE_CLN_SIZE, "feature CLN_SIZE", "u" },
	{ PERF_FEATURE_FILE, "feature FILE", "LtuUnUut" },
	{ PERF_FEATURE_META_INFO, "feature META_INFO", "tttt" },
	{ PERF_FEATURE_FILE2, "feature FILE2", "LP" },
};

static void put_build_id(struct foreign_bytes *bytes)
{
	put_u32(bytes, 0);
	put_u16(bytes, PERF_CPUMODE_USER);
	put_u16(bytes, 36 + 8);
	put_zeros(bytes, 28);
	put_bytes(bytes, "/bin/ab", 8);
}

static void put_field(struct foreign_bytes *bytes, char field)
{
	switch (field) {
	case 'u':
	case 'n':
		put_u32(bytes, 1);
		break;
	case 'U':
	case 'N':
		put_u64(bytes, 1);
		break;
	case 'z':
	case 'c':
	case 'L':
		put_u32(bytes, 0);
		break;
	case 'l':
		put_u32(bytes, 24);
		break;
	case 's':
		put_str(bytes, "text");
		break;
	case 't':
		put_text(bytes, "text");
		break;
	case 'A':
		put_u32(bytes, PERF_ATTR_SIZE_MIN);
		put_zeros(bytes, PERF_ATTR_SIZE_MIN);
		break;
	case 'B':
		put_build_id(bytes);
		break;
	case 'P':
		put_bytes(bytes, "\x0a\x02/a", 4);
		break;
	default:
		put_tracing_start(bytes);
	}
}

static void patch_u32(struct foreign_bytes *bytes, size_t at, uint32_t value)
{
	const size_t size = bytes->size;

	bytes->size = at;
	put_u32(bytes, value);
	bytes->size = size;
}

/* A sound feature; at[i] is where its field number i is. */
static void make(const struct shape *shape, bool big_endian, struct foreign_bytes *bytes, size_t at[16])
{
	memset(bytes, 0, sizeof(*bytes));
	/* tracing data says its own byte order */
	bytes->big_endian = big_endian && *shape->fields != 'T';
	for (size_t i = 0; shape->fields[i]; i++) {
		at[i] = bytes->size;
		put_field(bytes, shape->fields[i]);
	}
	if (*shape->fields == 'L')
		patch_u32(bytes, 0, (uint32_t)bytes->size - 4);
}

static void set_bytes(struct session *session, unsigned number, const uint8_t *data, size_t size)
{
	session->features[number] = (struct feature){
		.present = true, .data = data, .size = size, .offset = SECTION_OFFSET
	};
}

/* Everything that reads features. */
static void read_features(struct session *session)
{
	struct facts facts = { .session = session };
	struct tracing_data tracing;
	struct clock_data clock;
	struct err err = { 0 };

	assert_true(session_names_fill(session, &err));
	assert_true(features_mark_groups(session, &err));
	for (unsigned number = 1; number < PERF_FEATURE_BITS; number++) {
		assert_true(feature_facts(&facts, number, &err));
		feature_text(session, number);
	}
	assert_true(features_clock_data(session, &clock, &err));
	assert_true(session_load_build_ids(session, &err));
	assert_true(session_tracing_data(session, &tracing, &err));
	session_recorded_files(session, &err);
	assert_int_equal(err.code, ERR_NONE);
	tracing_data_release(&tracing);
	facts_release(&facts);
}

/* Reads the first size bytes of the feature, twice. */
static struct section_fixture *read_twice(const struct shape *shape, const struct foreign_bytes *bytes, size_t size,
                                          bool big_endian)
{
	struct section_fixture *f = open_fixture(big_endian);
	struct foreign_bytes nrcpus = { .big_endian = big_endian };
	uint8_t *copy = exact_copy(bytes->data, size);

	f->session.events = calloc(1, sizeof(*f->session.events));
	assert_non_null(f->session.events);
	f->session.event_count = 1;
	put_u32(&nrcpus, 1);
	put_u32(&nrcpus, 1);
	set_bytes(&f->session, PERF_FEATURE_NRCPUS, nrcpus.data, nrcpus.size);
	set_bytes(&f->session, shape->number, copy, size);
	read_features(&f->session);
	read_features(&f->session);
	free(copy);
	return f;
}

/* One message that begins with the name and says this of a place behind `at`; says NULL: none. */
static void check(const struct shape *shape, const struct foreign_bytes *bytes, size_t size, bool big_endian, size_t at,
                  const char *says)
{
	struct section_fixture *f = read_twice(shape, bytes, size, big_endian);

	if (f->warnings != (says != NULL) || f->session.damaged != (says != NULL))
		fail_msg("%s (%s), at %zu of %zu bytes: %u messages, %sdamaged: %s", shape->name, shape->fields, at,
		         size, f->warnings, f->session.damaged ? "" : "not ", f->warning);
	if (says && (strncmp(f->warning, shape->name, strlen(shape->name)) != 0 || !strstr(f->warning, says) ||
	             f->offset < SECTION_OFFSET + at || f->offset > SECTION_OFFSET + size))
		fail_msg("%s (%s), at %zu of %zu bytes: 0x%" PRIx64 ": %s", shape->name, shape->fields, at, size,
		         f->offset, f->warning);
	close_fixture(f);
}

/* Checks all features without so many bytes at their ends. */
static void check_all(size_t missing, const char *says)
{
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		for (int big = 0; big <= 1; big++) {
			struct foreign_bytes bytes;
			size_t at[16];

			make(&shapes[i], big, &bytes, at);
			check(&shapes[i], &bytes, bytes.size - missing, big, 0, says);
		}
}

static void sound_features(void **state)
{
	(void)state;
	check_all(0, NULL);
}

/* Makes each field that is among these letters too large. */
static void check_lies(const char *letters, const char *says)
{
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		for (size_t field = 0; field < 2 * strlen(shapes[i].fields); field++) {
			const char letter = shapes[i].fields[field / 2];
			struct foreign_bytes bytes;
			size_t at[16];

			if (!strchr(letters, letter))
				continue;
			make(&shapes[i], field % 2, &bytes, at);
			/* the low half of a number of 64 bits */
			patch_u32(&bytes, at[field / 2] + (letter == 'N' && bytes.big_endian ? 4 : 0), FALSE_VALUE);
			check(&shapes[i], &bytes, bytes.size, field % 2, at[field / 2] + 4, says);
		}
}

static void too_long(void **state)
{
	(void)state;
	check_lies("slL", ": expected 2147483647 more bytes, found ");
}

static void too_many(void **state)
{
	(void)state;
	check_lies("nNc", ": 2147483647 entries do not fit in ");
}

static void cut_off(void **state)
{
	(void)state;
	check_all(1, ": ");
}

/* A record that claims to be larger than the section, or too small. */
static void records_of_build_ids(void **state)
{
	static const struct shape shape = { PERF_FEATURE_BUILD_ID, "feature BUILD_ID", "BB" };

	(void)state;
	for (int big = 0; big <= 1; big++) {
		struct foreign_bytes bytes;
		size_t at[16];

		make(&shape, big, &bytes, at);
		patch_u32(&bytes, at[1] + 4, 0xffffffff);
		check(&shape, &bytes, bytes.size, big, at[1], ": expected a record of at most 44 bytes, found 65535");
		patch_u32(&bytes, at[1] + 4, 0);
		check(&shape, &bytes, bytes.size, big, at[1], ": expected a record of at least 36 bytes, found 0");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_features), cmocka_unit_test(too_long), cmocka_unit_test(too_many),
		cmocka_unit_test(cut_off),        cmocka_unit_test(records_of_build_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
