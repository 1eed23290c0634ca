#include "decode/compare/runtable.h"

#include "decode/files/rootfs.h"
#include "util/inflate.h"
#include "util/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TABLE_MOST ((size_t)1 << 30) /* bytes; 20,000 functions take three million */

/*
 * Reads a file that is not packed into memory that is used again. Returns its text; NULL without
 * err set: it is packed, or has another size than was said.
 */
static char *read_again(int fd, size_t expected, struct table_memory *memory, size_t *size,
                        struct err *err)
{
	size_t used = 0;
	ssize_t some = 1;
	char *text;

	/* room for one more byte, and one that tells whether the file ends there */
	if (expected > TABLE_MOST ||
	    !vec_reserve(&memory->text, expected + 2, &memory->size, 1, err))
		return NULL;
	while (some > 0 && used <= expected) {
		some = pread(fd, memory->text + used, expected + 1 - used, (off_t)used);
		used += some > 0 ? (size_t)some : 0;
	}
	if (some < 0 || used != expected || inflate_recognises((const uint8_t *)memory->text, used))
		return NULL;
	*size = used;
	text = memory->text;
	*memory = (struct table_memory){ .text = NULL };
	return text;
}

/* Reads a table's file and closes it: malloc'd with room for one more byte; NULL with err set. */
static char *read_table_file(struct run_table *table, int fd, size_t *size, struct err *err)
{
	const char *path = table->path;
	struct stat st;
	char *text;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		err_set(err, ERR_IO, "%s: expected a table, found no regular file", path);
		return NULL;
	}
	text = table->memory ? read_again(fd, (size_t)st.st_size, table->memory, size, err) : NULL;
	if (text || err->code == ERR_NOMEM) {
		close(fd);
		return text;
	}
	text = rootfs_slurp_text(fd, TABLE_MOST, size, err);
	if (!text && err->code != ERR_NOMEM)
		err_prefix(err, path);
	return text;
}

/* A table ends with a line end. Without one, its last row is not whole, whatever its cells. */
static bool check_end(const char *text, size_t size, const char *path, struct err *err)
{
	uint64_t line = 1;

	if (size == 0 || text[size - 1] == '\n')
		return true;
	for (size_t i = 0; i < size; i++)
		line += text[i] == '\n';
	return err_set(err, ERR_FORMAT,
	               "%s: line %" PRIu64
	               ": the table is cut off: expected a line end behind its last row",
	               path, line);
}

bool run_table_find(char path[RUN_PATH_SIZE], const char *folder, const char *name)
{
	static const char *const endings[] = { "", ".gz", ".zst" };
	struct stat st;

	errno = ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(endings) && errno == ENOENT; i++) {
		if (snprintf(path, RUN_PATH_SIZE, "%s/%s%s", folder, name, endings[i]) >=
		    RUN_PATH_SIZE)
			errno = ENAMETOOLONG;
		else if (stat(path, &st) == 0)
			return true;
	}
	return false;
}

bool run_table_exists(const char *folder, const char *name)
{
	char path[RUN_PATH_SIZE];

	return run_table_find(path, folder, name);
}

bool run_table_open(struct run_table *table, const char *folder, const char *name, bool optional,
                    struct err *err)
{
	bool found = run_table_find(table->path, folder, name);
	size_t size;
	char *text;
	int fd;

	memset(&table->csv, 0, sizeof(table->csv));
	if (!found && errno == ENOENT)
		return optional ||
		       err_set(err, ERR_IO,
		               "%s/%s: is not there; a comparison needs -t results,events of a run",
		               folder, name);
	if (!found)
		return err_errno(err, "%s/%s", folder, name);
	fd = open(table->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return err_errno(err, "%s", table->path);
	text = read_table_file(table, fd, &size, err);
	if (!text || !check_end(text, size, table->path, err)) {
		free(text);
		return false;
	}
	return csv_table_open(&table->csv, text, size, table->path, err);
}

void run_table_close(struct run_table *table)
{
	/* at least so many bytes are allocated */
	if (table->memory && !table->memory->text && table->csv.text) {
		*table->memory = (struct table_memory){ table->csv.text, table->csv.size };
		table->csv.text = NULL;
	}
	csv_table_close(&table->csv);
}

size_t run_table_column(const struct run_table *table, const char *name, struct err *err)
{
	const size_t column = csv_table_column(&table->csv, name);

	if (column == SIZE_MAX)
		err_set(err, ERR_FORMAT, "%s: expected a column '%s', found none", table->path,
		        name);
	return column;
}

bool run_table_next(struct run_table *table, struct err *err)
{
	const struct csv_table *csv = &table->csv;

	if (!csv_table_next(&table->csv))
		return false;
	return csv->width == csv->columns ||
	       err_set(err, ERR_FORMAT,
	               "%s: line %" PRIu64 ": expected %zu columns as in the header, found %zu",
	               table->path, csv->line, csv->columns, csv->width);
}

uint32_t run_table_string(const struct run_table *table, size_t column, struct err *err)
{
	const char *text = run_table_text(table, column);

	return *text ? strings_put_text(table->strings, text, err) : STRING_EMPTY;
}
