#include "perffile/session/storednames.h"

#include <string.h>

static struct stored_names *names_of(struct session *session, struct err *err)
{
	struct stored_names *names = session->stored_names;

	if (names)
		return names;
	names = arena_alloc(&session->arena, sizeof(*names), err);
	if (!names)
		return NULL;
	names->files.end = &names->files.first;
	names->symbols.end = &names->symbols.first;
	names->parts_end = &names->parts;
	return session->stored_names = names;
}

/* Appends a DSO or SYMBOL record. */
static bool keep_name(struct session *session, struct stored_list *list, struct cursor c,
                      struct err *err)
{
	struct stored_name name = { .next = NULL }, *kept;
	const char *text;
	size_t length;

	for (size_t i = 0; i < ARRAY_SIZE(name.words); i++)
		name.words[i] = cur_u64(&c);
	if (c.err->code != ERR_NONE)
		return true;
	text = cur_text(&c, cur_left(&c), &length);
	name.text = arena_text(&session->arena, text, length, err);
	kept = name.text ? arena_alloc(&session->arena, sizeof(*kept), err) : NULL;
	if (!kept)
		return false;
	*kept = name;
	*list->end = kept;
	list->end = &kept->next;
	list->count++;
	return true;
}

/* Only the first list is used. */
static bool keep_kernel_list(struct session *session, struct stored_names *names, struct cursor c,
                             struct err *err)
{
	uint32_t size = cur_u32(&c);
	const uint8_t *text = cur_take(&c, size);

	if (!text || !size || names->kernel_list)
		return true;
	names->kernel_list = arena_text(&session->arena, (const char *)text, size, err);
	names->kernel_list_size = size;
	return names->kernel_list != NULL;
}

static bool keep_part(struct session *session, struct stored_names *names, struct cursor c,
                      struct err *err)
{
	const size_t size = cur_left(&c);
	struct stored_part *part;

	if (!size)
		return true;
	part = arena_alloc(&session->arena, sizeof(*part) + size, err);
	if (!part)
		return false;
	part->size = size;
	memcpy(part->bytes, cur_take(&c, size), size);
	*names->parts_end = part;
	names->parts_end = &part->next;
	names->parts_size += size;
	return true;
}

/* Handles the record that the parts are of. Its header is not believed: its size may be larger. */
static bool join_parts(struct session *session, struct stored_names *names, struct cursor c,
                       struct err *err)
{
	const struct stored_part *part = names->parts;
	const size_t size = names->parts_size;
	uint8_t *record, *to;
	uint32_t type;

	names->parts = NULL;
	names->parts_end = &names->parts;
	names->parts_size = 0;
	if (size < PERF_RECORD_HEADER_SIZE) {
		err_at(c.err, ERR_FORMAT, c.offset, "%s: its parts are no record", c.name);
		return true;
	}
	record = to = arena_alloc(&session->arena, size, err);
	if (!record)
		return false;
	for (; part; to += part->size, part = part->next)
		memcpy(to, part->bytes, part->size);
	c = cursor_over(record, size, c.offset, "SIMPLEPERF_SPLIT record", session->swap, c.err);
	type = cur_u32(&c);
	cur_take(&c, PERF_RECORD_HEADER_SIZE - 4);
	return type == SIMPLEPERF_RECORD_SPLIT || type == SIMPLEPERF_RECORD_SPLIT_END ||
	       stored_names_record(session, type, c, err);
}

bool stored_names_record(struct session *session, uint32_t type, struct cursor c, struct err *err)
{
	struct stored_names *names = names_of(session, err);

	if (!names)
		return false;
	switch (type) {
	case SIMPLEPERF_RECORD_KERNEL_SYMBOL:
		return keep_kernel_list(session, names, c, err);
	case SIMPLEPERF_RECORD_DSO:
		return keep_name(session, &names->files, c, err);
	case SIMPLEPERF_RECORD_SYMBOL:
		return keep_name(session, &names->symbols, c, err);
	case SIMPLEPERF_RECORD_SPLIT:
		return keep_part(session, names, c, err);
	case SIMPLEPERF_RECORD_SPLIT_END:
		return join_parts(session, names, c, err);
	default:
		return true;
	}
}
