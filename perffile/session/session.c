#include "perffile/session/session.h"

#include "util/vec.h"

#include <stdlib.h>

void numbered_names_release(struct numbered_names *names)
{
	map_release(&names->index);
	free(names->names);
	memset(names, 0, sizeof(*names));
}

bool numbered_names_add(struct numbered_names *names, uint64_t number, const char *name,
                        struct err *err)
{
	const uint32_t index = (uint32_t)names->count;

	return vec_append(&names->names, &names->count, &names->capacity, &name, sizeof(name),
	                  err) &&
	       map_put(&names->index, number, index, err);
}

const char *numbered_names_find(const struct numbered_names *names, uint64_t number)
{
	uint32_t index = map_get(&names->index, number);

	return index == MAP_NONE ? NULL : names->names[index];
}

void session_init(struct session *session, struct diag *diag)
{
	memset(session, 0, sizeof(*session));
	session->stored_names.files_end = &session->stored_names.files;
	session->sample_time = -1;
	session->diag = diag;
}

void session_release(struct session *session)
{
	arena_release(&session->arena);
	map_release(&session->ids);
	free(session->events);
	free(session->build_ids);
	numbered_names_release(&session->event_types);
	free(session->tracing_bytes);
	free(session->split);
	session_init(session, NULL);
}

void session_report_damage(struct session *session, const struct err *damage)
{
	diag_warn_err(session->diag, damage);
	session->damaged = true;
}

/*
 * The ids of the events are at different offsets: searches the event that finds its own id at its
 * own.
 */
static uint32_t event_by_own_layout(const struct session *session, const uint8_t *record,
                                    bool sample, size_t size)
{
	uint32_t places = sample ? session->sample_ids : session->back_ids;
	uint32_t found = EVENT_UNKNOWN;

	for (; places; places &= places - 1) {
		size_t at = 8 * (size_t)__builtin_ctz(places);
		const struct layout *layout;
		uint32_t number;

		if (at + 8 > size)
			continue;
		number = map_get(&session->ids, load_u64(sample ? record + at : record + size - at,
		                                         session->swap));
		if (number >= session->active)
			continue;
		layout = &session->events[number].layout;
		if ((size_t)(sample ? layout->id : layout->back_id) != at)
			continue;
		if (found != EVENT_UNKNOWN)
			return EVENT_UNKNOWN;
		found = number;
	}
	return found;
}

uint32_t session_event_of_id(const struct session *session, uint64_t id)
{
	uint32_t number = id ? map_get(&session->ids, id) : 0;

	return number < session->active ? number : EVENT_UNKNOWN;
}

uint32_t session_event_find(const struct session *session, const uint8_t *record)
{
	size_t size = load_u16(record + 6, session->swap);
	bool sample = load_u32(record, session->swap) == PERF_RECORD_SAMPLE;
	int16_t at = sample ? session->sample_id : session->back_id;

	if (session->active == 0)
		return EVENT_UNKNOWN;
	if (!sample && !session->events[0].layout.trailer)
		return 0;
	/* without any ids, the events of a recording cannot be told apart */
	if (session->ids.count == 0)
		return 0;
	if (at < 0)
		return event_by_own_layout(session, record, sample, size);
	if ((size_t)at + 8 > size)
		return EVENT_UNKNOWN;
	return session_event_of_id(
		session, load_u64(sample ? record + at : record + size - at, session->swap));
}
