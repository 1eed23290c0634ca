#include "decode/files/buildidcache.h"

#include "decode/files/rootfs.h"
#include "util/digits.h"

#include <stdlib.h>
#include <string.h>

#define CONFIG_MAX ((size_t)1 << 20) /* bytes of a configuration file */

/* Removes white space at both ends. */
static char *trim_spaces(char *text)
{
	size_t length;

	text += strspn(text, " \t\r");
	length = strlen(text);
	while (length && strchr(" \t\r", text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* The value in a configuration line NAME = VALUE, or NULL if it has another name. */
static char *value_of(char *line, const char *name)
{
	char *equals = strchr(line, '='), *value;
	size_t length;

	if (!equals)
		return NULL;
	*equals = '\0';
	if (strcmp(trim_spaces(line), name) != 0)
		return NULL;
	value = trim_spaces(equals + 1);
	length = strlen(value);
	if (length > 1 && value[0] == '"' && value[length - 1] == '"') {
		value[length - 1] = '\0';
		value++;
	}
	return value;
}

/* The last dir in section [buildid], within text, which is modified; or NULL. */
static const char *dir_of_config(char *text)
{
	const char *dir = NULL;
	bool inside = false;

	for (char *line = text, *next; line; line = next) {
		char *value;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line[strcspn(line, "#;")] = '\0';
		line = trim_spaces(line);
		if (*line == '[')
			inside = !strcmp(line, "[buildid]");
		else if (inside && (value = value_of(line, "dir")) && *value)
			dir = value;
	}
	return dir;
}

/* Reads a configuration file; *dir stays NULL if it does not exist or does not set it. */
static bool read_config(const char *path, const char *home, char **dir, struct err *err)
{
	struct err problem = { .code = ERR_NONE };
	int fd = rootfs_open(NULL, path);
	size_t size;
	char *text = fd < 0 ? NULL : rootfs_slurp(fd, CONFIG_MAX, &size, &problem);
	const char *found = text ? dir_of_config(text) : NULL;

	if (found) {
		*dir = home && found[0] == '~' && found[1] == '/'
		               ? rootfs_join(home, found + 1, (char *)NULL)
		               : strdup(found);
		if (!*dir)
			err_nomem(&problem, strlen(found));
	}
	free(text);
	return problem.code != ERR_NOMEM || err_pass(err, &problem);
}

char *buildid_cache_dir(struct err *err)
{
	const char *given = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");
	char *dir = NULL, *path;

	if (given && *given) {
		dir = strdup(given);
	} else {
		if (home && *home) {
			bool ok;

			path = rootfs_join(home, "/.perfconfig", (char *)NULL);
			ok = path ? read_config(path, home, &dir, err) : err_nomem(err, 1);
			free(path);
			if (!ok)
				return NULL;
		}
		if (!dir && !read_config("/etc/perfconfig", home, &dir, err))
			return NULL;
		if (!dir)
			dir = home ? rootfs_join(home, "/.debug", (char *)NULL) : strdup("");
	}
	if (!dir)
		err_nomem(err, 1);
	return dir;
}

char *build_id_path(const char *dir, const uint8_t *id, size_t size, const char *after)
{
	static const char folder[] = "/.build-id/";
	char *path = malloc(strlen(dir) + sizeof(folder) + 2 * size + 1 + strlen(after)), *p;

	if (!path)
		return NULL;
	p = format_hex_byte(stpcpy(stpcpy(path, dir), folder), id[0]);
	*p++ = '/';
	for (size_t i = 1; i < size; i++)
		p = format_hex_byte(p, id[i]);
	strcpy(p, after);
	return path;
}

char *buildid_cache_path(const char *dir, const struct build_id *id, const char *file)
{
	return dir && *dir && id->size >= 2 ? build_id_path(dir, id->bytes, id->size, file)
	                                    : strdup("");
}
