#include "perffile/session.h"

#include "perffile/eventname.h"
#include "perffile/features.h"
#include "perffile/input.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>

#define IDS_MAX ((uint64_t)1 << 24) /* ids of one attr; perf has the same bound */

struct section {
	uint64_t offset, size; /* bytes */
};

void session_init(struct session *session, struct diag *diag)
{
	memset(session, 0, sizeof(*session));
	arena_init(&session->arena);
	map_init(&session->ids);
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
		session->sample_id = event->layout.id;
		session->back_id = event->layout.back_id;
		session->trailer = event->layout.trailer > 0;
		session->sample_ids = session->back_ids = 0;
	}
	if (memcmp(&event->layout, &first->layout, sizeof(first->layout)))
		session->uniform = false;
	if (event->layout.id != first->layout.id)
		session->sample_id = -1;
	if (event->layout.back_id != first->layout.back_id)
		session->back_id = -1;
	if (event->layout.id >= 0)
		session->sample_ids |= 1u << event->layout.id / 8;
	if (event->layout.back_id >= 0)
		session->back_ids |= 1u << event->layout.back_id / 8;
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
		          ": fields behind the known ones are skipped", number, sample);
	if (flags)
		diag_warn(session->diag, ERR_NO_OFFSET,
		          "event %zu: unknown attr flags 0x%" PRIx64 ": ignored", number, flags);
	if (format)
		diag_warn(session->diag, ERR_NO_OFFSET,
		          "event %zu: unknown read_format bits 0x%" PRIx64 ": ignored", number, format);
}

/* A new event from its attr; ids follow. NULL with err set when memory is refused. */
static struct event *add_event(struct session *session, struct cursor attr, struct err *err)
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
static bool add_ids(struct session *session, struct cursor c, struct err *err)
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

static struct section cur_section(struct cursor *c)
{
	struct section section;

	section.offset = cur_u64(c);
	section.size = cur_u64(c);
	return section;
}

/* Bytes of a section, malloc'd; NULL with err set. The section is known to be inside the file. */
static uint8_t *load(const struct session *session, struct section section, struct err *err)
{
	uint8_t *data = malloc(section.size ? (size_t)section.size : 1);

	if (!data)
		err_nomem(err, (size_t)section.size);
	else if (!input_read_at(session->input, data, (size_t)section.size, section.offset, err)) {
		free(data);
		data = NULL;
	}
	return data;
}

static bool inside(const struct session *session, struct section section)
{
	uint64_t size = session->input->files[0].size;

	return section.offset <= size && section.size <= size - section.offset;
}

/* The ids section named at the end of an attrs entry. */
static bool open_ids(struct session *session, const uint8_t *entry, uint64_t entry_size,
                     uint64_t offset, struct err *err)
{
	const struct event *event = &session->events[session->event_count - 1];
	struct cursor c = cursor_over(entry, (size_t)entry_size, offset, "attrs entry",
	                              session->swap, err);
	struct section section;
	uint8_t *data;
	bool ok;

	cur_take(&c, entry_size - PERF_SECTION_SIZE);
	section = cur_section(&c);
	if ((!inside(session, section) || section.size % 8) &&
	    event->attr.size + (uint64_t)PERF_SECTION_SIZE <= entry_size) {
		/* entry and attr disagree about the attr's size: try the attr's word */
		c = cursor_over(entry, (size_t)entry_size, offset, "attrs entry", session->swap, err);
		cur_take(&c, event->attr.size);
		section = cur_section(&c);
	}
	/* no byte holds the ids of two attrs: together they are no larger than the file */
	if (!inside(session, section) || section.size % 8 || section.size / 8 > IDS_MAX ||
	    section.size > session->input->files[0].size - session->id_bytes) {
		diag_warn(session->diag, offset,
		          "attrs entry: its ids at 0x%" PRIx64 ", %" PRIu64 " bytes, do not fit: dropped",
		          section.offset, section.size);
		session->damaged = true;
		return true;
	}
	session->id_bytes += section.size;
	data = load(session, section, err);
	if (!data)
		return false;
	ok = add_ids(session, cursor_over(data, (size_t)section.size, section.offset, "event ids",
	                                  session->swap, err), err);
	free(data);
	return ok;
}

static bool open_attrs(struct session *session, struct section attrs, uint64_t entry_size,
                       struct err *err)
{
	uint64_t count;
	uint8_t *data;
	bool ok = true;

	if (entry_size < PERF_ATTR_SIZE_MIN + PERF_SECTION_SIZE)
		return err_at(err, ERR_FORMAT, 16, "header: expected an attr entry of at least %d bytes, found %" PRIu64,
		              PERF_ATTR_SIZE_MIN + PERF_SECTION_SIZE, entry_size);
	count = attrs.size / entry_size;
	if (count == 0 || count > PERF_ATTR_COUNT_MAX)
		return err_at(err, ERR_FORMAT, 24, "header: expected 1 to %d attrs, found %" PRIu64,
		              PERF_ATTR_COUNT_MAX, count);
	if (!inside(session, attrs))
		return err_at(err, ERR_FORMAT, 24,
		              "header: the attrs at 0x%" PRIx64 ", %" PRIu64 " bytes, lie behind the file's end",
		              attrs.offset, attrs.size);
	data = load(session, attrs, err);
	if (!data)
		return false;
	for (uint64_t i = 0; ok && i < count; i++) {
		const uint8_t *entry = data + i * entry_size;
		uint64_t offset = attrs.offset + i * entry_size;

		ok = add_event(session, cursor_over(entry, (size_t)(entry_size - PERF_SECTION_SIZE), offset,
		                                    "attr", session->swap, err), err) &&
		     open_ids(session, entry, entry_size, offset, err);
	}
	free(data);
	return ok;
}

static bool add_event_type(struct session *session, struct cursor c, struct err *err)
{
	struct session_event_type *types =
		vec_grow(session->event_types, session->event_type_count,
	                 &session->event_type_capacity, sizeof(*types), err);
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
	return types->name != NULL;
}

static bool open_event_types(struct session *session, struct section section, struct err *err)
{
	uint8_t *data;
	bool ok = true;

	if (section.size == 0)
		return true;
	if (!inside(session, section)) {
		diag_warn(session->diag, 56, "header: event_types lie behind the file's end: dropped");
		session->damaged = true;
		return true;
	}
	data = load(session, section, err);
	if (!data)
		return false;
	for (uint64_t at = 0; ok && section.size - at >= PERF_EVENT_TYPE_SIZE; at += PERF_EVENT_TYPE_SIZE)
		ok = add_event_type(session, cursor_over(data + at, PERF_EVENT_TYPE_SIZE,
		                                         section.offset + at, "event_types", session->swap,
		                                         err), err);
	free(data);
	return ok;
}

/*
 * Feature bits as this machine's words hold them. Big-endian files store words of the producer's
 * long, whose size the file does not tell (format reference, 1.5).
 */
static void decode_bitmap(const struct session *session, const uint8_t *bytes, bool *bits)
{
	bool wide[PERF_FEATURE_BITS], narrow[PERF_FEATURE_BITS];
	bool old_wide = true, any_wide = false;

	for (int bit = 0; bit < PERF_FEATURE_BITS; bit++) {
		if (!session->big_endian) {
			bits[bit] = bytes[bit / 8] >> bit % 8 & 1;
			continue;
		}
		wide[bit] = bytes[bit / 64 * 8 + 7 - bit % 64 / 8] >> bit % 8 & 1;
		narrow[bit] = bytes[bit / 32 * 4 + 3 - bit % 32 / 8] >> bit % 8 & 1;
		any_wide |= wide[bit];
		old_wide &= !wide[bit] || bit <= PERF_FEATURE_BUILD_ID;
	}
	if (!session->big_endian)
		return;
	/* every perf since 3.2 writes HOSTNAME; before, there were features 1 and 2 only */
	if (wide[PERF_FEATURE_HOSTNAME] || (any_wide && old_wide && !narrow[PERF_FEATURE_HOSTNAME]))
		memcpy(bits, wide, sizeof(wide));
	else
		memcpy(bits, narrow, sizeof(narrow));
}

static void warn_feature(struct session *session, unsigned number, uint64_t offset)
{
	if (!feature_name(number))
		diag_warn(session->diag, offset, "feature %u is not known: skipped", number);
}

static bool open_features(struct session *session, const uint8_t *bitmap, struct err *err)
{
	struct section table = { session->data_offset + session->data_size, 0 };
	uint64_t left = session->input->files[0].size;
	bool bits[PERF_FEATURE_BITS];
	struct cursor c;
	uint8_t *data;

	decode_bitmap(session, bitmap, bits);
	for (int bit = 1; bit < PERF_FEATURE_BITS; bit++)
		table.size += bits[bit] ? PERF_SECTION_SIZE : 0;
	if (table.size == 0)
		return true;
	if (!inside(session, table)) {
		diag_warn(session->diag, table.offset,
		          "the feature table is cut off: expected %" PRIu64 " bytes, found %" PRIu64,
		          table.size, session->input->files[0].size - u64_min(table.offset,
		          session->input->files[0].size));
		session->damaged = true;
		return true;
	}
	data = load(session, table, err);
	if (!data)
		return false;
	c = cursor_over(data, (size_t)table.size, table.offset, "feature table", session->swap, err);
	for (unsigned bit = 1; bit < PERF_FEATURE_BITS; bit++) {
		struct section section;

		if (!bits[bit])
			continue;
		section = cur_section(&c);
		warn_feature(session, bit, c.offset - PERF_SECTION_SIZE);
		/* no byte belongs to two of them: together they are no larger than the file */
		if (!inside(session, section) || section.size > left) {
			diag_warn(session->diag, c.offset - PERF_SECTION_SIZE,
			          "feature %u at 0x%" PRIx64 ", %" PRIu64 " bytes, does not fit into the file: dropped",
			          bit, section.offset, section.size);
			session->damaged = true;
			continue;
		}
		left -= section.size;
		session->features[bit].present = section.offset != 0;
		session->features[bit].offset = section.offset;
		session->features[bit].size = section.size;
	}
	free(data);
	return true;
}

/* magic and size: byte order, version and layout. */
static bool open_magic(struct session *session, uint64_t *header_size, struct err *err)
{
	const uint8_t *head = session->input->head;
	const uint16_t probe = 1;
	bool host_big = *(const uint8_t *)&probe == 0;
	bool known;

	session->version = 2;
	if (!memcmp(head, "PERFILE2", 8)) {
		session->big_endian = false;
	} else if (!memcmp(head, "2ELIFREP", 8)) {
		session->big_endian = true;
	} else if (!memcmp(head, "PERFFILE", 8)) {
		/* a text, the same in both byte orders: the size tells */
		uint64_t size = load_u64(head + 8, host_big);

		session->version = 1;
		session->big_endian = size != PERF_HEADER_SIZE && size != PERF_HEADER_SIZE_OLD &&
		                      size != PERF_HEADER_SIZE_PIPE;
	} else {
		return err_at(err, ERR_FORMAT, 0, "is no perf.data recording: expected PERFILE2 or PERFFILE");
	}
	session->swap = session->big_endian != host_big;
	*header_size = load_u64(head + 8, session->swap);
	session->pipe = *header_size == PERF_HEADER_SIZE_PIPE;
	known = session->pipe || *header_size == PERF_HEADER_SIZE_OLD ||
	        *header_size >= PERF_HEADER_SIZE;
	return known || err_at(err, ERR_FORMAT, 8,
	                       "header: expected a size of 16, 72 or 104 bytes, found %" PRIu64,
	                       *header_size);
}

/* Where the records are; clamped to what the file has. */
static bool open_data(struct session *session, struct section data, struct err *err)
{
	uint64_t size = session->input->files[0].size;

	if (data.offset < PERF_HEADER_SIZE_OLD)
		return err_at(err, ERR_FORMAT, 40, "header: expected records behind the header, found 0x%" PRIx64,
		              data.offset);
	session->data_offset = data.offset;
	session->data_size = data.size;
	session->killed = data.size == 0;
	if (session->killed)
		session->data_size = size - u64_min(size, data.offset);
	if (inside(session, (struct section){ session->data_offset, session->data_size }))
		return true;
	diag_warn(session->diag, 40,
	          "the recording is cut off: expected %" PRIu64 " bytes of records at 0x%" PRIx64
	          ", found %" PRIu64, data.size, data.offset, size - u64_min(size, data.offset));
	session->damaged = session->cut = true;
	session->data_size = size - u64_min(size, data.offset);
	return true;
}

static bool open_file(struct session *session, uint64_t header_size, struct err *err)
{
	uint8_t header[PERF_HEADER_SIZE] = { 0 };
	size_t known = header_size < sizeof(header) ? (size_t)header_size : sizeof(header);
	struct section attrs, data, types;
	uint64_t entry_size;
	struct cursor c;

	if (session->input->files[0].size < known)
		return err_at(err, ERR_FORMAT, session->input->files[0].size,
		              "header: expected %zu bytes, found %" PRIu64, known,
		              session->input->files[0].size);
	if (!input_read_at(session->input, header, known, 0, err))
		return false;
	c = cursor_over(header, sizeof(header), 0, "header", session->swap, err);
	cur_take(&c, 16);
	entry_size = cur_u64(&c);
	attrs = cur_section(&c);
	data = cur_section(&c);
	types = cur_section(&c);
	if (!open_attrs(session, attrs, entry_size, err) || !open_data(session, data, err) ||
	    !open_event_types(session, types, err))
		return false;
	/* a killed recorder promised features that it never wrote */
	if (!session->killed && !session->cut && known == PERF_HEADER_SIZE &&
	    !open_features(session, c.pos, err))
		return false;
	session->header_events = session->event_count;
	session_rewind(session);
	return true;
}

bool session_open(struct session *session, const struct input *input, struct err *err)
{
	uint64_t header_size = 0;

	session->input = input;
	if (!open_magic(session, &header_size, err))
		return false;
	session->header_size = header_size;
	if (!session->pipe)
		return open_file(session, header_size, err);
	session->data_offset = PERF_HEADER_SIZE_PIPE;
	session->data_size = UINT64_MAX - PERF_HEADER_SIZE_PIPE;
	return true;
}

void session_rewind(struct session *session)
{
	session->active = 0;
	session->uniform = false;
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
		return err_at(c.err, ERR_FORMAT, c.offset,
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
		       "HEADER_ATTR record: an attr of %" PRIu32 " bytes in %zu: its ids are dropped", size,
		       cur_left(&c));
		attr = cur_sub(&c, PERF_ATTR_SIZE_MIN, "attr");
		cur_take(&c, cur_left(&c));
	} else {
		attr = cur_sub(&c, size, "attr");
	}
	if (!add_event(session, attr, err) || !add_ids(session, c, err))
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

/* EVENT_UPDATE: name, unit or scale of an event. */
static bool record_update(struct session *session, struct cursor c, struct err *err)
{
	uint64_t what = cur_u64(&c), word;
	struct event *event = event_by_id(session, cur_u64(&c));
	size_t length;
	const char *text;

	if (!event || what == PERF_UPDATE_CPUS)
		return true;
	if (what == PERF_UPDATE_SCALE) {
		word = cur_u64(&c);
		memcpy(&event->scale, &word, sizeof(word));
		return true;
	}
	text = cur_text(&c, cur_left(&c), &length);
	text = arena_text(&session->arena, text, length, err);
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
	warn_feature(session, (unsigned)number, c.offset);
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

bool session_record(struct session *session, const uint8_t *record, size_t size, uint64_t offset,
                    struct err *err)
{
	struct err damage = { 0 };
	struct cursor c = cursor_over(record, size, offset, "record", session->swap, &damage);
	uint32_t type = cur_u32(&c);

	cur_take(&c, 4);
	if (type == PERF_RECORD_HEADER_ATTR && session->pipe) {
		c.name = "HEADER_ATTR record";
		record_attr(session, c, err);
	} else if (type == PERF_RECORD_HEADER_EVENT_TYPE) {
		c.name = "HEADER_EVENT_TYPE record";
		add_event_type(session, c, err);
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
	c = cursor_over(data, size, session->features[number].offset, "feature", session->swap, &err);
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
		number = map_get(&session->ids,
		                 load_u64(sample ? record + at : record + size - at, session->swap));
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
