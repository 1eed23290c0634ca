#include "perffile/session/toolrecord.h"

#include "perffile/session/buildid.h"
#include "perffile/session/eventname.h"
#include "perffile/session/features.h"
#include "perffile/session/simpleperf.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* HEADER_ATTR: an attr and its ids. */
static void record_attr(struct session *session, struct cursor c)
{
	const uint64_t offset = c.offset;
	const size_t left = cur_left(&c);
	uint32_t size;
	bool fits;

	if (left < PERF_ATTR_SIZE_MIN) {
		err_at(c.err, ERR_FORMAT, offset,
		       "%s: expected an attr of at least 64 bytes, found %zu", c.name, left);
		return;
	}
	if (session->event_count >= PERF_ATTR_COUNT_MAX) {
		err_at(c.err, ERR_FORMAT, offset, "%s: more than %d attrs", c.name,
		       PERF_ATTR_COUNT_MAX);
		return;
	}
	size = load_u32(c.pos + 4, session->swap);
	if (size == 0)
		size = PERF_ATTR_SIZE_MIN;
	fits = size >= PERF_ATTR_SIZE_MIN && size <= left && size % 8 == 0;
	if (!session_add_event(session, cur_sub(&c, fits ? size : PERF_ATTR_SIZE_MIN, "attr")))
		return;
	if (fits)
		session_add_ids(session, c);
	else /* it is not known where the ids start */
		err_at(c.err, ERR_FORMAT, offset,
		       "%s: an attr of %" PRIu32 " bytes in %zu: its ids are dropped", c.name, size,
		       left);
	session_activate(session);
}

static void record_event_type(struct session *session, struct cursor c)
{
	session_add_event_type(session, c);
}

/* A BUILD_ID section is a list of such records, each with its header. */
static void record_build_id(struct session *session, struct cursor c)
{
	c.pos -= PERF_RECORD_HEADER_SIZE;
	c.offset -= PERF_RECORD_HEADER_SIZE;
	session_add_build_ids(session, c);
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
static void record_update(struct session *session, struct cursor c)
{
	uint64_t what = cur_u64(&c);
	struct event *event = event_by_id(session, cur_u64(&c));
	size_t length;
	const char *text;

	if (c.err->code != ERR_NONE || !event || what == PERF_UPDATE_CPUS)
		return;
	if (what == PERF_UPDATE_SCALE) {
		record_scale(event, &c);
		return;
	}
	text = cur_text(&c, cur_left(&c), &length);
	text = arena_text(&session->arena, text, event_name_length(session, length), c.err);
	if (!text)
		return;
	if (what == PERF_UPDATE_UNIT) {
		event->unit = text;
	} else if (what == PERF_UPDATE_NAME && length) {
		event->name = text;
		event->named = true;
	}
}

static void record_feature(struct session *session, struct cursor c)
{
	uint64_t number = cur_u64(&c);
	struct feature *feature;
	uint8_t *copy;

	if (number == 0 || number >= PERF_FEATURE_BITS || cur_left(&c) == 0)
		return;
	feature_warn_unknown(session, (unsigned)number, c.offset);
	feature = &session->features[number];
	if (feature->present)
		return;
	copy = arena_alloc(&session->arena, cur_left(&c), c.err);
	if (!copy)
		return;
	memcpy(copy, c.pos, cur_left(&c));
	session->names_stale = true;
	feature->present = true;
	feature->data = copy;
	feature->size = cur_left(&c);
	feature->offset = c.offset;
	/* now, while no other thread is handling records */
	features_load_texts(session);
	if (number == PERF_FEATURE_BUILD_ID)
		session_load_build_ids(session, c.err);
}

bool session_holds_tracing(const struct session *session, const uint8_t *record, size_t size)
{
	return size > PERF_TRACING_RECORD_MOST &&
	       load_u32(record + PERF_RECORD_HEADER_SIZE, session->swap) <=
	               size - PERF_RECORD_HEADER_SIZE - 4;
}

/* HEADER_TRACING_DATA with its data inside, as simpleperf writes it. Only the first is used. */
static void record_tracing(struct session *session, struct cursor c)
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
		err_nomem(c.err, size);
		return;
	}
	memcpy(session->tracing_bytes, cur_take(&c, size), size);
	session->tracing_size = size;
}

static const struct {
	uint32_t type;
	bool in_pipes; /* it counts only there; a file has the same in its header */
	const char *name;
	/* Damage, or refused memory, sets the cursor's error. */
	void (*read)(struct session *session, struct cursor payload);
} tool_records[] = {
	{ PERF_RECORD_HEADER_ATTR, true, "HEADER_ATTR record", record_attr },
	{ PERF_RECORD_HEADER_EVENT_TYPE, false, "HEADER_EVENT_TYPE record", record_event_type },
	{ PERF_RECORD_HEADER_TRACING_DATA, false, "HEADER_TRACING_DATA record", record_tracing },
	{ PERF_RECORD_HEADER_BUILD_ID, false, "BUILD_ID record", record_build_id },
	{ PERF_RECORD_EVENT_UPDATE, false, "EVENT_UPDATE record", record_update },
	{ PERF_RECORD_HEADER_FEATURE, true, "HEADER_FEATURE record", record_feature },
};

bool session_record(struct session *session, const uint8_t *record, size_t size, uint64_t offset,
                    struct err *err)
{
	struct err failure = { .code = ERR_NONE };
	struct cursor c = cursor_over(record, size, offset, "record", session->swap, &failure);
	uint32_t type = cur_u32(&c);

	cur_take(&c, PERF_RECORD_HEADER_SIZE - sizeof(type));
	if (type >= SIMPLEPERF_RECORD_KERNEL_SYMBOL && type <= SIMPLEPERF_RECORD_SPLIT_END) {
		c.name = "SIMPLEPERF record";
		stored_names_record(session, type, c);
	}
	for (size_t i = 0; i < ARRAY_SIZE(tool_records); i++)
		if (tool_records[i].type == type && (session->pipe || !tool_records[i].in_pipes)) {
			c.name = tool_records[i].name;
			tool_records[i].read(session, c);
		}
	if (failure.code == ERR_NOMEM || failure.code == ERR_IO)
		return err_pass(err, &failure);
	if (failure.code != ERR_NONE)
		session_report_damage(session, &failure);
	return true;
}
