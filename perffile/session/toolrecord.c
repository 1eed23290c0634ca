#include "perffile/session/toolrecord.h"

#include "perffile/session/buildid.h"
#include "perffile/session/eventname.h"
#include "perffile/session/features.h"
#include "perffile/session/sessionfill.h"
#include "perffile/session/simpleperf.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

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
		/* it is not known where the ids start */
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
	session_activate(session);
	return true;
}

static struct event *event_by_id(struct session *session, uint64_t id)
{
	uint32_t number = map_get(&session->ids, id);

	if (number == MAP_NONE)
		return session->event_count == 1 ? session->events : NULL;
	return &session->events[number];
}

/* A scale that values cannot be multiplied by is damage; the event keeps its old one. */
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
	/* now, while no other thread is handling records */
	features_load_texts(session);
	return number != PERF_FEATURE_BUILD_ID || session_load_build_ids(session, err);
}

bool session_holds_tracing(const struct session *session, const uint8_t *record, size_t size)
{
	return size > PERF_TRACING_RECORD_MOST &&
	       load_u32(record + PERF_RECORD_HEADER_SIZE, session->swap) <=
	               size - PERF_RECORD_HEADER_SIZE - 4;
}

/* HEADER_TRACING_DATA with its data inside, as simpleperf writes it. Only the first is used. */
static void record_tracing(struct session *session, struct cursor c, struct err *err)
{
	const uint8_t *record = c.pos - PERF_RECORD_HEADER_SIZE;
	uint32_t size;

	if (session->tracing_bytes ||
	    !session_holds_tracing(session, record, (size_t)(c.end - record)))
		return;
	size = cur_u32(&c);
	session->tracing_offset = c.offset;
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
		session_add_build_ids(session,
		                      cursor_over(record, size, offset, "BUILD_ID record",
		                                  session->swap, &damage),
		                      err);
	} else if (type == PERF_RECORD_EVENT_UPDATE) {
		c.name = "EVENT_UPDATE record";
		record_update(session, c, err);
	} else if (type == PERF_RECORD_HEADER_FEATURE && session->pipe) {
		c.name = "HEADER_FEATURE record";
		record_feature(session, c, err);
	} else if (type >= SIMPLEPERF_RECORD_KERNEL_SYMBOL && type <= SIMPLEPERF_RECORD_SPLIT_END) {
		c.name = "SIMPLEPERF record";
		stored_names_record(session, type, c, err);
	}
	if (damage.code)
		session_report_damage(session, &damage);
	return err->code == ERR_NONE;
}
