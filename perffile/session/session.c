#include "perffile/session/session.h"

#include "perffile/session/eventname.h"
#include "perffile/session/features.h"
#include "perffile/input/input.h"
#include "perffile/session/sessionwork.h"
#include "util/vec.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void session_init(struct session *session, struct diag *diag)
{
	memset(session, 0, sizeof(*session));
	arena_init(&session->arena);
	map_init(&session->ids);
	session->sample_time = -1;
	session->diag = diag;
}

void session_release(struct session *session)
{
	arena_release(&session->arena);
	map_release(&session->ids);
	free(session->events);
	free(session->build_ids);
	free(session->event_types);
	free(session->tracing_bytes);
	session_init(session, NULL);
}

/* One more event counts: which shortcuts still hold for all of them. */
static void activate(struct session *session)
{
	const struct event *first = session->events;
	const struct event *event = &session->events[session->active++];

	if (event == first) {
		session->uniform = true;
		session->reads = session->comm_exec = false;
		session->sample_time = event->layout.time;
		session->sample_id = event->layout.id;
		session->back_id = event->layout.back_id;
		session->trailer = event->layout.trailer > 0;
		session->sample_ids = session->back_ids = 0;
	}
	if (memcmp(&event->layout, &first->layout, offsetof(struct layout, variable)))
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

/* Says what a later perf has put into the attr. */
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

/* A new event from its attr; ids follow. NULL with err set when memory is refused. */
struct event *session_add_event(struct session *session, struct cursor attr, struct err *err)
{
	struct event *events = vec_grow(session->events, session->event_count,
	                                &session->event_capacity, sizeof(*events), err);
	struct event *event;

	if (!events)
		return NULL;
	session->events = events;
	event = &events[session->event_count++];
	memset(event, 0, sizeof(*event));
	event->scale = 1;
	session->names_stale = true;
	event_attr_decode(&event->attr, attr, session->big_endian);
	layout_init(&event->layout, &event->attr);
	warn_unknown(session, session->event_count - 1, &event->attr);
	return event;
}

/* The ids of the newest event. c holds nothing else. */
bool session_add_ids(struct session *session, struct cursor c, struct err *err)
{
	struct event *event = &session->events[session->event_count - 1];
	size_t count = cur_left(&c) / 8;

	event->ids = arena_alloc(&session->arena, count * sizeof(*event->ids), err);
	if (!event->ids)
		return false;
	event->id_count = count;
	for (size_t i = 0; i < count; i++) {
		uint64_t id = event->ids[i] = cur_u64(&c);
		uint32_t known = map_get(&session->ids, id);

		if (known != MAP_NONE && known != session->event_count - 1)
			diag_warn(session->diag, ERR_NO_OFFSET,
			          "id %" PRIu64 " belongs to two events: the first is taken", id);
		else if (!map_put(&session->ids, id, (uint32_t)(session->event_count - 1), err))
			return false;
	}
	return true;
}

bool session_add_event_type(struct session *session, struct cursor c, struct err *err)
{
	struct session_event_type *types = vec_grow(session->event_types, session->event_type_count,
	                                            &session->event_type_capacity, sizeof(*types),
	                                            err);
	size_t length;
	const char *text;

	if (!types)
		return false;
	session->event_types = types;
	types += session->event_type_count;
	types->id = cur_u64(&c);
	text = cur_text(&c, cur_left(&c), &length);
	types->name = arena_text(&session->arena, text, length, err);
	session->event_type_count += types->name != NULL;
	session->names_stale = true;
	return types->name != NULL;
}

void session_warn_feature(struct session *session, unsigned number, uint64_t offset)
{
	char name[32];

	if (feature_name(number))
		return;
	snprintf(name, sizeof(name), "feature %u", number);
	diag_warn(session->diag, offset, "%s is not known: skipped", name);
}

void session_rewind(struct session *session)
{
	session->active = 0;
	session->uniform = false;
	session->sample_time = -1;
	while (session->active < session->header_events)
		activate(session);
}

void session_next_attr(struct session *session, size_t size)
{
	if (size >= PERF_RECORD_HEADER_SIZE + PERF_ATTR_SIZE_MIN &&
	    session->active < session->event_count)
		activate(session);
}

/* HEADER_ATTR: an attr and its ids. */
static bool record_attr(struct session *session, struct cursor c, struct err *err)
{
	struct cursor attr;
	uint32_t size;

	if (cur_left(&c) < PERF_ATTR_SIZE_MIN)
		return err_at(
			c.err, ERR_FORMAT, c.offset,
			"HEADER_ATTR record: expected an attr of at least 64 bytes, found %zu",
			cur_left(&c));
	if (session->event_count >= PERF_ATTR_COUNT_MAX)
		return err_at(c.err, ERR_FORMAT, c.offset, "HEADER_ATTR record: more than %d attrs",
		              PERF_ATTR_COUNT_MAX);
	size = load_u32(c.pos + 4, session->swap);
	if (size == 0)
		size = PERF_ATTR_SIZE_MIN;
	if (size < PERF_ATTR_SIZE_MIN || size > cur_left(&c) || size % 8) {
		/* where the ids start cannot be told */
		err_at(c.err, ERR_FORMAT, c.offset,
		       "HEADER_ATTR record: an attr of %" PRIu32
		       " bytes in %zu: its ids are dropped",
		       size, cur_left(&c));
		attr = cur_sub(&c, PERF_ATTR_SIZE_MIN, "attr");
		cur_take(&c, cur_left(&c));
	} else {
		attr = cur_sub(&c, size, "attr");
	}
	if (!session_add_event(session, attr, err) || !session_add_ids(session, c, err))
		return false;
	activate(session);
	return true;
}

static struct event *event_by_id(struct session *session, uint64_t id)
{
	uint32_t number = map_get(&session->ids, id);

	if (number == MAP_NONE)
		return session->event_count == 1 ? session->events : NULL;
	return &session->events[number];
}

/* A scale that no value can be multiplied by is damage; the event keeps what it had. */
static void record_scale(struct event *event, struct cursor *c)
{
	uint64_t offset = c->offset, word = cur_u64(c);
	double scale;

	memcpy(&scale, &word, sizeof(scale));
	if (c->err->code != ERR_NONE)
		return;
	if (isfinite(scale) && scale >= 0)
		event->scale = scale;
	else
		err_at(c->err, ERR_FORMAT, offset,
		       "%s: expected a finite scale of at least 0, found %g", c->name, scale);
}

/* EVENT_UPDATE: name, unit or scale of an event. */
static bool record_update(struct session *session, struct cursor c, struct err *err)
{
	uint64_t what = cur_u64(&c);
	struct event *event = event_by_id(session, cur_u64(&c));
	size_t length;
	const char *text;

	if (!event || what == PERF_UPDATE_CPUS)
		return true;
	if (what == PERF_UPDATE_SCALE) {
		record_scale(event, &c);
		return true;
	}
	text = cur_text(&c, cur_left(&c), &length);
	text = arena_text(&session->arena, text, event_name_length(session, length), err);
	if (!text)
		return false;
	if (what == PERF_UPDATE_UNIT) {
		event->unit = text;
	} else if (what == PERF_UPDATE_NAME && length) {
		event->name = text;
		event->named = true;
	}
	return true;
}

static bool record_feature(struct session *session, struct cursor c, struct err *err)
{
	uint64_t number = cur_u64(&c);
	struct feature *feature;
	uint8_t *copy;

	if (number == 0 || number >= PERF_FEATURE_BITS || cur_left(&c) == 0)
		return true;
	session_warn_feature(session, (unsigned)number, c.offset);
	feature = &session->features[number];
	if (feature->present)
		return true;
	copy = arena_alloc(&session->arena, cur_left(&c), err);
	if (!copy)
		return false;
	memcpy(copy, c.pos, cur_left(&c));
	session->names_stale = true;
	feature->present = true;
	feature->data = copy;
	feature->size = cur_left(&c);
	feature->offset = c.offset;
	return true;
}

bool session_holds_tracing(const struct session *session, const uint8_t *record, size_t size)
{
	return size > PERF_TRACING_RECORD_MOST &&
	       load_u32(record + PERF_RECORD_HEADER_SIZE, session->swap) <=
	               size - PERF_RECORD_HEADER_SIZE - 4;
}

/* HEADER_TRACING_DATA that holds its data, as simpleperf writes it. The first data counts. */
static void record_tracing(struct session *session, struct cursor c, struct err *err)
{
	const uint8_t *record = c.pos - PERF_RECORD_HEADER_SIZE;
	uint32_t size;

	if (session->tracing_bytes ||
	    !session_holds_tracing(session, record, (size_t)(c.end - record)))
		return;
	size = cur_u32(&c);
	session->tracing_bytes = malloc(size ? size : 1);
	if (!session->tracing_bytes) {
		err_nomem(err, size);
		return;
	}
	memcpy(session->tracing_bytes, cur_take(&c, size), size);
	session->tracing_size = size;
}

bool session_record(struct session *session, const uint8_t *record, size_t size, uint64_t offset,
                    struct err *err)
{
	struct err damage = { 0 };
	struct cursor c = cursor_over(record, size, offset, "record", session->swap, &damage);
	uint32_t type = cur_u32(&c);

	cur_take(&c, 4);
	if (type == PERF_RECORD_HEADER_TRACING_DATA) {
		c.name = "HEADER_TRACING_DATA record";
		record_tracing(session, c, err);
	} else if (type == PERF_RECORD_HEADER_ATTR && session->pipe) {
		c.name = "HEADER_ATTR record";
		record_attr(session, c, err);
	} else if (type == PERF_RECORD_HEADER_EVENT_TYPE) {
		c.name = "HEADER_EVENT_TYPE record";
		session_add_event_type(session, c, err);
	} else if (type == PERF_RECORD_HEADER_BUILD_ID) {
		features_parse_build_id_record(session, record, size, offset, err);
	} else if (type == PERF_RECORD_EVENT_UPDATE) {
		c.name = "EVENT_UPDATE record";
		record_update(session, c, err);
	} else if (type == PERF_RECORD_HEADER_FEATURE && session->pipe) {
		c.name = "HEADER_FEATURE record";
		record_feature(session, c, err);
	}
	if (damage.code) {
		diag_warn_err(session->diag, &damage);
		session->damaged = true;
	}
	return err->code == ERR_NONE;
}

const uint8_t *session_feature(struct session *session, unsigned number, size_t *size,
                               struct err *err)
{
	struct feature *feature = &session->features[number];
	uint8_t *data;

	*size = 0;
	if (number >= PERF_FEATURE_BITS || !feature->present || feature->size == 0)
		return NULL;
	if (!feature->data) {
		data = arena_alloc(&session->arena, (size_t)feature->size, err);
		if (!data || !input_read_at(session->input, data, (size_t)feature->size,
		                            feature->offset, err))
			return NULL;
		feature->data = data;
	}
	*size = (size_t)feature->size;
	return feature->data;
}

const char *session_feature_text(struct session *session, unsigned number)
{
	struct err err = { 0 };
	size_t size, length;
	const uint8_t *data = session_feature(session, number, &size, &err);
	struct cursor c;
	const char *text;
	uint32_t room;

	if (!data)
		return NULL;
	c = cursor_over(data, size, session->features[number].offset, "feature", session->swap,
	                &err);
	room = cur_u32(&c);
	text = cur_text(&c, u64_min(room, cur_left(&c)), &length);
	return length ? arena_text(&session->arena, text, length, &err) : NULL;
}

bool session_load_build_ids(struct session *session, struct err *err)
{
	size_t size;
	const uint8_t *data;

	if (session->build_ids_loaded)
		return true;
	session->build_ids_loaded = true;
	data = session_feature(session, PERF_FEATURE_BUILD_ID, &size, err);
	if (!data)
		return err->code == ERR_NONE;
	return features_parse_build_ids(session, data, size,
	                                session->features[PERF_FEATURE_BUILD_ID].offset, err);
}

/* Events whose ids lie in different places: the place where an event finds its own id is right. */
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

uint32_t session_event_find(const struct session *session, const uint8_t *record, uint32_t type,
                            size_t size)
{
	bool sample = type == PERF_RECORD_SAMPLE;
	int16_t at = sample ? session->sample_id : session->back_id;
	uint32_t number;
	uint64_t id;

	if (session->active == 0)
		return EVENT_UNKNOWN;
	if (!sample && !session->trailer)
		return 0;
	/* recordings without any ids cannot tell their events apart */
	if (session->ids.count == 0)
		return 0;
	if (at < 0)
		return event_by_own_layout(session, record, sample, size);
	if ((size_t)at + 8 > size)
		return EVENT_UNKNOWN;
	id = load_u64(sample ? record + at : record + size - at, session->swap);
	if (id == 0)
		return 0;
	number = map_get(&session->ids, id);
	return number < session->active ? number : EVENT_UNKNOWN;
}
