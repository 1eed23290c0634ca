#include "perffile/session/eventname.h"

#include "perffile/session/features.h"
#include "perffile/session/tracingdata.h"
#include "util/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 160 /* bytes: a derived name is made of short words and numbers */

/* simpleperf's list of events, in its META_INFO */
#define LIST_KEY "event_type_info"
/* more than any real recording has; each is compared with all events */
#define LIST_LINES_MAX 4096

/* bp_type */
#define BREAKPOINT_READ 1u
#define BREAKPOINT_WRITE 2u
#define BREAKPOINT_EXECUTE 4u

static const char *const hardware_names[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};

static const char *const software_names[] = {
	"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};

static const char *const cache_names[] = {
	"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
};

static const char *const cache_ops[] = { "load", "store", "prefetch" };
static const char *const cache_accesses[] = { "loads", "stores", "prefetches" };

/* The operations that each cache has: bit n is operation n. */
static const uint8_t cache_has[] = { 7, 5, 7, 7, 1, 1, 7 };

static void cache_name(char *out, size_t size, uint64_t config)
{
	unsigned cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (cache >= ARRAY_SIZE(cache_names))
		snprintf(out, size, "unknown-ext-hardware-cache-type");
	else if (op >= ARRAY_SIZE(cache_ops))
		snprintf(out, size, "unknown-ext-hardware-cache-op");
	else if (result > 1)
		snprintf(out, size, "unknown-ext-hardware-cache-result");
	else if (!(cache_has[cache] >> op & 1))
		snprintf(out, size, "invalid-cache");
	else if (result)
		snprintf(out, size, "%s-%s-misses", cache_names[cache], cache_ops[op]);
	else
		snprintf(out, size, "%s-%s", cache_names[cache], cache_accesses[op]);
}

static void breakpoint_name(char *out, size_t size, const struct event_attr *attr)
{
	snprintf(out, size, "mem:0x%" PRIx64 ":%s%s%s", attr->bp_addr,
	         attr->bp_type & BREAKPOINT_READ ? "r" : "",
	         attr->bp_type & BREAKPOINT_WRITE ? "w" : "",
	         attr->bp_type & BREAKPOINT_EXECUTE ? "x" : "");
}

/*
 * The letters after the colon. Like perf, this gives "HG" to an event that counts guests although
 * that was not asked for, as events of old perfs do: to exclude guests is the default unless there
 * are other letters.
 */
static void put_modifiers(char out[12], const struct event_attr *attr)
{
	bool no_user = attr_flag(attr, PERF_FLAG_EXCLUDE_USER);
	bool no_kernel = attr_flag(attr, PERF_FLAG_EXCLUDE_KERNEL);
	bool no_hv = attr_flag(attr, PERF_FLAG_EXCLUDE_HV);
	bool no_host = attr_flag(attr, PERF_FLAG_EXCLUDE_HOST);
	bool no_guest = attr_flag(attr, PERF_FLAG_EXCLUDE_GUEST);
	unsigned precise = (unsigned)(attr->flags >> PERF_FLAG_PRECISE_IP & 3);
	bool levels = no_user || no_kernel || no_hv;
	bool guest_default = levels || precise;

	if (levels) {
		if (!no_kernel)
			*out++ = 'k';
		if (!no_user)
			*out++ = 'u';
		if (!no_hv)
			*out++ = 'h';
	}
	while (precise--)
		*out++ = 'p';
	if (no_host || no_guest == guest_default) {
		if (!no_host)
			*out++ = 'H';
		if (!no_guest)
			*out++ = 'G';
	}
	*out = '\0';
}

static void base_name(char *out, size_t size, const struct event_attr *attr)
{
	const uint32_t hardware = (uint32_t)attr->config;

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		snprintf(out, size, "%s",
		         hardware < ARRAY_SIZE(hardware_names) ? hardware_names[hardware]
		                                               : "unknown-hardware");
		break;
	case PERF_TYPE_SOFTWARE:
		snprintf(out, size, "%s",
		         attr->config < ARRAY_SIZE(software_names) ? software_names[attr->config]
		                                                   : "unknown-software");
		break;
	case PERF_TYPE_HW_CACHE:
		cache_name(out, size, attr->config);
		break;
	case PERF_TYPE_RAW:
		snprintf(out, size, "raw 0x%" PRIx64, attr->config);
		break;
	case PERF_TYPE_BREAKPOINT:
		breakpoint_name(out, size, attr);
		break;
	default:
		snprintf(out, size, "config=0x%" PRIx64, attr->config);
	}
}

const char *event_name_derive(const struct event_attr *attr, const char *pmu, struct arena *arena,
                              struct err *err)
{
	char base[NAME_SIZE], letters[12], number[16];
	bool plain;
	size_t size;
	char *name;

	if (attr->type == PERF_TYPE_TRACEPOINT) {
		snprintf(base, sizeof(base), "tracepoint:%" PRIu64, attr->config);
		return arena_text(arena, base, strlen(base), err);
	}
	base_name(base, sizeof(base), attr);
	put_modifiers(letters, attr);
	if (attr->type > PERF_TYPE_BREAKPOINT && !pmu) {
		snprintf(number, sizeof(number), "pmu%u", attr->type);
		pmu = number;
	}
	size = strlen(base) + sizeof(letters) + (pmu ? strnlen(pmu, EVENT_FOLDER_MOST) : 0) + 4;
	name = arena_alloc(arena, size, err);
	if (!name)
		return NULL;
	plain = !*letters || strcmp(letters, "HG") == 0;
	if (pmu)
		snprintf(name, size, "%.*s/%s/%s%s", EVENT_FOLDER_MOST, pmu, base, plain ? "" : ":",
		         plain ? "" : letters);
	else
		snprintf(name, size, "%s%s%s", base, *letters ? ":" : "", letters);
	return name;
}

static bool is_among(const char *const *names, size_t count, const char *name)
{
	size_t length = strcspn(name, ":");

	for (size_t i = 0; i < count; i++)
		if (text_is(name, length, names[i]))
			return true;
	return false;
}

/*
 * Whether type and config alone determine the name; a recorded name that disagrees is then wrong.
 */
static bool is_table_name(const char *name)
{
	return is_among(hardware_names, ARRAY_SIZE(hardware_names), name) ||
	       is_among(software_names, ARRAY_SIZE(software_names), name);
}

/*
 * The old table has only configs, so its names may belong to another type, such as the event that
 * perf tried first. So a name is used only if nothing contradicts it.
 */
static bool old_name_fits(const struct event_attr *attr, const char *name)
{
	if (!*name)
		return false;
	if (attr->type == PERF_TYPE_TRACEPOINT)
		return strchr(name, ':') && !is_table_name(name);
	return attr->type > PERF_TYPE_BREAKPOINT && !is_table_name(name);
}

static const char *pmu_of(const struct numbered_names *pmus, const struct event_attr *attr)
{
	if (attr->type > PERF_TYPE_BREAKPOINT)
		return numbered_names_find(pmus, attr->type);
	if ((attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE) &&
	    attr->config >> 32)
		return numbered_names_find(pmus, attr->config >> 32);
	return NULL;
}

static const char *find_name(struct session *session, const struct event_attr *attr,
                             const struct numbered_names *pmus,
                             const struct numbered_names *tracepoints, struct err *err)
{
	const char *pmu = pmu_of(pmus, attr), *name = NULL;

	if (attr->type == PERF_TYPE_TRACEPOINT)
		name = numbered_names_find(tracepoints, attr->config);
	if (name)
		return name;
	name = numbered_names_find(&session->event_types, attr->config);
	if (!pmu && name && old_name_fits(attr, name))
		return name;
	return event_name_derive(attr, pmu, &session->arena, err);
}

/* The event that an entry of EVENT_DESC describes, or NULL. */
static struct event *event_described_by(struct session *session, const struct event_desc *desc,
                                        size_t position)
{
	uint32_t number = desc->has_id ? map_get(&session->ids, desc->first_id) : MAP_NONE;

	if (number != MAP_NONE && number < session->event_count)
		return &session->events[number];
	if (position >= session->event_count)
		return NULL;
	return desc->has_id && session->events[position].id_count ? NULL
	                                                          : &session->events[position];
}

static bool names_from_desc(struct session *session, struct err *err)
{
	struct event_desc *descs;
	size_t count;

	if (!features_event_desc(session, &descs, &count, err))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct event *event = event_described_by(session, &descs[i], i);

		if (!event || event->named || !*descs[i].name)
			continue;
		event->name = descs[i].name;
		event->named = true;
	}
	return true;
}

/* A line of simpleperf's event list: name,type,config */
static void name_from_line(struct session *session, const char *line, struct err *err)
{
	const char *comma = strchr(line, ',');
	unsigned long long config;
	unsigned long type;
	char *end;

	if (!comma || comma == line)
		return;
	type = strtoul(comma + 1, &end, 10);
	if (*end != ',')
		return;
	config = strtoull(end + 1, NULL, 10);
	for (size_t i = 0; i < session->event_count; i++) {
		struct event *event = &session->events[i];

		if (event->named || event->attr.type != type || event->attr.config != config)
			continue;
		event->name = arena_text(&session->arena, line, (size_t)(comma - line), err);
		event->named = event->name != NULL;
		return;
	}
}

static void names_from_list(struct session *session, const char *text, struct err *err)
{
	char *list = arena_text(&session->arena, text, strlen(text), err);
	char *rest = NULL;
	char *line = list ? strtok_r(list, "\n", &rest) : NULL;

	for (int i = 0; line && i < LIST_LINES_MAX && err->code == ERR_NONE; i++) {
		name_from_line(session, line, err);
		line = strtok_r(NULL, "\n", &rest);
	}
}

static bool names_from_simpleperf(struct session *session, struct err *err)
{
	struct err broken;
	struct cursor c;
	const char *text = NULL;
	bool found = false;

	if (feature_open(session, PERF_FEATURE_META_INFO, &c, &broken))
		while (cur_left(&c) && broken.code == ERR_NONE && !found) {
			found = strcmp(cur_string(&c), LIST_KEY) == 0;
			text = cur_string(&c);
		}
	if (found)
		names_from_list(session, text, &broken);
	return feature_finish(session, PERF_FEATURE_META_INFO, &broken, err);
}

size_t event_name_length(const struct session *session, size_t length)
{
	if (length <= EVENT_NAME_MOST)
		return length;
	diag_warn(session->diag, ERR_NO_OFFSET, "the name of an event has %zu bytes: cut to %d",
	          length, EVENT_NAME_MOST);
	return EVENT_NAME_MOST;
}

static bool cut_name(struct session *session, struct event *event, struct err *err)
{
	size_t length = event->name ? strlen(event->name) : 0;

	if (length > EVENT_NAME_MOST)
		event->name = arena_text(&session->arena, event->name,
		                         event_name_length(session, length), err);
	return err->code == ERR_NONE;
}

bool session_names_fill(struct session *session, struct err *err)
{
	struct numbered_names pmus = { 0 };
	struct tracing_data tracing = { 0 };
	bool ok;

	ok = names_from_desc(session, err) && names_from_simpleperf(session, err) &&
	     features_pmus(session, &pmus, err) && session_tracing_data(session, &tracing, err);
	for (size_t i = 0; i < session->event_count && ok; i++) {
		struct event *event = &session->events[i];

		if (!event->named)
			event->name = find_name(session, &event->attr, &pmus, &tracing.tracepoints,
			                        err);
		ok = event->name != NULL;
	}
	numbered_names_release(&pmus);
	tracing_data_release(&tracing);
	for (size_t i = 0; i < session->event_count && ok; i++)
		ok = cut_name(session, &session->events[i], err);
	return ok;
}
