#include "perffile/session/features.h"

#include "perffile/input/input.h"

#include <stdio.h>
#include <string.h>

#define ANON_GROUP "{anon_group}"

/* Smallest sizes of entries, in bytes, with empty texts. */
#define PMU_SIZE_MIN 8
#define GROUP_SIZE_MIN 12
#define DESC_SIZE_MIN 8 /* after the attr */

#define LABEL "feature " /* stands before the names, for messages */

static const char *const labels[] = {
	[PERF_FEATURE_TRACING_DATA] = LABEL "TRACING_DATA",
	[PERF_FEATURE_BUILD_ID] = LABEL "BUILD_ID",
	[PERF_FEATURE_HOSTNAME] = LABEL "HOSTNAME",
	[PERF_FEATURE_OSRELEASE] = LABEL "OSRELEASE",
	[PERF_FEATURE_VERSION] = LABEL "VERSION",
	[PERF_FEATURE_ARCH] = LABEL "ARCH",
	[PERF_FEATURE_NRCPUS] = LABEL "NRCPUS",
	[PERF_FEATURE_CPUDESC] = LABEL "CPUDESC",
	[PERF_FEATURE_CPUID] = LABEL "CPUID",
	[PERF_FEATURE_TOTAL_MEM] = LABEL "TOTAL_MEM",
	[PERF_FEATURE_CMDLINE] = LABEL "CMDLINE",
	[PERF_FEATURE_EVENT_DESC] = LABEL "EVENT_DESC",
	[PERF_FEATURE_CPU_TOPOLOGY] = LABEL "CPU_TOPOLOGY",
	[PERF_FEATURE_NUMA_TOPOLOGY] = LABEL "NUMA_TOPOLOGY",
	[PERF_FEATURE_BRANCH_STACK] = LABEL "BRANCH_STACK",
	[PERF_FEATURE_PMU_MAPPINGS] = LABEL "PMU_MAPPINGS",
	[PERF_FEATURE_GROUP_DESC] = LABEL "GROUP_DESC",
	[PERF_FEATURE_AUXTRACE] = LABEL "AUXTRACE",
	[PERF_FEATURE_STAT] = LABEL "STAT",
	[PERF_FEATURE_CACHE] = LABEL "CACHE",
	[PERF_FEATURE_SAMPLE_TIME] = LABEL "SAMPLE_TIME",
	[PERF_FEATURE_MEM_TOPOLOGY] = LABEL "MEM_TOPOLOGY",
	[PERF_FEATURE_CLOCKID] = LABEL "CLOCKID",
	[PERF_FEATURE_DIR_FORMAT] = LABEL "DIR_FORMAT",
	[PERF_FEATURE_BPF_PROG_INFO] = LABEL "BPF_PROG_INFO",
	[PERF_FEATURE_BPF_BTF] = LABEL "BPF_BTF",
	[PERF_FEATURE_COMPRESSED] = LABEL "COMPRESSED",
	[PERF_FEATURE_CPU_PMU_CAPS] = LABEL "CPU_PMU_CAPS",
	[PERF_FEATURE_CLOCK_DATA] = LABEL "CLOCK_DATA",
	[PERF_FEATURE_HYBRID_TOPOLOGY] = LABEL "HYBRID_TOPOLOGY",
	[PERF_FEATURE_PMU_CAPS] = LABEL "PMU_CAPS",
	[PERF_FEATURE_CPU_DOMAIN_INFO] = LABEL "CPU_DOMAIN_INFO",
	[PERF_FEATURE_E_MACHINE] = LABEL "E_MACHINE",
	[PERF_FEATURE_CLN_SIZE] = LABEL "CLN_SIZE",
	/* of Android's simpleperf */
	[PERF_FEATURE_FILE] = LABEL "FILE",
	[PERF_FEATURE_META_INFO] = LABEL "META_INFO",
	[130] = LABEL "DEBUG_UNWIND",
	[131] = LABEL "DEBUG_UNWIND_FILE",
	[PERF_FEATURE_FILE2] = LABEL "FILE2",
	[133] = LABEL "ETM_BRANCH_LIST",
	[134] = LABEL "INIT_MAP",
};

const char *feature_name(unsigned number)
{
	bool known = number < ARRAY_SIZE(labels) && labels[number];

	return known ? labels[number] + strlen(LABEL) : NULL;
}

void feature_warn_unknown(struct session *session, unsigned number, uint64_t offset)
{
	char name[32];

	if (feature_name(number))
		return;
	snprintf(name, sizeof(name), "feature %u", number);
	diag_warn(session->diag, offset, "%s is not known: skipped", name);
}

bool feature_open(struct session *session, unsigned number, struct cursor *c, struct err *broken)
{
	struct feature *feature = &session->features[number];
	const size_t size = (size_t)feature->size;
	uint8_t *data;

	memset(broken, 0, sizeof(*broken));
	if (!feature->present || size == 0)
		return false;
	if (!feature->data) {
		data = arena_alloc(&session->arena, size, broken);
		if (!data || !input_read_at(session->input, data, size, feature->offset, broken))
			return false;
		feature->data = data;
	}
	*c = cursor_over(feature->data, size, feature->offset, labels[number], session->swap,
	                 broken);
	return true;
}

bool feature_finish(struct session *session, unsigned number, const struct err *broken,
                    struct err *err)
{
	struct feature *feature = &session->features[number];

	if (broken->code == ERR_NOMEM || broken->code == ERR_IO)
		return err_pass(err, broken);
	if (broken->code != ERR_NONE && !feature->damaged) {
		feature->damaged = true;
		session_report_damage(session, broken);
	}
	return true;
}

const char *feature_str(struct cursor *c, struct arena *arena)
{
	uint32_t size = cur_u32(c);
	size_t length;
	const char *text = cur_text(c, size, &length);

	/* where the bytes end too early, it is not the text of anything, and has no NUL */
	text = c->err->code == ERR_NONE ? arena_text(arena, text, length, c->err) : NULL;
	return text ? text : "";
}

bool features_cpus(struct session *session, uint32_t *available, uint32_t *online, struct err *err)
{
	struct err broken;
	struct cursor c;

	*available = *online = 0;
	if (feature_open(session, PERF_FEATURE_NRCPUS, &c, &broken)) {
		*available = cur_u32(&c);
		*online = cur_u32(&c);
	}
	return feature_finish(session, PERF_FEATURE_NRCPUS, &broken, err);
}

bool features_sample_times(struct session *session, uint64_t *first, uint64_t *last)
{
	struct err dropped;
	struct cursor c;

	if (!feature_open(session, PERF_FEATURE_SAMPLE_TIME, &c, &dropped))
		return false;
	*first = cur_u64(&c);
	*last = cur_u64(&c);
	return dropped.code == ERR_NONE && *first && *first <= *last;
}

const char *feature_text(struct session *session, unsigned number)
{
	struct feature *feature = &session->features[number];
	struct err dropped;
	struct cursor c;

	if (!feature->text && feature_open(session, number, &c, &dropped))
		feature->text = feature_str(&c, &session->arena);
	return feature->text && *feature->text ? feature->text : NULL;
}

void features_load_texts(struct session *session)
{
	feature_text(session, PERF_FEATURE_HOSTNAME);
	feature_text(session, PERF_FEATURE_OSRELEASE);
	feature_text(session, PERF_FEATURE_ARCH);
}

bool features_pmus(struct session *session, struct numbered_names *pmus, struct err *err)
{
	struct err broken;
	struct cursor c;

	if (feature_open(session, PERF_FEATURE_PMU_MAPPINGS, &c, &broken)) {
		uint32_t count = cur_u32(&c);

		cur_fits(&c, count, PMU_SIZE_MIN, "entries");
		for (uint32_t i = 0; i < count && broken.code == ERR_NONE; i++) {
			uint32_t type = cur_u32(&c);

			numbered_names_add(pmus, type, feature_str(&c, &session->arena), &broken);
		}
	}
	if (broken.code != ERR_NONE)
		numbered_names_release(pmus);
	return feature_finish(session, PERF_FEATURE_PMU_MAPPINGS, &broken, err);
}

static void read_event_desc(struct session *session, struct cursor *c, uint32_t attr_size,
                            struct event_desc *desc)
{
	uint32_t id_count;

	cur_take(c, attr_size);
	id_count = cur_u32(c);
	desc->name = feature_str(c, &session->arena);
	if (!cur_fits(c, id_count, sizeof(uint64_t), "entries") || !id_count)
		return;
	desc->has_id = true;
	desc->first_id = cur_u64(c);
	cur_take(c, (uint64_t)(id_count - 1) * sizeof(uint64_t));
}

bool features_event_desc(struct session *session, struct event_desc **descs, size_t *count,
                         struct err *err)
{
	struct err broken;
	struct cursor c;
	uint32_t nr = 0, attr_size;

	*descs = NULL;
	if (feature_open(session, PERF_FEATURE_EVENT_DESC, &c, &broken)) {
		nr = cur_u32(&c);
		attr_size = cur_u32(&c);
		if (broken.code == ERR_NONE && attr_size < PERF_ATTR_SIZE_MIN)
			err_at(&broken, ERR_FORMAT, c.offset,
			       "%s: an attr of %u bytes is too small", c.name, attr_size);
		else if (cur_fits(&c, nr, (size_t)attr_size + DESC_SIZE_MIN, "entries"))
			*descs = arena_alloc(&session->arena, nr * sizeof(**descs), &broken);
		for (uint32_t i = 0; i < nr && broken.code == ERR_NONE; i++)
			read_event_desc(session, &c, attr_size, *descs + i);
	}
	*count = broken.code == ERR_NONE ? nr : 0;
	return feature_finish(session, PERF_FEATURE_EVENT_DESC, &broken, err);
}

/* first: the first event that is in no earlier group. */
static void read_group(struct session *session, struct cursor *c, size_t first,
                       struct event_group *group)
{
	const char *name = feature_str(c, &session->arena);

	group->leader = cur_u32(c);
	group->members = cur_u32(c);
	group->name = strcmp(name, ANON_GROUP) != 0 ? name : "";
	/* groups must not overlap: else many of them with all events each would take too long */
	if (c->err->code == ERR_NONE &&
	    (group->leader < first || group->leader >= session_recorded_events(session) ||
	     group->members > session_recorded_events(session) - group->leader))
		err_at(c->err, ERR_FORMAT, c->offset,
		       "%s: a group of %u events from number %u on, expected it in %zu to %zu",
		       c->name, group->members, group->leader, first, session->event_count);
}

bool features_groups(struct session *session, struct event_group **groups, size_t *count,
                     struct err *err)
{
	struct err broken;
	struct cursor c;
	uint32_t nr = 0;
	size_t first = 0;

	*groups = NULL;
	if (feature_open(session, PERF_FEATURE_GROUP_DESC, &c, &broken)) {
		nr = cur_u32(&c);
		if (cur_fits(&c, nr, GROUP_SIZE_MIN, "entries"))
			*groups = arena_alloc(&session->arena, nr * sizeof(**groups), &broken);
		for (uint32_t i = 0; i < nr && broken.code == ERR_NONE; i++) {
			read_group(session, &c, first, *groups + i);
			first = (size_t)(*groups)[i].leader + (*groups)[i].members;
		}
	}
	*count = broken.code == ERR_NONE ? nr : 0;
	return feature_finish(session, PERF_FEATURE_GROUP_DESC, &broken, err);
}

bool features_clock_data(struct session *session, struct clock_data *clock, struct err *err)
{
	struct err broken;
	struct cursor c;

	memset(clock, 0, sizeof(*clock));
	if (feature_open(session, PERF_FEATURE_CLOCK_DATA, &c, &broken)) {
		cur_u32(&c); /* these first fields are the same in all known versions */
		clock->clockid = cur_u32(&c);
		clock->wall_time = cur_u64(&c);
		clock->clock_time = cur_u64(&c);
		clock->present = broken.code == ERR_NONE;
	}
	return feature_finish(session, PERF_FEATURE_CLOCK_DATA, &broken, err);
}

bool features_mark_groups(struct session *session, struct err *err)
{
	struct event_group *groups;
	size_t count;

	for (size_t i = 0; i < session->event_count; i++) {
		struct event *event = &session->events[i];

		event->leader = (uint32_t)i;
		event->branch_counters = (event->attr.branch_sample_type &
		                          PERF_SAMPLE_BRANCH_COUNTERS) != 0;
	}
	if (!features_groups(session, &groups, &count, err))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct event *members = session->events + groups[i].leader;
		bool any = false;

		for (uint32_t m = 0; m < groups[i].members; m++) {
			members[m].leader = groups[i].leader;
			any = any || members[m].branch_counters;
		}
		for (uint32_t m = 0; any && m < groups[i].members; m++)
			members[m].branch_counters = true;
	}
	return true;
}
