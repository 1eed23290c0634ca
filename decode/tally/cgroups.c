#include "decode/tally/cgroups.h"

void cgroups_init(struct cgroups *cgroups, const struct session *session, struct strings *strings,
                  uint32_t unknown)
{
	*cgroups = (struct cgroups){ .session = session, .strings = strings, .unknown = unknown };
}

void cgroups_release(struct cgroups *cgroups)
{
	map_release(&cgroups->paths);
}

bool cgroups_add(struct cgroups *cgroups, const struct record *record, struct err *err)
{
	uint32_t path = strings_put(cgroups->strings, record->cgroup.path.text,
	                            record->cgroup.path.length, err);

	return path != STRING_NONE && map_put(&cgroups->paths, record->cgroup.id, path, err);
}

uint32_t cgroups_path(const struct cgroups *cgroups, const struct record *record)
{
	const struct session *session = cgroups->session;
	uint32_t path;

	if (record->event >= session->event_count ||
	    !(session->events[record->event].attr.sample_type & PERF_SAMPLE_CGROUP))
		return STRING_NONE;
	path = map_get(&cgroups->paths, record->sample.cgroup);
	return path != MAP_NONE ? path : cgroups->unknown;
}
