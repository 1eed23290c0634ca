#include "perffile/session/buildid.h"

#include "perffile/session/features.h"
#include "util/text.h"
#include "util/vec.h"

#include <string.h>

/* after the header come 4 bytes of pid, 20 of id, 1 of size, 3 reserved */
#define BUILD_ID_NAME_AT 36
#define OLD_NAME_AT 32 /* there is no pid */
/* what is left of the name if an old record is read as a new one */
#define OLD_SIGN "nel.kallsyms]"

/* Appends the build id of one record. old: it has the layout of perf before Linux 2.6.35. */
static void append_build_id(struct session *session, struct cursor c, bool old)
{
	struct session_build_id item = { .id.size = PERF_BUILD_ID_SIZE };
	size_t length;
	const uint8_t *bytes;
	const char *name;
	uint8_t size;

	cur_u32(&c); /* type */
	item.misc = cur_u16(&c);
	cur_u16(&c); /* size */
	if (!old)
		cur_u32(&c); /* pid */
	bytes = cur_take(&c, PERF_BUILD_ID_SIZE);
	size = cur_u8(&c);
	cur_take(&c, 3);
	name = cur_text(&c, cur_left(&c), &length);
	memcpy(item.id.bytes, bytes, sizeof(item.id.bytes));
	if (!old && item.misc & PERF_MISC_BUILD_ID_SIZE && size <= PERF_BUILD_ID_SIZE)
		item.id.size = size;
	item.name = arena_text(&session->arena, name, length, c.err);
	if (item.name)
		vec_append(&session->build_ids, &session->build_id_count,
		           &session->build_id_capacity, &item, sizeof(item), c.err);
}

/* Whether the record that c covers has the old layout. */
static bool is_old(struct cursor c)
{
	size_t length;
	const char *name;

	cur_take(&c, BUILD_ID_NAME_AT);
	name = cur_text(&c, cur_left(&c), &length);
	return text_is(name, length, OLD_SIGN);
}

/* Takes the next record, which must have at least size_min bytes. */
static struct cursor next_record(struct cursor *c, size_t size_min)
{
	const size_t left = cur_left(c);
	struct cursor header = *c;
	uint16_t size;

	cur_take(&header, PERF_RECORD_HEADER_SIZE - sizeof(size));
	size = cur_u16(&header);
	if (size < size_min || size > left)
		err_at(c->err, ERR_FORMAT, c->offset,
		       "%s: expected a record of at %s %zu bytes, found %u", c->name,
		       size < size_min ? "least" : "most", size < size_min ? size_min : left, size);
	return cur_sub(c, size, c->name);
}

void session_add_build_ids(struct session *session, struct cursor c)
{
	const size_t before = session->build_id_count;
	const struct cursor start = c;
	size_t name_at = BUILD_ID_NAME_AT;

	while (cur_left(&c) && c.err->code == ERR_NONE) {
		struct cursor record = next_record(&c, name_at);

		if (c.err->code != ERR_NONE)
			return;
		if (name_at == BUILD_ID_NAME_AT && is_old(record)) {
			name_at = OLD_NAME_AT;
			session->build_id_count = before;
			c = start;
		} else {
			append_build_id(session, record, name_at == OLD_NAME_AT);
		}
	}
}

bool session_load_build_ids(struct session *session, struct err *err)
{
	struct err broken;
	struct cursor c;

	if (session->build_ids_loaded)
		return true;
	session->build_ids_loaded = true;
	if (feature_open(session, PERF_FEATURE_BUILD_ID, &c, &broken))
		session_add_build_ids(session, c);
	return feature_finish(session, PERF_FEATURE_BUILD_ID, &broken, err);
}
