#include "decode/compare/runtable.h"

#include "util/csv.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TABLE_MOST ((off_t)1 << 30) /* bytes; results.csv of 20,000 functions has three million */

uint32_t compare_string(struct strings *strings, const char *text, size_t length, struct err *err)
{
	uint32_t number;
	char *safe;

	if (text_is_clean(text, length))
		return strings_put(strings, text, length, err);
	safe = malloc(4 * length + 1);
	if (!safe) {
		err_nomem(err, 4 * length + 1);
		return STRING_NONE;
	}
	number = strings_put(strings, safe, (size_t)(format_escaped(safe, text, length) - safe),
	                     err);
	free(safe);
	return number;
}

/*
 * Reads the rest of a regular file that is open: malloc'd with room for one more byte; NULL with
 * err set.
 */
static char *read_open_file(int fd, const char *path, size_t *size, struct err *err)
{
	struct stat st;
	char *text;

	*size = 0;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		err_set(err, ERR_IO, "%s: expected a table, found no regular file", path);
		return NULL;
	}
	if (st.st_size > TABLE_MOST) {
		err_set(err, ERR_LIMIT, "%s: a table of more than 1 GB", path);
		return NULL;
	}
	text = malloc((size_t)st.st_size + 1);
	if (!text) {
		err_nomem(err, (size_t)st.st_size + 1);
		return NULL;
	}
	while (*size < (size_t)st.st_size) {
		ssize_t got = read(fd, text + *size, (size_t)st.st_size - *size);

		if (got < 0) {
			err_errno(err, "%s", path);
			free(text);
			return NULL;
		}
		if (got == 0)
			break;
		*size += (size_t)got;
	}
	return text;
}

bool run_table_open(struct csv_table *table, char *path, size_t room, const char *folder,
                    const char *name, bool *there, struct err *err)
{
	size_t size;
	char *text;
	int fd;

	memset(table, 0, sizeof(*table));
	if (snprintf(path, room, "%s/%s", folder, name) >= (int)room)
		return err_set(err, ERR_IO, "%s: the path is too long", name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && there) {
		*there = false;
		return true;
	}
	if (fd < 0)
		return err_errno(err, "%s", path);
	if (there)
		*there = true;
	text = read_open_file(fd, path, &size, err);
	close(fd);
	return text && csv_table_open(table, text, size, path, err);
}

bool run_table_columns(const struct csv_table *table, const char *const *names, size_t count,
                       size_t needed, size_t *columns, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		columns[i] = csv_table_column(table, names[i]);
		if (columns[i] == SIZE_MAX && i < needed)
			return err_set(err, ERR_FORMAT, "%s: expected a column '%s', found none",
			               table->name, names[i]);
	}
	return true;
}

uint32_t run_table_string(const struct csv_table *table, size_t column, struct strings *strings,
                          struct err *err)
{
	const char *text = csv_table_text(table, column);

	return *text ? compare_string(strings, text, strlen(text), err) : STRING_EMPTY;
}
