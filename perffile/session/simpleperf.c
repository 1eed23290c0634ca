#include "perffile/session/simpleperf.h"

#include "perffile/session/features.h"
#include "util/vec.h"

#include <stdlib.h>

#define SYMBOL_SIZE_MIN 13 /* bytes: u64, u32, an empty name */

/* The next text, which stays where it is: the feature's bytes live as long as the session. */
static const char *take_name(struct cursor *c)
{
	const char *text = (const char *)c->pos;
	size_t length = strnlen(text, cur_left(c));

	if (length == cur_left(c)) {
		err_at(c->err, ERR_FORMAT, c->offset, "%s: a name without an end", c->name);
		return "";
	}
	cur_take(c, length + 1);
	return text;
}

static void read_symbols(struct recorded_file *file, struct cursor *c, struct arena *arena)
{
	uint32_t count = cur_u32(c);
	struct recorded_symbol *symbols;

	if (!feature_fits(c, count, SYMBOL_SIZE_MIN) || count == 0)
		return;
	symbols = arena_alloc(arena, count * sizeof(*symbols), c->err);
	for (uint32_t i = 0; symbols && i < count && c->err->code == ERR_NONE; i++) {
		symbols[i].start = cur_u64(c);
		symbols[i].length = cur_u32(c);
		symbols[i].name = take_name(c);
	}
	file->symbols = symbols;
	file->symbol_count = count;
}

/* One file; what a later simpleperf puts behind it is passed over. */
static bool read_file(struct recorded_file *file, struct cursor *c, struct arena *arena)
{
	uint32_t size = cur_u32(c);
	struct cursor rest = cur_sub(c, size, c->name);

	*file = (struct recorded_file){ 0 };
	file->path = take_name(&rest);
	file->type = cur_u32(&rest);
	file->min_addr = cur_u64(&rest);
	read_symbols(file, &rest, arena);
	if (file->type == RECORDED_ELF && c->err->code == ERR_NONE && cur_left(&rest) >= 8)
		file->min_offset = cur_u64(&rest);
	return c->err->code == ERR_NONE;
}

bool session_recorded_files(struct session *session, const struct recorded_file **files,
                            size_t *count, struct err *err)
{
	struct recorded_file *list = NULL, *kept = NULL;
	size_t capacity = 0;
	struct err broken;
	struct cursor c;
	bool failed;

	*files = NULL;
	*count = 0;
	if (feature_open(session, PERF_FEATURE_FILE, &c, &broken)) {
		while (cur_left(&c) && broken.code == ERR_NONE) {
			struct recorded_file *grown = vec_grow(list, *count, &capacity,
			                                       sizeof(*list), &broken);

			if (!grown)
				break;
			list = grown;
			*count += read_file(&list[*count], &c, &session->arena);
		}
	}
	feature_finish(session, &broken, &failed, err);
	if (!failed && *count) {
		kept = arena_alloc(&session->arena, *count * sizeof(*kept), err);
		failed = !kept;
	}
	if (kept)
		memcpy(kept, list, *count * sizeof(*kept));
	else
		*count = 0;
	*files = kept;
	free(list);
	return !failed;
}
