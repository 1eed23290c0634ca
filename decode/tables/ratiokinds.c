#include "decode/tables/ratiokinds.h"

#include "util/hash.h"
#include "util/text.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* What an event counts. */
enum role {
	ROLE_OTHER,
	ROLE_CYCLES,
	ROLE_INSTRUCTIONS,
	ROLE_BRANCHES,
	ROLE_BRANCH_MISSES,
	ROLE_CACHE_REFERENCES,
	ROLE_CACHE_MISSES,
	ROLE_L1D_LOADS,
	ROLE_L1D_MISSES,
	ROLE_LLC_LOADS,
	ROLE_LLC_MISSES,
	ROLE_DTLB_LOADS,
	ROLE_DTLB_MISSES,
	ROLE_FRONTEND,
	ROLE_BACKEND,
	ROLE_CLOCK
};

static const struct {
	const char *name;
	enum role numerator, denominator;
	bool percent;
} kinds[RATIO_KINDS] = {
	[RATIO_NONE] = { "", ROLE_OTHER, ROLE_OTHER, false },
	[RATIO_IPC] = { "ipc", ROLE_INSTRUCTIONS, ROLE_CYCLES, false },
	[RATIO_BRANCH_MISS] = { "branch_miss_percent", ROLE_BRANCH_MISSES, ROLE_BRANCHES, true },
	[RATIO_CACHE_MISS] = { "cache_miss_percent", ROLE_CACHE_MISSES, ROLE_CACHE_REFERENCES,
	                       true },
	[RATIO_L1D_MISS] = { "l1d_miss_percent", ROLE_L1D_MISSES, ROLE_L1D_LOADS, true },
	[RATIO_LLC_MISS] = { "llc_miss_percent", ROLE_LLC_MISSES, ROLE_LLC_LOADS, true },
	[RATIO_DTLB_MISS] = { "dtlb_miss_percent", ROLE_DTLB_MISSES, ROLE_DTLB_LOADS, true },
	[RATIO_FRONTEND] = { "frontend_stalled_percent", ROLE_FRONTEND, ROLE_CYCLES, true },
	[RATIO_BACKEND] = { "backend_stalled_percent", ROLE_BACKEND, ROLE_CYCLES, true },
	[RATIO_GHZ] = { "ghz", ROLE_CYCLES, ROLE_CLOCK, false },
	[RATIO_CPUS] = { "cpus_utilized", ROLE_CLOCK, ROLE_OTHER, false },
	[RATIO_PER_SECOND] = { "per_second", ROLE_OTHER, ROLE_OTHER, false },
};

const char *ratio_name(enum ratio_kind kind)
{
	return kinds[kind].name;
}

bool ratio_is_percent(enum ratio_kind kind)
{
	return kinds[kind].percent;
}

/* By the number of PERF_TYPE_HARDWARE. */
static const uint8_t hardware_roles[] = {
	ROLE_CYCLES,       ROLE_INSTRUCTIONS, ROLE_CACHE_REFERENCES,
	ROLE_CACHE_MISSES, ROLE_BRANCHES,     ROLE_BRANCH_MISSES,
	ROLE_OTHER,        ROLE_FRONTEND,     ROLE_BACKEND,
};

/* PERF_TYPE_HW_CACHE: loads of a cache; the misses are CACHE_MISSES more. */
#define CACHE_MISSES 0x10000u

static const struct {
	uint32_t config;
	uint8_t loads, misses;
} cache_roles[] = {
	{ 0, ROLE_L1D_LOADS, ROLE_L1D_MISSES },
	{ 2, ROLE_LLC_LOADS, ROLE_LLC_MISSES },
	{ 3, ROLE_DTLB_LOADS, ROLE_DTLB_MISSES },
};

/* The names that the kernel gives to the events of the PMUs of processors. */
static const struct {
	const char *name;
	uint8_t role;
} named_roles[] = {
	{ "cpu-cycles", ROLE_CYCLES },
	{ "cycles", ROLE_CYCLES },
	{ "cpu_cycles", ROLE_CYCLES },
	{ "instructions", ROLE_INSTRUCTIONS },
	{ "inst_retired", ROLE_INSTRUCTIONS },
	{ "branches", ROLE_BRANCHES },
	{ "branch-instructions", ROLE_BRANCHES },
	{ "br_retired", ROLE_BRANCHES },
	{ "branch-misses", ROLE_BRANCH_MISSES },
	{ "br_mis_pred_retired", ROLE_BRANCH_MISSES },
	{ "cache-references", ROLE_CACHE_REFERENCES },
	{ "cache-misses", ROLE_CACHE_MISSES },
	{ "stalled-cycles-frontend", ROLE_FRONTEND },
	{ "stalled-cycles-backend", ROLE_BACKEND },
};

static enum role cache_role(uint32_t config)
{
	for (size_t i = 0; i < ARRAY_SIZE(cache_roles); i++) {
		if (config == cache_roles[i].config)
			return cache_roles[i].loads;
		if (config == (cache_roles[i].config | CACHE_MISSES))
			return cache_roles[i].misses;
	}
	return ROLE_OTHER;
}

/* Of "cpu/branch-misses/u": what is between the slashes. */
static enum role role_by_name(const char *name)
{
	const char *start = name ? strchr(name, '/') : NULL;
	const size_t length = start ? strcspn(start + 1, "/") : 0;

	for (size_t i = 0; i < ARRAY_SIZE(named_roles); i++)
		if (length && strlen(named_roles[i].name) == length &&
		    !memcmp(start + 1, named_roles[i].name, length))
			return named_roles[i].role;
	return ROLE_OTHER;
}

static enum role role_of(const struct event *event)
{
	const uint32_t config = (uint32_t)event->attr.config;

	switch (event->attr.type) {
	case PERF_TYPE_HARDWARE:
		return config < ARRAY_SIZE(hardware_roles) ? hardware_roles[config] : ROLE_OTHER;
	case PERF_TYPE_HW_CACHE:
		return cache_role(config);
	case PERF_TYPE_SOFTWARE:
		return event->attr.config <= PERF_COUNT_SW_TASK_CLOCK ? ROLE_CLOCK : ROLE_OTHER;
	default:
		return role_by_name(event->name);
	}
}

/* The PMU as a number; 0: that of all processors, or none. */
static uint64_t pmu_of(const struct event *event)
{
	if (event->attr.type == PERF_TYPE_HARDWARE || event->attr.type == PERF_TYPE_HW_CACHE)
		return event->attr.config >> 32;
	if (event->attr.type <= PERF_TYPE_BREAKPOINT &&
	    (event->attr.type != PERF_TYPE_RAW || !event->name || text_starts(event->name, "cpu/")))
		return 0;
	return event->attr.type;
}

/* Whose cycles, instructions and so on are counted. */
static uint64_t modifiers_of(const struct event *event)
{
	static const enum perf_attr_flag flags[] = { PERF_FLAG_EXCLUDE_USER,
		                                     PERF_FLAG_EXCLUDE_KERNEL, PERF_FLAG_EXCLUDE_HV,
		                                     PERF_FLAG_EXCLUDE_HOST,
		                                     PERF_FLAG_EXCLUDE_GUEST };
	uint64_t bits = 0;

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		bits |= (uint64_t)attr_flag(&event->attr, flags[i]) << i;
	return bits;
}

/* Denominators: hash of role, PMU, modifiers and group -> number of the first such event. */
struct denominators {
	struct map map;
	uint64_t seed;
};

#define ANY UINT64_MAX /* group, or modifiers */

static uint64_t key_of(const struct denominators *all, enum role role, uint64_t pmu,
                       uint64_t modifiers, uint64_t group)
{
	return hash_pair(all->seed, hash_pair(all->seed, role, pmu),
	                 hash_pair(all->seed, modifiers, group));
}

/* A clock belongs to no PMU, and counts the same time whatever its modifiers. */
static bool add_event(struct denominators *all, const struct event *event, uint32_t number,
                      struct err *err)
{
	const enum role role = role_of(event);
	const uint64_t pmu = role == ROLE_CLOCK ? 0 : pmu_of(event);
	const uint64_t modifiers = modifiers_of(event);
	const uint64_t keys[] = {
		key_of(all, role, pmu, modifiers, event->leader),
		key_of(all, role, pmu, modifiers, ANY),
		key_of(all, role, pmu, ANY, ANY),
	};

	for (size_t i = 0; role != ROLE_OTHER && i < ARRAY_SIZE(keys); i++)
		if (map_get(&all->map, keys[i]) == MAP_NONE &&
		    !map_put(&all->map, keys[i], number, err))
			return false;
	return true;
}

static uint32_t find_denominator(const struct denominators *all, const struct event *event,
                                 enum role role)
{
	const uint64_t pmu = role == ROLE_CLOCK ? 0 : pmu_of(event);
	const uint64_t modifiers = modifiers_of(event);
	const uint32_t in_group = map_get(&all->map,
	                                  key_of(all, role, pmu, modifiers, event->leader));

	return in_group != MAP_NONE ? in_group
	                            : map_get(&all->map, key_of(all, role, pmu, modifiers, ANY));
}

static struct ratio ratio_of(const struct denominators *all, const struct event *event,
                             bool with_time)
{
	const enum role role = role_of(event);
	uint32_t clock;

	for (enum ratio_kind kind = RATIO_IPC; role != ROLE_OTHER && kind < RATIO_CPUS; kind++)
		if (role == kinds[kind].numerator) {
			uint32_t denominator = find_denominator(all, event,
			                                        kinds[kind].denominator);

			if (denominator != MAP_NONE)
				return (struct ratio){ kind, denominator };
		}
	if (!with_time)
		return (struct ratio){ .kind = RATIO_NONE };
	if (role == ROLE_CLOCK)
		return (struct ratio){ RATIO_CPUS, DENOMINATOR_TIME };
	clock = map_get(&all->map, key_of(all, ROLE_CLOCK, 0, ANY, ANY));
	return (struct ratio){ RATIO_PER_SECOND, clock != MAP_NONE ? clock : DENOMINATOR_TIME };
}

struct ratio *ratios_of_events(const struct session *session, bool with_time, struct err *err)
{
	struct ratio *ratios = vec_new(session->event_count, sizeof(*ratios), err);
	struct denominators all = { .seed = hash_seed() };
	bool ok = ratios;

	for (size_t i = 0; ok && i < session->event_count; i++)
		ok = add_event(&all, &session->events[i], (uint32_t)i, err);
	for (size_t i = 0; ok && i < session->event_count; i++)
		ratios[i] = ratio_of(&all, &session->events[i], with_time);
	map_release(&all.map);
	if (ok)
		return ratios;
	free(ratios);
	return NULL;
}
