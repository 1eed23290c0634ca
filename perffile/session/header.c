/* The file header: attrs with their ids, event types and the feature table. Format reference, 1. */
#include "perffile/input/input.h"
#include "perffile/session/features.h"

#include <inttypes.h>

#define IDS_MAX ((uint64_t)1 << 24) /* ids of one attr; perf has the same bound */

struct file_section {
	uint64_t offset, size; /* bytes */
};

static struct file_section cur_section(struct cursor *c)
{
	struct file_section section;

	section.offset = cur_u64(c);
	section.size = cur_u64(c);
	return section;
}

static uint64_t file_size(const struct session *session)
{
	return session->input->files[0].size;
}

static bool section_is_inside(const struct session *session, struct file_section section)
{
	uint64_t size = file_size(session);

	return section.offset <= size && section.size <= size - section.offset;
}

/*
 * Takes a section from those bytes of the file that are left for sections of its kind. Real ones do
 * not overlap; false ones could be larger than the file, and would cost memory.
 */
static bool claim_section(const struct session *session, struct file_section section,
                          uint64_t *left)
{
	if (!section_is_inside(session, section) || section.size > *left)
		return false;
	*left -= section.size;
	return true;
}

/* Reads a section that is inside the file into the arena, and sets c to its bytes. */
static bool read_section(struct session *session, struct file_section section, const char *name,
                         struct cursor *c, struct err *err)
{
	const size_t size = (size_t)section.size;
	uint8_t *data = arena_alloc(&session->arena, size, err);

	if (!data || !input_read_at(session->input, data, size, section.offset, err))
		return false;
	*c = cursor_over(data, size, section.offset, name, session->swap, err);
	return true;
}

/* Reads an entry of the attrs: an attr, and at its end where its ids are. left: claim_section() */
static bool open_attr(struct session *session, struct cursor entry, uint64_t *left)
{
	const size_t entry_size = cur_left(&entry);
	struct cursor at_end = entry, behind_attr = entry, ids;
	const struct event *event = session_add_event(
		session, cur_sub(&at_end, entry_size - PERF_SECTION_SIZE, "attr"));
	struct file_section section = cur_section(&at_end);

	if (!event)
		return false;
	if ((!section_is_inside(session, section) || section.size % 8) &&
	    event->attr.size + (uint64_t)PERF_SECTION_SIZE <= entry_size) {
		/* the entry and the attr have different sizes: try the size in the attr */
		cur_take(&behind_attr, event->attr.size);
		section = cur_section(&behind_attr);
	}
	if (section.size % 8 || section.size / 8 > IDS_MAX ||
	    !claim_section(session, section, left)) {
		diag_warn(session->diag, entry.offset,
		          "attrs entry: its ids at 0x%" PRIx64 ", %" PRIu64
		          " bytes, do not fit: dropped",
		          section.offset, section.size);
		session->damaged = true;
		return true;
	}
	return read_section(session, section, "event ids", &ids, entry.err) &&
	       session_add_ids(session, ids);
}

static bool open_attrs(struct session *session, struct file_section attrs, uint64_t entry_size,
                       struct err *err)
{
	uint64_t count, left = file_size(session);
	struct cursor c;

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
	if (!read_section(session, attrs, "attr", &c, err))
		return false;
	for (uint64_t i = 0; i < count; i++)
		if (!open_attr(session, cur_sub(&c, entry_size, "attr"), &left))
			return false;
	return true;
}

static bool open_event_types(struct session *session, struct file_section section, struct err *err)
{
	struct cursor c;

	if (section.size == 0)
		return true;
	if (!section_is_inside(session, section)) {
		diag_warn(session->diag, 56,
		          "header: event_types lie behind the file's end: dropped");
		session->damaged = true;
		return true;
	}
	if (!read_section(session, section, "event_types", &c, err))
		return false;
	while (cur_left(&c) >= PERF_EVENT_TYPE_SIZE)
		if (!session_add_event_type(session, cur_sub(&c, PERF_EVENT_TYPE_SIZE, c.name)))
			return false;
	return true;
}

/* Whether a feature has its bit in a bitmap of words of so many bits. */
static bool has_feature(const uint8_t *bitmap, unsigned word_bits, unsigned number)
{
	unsigned word = number / word_bits, bit = number % word_bits;

	/* the words are big-endian; if they are single bytes, that makes no difference */
	return bitmap[word * (word_bits / 8) + (word_bits - 1 - bit) / 8] >> bit % 8 & 1;
}

/*
 * The bits in each word of the feature bitmap. Big-endian files store it as words of the recording
 * machine's long, whose size is not recorded (format reference, 1.5).
 */
static unsigned bitmap_word_bits(const struct session *session, const uint8_t *bitmap)
{
	if (!session->big_endian)
		return 8;
	/* every perf since 3.2 writes HOSTNAME; before, there were only features 1 and 2 */
	if (has_feature(bitmap, 64, PERF_FEATURE_HOSTNAME))
		return 64;
	if (has_feature(bitmap, 32, PERF_FEATURE_HOSTNAME))
		return 32;
	for (unsigned number = PERF_FEATURE_BUILD_ID + 1; number < PERF_FEATURE_BITS; number++)
		if (has_feature(bitmap, 64, number))
			return 32;
	return 64;
}

/* Reads an entry of the feature table. left: claim_section() */
static void open_feature(struct session *session, unsigned number, struct cursor *c, uint64_t *left)
{
	struct feature *feature = &session->features[number];
	uint64_t offset = c->offset;
	struct file_section section = cur_section(c);

	feature_warn_unknown(session, number, offset);
	if (!claim_section(session, section, left)) {
		diag_warn(session->diag, offset,
		          "feature %u at 0x%" PRIx64 ", %" PRIu64
		          " bytes, does not fit into the file: dropped",
		          number, section.offset, section.size);
		session->damaged = true;
		return;
	}
	feature->present = section.offset != 0;
	feature->offset = section.offset;
	feature->size = section.size;
}

static bool open_features(struct session *session, const uint8_t *bitmap, struct err *err)
{
	struct file_section table = { session->data_offset + session->data_size, 0 };
	uint64_t left = file_size(session);
	const unsigned word_bits = bitmap_word_bits(session, bitmap);
	struct cursor c;

	for (unsigned number = 1; number < PERF_FEATURE_BITS; number++)
		if (has_feature(bitmap, word_bits, number))
			table.size += PERF_SECTION_SIZE;
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
	if (!read_section(session, table, "feature table", &c, err))
		return false;
	for (unsigned number = 1; number < PERF_FEATURE_BITS; number++)
		if (has_feature(bitmap, word_bits, number))
			open_feature(session, number, &c, &left);
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
static bool open_data(struct session *session, struct file_section data, struct err *err)
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
	                      (struct file_section){ session->data_offset, session->data_size }))
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
	struct file_section attrs, data, types;
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
