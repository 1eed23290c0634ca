/* The file header: attrs with their ids, event types and the feature table. Format reference, 1. */
#include "perffile/input/input.h"
#include "perffile/session/sessionfill.h"

#include <inttypes.h>
#include <stdlib.h>

#define IDS_MAX ((uint64_t)1 << 24) /* ids of one attr; perf has the same bound */

struct section {
	uint64_t offset, size; /* bytes */
};

static struct section cur_section(struct cursor *c)
{
	struct section section;

	section.offset = cur_u64(c);
	section.size = cur_u64(c);
	return section;
}

/*
 * Reads a section, malloc'd; NULL with err set. The caller has checked that it is inside the file.
 */
static uint8_t *load_section(const struct session *session, struct section section, struct err *err)
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

static uint64_t file_size(const struct session *session)
{
	return session->input->files[0].size;
}

static bool section_is_inside(const struct session *session, struct section section)
{
	uint64_t size = file_size(session);

	return section.offset <= size && section.size <= size - section.offset;
}

/* A section whose offset and size stand at this place of an attrs entry. */
static struct section section_at(const struct session *session, const uint8_t *entry, uint64_t at)
{
	return (struct section){ load_u64(entry + at, session->swap),
		                 load_u64(entry + at + 8, session->swap) };
}

/* Opens the section of ids that an attrs entry names at its end. */
static bool open_ids(struct session *session, const uint8_t *entry, uint64_t entry_size,
                     uint64_t offset, struct err *err)
{
	const struct event *event = &session->events[session->event_count - 1];
	struct section section = section_at(session, entry, entry_size - PERF_SECTION_SIZE);
	uint8_t *data;
	bool ok;

	if ((!section_is_inside(session, section) || section.size % 8) &&
	    event->attr.size + (uint64_t)PERF_SECTION_SIZE <= entry_size) {
		/* the entry and the attr have different sizes: try the size in the attr */
		section = section_at(session, entry, event->attr.size);
	}
	/*
	 * real sections of ids do not overlap: those that are larger than the file are false, and
	 * would cost memory
	 */
	if (!section_is_inside(session, section) || section.size % 8 ||
	    section.size / 8 > IDS_MAX || section.size > file_size(session) - session->id_bytes) {
		diag_warn(session->diag, offset,
		          "attrs entry: its ids at 0x%" PRIx64 ", %" PRIu64
		          " bytes, do not fit: dropped",
		          section.offset, section.size);
		session->damaged = true;
		return true;
	}
	session->id_bytes += section.size;
	data = load_section(session, section, err);
	if (!data)
		return false;
	ok = session_add_ids(session,
	                     cursor_over(data, (size_t)section.size, section.offset, "event ids",
	                                 session->swap, err),
	                     err);
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
		return err_at(err, ERR_FORMAT, 16,
		              "header: expected an attr entry of at least %d bytes, found %" PRIu64,
		              PERF_ATTR_SIZE_MIN + PERF_SECTION_SIZE, entry_size);
	count = attrs.size / entry_size;
	if (count == 0 || count > PERF_ATTR_COUNT_MAX)
		return err_at(err, ERR_FORMAT, 24, "header: expected 1 to %d attrs, found %" PRIu64,
		              PERF_ATTR_COUNT_MAX, count);
	if (!section_is_inside(session, attrs))
		return err_at(err, ERR_FORMAT, 24,
		              "header: the attrs at 0x%" PRIx64 ", %" PRIu64
		              " bytes, lie behind the file's end",
		              attrs.offset, attrs.size);
	data = load_section(session, attrs, err);
	if (!data)
		return false;
	for (uint64_t i = 0; ok && i < count; i++) {
		const uint8_t *entry = data + i * entry_size;
		uint64_t offset = attrs.offset + i * entry_size;

		ok = session_add_event(session,
		                       cursor_over(entry, (size_t)(entry_size - PERF_SECTION_SIZE),
		                                   offset, "attr", session->swap, err),
		                       err) &&
		     open_ids(session, entry, entry_size, offset, err);
	}
	free(data);
	return ok;
}

static bool open_event_types(struct session *session, struct section section, struct err *err)
{
	uint8_t *data;
	bool ok = true;

	if (section.size == 0)
		return true;
	if (!section_is_inside(session, section)) {
		diag_warn(session->diag, 56,
		          "header: event_types lie behind the file's end: dropped");
		session->damaged = true;
		return true;
	}
	data = load_section(session, section, err);
	if (!data)
		return false;
	for (uint64_t at = 0; ok && section.size - at >= PERF_EVENT_TYPE_SIZE;
	     at += PERF_EVENT_TYPE_SIZE)
		ok = session_add_event_type(session,
		                            cursor_over(data + at, PERF_EVENT_TYPE_SIZE,
		                                        section.offset + at, "event_types",
		                                        session->swap, err),
		                            err);
	free(data);
	return ok;
}

/*
 * The feature bits. Big-endian files store them as words of the recording machine's long, whose
 * size is not recorded (format reference, 1.5).
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
	/* every perf since 3.2 writes HOSTNAME; before, there were only features 1 and 2 */
	if (wide[PERF_FEATURE_HOSTNAME] || (any_wide && old_wide && !narrow[PERF_FEATURE_HOSTNAME]))
		memcpy(bits, wide, sizeof(wide));
	else
		memcpy(bits, narrow, sizeof(narrow));
}

/* Reads an entry of the feature table. left: bytes of the file that no earlier feature takes. */
static void open_feature(struct session *session, unsigned number, struct cursor *c, uint64_t *left)
{
	struct feature *feature = &session->features[number];
	uint64_t offset = c->offset;
	struct section section = cur_section(c);

	session_warn_feature(session, number, offset);
	/*
	 * real features do not overlap: those that are larger than the file are false, and would
	 * cost memory
	 */
	if (!section_is_inside(session, section) || section.size > *left) {
		diag_warn(session->diag, offset,
		          "feature %u at 0x%" PRIx64 ", %" PRIu64
		          " bytes, does not fit into the file: dropped",
		          number, section.offset, section.size);
		session->damaged = true;
		return;
	}
	*left -= section.size;
	feature->present = section.offset != 0;
	feature->offset = section.offset;
	feature->size = section.size;
}

static bool open_features(struct session *session, const uint8_t *bitmap, struct err *err)
{
	struct section table = { session->data_offset + session->data_size, 0 };
	uint64_t left = file_size(session);
	bool bits[PERF_FEATURE_BITS];
	struct cursor c;
	uint8_t *data;

	decode_bitmap(session, bitmap, bits);
	for (int bit = 1; bit < PERF_FEATURE_BITS; bit++)
		table.size += bits[bit] ? PERF_SECTION_SIZE : 0;
	if (table.size == 0)
		return true;
	if (!section_is_inside(session, table)) {
		diag_warn(session->diag, table.offset,
		          "the feature table is cut off: expected %" PRIu64
		          " bytes, found %" PRIu64,
		          table.size, left - u64_min(table.offset, left));
		session->damaged = true;
		return true;
	}
	data = load_section(session, table, err);
	if (!data)
		return false;
	c = cursor_over(data, (size_t)table.size, table.offset, "feature table", session->swap,
	                err);
	for (unsigned bit = 1; bit < PERF_FEATURE_BITS; bit++)
		if (bits[bit])
			open_feature(session, bit, &c, &left);
	free(data);
	return true;
}

/* Reads magic and size, which tell byte order, version and layout. */
static bool open_magic(struct session *session, uint64_t *header_size, struct err *err)
{
	const uint8_t *head = session->input->head;
	bool known;

	session->version = 2;
	if (!memcmp(head, "PERFILE2", 8)) {
		session->big_endian = false;
	} else if (!memcmp(head, "2ELIFREP", 8)) {
		session->big_endian = true;
	} else if (!memcmp(head, "PERFFILE", 8)) {
		/* the old magic is the same text in both byte orders, but the size is not */
		uint64_t size = load_u64(head + 8, must_swap(false));

		session->version = 1;
		session->big_endian = size != PERF_HEADER_SIZE && size != PERF_HEADER_SIZE_OLD &&
		                      size != PERF_HEADER_SIZE_PIPE;
	} else {
		return err_at(err, ERR_FORMAT, 0,
		              "is no perf.data recording: expected PERFILE2 or PERFFILE");
	}
	session->swap = must_swap(session->big_endian);
	*header_size = load_u64(head + 8, session->swap);
	session->pipe = *header_size == PERF_HEADER_SIZE_PIPE;
	known = session->pipe || *header_size == PERF_HEADER_SIZE_OLD ||
	        *header_size >= PERF_HEADER_SIZE;
	return known || err_at(err, ERR_FORMAT, 8,
	                       "header: expected a size of 16, 72 or 104 bytes, found %" PRIu64,
	                       *header_size);
}

/* Finds the records; the section is limited to what the file has. */
static bool open_data(struct session *session, struct section data, struct err *err)
{
	uint64_t size = file_size(session), behind = size - u64_min(size, data.offset);

	if (data.offset < PERF_HEADER_SIZE_OLD)
		return err_at(err, ERR_FORMAT, 40,
		              "header: expected records behind the header, found 0x%" PRIx64,
		              data.offset);
	session->data_offset = data.offset;
	session->data_size = data.size;
	session->killed = data.size == 0;
	if (session->killed)
		session->data_size = behind;
	if (section_is_inside(session,
	                      (struct section){ session->data_offset, session->data_size }))
		return true;
	diag_warn(session->diag, 40,
	          "the recording is cut off: expected %" PRIu64 " bytes of records at 0x%" PRIx64
	          ", found %" PRIu64,
	          data.size, data.offset, behind);
	session->damaged = true;
	session->data_size = behind;
	return true;
}

static bool open_file(struct session *session, uint64_t header_size, struct err *err)
{
	uint8_t header[PERF_HEADER_SIZE] = { 0 };
	size_t known = header_size < sizeof(header) ? (size_t)header_size : sizeof(header);
	struct section attrs, data, types;
	uint64_t entry_size;
	struct cursor c;

	if (file_size(session) < known)
		return err_at(err, ERR_FORMAT, file_size(session),
		              "header: expected %zu bytes, found %" PRIu64, known,
		              file_size(session));
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
	/* a killed recorder has announced features that it never wrote; they lie behind the records
	 */
	if (!session->killed && section_is_inside(session, data) && known == PERF_HEADER_SIZE &&
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
	if (!session->pipe)
		return open_file(session, header_size, err);
	session->data_offset = PERF_HEADER_SIZE_PIPE;
	session->data_size = UINT64_MAX - PERF_HEADER_SIZE_PIPE;
	return true;
}
