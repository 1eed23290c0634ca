#include "perffile/session/session.h"

#include "perffile/session/trailer.h"

#include "util/vec.h"

#include <inttypes.h>
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

void session_activate(struct session *session)
{
	const struct event *first = session->events;
	const struct event *event = &session->events[session->active++];

	if (event == first) {
		session->uniform = true;
		session->reads = session->comm_exec = false;
		session->sample_time = event->layout.time;
		session->sample_id = event->layout.id;
		session->back_id = event->layout.back_id;
		session->sample_ids = session->back_ids = 0;
	}
	if (memcmp(&event->layout, &first->layout, offsetof(struct sample_layout, variable)))
		session->uniform = false;
	if (event->layout.time != first->layout.time)
		session->sample_time = -1;
	if (event->layout.id != first->layout.id)
		session->sample_id = -1;
	if (event->layout.back_id != first->layout.back_id)
		session->back_id = -1;
	if (event->layout.id >= 0)
		session->sample_ids |= 1u << event->layout.id / 8;
	if (event->layout.back_id >= 0)
		session->back_ids |= 1u << event->layout.back_id / 8;
	session->reads |= (event->attr.sample_type & PERF_SAMPLE_READ) != 0;
	session->comm_exec |= attr_flag(&event->attr, PERF_FLAG_COMM_EXEC);
}

/* Warns of attr bits that only a later perf knows. */
static void warn_unknown(struct session *session, size_t number, const struct event_attr *attr)
{
	uint64_t sample = attr->sample_type & ~(uint64_t)PERF_SAMPLE_KNOWN;
	uint64_t flags = attr->flags >> PERF_FLAG_KNOWN << PERF_FLAG_KNOWN;
	uint64_t format = attr->read_format & ~(uint64_t)PERF_FORMAT_KNOWN;

	if (sample)
		diag_warn(session->diag, ERR_NO_OFFSET,
		          "event %zu: unknown sample_type bits 0x%" PRIx64
		          ": fields behind the known ones are skipped",
		          number, sample);
	if (flags)
		diag_warn(session->diag, ERR_NO_OFFSET,
		          "event %zu: unknown attr flags 0x%" PRIx64 ": ignored", number, flags);
	if (format)
		diag_warn(session->diag, ERR_NO_OFFSET,
		          "event %zu: unknown read_format bits 0x%" PRIx64 ": ignored", number,
		          format);
}

struct event *session_add_event(struct session *session, struct cursor attr)
{
	struct event *event;

	if (!vec_room(&session->events, session->event_count, &session->event_capacity,
	              sizeof(*event), attr.err))
		return NULL;
	event = &session->events[session->event_count++];
	*event = (struct event){ .scale = 1 };
	session->names_stale = true;
	event_attr_decode(&event->attr, attr, session->big_endian);
	layout_init(&event->layout, &event->attr);
	warn_unknown(session, session->event_count - 1, &event->attr);
	return event;
}

uint32_t session_add_derived(struct session *session, const char *name, struct err *err)
{
	const struct event event = { .name = name, .named = true, .derived = true, .scale = 1 };

	if (!vec_append(&session->events, &session->event_count, &session->event_capacity, &event,
	                sizeof(event), err))
		return EVENT_UNKNOWN;
	session->derived_count++;
	return (uint32_t)session->event_count - 1;
}

bool session_add_ids(struct session *session, struct cursor c)
{
	const uint32_t number = (uint32_t)(session->event_count - 1);
	const size_t count = cur_left(&c) / 8;

	session->events[number].id_count = count;
	for (size_t i = 0; i < count; i++) {
		uint64_t id = cur_u64(&c);
		uint32_t known = map_get(&session->ids, id);

		if (known != MAP_NONE && known != number)
			diag_warn(session->diag, ERR_NO_OFFSET,
			          "id %" PRIu64 " belongs to two events: the first is used", id);
		else if (!map_put(&session->ids, id, number, c.err))
			return false;
	}
	return true;
}

bool session_add_event_type(struct session *session, struct cursor c)
{
	uint64_t config = cur_u64(&c);
	size_t length;
	const char *text = cur_text(&c, cur_left(&c), &length);
	const char *name;

	if (c.err->code != ERR_NONE)
		return false;
	session->names_stale = true;
	name = arena_text(&session->arena, text, length, c.err);
	return name && numbered_names_add(&session->event_types, config, name, c.err);
}

void session_rewind(struct session *session)
{
	session->active = 0;
	session->uniform = false;
	session->sample_time = -1;
	while (session->active < session->header_events)
		session_activate(session);
}

void session_next_attr(struct session *session, size_t size)
{
	if (size >= PERF_RECORD_HEADER_SIZE + PERF_ATTR_SIZE_MIN &&
	    session->active < session->event_count)
		session_activate(session);
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
		const struct sample_layout *layout;
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
	if (!sample)
		size = trailer_end(record, size, session->swap,
		                   (size_t)session->events[0].layout.trailer);
	if (at < 0)
		return event_by_own_layout(session, record, sample, size);
	if ((size_t)at + 8 > size)
		return EVENT_UNKNOWN;
	return session_event_of_id(
		session, load_u64(sample ? record + at : record + size - at, session->swap));
}
