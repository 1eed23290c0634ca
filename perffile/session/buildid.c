#include "perffile/session/buildid.h"

#include "util/vec.h"

#include <string.h>

/* after the header come 4 bytes of pid, 20 of id, 1 of size, 3 reserved */
#define BUILD_ID_NAME_AT 36

/* Appends the build id of one record. */
static bool append_build_id(struct session *session, struct cursor c)
{
	struct session_build_id id = { .size = PERF_BUILD_ID_SIZE };
	size_t length;
	const uint8_t *bytes;
	const char *name;
	uint8_t size;

	cur_u32(&c); /* type */
	id.misc = cur_u16(&c);
	cur_u16(&c); /* size */
	id.pid = (int32_t)cur_u32(&c);
	bytes = cur_take(&c, PERF_BUILD_ID_SIZE);
	size = cur_u8(&c);
	cur_take(&c, 3);
	name = cur_text(&c, cur_left(&c), &length);
	memcpy(id.bytes, bytes, sizeof(id.bytes));
	if (id.misc & PERF_MISC_BUILD_ID_SIZE && size <= PERF_BUILD_ID_SIZE)
		id.size = size;
	id.name = arena_text(&session->arena, name, length, c.err);
	if (!id.name || !vec_room(&session->build_ids, session->build_id_count,
	                          &session->build_id_capacity, sizeof(id), c.err))
		return false;
	session->build_ids[session->build_id_count++] = id;
	return true;
}

bool session_add_build_ids(struct session *session, struct cursor c)
{
	while (cur_left(&c) >= PERF_RECORD_HEADER_SIZE) {
		uint16_t size = load_u16(c.pos + 6, c.swap);

		if (size < BUILD_ID_NAME_AT || size > cur_left(&c)) {
			diag_warn(session->diag, c.offset,
			          "%s: expected a record of at %s %zu bytes, found %u", c.name,
			          size < BUILD_ID_NAME_AT ? "least" : "most",
			          size < BUILD_ID_NAME_AT ? (size_t)BUILD_ID_NAME_AT : cur_left(&c),
			          size);
			return true;
		}
		if (!append_build_id(session, cur_sub(&c, size, c.name)))
			return false;
	}
	return true;
}

bool session_load_build_ids(struct session *session, struct err *err)
{
	const uint8_t *data;
	size_t size;

	if (session->build_ids_loaded)
		return true;
	session->build_ids_loaded = true;
	data = session_feature(session, PERF_FEATURE_BUILD_ID, &size, err);
	if (!data)
		return err->code == ERR_NONE;
	return session_add_build_ids(
		session, cursor_over(data, size, session->features[PERF_FEATURE_BUILD_ID].offset,
	                             "feature BUILD_ID", session->swap, err));
}
