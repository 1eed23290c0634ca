#include "decode/tables/consolebinaries.h"

#include "util/path.h"

/* The last part of a path. */
static const char *last_part(const char *path)
{
	const char *base = path_base(path);

	return *path == '/' && *base ? base : path;
}

bool console_binaries_init(struct console_binaries *binaries, const struct strings *strings,
                           bool brief, struct err *err)
{
	*binaries = (struct console_binaries){ .strings = strings, .brief = brief };
	return strings_init(&binaries->parts, err);
}

void console_binaries_release(struct console_binaries *binaries)
{
	strings_release(&binaries->parts);
	map_release(&binaries->first);
	map_release(&binaries->whole);
}

bool console_binaries_add(struct console_binaries *binaries, uint32_t binary, struct err *err)
{
	const char *path = strings_get(binaries->strings, binary);
	uint32_t part, first;

	if (!binaries->brief)
		return true;
	part = strings_put_text(&binaries->parts, last_part(path), err);
	if (part == STRING_NONE)
		return false;
	first = map_get(&binaries->first, part);
	if (first == MAP_NONE)
		return map_put(&binaries->first, part, binary, err);
	return first == binary || (map_put(&binaries->whole, first, 1, err) &&
	                           map_put(&binaries->whole, binary, 1, err));
}

const char *console_binary(const struct console_binaries *binaries, uint32_t binary)
{
	const char *path = strings_get(binaries->strings, binary);

	if (!binaries->brief || map_get(&binaries->whole, binary) != MAP_NONE)
		return path;
	return last_part(path);
}
