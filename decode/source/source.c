#include "decode/source/source.h"

#include "util/path.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

void source_clear(struct source_query *query)
{
	for (size_t i = 0; i < query->function_count; i++)
		query->functions[i].file = STRING_EMPTY;
	for (size_t i = 0; i < query->addr_count; i++)
		query->addrs[i] = (struct source_addr){ .addr = query->addrs[i].addr };
	query->frame_count = 0;
}

struct source_frame *source_frame_add(struct source_query *query, struct err *err)
{
	struct source_frame *frame;

	if (!vec_room(&query->frames, query->frame_count, &query->frame_capacity, sizeof(*frame),
	              err))
		return NULL;
	frame = &query->frames[query->frame_count++];
	*frame = (struct source_frame){ 0 };
	return frame;
}

/* Appends a part of a path, with exactly one slash between two parts. */
static size_t append_part(char *path, size_t used, const char *part)
{
	if (used && path[used - 1] != '/')
		path[used++] = '/';
	for (; *part; part++)
		if (*part != '/' || !used || path[used - 1] != '/')
			path[used++] = *part;
	return used;
}

/* Whether the path ends in a placeholder for code that is in no file, such as "<built-in>". */
static bool is_no_file(const char *path, size_t length)
{
	return *path_base(path) == '<' && path[length - 1] == '>';
}

uint32_t source_path_put(struct strings *strings, const char *base, const char *dir,
                         const char *name, struct err *err)
{
	const char *parts[3] = { base, dir, name };
	size_t size = 1, used = 0, first = 0;
	uint32_t string = STRING_EMPTY;
	char *path;

	if (!*name)
		return STRING_EMPTY;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		size += parts[i] ? strlen(parts[i]) + 1 : 0;
		if (parts[i] && *parts[i] == '/')
			first = i;
	}
	path = vec_new(size, 1, err);
	if (!path)
		return STRING_NONE;
	for (size_t i = first; i < ARRAY_SIZE(parts); i++)
		if (parts[i] && *parts[i])
			used = append_part(path, used, parts[i]);
	if (!is_no_file(path, used))
		string = strings_put(strings, path, used, err);
	free(path);
	return string;
}
