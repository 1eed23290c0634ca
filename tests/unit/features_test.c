/* Feature sections put together by hand, as the format reference, section 6, describes them. */
#include "perffile/session/features.h"

#include "perffile/facts/facts.h"
#include "tests/unit/sectionfixture.h"

#define SECTION_OFFSET 0x1000 /* of every section in these tests */

static struct section_fixture *open_with_events(bool big_endian)
{
	static const char *const names[] = {"cycles", "instructions", "cache-misses", "dummy:u"};
	struct section_fixture *f = open_fixture(big_endian);

	f->session.events = calloc(ARRAY_SIZE(names), sizeof(*f->session.events));
	assert_non_null(f->session.events);
	f->session.event_count = ARRAY_SIZE(names);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		f->session.events[i].name = names[i];
	return f;
}

static void set_bytes(struct section_fixture *f, unsigned number, const uint8_t *data, size_t size)
{
	f->session.features[number].present = true;
	f->session.features[number].data = data;
	f->session.features[number].size = size;
	f->session.features[number].offset = SECTION_OFFSET;
}

/* All values of key, one per line. */
static char *values_of(const struct facts *facts, const char *key)
{
	char *all = calloc(1, 4096);

	assert_non_null(all);
	for (size_t i = 0; i < facts->count; i++)
		if (strcmp(facts->items[i].key, key) == 0)
			snprintf(all + strlen(all), 4096 - strlen(all), "%s\n",
				 facts->items[i].value);
	return all;
}

static void expect(const struct facts *facts, const char *key, const char *values)
{
	char *all = values_of(facts, key);

	assert_string_equal(all, values);
	free(all);
}

static void put_nrcpus(struct foreign_bytes *bytes)
{
	put_u32(bytes, 4);
	put_u32(bytes, 2);
}

static void put_cmdline(struct foreign_bytes *bytes)
{
	put_u32(bytes, 4);
	put_str(bytes, "/usr/bin/perf");
	put_str(bytes, "record");
	put_str(bytes, "it's");
	put_str(bytes, "");
}

static void put_topology(struct foreign_bytes *bytes)
{
	put_u32(bytes, 1);
	put_str(bytes, "0-3");
	put_u32(bytes, 2);
	put_str(bytes, "0-1");
	put_str(bytes, "2-3");
	for (uint32_t cpu = 0; cpu < 4; cpu++) {
		put_u32(bytes, cpu / 2);
		put_u32(bytes, cpu == 3 ? UINT32_MAX : 0);
	}
	put_u32(bytes, 1);
	put_str(bytes, "0-3");
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		put_u32(bytes, 5);
}

static void put_numa(struct foreign_bytes *bytes)
{
	put_u32(bytes, 1);
	put_u32(bytes, 7);
	put_u64(bytes, 6383836);
	put_u64(bytes, 5446216);
	put_str(bytes, "0-3");
}

static void put_groups(struct foreign_bytes *bytes)
{
	put_u32(bytes, 2);
	put_str(bytes, "{anon_group}");
	put_u32(bytes, 0);
	put_u32(bytes, 2);
	put_str(bytes, "named");
	put_u32(bytes, 2);
	put_u32(bytes, 2);
}

static void put_caches(struct foreign_bytes *bytes)
{
	put_u32(bytes, 1);
	put_u32(bytes, 1);
	put_u32(bytes, 2);
	put_u32(bytes, 64);
	put_u32(bytes, 1024);
	put_u32(bytes, 16);
	put_str(bytes, "Unified");
	put_str(bytes, "1024K");
	put_str(bytes, "0-1");
}

static void put_sample_time(struct foreign_bytes *bytes)
{
	put_u64(bytes, 101132490999);
	put_u64(bytes, 101132592999);
}

static void put_memory(struct foreign_bytes *bytes)
{
	put_u64(bytes, 1);
	put_u64(bytes, 0x8000000);
	put_u64(bytes, 1);
	put_u64(bytes, 0);
	put_u64(bytes, 200);
	put_u64(bytes, 70);
	put_u64(bytes, UINT64_C(0x80000000000000ff));
	put_u64(bytes, UINT64_C(0x21)); /* bits 64 and 69 */
}

static void put_clock(struct foreign_bytes *bytes)
{
	put_u32(bytes, 1);
	put_u32(bytes, 1);
	put_u64(bytes, UINT64_C(1767545218014657123));
	put_u64(bytes, UINT64_C(405068949598));
}

static void put_caps(struct foreign_bytes *bytes)
{
	put_u32(bytes, 2);
	put_u32(bytes, 2);
	put_str(bytes, "branches");
	put_str(bytes, "32");
	put_str(bytes, "max_precise");
	put_str(bytes, "3");
	put_str(bytes, "cpu_core");
	put_u32(bytes, 0);
	put_str(bytes, "cpu_atom");
}

static void put_cpu_caps(struct foreign_bytes *bytes)
{
	put_u32(bytes, 1);
	put_str(bytes, "max_precise");
	put_str(bytes, "2");
}

static void put_hybrid(struct foreign_bytes *bytes)
{
	put_u32(bytes, 2);
	put_str(bytes, "cpu_core");
	put_str(bytes, "0-15");
	put_str(bytes, "cpu_atom");
	put_str(bytes, "16-23");
}

static void put_domains(struct foreign_bytes *bytes)
{
	put_u32(bytes, 17);
	put_u32(bytes, 2);
	put_u32(bytes, 1);
	put_u32(bytes, 1);
	put_u32(bytes, 0);
	put_str(bytes, "MC");
	put_str(bytes, "3");
	put_str(bytes, "0-1");
}

static void put_pmus(struct foreign_bytes *bytes)
{
	put_u32(bytes, 2);
	put_u32(bytes, 1);
	put_str(bytes, "software");
	put_u32(bytes, 0xfffffffe);
	put_str(bytes, "tool");
}

static void put_bpf(struct foreign_bytes *bytes)
{
	put_u32(bytes, 1);
	put_u32(bytes, 80);
	put_u32(bytes, 8);
	put_u64(bytes, 1);
	put_u32(bytes, 26);
	put_u32(bytes, 5);
	put_bytes(bytes, "\x53\x0f\x69\x19\x0e\x63\xcf\xa0", 8);
	put_u32(bytes, 72);
	put_u32(bytes, 112);
	put_zeros(bytes, 40);
	put_bytes(bytes, "sixteen_letters!", 16);
	put_zeros(bytes, 8);
}

static void put_version(struct foreign_bytes *bytes)
{
	put_u32(bytes, 0); /* a string without any byte */
}

static void put_recorded_files(struct foreign_bytes *bytes)
{
	put_u32(bytes, 3 + 16 + 14 + 13);
	put_text(bytes, "/a");
	put_u32(bytes, 2);
	put_u64(bytes, 0x1000);
	put_u32(bytes, 2);
	put_u64(bytes, 0x1010);
	put_u32(bytes, 4);
	put_text(bytes, "x");
	put_u64(bytes, 0x1020);
	put_u32(bytes, 4);
	put_text(bytes, "");
}

static void put_one(struct foreign_bytes *bytes)
{
	put_u64(bytes, 1);
}

static void put_btf(struct foreign_bytes *bytes)
{
	put_u32(bytes, 2);
	put_u32(bytes, 7);
	put_u32(bytes, 3);
	put_bytes(bytes, "btf", 3);
	put_u32(bytes, 9);
	put_u32(bytes, 0);
}

static void put_machine(struct foreign_bytes *bytes)
{
	put_u32(bytes, 243);
	put_u32(bytes, 0x25);
}

static void put_line_size(struct foreign_bytes *bytes)
{
	put_u32(bytes, 64);
}

static void put_meta_info(struct foreign_bytes *bytes)
{
	static const char pairs[] = "simpleperf_version\0" "1.2\0" "empty\0";

	put_bytes(bytes, pairs, sizeof(pairs));
}

static void put_packing(struct foreign_bytes *bytes)
{
	put_u32(bytes, 1);
	put_u32(bytes, 2);
	put_u32(bytes, UINT32_MAX);
	put_u32(bytes, 5);
	put_u32(bytes, 528384);
}

/* Sections and what they say, in the form of `perf report --header-only -I` where that has it. */
static const struct {
	unsigned number;
	void (*put)(struct foreign_bytes *bytes);
	const char *key, *values;
} cases[] = {
    {PERF_FEATURE_NRCPUS, put_nrcpus, "nrcpus online", "2\n"},
    {PERF_FEATURE_NRCPUS, put_nrcpus, "nrcpus avail", "4\n"},
    {PERF_FEATURE_VERSION, put_version, "perf version", "\n"},
    {PERF_FEATURE_CMDLINE, put_cmdline, "cmdline", "/usr/bin/perf record it\\'s \n"},
    {PERF_FEATURE_CPU_TOPOLOGY, put_topology, "sibling sockets", "0-3\n"},
    {PERF_FEATURE_CPU_TOPOLOGY, put_topology, "sibling dies", "0-3\n"},
    {PERF_FEATURE_CPU_TOPOLOGY, put_topology, "sibling threads", "0-1\n2-3\n"},
    {PERF_FEATURE_CPU_TOPOLOGY, put_topology, "CPU 0", "Core ID 0, Die ID 5, Socket ID 0\n"},
    {PERF_FEATURE_CPU_TOPOLOGY, put_topology, "CPU 3", "Core ID 1, Die ID 5, Socket ID -1\n"},
    {PERF_FEATURE_NUMA_TOPOLOGY, put_numa, "node7 meminfo",
     "total = 6383836 kB, free = 5446216 kB\n"},
    {PERF_FEATURE_NUMA_TOPOLOGY, put_numa, "node7 cpu list", "0-3\n"},
    {PERF_FEATURE_PMU_MAPPINGS, put_pmus, "pmu mappings", "software = 1, tool = 4294967294\n"},
    {PERF_FEATURE_GROUP_DESC, put_groups, "group",
     "{cycles,instructions}\nnamed{cache-misses,dummy:u}\n"},
    {PERF_FEATURE_CACHE, put_caches, "CPU cache", "L2 Unified 1024K [0-1]\n"},
    {PERF_FEATURE_SAMPLE_TIME, put_sample_time, "time of first sample", "101.132490\n"},
    {PERF_FEATURE_SAMPLE_TIME, put_sample_time, "time of last sample", "101.132592\n"},
    {PERF_FEATURE_SAMPLE_TIME, put_sample_time, "sample duration", "0.102 ms\n"},
    {PERF_FEATURE_MEM_TOPOLOGY, put_memory, "memory nodes", "nr 1, block size 0x8000000\n"},
    {PERF_FEATURE_MEM_TOPOLOGY, put_memory, "memory node 0", "[1G]: 0-7,63-64,69\n"},
    {PERF_FEATURE_CLOCKID, put_one, "clockid frequency", "1000 MHz\n"},
    {PERF_FEATURE_DIR_FORMAT, put_one, "directory data version", "1\n"},
    {PERF_FEATURE_BPF_PROG_INFO, put_bpf, "bpf program 5",
     "sixteen_letters!, type 26, tag 530f69190e63cfa0, 72 bytes of machine code, 112 of BPF, "
     "8 of data\n"},
    {PERF_FEATURE_CLOCK_DATA, put_clock, "clockid", "monotonic (1)\n"},
    {PERF_FEATURE_CLOCK_DATA, put_clock, "reference time",
     "2026-01-04 16:46:58.014657 = 1767545218.014657 (TOD) = 405.068949598 (monotonic)\n"},
    {PERF_FEATURE_CPU_PMU_CAPS, put_cpu_caps, "cpu pmu capabilities", "max_precise=2\n"},
    {PERF_FEATURE_HYBRID_TOPOLOGY, put_hybrid, "cpu_core cpu list", "0-15\n"},
    {PERF_FEATURE_HYBRID_TOPOLOGY, put_hybrid, "cpu_atom cpu list", "16-23\n"},
    {PERF_FEATURE_PMU_CAPS, put_caps, "cpu_core pmu capabilities", "branches=32, max_precise=3\n"},
    {PERF_FEATURE_PMU_CAPS, put_caps, "cpu_atom pmu capabilities", "not available\n"},
    {PERF_FEATURE_CPU_DOMAIN_INFO, put_domains, "schedstat version", "17\n"},
    {PERF_FEATURE_CPU_DOMAIN_INFO, put_domains, "cpu 1 domain 0", "MC: 0-1\n"},
    {PERF_FEATURE_BPF_BTF, put_btf, "btf objects", "2\n"},
    {PERF_FEATURE_BPF_BTF, put_btf, "btf 7", "3 bytes\n"},
    {PERF_FEATURE_BPF_BTF, put_btf, "btf 9", "0 bytes\n"},
    {PERF_FEATURE_E_MACHINE, put_machine, "e_machine", "243\n"},
    {PERF_FEATURE_E_MACHINE, put_machine, "e_flags", "0x25\n"},
    {PERF_FEATURE_CLN_SIZE, put_line_size, "cache line size", "64\n"},
    {PERF_FEATURE_META_INFO, put_meta_info, "meta info simpleperf_version", "1.2\n"},
    {PERF_FEATURE_META_INFO, put_meta_info, "meta info empty", "\n"},
    {PERF_FEATURE_COMPRESSED, put_packing, "compressed", "Unknown, level = -1, ratio = 5\n"},
    {40, put_one, "feature 40", "present, 8 bytes, not decoded\n"},
    {PERF_FEATURE_FILE, put_recorded_files, "recorded files", "1 files with 2 symbols\n"},
};

static void check_case(size_t i, bool big_endian)
{
	struct section_fixture *f = open_with_events(big_endian);
	struct foreign_bytes bytes = {.big_endian = big_endian}, nrcpus = bytes;
	struct err err = {.code = ERR_NONE};
	struct facts facts = { .session = &f->session };

	put_nrcpus(&nrcpus);
	set_bytes(f, PERF_FEATURE_NRCPUS, nrcpus.data, nrcpus.size);
	cases[i].put(&bytes);
	set_bytes(f, cases[i].number, bytes.data, bytes.size);
	assert_true(feature_facts(&facts, cases[i].number, &err));
	expect(&facts, cases[i].key, cases[i].values);
	assert_int_equal(f->warnings, 0);
	facts_release(&facts);
	close_fixture(f);
}

static void all_facts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		check_case(i, false);
		check_case(i, true);
	}
}

/*
 * However a section is cut off: either it still makes sense, or it is dropped with its name. That the last byte is
 * missing is always noticed, but for CPU_TOPOLOGY: it may have ids of fewer CPUs than the recording's number of CPUs.
 */
static void check_prefixes(unsigned number, const struct foreign_bytes *whole)
{
	const bool noticed = number != PERF_FEATURE_CPU_TOPOLOGY;
	struct foreign_bytes nrcpus = {.size = 0};

	put_nrcpus(&nrcpus);
	for (size_t size = 1; size < whole->size; size++) {
		struct section_fixture *f = open_with_events(false);
		uint8_t *copy = exact_copy(whole->data, size);
		struct err err = {.code = ERR_NONE};
		struct facts facts = { .session = &f->session };

		set_bytes(f, PERF_FEATURE_NRCPUS, nrcpus.data, nrcpus.size);
		set_bytes(f, number, copy, size);
		assert_true(feature_facts(&facts, number, &err));
		assert_true(f->warnings == 0 || facts.count == 0);
		assert_true(f->warnings == 1 || !noticed || size < whole->size - 1);
		if (f->warnings) {
			assert_non_null(strstr(f->warning, feature_name(number)));
			assert_true(f->offset >= SECTION_OFFSET &&
				    f->offset <= SECTION_OFFSET + size);
		}
		facts_release(&facts);
		close_fixture(f);
		free(copy);
	}
}

static void all_prefixes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct foreign_bytes whole = {.size = 0};

		cases[i].put(&whole);
		if (cases[i].number < PERF_FEATURE_END)
			check_prefixes(cases[i].number, &whole);
	}
}

/* Each byte of each section as 0xff: lengths and counts that cannot be. */
static void bad_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct foreign_bytes whole = {.size = 0};

		cases[i].put(&whole);
		for (size_t at = 0; at < whole.size; at++) {
			struct section_fixture *f = open_with_events(false);
			uint8_t *copy = exact_copy(whole.data, whole.size);
			struct err err = {.code = ERR_NONE};
			struct facts facts = { .session = &f->session };

			copy[at] = 0xff;
			set_bytes(f, cases[i].number, copy, whole.size);
			assert_true(feature_facts(&facts, cases[i].number, &err));
			facts_release(&facts);
			close_fixture(f);
			free(copy);
		}
	}
}

/* As clock_gettime(2) numbers them. */
static void clocks(void **state)
{
	static const struct {
		uint32_t number;
		const char *says;
	} known[] = {{0, "realtime (0)\n"}, {4, "monotonic_raw (4)\n"}, {7, "boottime (7)\n"},
		     {11, "tai (11)\n"},    {5, "(not found) (5)\n"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct section_fixture *f = open_with_events(false);
		struct foreign_bytes bytes = {.size = 0};
		struct err err = {.code = ERR_NONE};
		struct facts facts = { .session = &f->session };

		put_u32(&bytes, 1);
		put_u32(&bytes, known[i].number);
		put_u64(&bytes, 0);
		put_u64(&bytes, 0);
		set_bytes(f, PERF_FEATURE_CLOCK_DATA, bytes.data, bytes.size);
		assert_true(feature_facts(&facts, PERF_FEATURE_CLOCK_DATA, &err));
		expect(&facts, "clockid", known[i].says);
		facts_release(&facts);
		close_fixture(f);
	}
}

/* A long value is kept; one longer than any command line is dropped, with a message that gives its offset. */
static void long_values(void **state)
{
	static const struct {
		uint32_t size;
		bool fits;
	} lengths[] = {{300, true}, {3000, true}, {1000000, true}, {2000000, false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct section_fixture *f = open_with_events(false);
		uint8_t *section = calloc(1, lengths[i].size + 8);
		struct err err = {.code = ERR_NONE};
		struct facts facts = { .session = &f->session };
		uint32_t one = 1;

		assert_non_null(section);
		memcpy(section, &one, 4);
		memcpy(section + 4, &lengths[i].size, 4);
		memset(section + 8, 'x', lengths[i].size - 1);
		f->session.swap = false;
		set_bytes(f, PERF_FEATURE_CMDLINE, section, lengths[i].size + 8);
		assert_true(feature_facts(&facts, PERF_FEATURE_CMDLINE, &err));
		assert_int_equal(facts.count, lengths[i].fits);
		assert_int_equal(f->warnings, !lengths[i].fits);
		if (lengths[i].fits) {
			assert_int_equal(strlen(facts.items[0].value), lengths[i].size - 1);
		} else {
			assert_string_equal(f->warning,
					    "feature CMDLINE: a value of more than 1048576 bytes");
			assert_in_range(f->offset, SECTION_OFFSET, SECTION_OFFSET + 2000008);
		}
		facts_release(&facts);
		close_fixture(f);
		free(section);
	}
}

static void groups_and_branch_counters(void **state)
{
	struct section_fixture *f = open_with_events(false);
	struct foreign_bytes bytes = {.size = 0};
	struct err err = {.code = ERR_NONE};
	struct event_group *groups;
	size_t count;

	(void)state;
	put_groups(&bytes);
	set_bytes(f, PERF_FEATURE_GROUP_DESC, bytes.data, bytes.size);
	assert_true(features_groups(&f->session, &groups, &count, &err));
	assert_int_equal(count, 2);
	assert_string_equal(groups[0].name, "");
	assert_string_equal(groups[1].name, "named");
	assert_int_equal(groups[1].leader, 2);
	assert_int_equal(groups[1].members, 2);
	f->session.events[1].attr.branch_sample_type = PERF_SAMPLE_BRANCH_COUNTERS;
	assert_true(features_mark_groups(&f->session, &err));
	assert_true(f->session.events[0].branch_counters);
	assert_true(f->session.events[1].branch_counters);
	assert_false(f->session.events[2].branch_counters);
	assert_false(f->session.events[3].branch_counters);
	/* a leader that no event is */
	f->session.event_count = 3;
	assert_true(features_groups(&f->session, &groups, &count, &err));
	assert_int_equal(count, 0);
	assert_int_equal(f->warnings, 1);
	assert_non_null(strstr(f->warning, "GROUP_DESC"));
	close_fixture(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_facts),     cmocka_unit_test(all_prefixes),
	    cmocka_unit_test(bad_bytes),     cmocka_unit_test(groups_and_branch_counters),
	    cmocka_unit_test(clocks),	     cmocka_unit_test(long_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
