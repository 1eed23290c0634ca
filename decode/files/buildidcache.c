#include "decode/files/buildidcache.h"

#include "decode/files/rootfs.h"
#include "util/digits.h"
#include "util/path.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CONFIG_MAX ((size_t)1 << 20) /* bytes of a configuration file */

#define SPACES " \t\r"

/* Takes spaces, quotes, escapes and a comment off a value, as perf does. */
static char *unquote_value(char *text)
{
	char *to = text + strspn(text, SPACES), *value = to, *end = to;
	bool quoted = false;

	for (char *from = to; *from && (quoted || !strchr("#;", *from)); from++) {
		if (*from == '"') {
			quoted = !quoted;
			continue;
		}
		from += *from == '\\' && from[1];
		*to++ = *from;
		if (quoted || !strchr(SPACES, *from))
			end = to;
	}
	*end = '\0';
	return value;
}

/* The value in a configuration line NAME = VALUE, or NULL if it has another name. */
static char *value_of(char *line, const char *name)
{
	char *equals = line + strlen(name);

	if (strncasecmp(line, name, strlen(name)) != 0)
		return NULL;
	equals += strspn(equals, SPACES);
	return *equals == '=' ? unquote_value(equals + 1) : NULL;
}

/* The last dir in section [buildid], within text, which is modified; or NULL. */
static const char *dir_of_config(char *text)
{
	static const char section[] = "[buildid]";
	const char *dir = NULL;
	bool inside = false;

	for (char *line = text, *next; line; line = next) {
		char *value;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line += strspn(line, SPACES);
		if (*line == '[')
			inside = !strncasecmp(line, section, sizeof(section) - 1);
		else if (inside && (value = value_of(line, "dir")) && *value)
			dir = value;
	}
	return dir;
}

/* The folder that a configuration file sets; NULL if it does not, or with err set. */
static char *read_config(const char *path, const char *home, struct err *err)
{
	struct err problem = { .code = ERR_NONE };
	int fd = rootfs_open(NULL, path);
	size_t size;
	char *text = fd < 0 ? NULL : rootfs_slurp(fd, CONFIG_MAX, &size, &problem);
	const char *found = text ? dir_of_config(text) : NULL;
	bool below_home = found && home && found[0] == '~' && found[1] == '/';
	char *dir = NULL;

	if (found)
		dir = path_format(&problem, "%s%s", below_home ? home : "", found + below_home);
	free(text);
	err_pass_nomem(err, &problem);
	return dir;
}

char *buildid_cache_dir(struct err *err)
{
	const char *given = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");
	char *dir = NULL, *path;

	if (given && *given)
		return path_format(err, "%s", given);
	if (home && *home) {
		path = path_format(err, "%s/.perfconfig", home);
		if (path)
			dir = read_config(path, home, err);
		free(path);
	}
	if (!dir && err->code == ERR_NONE)
		dir = read_config("/etc/perfconfig", home, err);
	if (dir || err->code != ERR_NONE)
		return dir;
	return home ? path_format(err, "%s/.debug", home) : path_format(err, "%s", "");
}

char *build_id_path(const char *dir, const uint8_t *id, size_t size, const char *after,
                    struct err *err)
{
	char hex[2 * PATH_ID_MOST + 1], *end = hex;

	for (size_t i = 0; i < size; i++)
		end = format_hex_byte(end, id[i]);
	*end = '\0';
	return path_format(err, "%s/.build-id/%.2s/%s%s", dir, hex, hex + 2, after);
}

char *buildid_cache_path(const char *dir, const struct build_id *id, const char *file,
                         struct err *err)
{
	return dir && *dir && id->size >= 2 ? build_id_path(dir, id->bytes, id->size, file, err)
	                                    : path_format(err, "%s", "");
}
