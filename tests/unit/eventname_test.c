/*
 * Names of events. What `perf evlist` of Linux 6.1 prints for a file of such attrs is what is
 * expected, but for those that it calls unknown: software events 10 and 11, tracepoints, PMUs.
 */
#include "perffile/session/eventname.h"

#include "perffile/session/features.h"
#include "tests/unit/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define FLAG(name) (UINT64_C(1) << PERF_FLAG_##name)
#define PRECISE(n) ((uint64_t)(n) << PERF_FLAG_PRECISE_IP)
#define NO_GUEST FLAG(EXCLUDE_GUEST)
#define ONLY_USER (FLAG(EXCLUDE_KERNEL) | FLAG(EXCLUDE_HV))

static const struct {
	uint32_t type;
	uint64_t config, flags;
	const char *pmu, *name;
} cases[] = {
    {0, 0, NO_GUEST, NULL, "cycles"},
    {0, 1, NO_GUEST, NULL, "instructions"},
    {0, 2, NO_GUEST, NULL, "cache-references"},
    {0, 3, NO_GUEST, NULL, "cache-misses"},
    {0, 4, NO_GUEST, NULL, "branches"},
    {0, 5, NO_GUEST, NULL, "branch-misses"},
    {0, 6, NO_GUEST, NULL, "bus-cycles"},
    {0, 7, NO_GUEST, NULL, "stalled-cycles-frontend"},
    {0, 8, NO_GUEST, NULL, "stalled-cycles-backend"},
    {0, 9, NO_GUEST, NULL, "ref-cycles"},
    {0, 10, NO_GUEST, NULL, "unknown-hardware"},
    {0, 0xffffffff, NO_GUEST, NULL, "unknown-hardware"},
    {0, 0, 0, NULL, "cycles:HG"},
    {1, 0, 0, NULL, "cpu-clock:HG"}, /* perf.data.true.v1 */
    {0, 0, NO_GUEST | ONLY_USER, NULL, "cycles:uH"},
    {0, 0, ONLY_USER, NULL, "cycles:u"},
    {0, 0, FLAG(EXCLUDE_USER), NULL, "cycles:kh"},
    {0, 0, PRECISE(3), NULL, "cycles:ppp"},
    {0, 0, PRECISE(2) | ONLY_USER, NULL, "cycles:upp"},
    {0, 0, FLAG(EXCLUDE_HOST), NULL, "cycles:G"},
    {0, 0x400000000, PRECISE(3), "cpu_core", "cpu_core/cycles/:ppp"},
    {1, 1, NO_GUEST, NULL, "task-clock"},
    {1, 2, NO_GUEST, NULL, "page-faults"},
    {1, 3, NO_GUEST, NULL, "context-switches"},
    {1, 4, NO_GUEST, NULL, "cpu-migrations"},
    {1, 5, NO_GUEST, NULL, "minor-faults"},
    {1, 6, NO_GUEST, NULL, "major-faults"},
    {1, 7, NO_GUEST, NULL, "alignment-faults"},
    {1, 8, NO_GUEST, NULL, "emulation-faults"},
    {1, 9, ONLY_USER, NULL, "dummy:u"},
    {1, 10, NO_GUEST, NULL, "bpf-output"},
    {1, 11, NO_GUEST, NULL, "cgroup-switches"},
    {1, 12, NO_GUEST, NULL, "unknown-software"},
    {2, 1329, 0, NULL, "tracepoint:1329"},
    {3, 0x000000, NO_GUEST, NULL, "L1-dcache-loads"},
    {3, 0x010000, NO_GUEST, NULL, "L1-dcache-load-misses"},
    {3, 0x000100, NO_GUEST, NULL, "L1-dcache-stores"},
    {3, 0x010202, NO_GUEST, NULL, "LLC-prefetch-misses"},
    {3, 0x000202, NO_GUEST, NULL, "LLC-prefetches"},
    {3, 0x010003, NO_GUEST, NULL, "dTLB-load-misses"},
    {3, 0x010004, NO_GUEST, NULL, "iTLB-load-misses"},
    {3, 0x000005, NO_GUEST, NULL, "branch-loads"},
    {3, 0x010106, NO_GUEST, NULL, "node-store-misses"},
    {3, 0x000101, NO_GUEST, NULL, "invalid-cache"},
    {3, 0x000007, NO_GUEST, NULL, "unknown-ext-hardware-cache-type"},
    {3, 0x000300, NO_GUEST, NULL, "unknown-ext-hardware-cache-op"},
    {3, 0x020000, NO_GUEST, NULL, "unknown-ext-hardware-cache-result"},
    {4, 0x1c2, NO_GUEST, NULL, "raw 0x1c2"},
    {6, 0x300e601, NO_GUEST, "intel_pt", "intel_pt/config=0x300e601/"},
    {6, 0x1, NO_GUEST, NULL, "pmu6/config=0x1/"},
};

static void derived(void **state)
{
	struct arena arena = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = {.code = ERR_NONE};
		struct event_attr attr = {
		    .type = cases[i].type, .config = cases[i].config, .flags = cases[i].flags};
		const char *name = event_name_derive(&attr, cases[i].pmu, &arena, &err);

		assert_non_null(name);
		assert_string_equal(name, cases[i].name);
	}
	arena_release(&arena);
}

static void breakpoints(void **state)
{
	struct event_attr attr = {
	    .type = PERF_TYPE_BREAKPOINT, .flags = NO_GUEST, .bp_addr = 0x1000};
	static const char *const names[] = {"", "r", "w", "rw", "x", "rx", "wx", "rwx"};
	struct err err = {.code = ERR_NONE};
	struct arena arena = { 0 };

	(void)state;
	for (attr.bp_type = 0; attr.bp_type < ARRAY_SIZE(names); attr.bp_type++) {
		const char *name = event_name_derive(&attr, NULL, &arena, &err);

		assert_non_null(name);
		assert_memory_equal(name, "mem:0x1000:", 11);
		assert_string_equal(name + 11, names[attr.bp_type]);
	}
	arena_release(&arena);
}

/* The features of one recording, in one place. */
struct recording {
	struct session session;
	struct foreign_bytes desc, pmus, tracing, meta;
	struct event events[8];
};

static struct recording *open_recording(void)
{
	struct recording *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	session_init(&r->session, NULL);
	r->session.swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__; /* all bytes here are little-endian */
	r->session.events = r->events;
	return r;
}

static struct event *add_event(struct recording *r, uint32_t type, uint64_t config, uint64_t *id)
{
	struct err err = {.code = ERR_NONE};
	size_t number = r->session.event_count++;
	struct event *event = &r->events[number];

	event->attr.type = type;
	event->attr.config = config;
	event->attr.flags = NO_GUEST;
	event->id_count = id ? 1 : 0;
	if (id)
		assert_true(map_put(&r->session.ids, *id, (uint32_t)number, &err));
	return event;
}

static void add_old_name(struct recording *r, uint64_t config, const char *name)
{
	struct err err = {.code = ERR_NONE};

	assert_true(numbered_names_add(&r->session.event_types, config, name, &err));
}

static void set_feature(struct recording *r, unsigned number, const struct foreign_bytes *bytes)
{
	r->session.features[number].present = true;
	r->session.features[number].data = bytes->data;
	r->session.features[number].size = bytes->size;
}

static void close_recording(struct recording *r)
{
	r->session.events = NULL; /* not on the heap */
	r->session.event_count = 0;
	session_release(&r->session);
	free(r);
}

static void put_desc(struct foreign_bytes *bytes, const char *name, const uint64_t *id)
{
	put_zeros(bytes, PERF_ATTR_SIZE_MIN);
	put_u32(bytes, id ? 1 : 0);
	put_str(bytes, name);
	if (id)
		put_u64(bytes, *id);
}

/* Names of EVENT_DESC find their events by id, whatever the order; without ids by position. */
static void from_event_desc(void **state)
{
	struct recording *r = open_recording();
	uint64_t ids[] = {71, 72};
	struct err err = {.code = ERR_NONE};

	(void)state;
	add_event(r, 0, 0, &ids[0]);
	add_event(r, 0, 1, &ids[1]);
	add_event(r, 1, 9, NULL);
	add_event(r, 1, 0, NULL);
	r->events[3].name = "mine";
	r->events[3].named = true;
	put_u32(&r->desc, 4);
	put_u32(&r->desc, PERF_ATTR_SIZE_MIN);
	put_desc(&r->desc, "instructions:P", &ids[1]);
	put_desc(&r->desc, "cycles:P", &ids[0]);
	put_desc(&r->desc, "dummy:HG", NULL);
	put_desc(&r->desc, "other", NULL);
	set_feature(r, PERF_FEATURE_EVENT_DESC, &r->desc);
	assert_true(session_names_fill(&r->session, &err));
	assert_string_equal(r->events[0].name, "cycles:P");
	assert_string_equal(r->events[1].name, "instructions:P");
	assert_string_equal(r->events[2].name, "dummy:HG");
	assert_string_equal(r->events[3].name, "mine");
	close_recording(r);
}

static void build_tracing(struct foreign_bytes *bytes)
{
	static const char format[] = "name: sched_switch\nID: 314\n";

	put_tracing_start(bytes);
	put_u32(bytes, 0);
	put_u32(bytes, 1);
	put_text(bytes, "sched");
	put_u32(bytes, 1);
	put_u64(bytes, strlen(format));
	put_bytes(bytes, format, strlen(format));
	put_zeros(bytes, 16);
}

/* The old table names what nothing better names, and only where it fits. */
static void from_other_places(void **state)
{
	struct recording *r = open_recording();
	struct err err = {.code = ERR_NONE};

	(void)state;
	add_event(r, 2, 314, NULL);
	add_event(r, 8, 0x10, NULL);
	add_event(r, 1, 0, NULL);   /* a fallback: the table says cycles */
	add_event(r, 2, 500, NULL); /* not in the tracing data */
	add_event(r, 2, 7, NULL);   /* no tracepoint's name */
	build_tracing(&r->tracing);
	set_feature(r, PERF_FEATURE_TRACING_DATA, &r->tracing);
	put_u32(&r->pmus, 1);
	put_u32(&r->pmus, 8);
	put_str(&r->pmus, "intel_bts");
	set_feature(r, PERF_FEATURE_PMU_MAPPINGS, &r->pmus);
	add_old_name(r, 0, "cycles");
	add_old_name(r, 500, "irq:irq_entry");
	add_old_name(r, 7, "cycles");
	assert_true(session_names_fill(&r->session, &err));
	assert_string_equal(r->events[0].name, "sched:sched_switch");
	assert_string_equal(r->events[1].name, "intel_bts/config=0x10/");
	assert_string_equal(r->events[2].name, "cpu-clock");
	assert_string_equal(r->events[3].name, "irq:irq_entry");
	assert_string_equal(r->events[4].name, "tracepoint:7");
	close_recording(r);
}

/* The old table has configs without types: a name in it may belong to an event of another type. */
static void from_the_old_table(void **state)
{
	struct recording *r = open_recording();
	struct err err = {.code = ERR_NONE};

	(void)state;
	for (uint64_t config = 2; config <= 5; config++)
		add_event(r, 10, config, NULL); /* of a PMU that nothing names */
	add_old_name(r, 2, "page-faults");
	add_old_name(r, 3, "cycles:u");
	add_old_name(r, 4, "my-event");
	add_old_name(r, 5, "");
	assert_true(session_names_fill(&r->session, &err));
	assert_string_equal(r->events[0].name, "pmu10/config=0x2/");
	assert_string_equal(r->events[1].name, "pmu10/config=0x3/");
	assert_string_equal(r->events[2].name, "my-event");
	assert_string_equal(r->events[3].name, "pmu10/config=0x5/");
	close_recording(r);
}

/* Two kinds of cores: the high half of config is the number of the PMU. */
static void from_hybrid_pmus(void **state)
{
	struct recording *r = open_recording();
	struct err err = {.code = ERR_NONE};

	(void)state;
	add_event(r, 0, (uint64_t)10 << 32, NULL);
	add_event(r, 3, (uint64_t)4 << 32 | 0x10000, NULL);
	add_event(r, 0, (uint64_t)77 << 32 | 1, NULL); /* of none that is named */
	put_u32(&r->pmus, 2);
	put_u32(&r->pmus, 4);
	put_str(&r->pmus, "cpu_core");
	put_u32(&r->pmus, 10);
	put_str(&r->pmus, "cpu_atom");
	set_feature(r, PERF_FEATURE_PMU_MAPPINGS, &r->pmus);
	assert_true(session_names_fill(&r->session, &err));
	assert_string_equal(r->events[0].name, "cpu_atom/cycles/");
	assert_string_equal(r->events[1].name, "cpu_core/L1-dcache-load-misses/");
	assert_string_equal(r->events[2].name, "instructions");
	close_recording(r);
}

static void from_simpleperf(void **state)
{
	struct recording *r = open_recording();
	struct err err = {.code = ERR_NONE};

	(void)state;
	add_event(r, 0, 0, NULL);
	add_event(r, 4, 0x11, NULL);
	put_text(&r->meta, "simpleperf_version");
	put_text(&r->meta, "1.0");
	put_text(&r->meta, "event_type_info");
	put_text(&r->meta, "cpu-cycles,0,0\nraw-cpu-cycles,4,17\nnonsense\n,4,17");
	set_feature(r, PERF_FEATURE_META_INFO, &r->meta);
	assert_true(session_names_fill(&r->session, &err));
	assert_string_equal(r->events[0].name, "cpu-cycles");
	assert_string_equal(r->events[1].name, "raw-cpu-cycles");
	close_recording(r);
}

/* Broken sections name nothing, and the events get the names that their attrs give. */
static void from_broken_sections(void **state)
{
	struct recording *r = open_recording();
	struct err err = {.code = ERR_NONE};

	(void)state;
	add_event(r, 0, 0, NULL);
	put_u32(&r->desc, UINT32_MAX);
	put_u32(&r->desc, PERF_ATTR_SIZE_MIN);
	put_zeros(&r->desc, 200);
	set_feature(r, PERF_FEATURE_EVENT_DESC, &r->desc);
	put_u32(&r->pmus, 3);
	set_feature(r, PERF_FEATURE_PMU_MAPPINGS, &r->pmus);
	put_zeros(&r->tracing, 20);
	set_feature(r, PERF_FEATURE_TRACING_DATA, &r->tracing);
	assert_true(session_names_fill(&r->session, &err));
	assert_string_equal(r->events[0].name, "cycles");
	close_recording(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(from_the_old_table), cmocka_unit_test(from_hybrid_pmus),
	    cmocka_unit_test(derived),	       cmocka_unit_test(breakpoints),
	    cmocka_unit_test(from_event_desc), cmocka_unit_test(from_other_places),
	    cmocka_unit_test(from_simpleperf), cmocka_unit_test(from_broken_sections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
