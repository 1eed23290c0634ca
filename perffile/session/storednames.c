#include "perffile/session/storednames.h"

#include "util/vec.h"

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

/* A part of a record that is not whole yet. */
static bool keep_part(struct session *session, struct cursor c, struct err *err)
{
	const size_t size = cur_left(&c);

	if (!vec_reserve(&session->split, session->split_size + size, &session->split_capacity, 1,
	                 err))
		return false;
	memcpy(session->split + session->split_size, c.pos, size);
	session->split_size += size;
	return true;
}

/* Handles the record that the parts are of. Its header is not believed: its size may be larger. */
static bool join_parts(struct session *session, struct cursor c, struct err *err)
{
	const size_t size = session->split_size;
	uint32_t type;

	session->split_size = 0;
	if (size < PERF_RECORD_HEADER_SIZE) {
		err_at(c.err, ERR_FORMAT, c.offset, "%s: its parts are no record", c.name);
		return true;
	}
	c = cursor_over(session->split, size, c.offset, "SIMPLEPERF_SPLIT record", session->swap,
	                c.err);
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
		return keep_part(session, c, err);
	case SIMPLEPERF_RECORD_SPLIT_END:
		return join_parts(session, c, err);
	default:
		return true;
	}
}
