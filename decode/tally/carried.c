#include "decode/tally/carried.h"

#include "decode/machine/carry.h"
#include "util/vec.h"

#include <stdlib.h>

static bool init_parts(struct carried *carried, struct session *session, struct err *err)
{
	carried->session = session;
	read_values_init(&carried->reads);
	if (!strings_init(&carried->strings, err) ||
	    !processes_init(&carried->processes, &carried->strings, err) ||
	    !binaries_init(&carried->binaries, &carried->strings, err) ||
	    !mappings_init(&carried->mappings, &carried->processes, &carried->binaries, err))
		return false;
	carried->processes.keep_thread_names = true;
	cgroups_init(&carried->cgroups, session, &carried->strings, carried->processes.unknown);
	return true;
}

struct carried *carried_new(struct session *session, struct err *err)
{
	struct carried *carried = vec_new(1, sizeof(*carried), err);

	if (carried && init_parts(carried, session, err))
		return carried;
	carried_free(carried);
	return NULL;
}

void carried_free(struct carried *carried)
{
	if (!carried)
		return;
	mappings_release(&carried->mappings);
	processes_release(&carried->processes);
	binaries_release(&carried->binaries);
	cgroups_release(&carried->cgroups);
	read_values_release(&carried->reads);
	strings_release(&carried->strings);
	free(carried);
}

static bool take_reads(struct carried *carried, const struct record *record, struct err *err)
{
	for (uint64_t i = 0; i < record->sample.read.count; i++) {
		uint64_t period;
		uint32_t event;

		if (!read_values_take(&carried->reads, carried->session, record, i, &event, &period,
		                      err))
			return false;
	}
	return true;
}

bool carried_record(struct carried *carried, const struct record *record, struct err *err)
{
	if (record->damaged)
		return true;
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		return !record->sample.read.data || record->event == EVENT_UNKNOWN ||
		       take_reads(carried, record, err);
	case PERF_RECORD_CGROUP:
		return cgroups_add(&carried->cgroups, record, err);
	default:
		return mapping_record(&carried->mappings, record, carried->session->comm_exec, err);
	}
}

static bool carry_cgroups(struct cgroups *to, const struct cgroups *from, struct err *err)
{
	for (size_t i = 0; i < from->paths.capacity; i++) {
		const struct map_slot *slot = &from->paths.slots[i];
		uint32_t path;

		if (slot->value == MAP_NONE)
			continue;
		path = strings_put_text(to->strings, strings_get(from->strings, slot->value), err);
		if (path == STRING_NONE || !map_put(&to->paths, slot->key, path, err))
			return false;
	}
	return true;
}

bool carried_forget(struct carried **carried, struct err *err)
{
	struct carried *old = *carried, *next = carried_new(old->session, err);

	if (!next)
		return false;
	if (!machine_carry(&next->mappings, &old->mappings, err) ||
	    (old->cgroups.paths.count <= CARRIED_CGROUPS &&
	     !carry_cgroups(&next->cgroups, &old->cgroups, err))) {
		carried_free(next);
		return false;
	}
	if (old->reads.count <= CARRIED_VALUES) {
		read_values_release(&next->reads);
		next->reads = old->reads;
		read_values_init(&old->reads);
	}
	carried_free(old);
	*carried = next;
	return true;
}

bool carried_give(struct carried *carried, struct buildstat *stat, struct err *err)
{
	const struct map *dumps = &stat->mappings.jit_dumps;

	if (!machine_carry(&stat->mappings, &carried->mappings, err) ||
	    !carry_cgroups(&stat->cgroups, &carried->cgroups, err))
		return false;
	read_values_release(&stat->reads);
	stat->reads = carried->reads;
	read_values_init(&carried->reads);
	for (size_t i = 0; i < dumps->capacity; i++)
		if (dumps->slots[i].value != MAP_NONE &&
		    !run_time_code_carry(&stat->code, dumps->slots[i].value,
		                         (int32_t)(uint32_t)dumps->slots[i].key, err))
			return false;
	return true;
}
