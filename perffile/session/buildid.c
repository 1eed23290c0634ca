#include "perffile/session/buildid.h"

#include "util/vec.h"

#include <string.h>

/* after the header come 4 bytes of pid, 20 of id, 1 of size, 3 reserved */
#define BUILD_ID_NAME_AT 36
#define OLD_NAME_AT 32 /* there is no pid */
/* what is left of the name if an old record is read as a new one */
#define OLD_SIGN "nel.kallsyms]"

struct layout_of_build_id {
	bool old;
	bool is_old; /* found to be old while reading it as new */
};

typedef bool append_ids(struct session *session, struct cursor c, struct layout_of_build_id *layout,
                        struct err *err);

/* c covers one record. */
static bool append_build_id(struct session *session, struct cursor c,
                            struct layout_of_build_id *layout, struct err *err)
{
	struct session_build_id id = { .pid = -1 };
	size_t text_size, length;
	const uint8_t *bytes;
	const char *name;
	uint8_t size;

	cur_u32(&c); /* type */
	id.misc = cur_u16(&c);
	cur_u16(&c); /* size */
	if (!layout->old)
		id.pid = (int32_t)cur_u32(&c);
	bytes = cur_take(&c, PERF_BUILD_ID_SIZE);
	size = cur_u8(&c);
	cur_take(&c, 3);
	if (!bytes || c.err->code != ERR_NONE)
		return false;
	text_size = cur_left(&c);
	name = cur_text(&c, text_size, &length);
	if (!layout->old && length == strlen(OLD_SIGN) && memcmp(name, OLD_SIGN, length) == 0) {
		layout->is_old = true;
		return false;
	}
	memcpy(id.bytes, bytes, sizeof(id.bytes));
	id.size = PERF_BUILD_ID_SIZE;
	if (!layout->old && id.misc & PERF_MISC_BUILD_ID_SIZE && size <= PERF_BUILD_ID_SIZE)
		id.size = size;
	id.name = arena_text(&session->arena, name, length, err);
	if (!id.name || !vec_room(&session->build_ids, session->build_id_count,
	                          &session->build_id_capacity, sizeof(id), err))
		return false;
	session->build_ids[session->build_id_count++] = id;
	return true;
}

/* Reads records up to the end of the section, or to damage. False when memory is refused. */
static bool append_all(struct session *session, struct cursor c, struct layout_of_build_id *layout,
                       struct err *err)
{
	size_t name_at = layout->old ? OLD_NAME_AT : BUILD_ID_NAME_AT;

	while (cur_left(&c) >= PERF_RECORD_HEADER_SIZE) {
		uint16_t size = load_u16(c.pos + 6, c.swap);

		if (size < name_at || size > cur_left(&c)) {
			err_at(c.err, ERR_FORMAT, c.offset,
			       "%s: a record of %u bytes, of which %zu are left", c.name, size,
			       cur_left(&c));
			return true;
		}
		if (!append_build_id(session, cur_sub(&c, size, c.name), layout, err))
			return err->code == ERR_NONE;
	}
	return true;
}

/* Reads with the new layout, and again with the old one if it turns out to be that. */
static bool append_either(struct session *session, struct cursor c, append_ids *append,
                          struct err *err)
{
	struct layout_of_build_id layout = { .old = false };
	size_t before = session->build_id_count;
	struct err broken = { .code = ERR_NONE };

	c.err = &broken;
	if (!append(session, c, &layout, err) && err->code != ERR_NONE)
		return false;
	if (layout.is_old) {
		layout.old = true;
		session->build_id_count = before;
		broken.code = ERR_NONE;
		if (!append(session, c, &layout, err) && err->code != ERR_NONE)
			return false;
	}
	if (broken.code != ERR_NONE)
		diag_warn_err(session->diag, &broken);
	return true;
}

bool features_parse_build_ids(struct session *session, const uint8_t *data, size_t size,
                              uint64_t offset, struct err *err)
{
	return append_either(
		session, cursor_over(data, size, offset, "feature BUILD_ID", session->swap, NULL),
		append_all, err);
}

bool features_parse_build_id_record(struct session *session, const uint8_t *record, size_t size,
                                    uint64_t offset, struct err *err)
{
	return append_either(
		session, cursor_over(record, size, offset, "BUILD_ID record", session->swap, NULL),
		append_build_id, err);
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
