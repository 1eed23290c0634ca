#include "decode/run/fileformat.h"

#include "decode/files/rootfs.h"
#include "decode/tables/tracerows.h"
#include "util/path.h"
#include "util/text.h"
#include "util/wholeio.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER_MOST 65536 /* bytes of a header row */
#define PACKED_MOST ((size_t)1 << 30)

/* --- the header row of a file */

/* The bytes of a file up to the end of its header row: malloc'd; NULL with err set. */
static char *read_header(const char *path, size_t *size, struct err *err)
{
	const bool packed = strcmp(path + strlen(path) - 4, ".csv") != 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text, *end;

	if (fd < 0) {
		err_errno(err, "%s", path);
		return NULL;
	}
	if (packed)
		return rootfs_slurp_text(fd, PACKED_MOST, size, err);
	text = malloc(HEADER_MOST + 1);
	if (!text)
		err_nomem(err, HEADER_MOST + 1);
	else if (!read_whole(fd, text, HEADER_MOST, size))
		err_errno(err, "%s", path);
	else if ((end = memchr(text, '\n', *size)))
		*size = (size_t)(end + 1 - text);
	close(fd);
	if (err->code) {
		free(text);
		return NULL;
	}
	return text;
}

static bool open_header(struct csv_table *csv, const char *path, struct err *err)
{
	size_t size;
	char *text = read_header(path, &size, err);

	*csv = (struct csv_table){ .text = NULL };
	return text && csv_table_open(csv, text, size, path, err);
}

/* Names go into statements as they are. */
static bool is_plain_name(const char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("_-.", *name))
			return false;
	return true;
}

/* Whether the columns of the file are these, or only the first ones, if an older one has fewer. */
static bool has_columns(const struct csv_table *csv, const struct table_format *format,
                        bool may_be_fewer)
{
	if (may_be_fewer ? csv->columns > format->column_count
	                 : csv->columns != format->column_count)
		return false;
	for (size_t i = 0; i < csv->columns; i++)
		if (strcmp(csv->header[i].text, format->columns[i].name) != 0)
			return false;
	return true;
}

/* --- the tables */

bool file_format_is_trace(const char *name)
{
	return text_starts(name, "trace-");
}

/* The first columns are those of every such table; the fields behind them are texts. */
static const struct table_format *make_trace(struct file_format *made)
{
	const struct csv_table *csv = &made->csv;

	if (csv->columns <= TRACE_OWN_COLUMNS)
		return NULL;
	memcpy(made->trace.columns, trace_own_columns, sizeof(trace_own_columns));
	for (size_t i = TRACE_OWN_COLUMNS; i < csv->columns; i++)
		made->trace.columns[i] = (struct column){ .name = csv->header[i].text,
			                                  .type = COLUMN_TEXT };
	made->trace.format = (struct table_format){ .name = made->name,
		                                    .columns = made->trace.columns,
		                                    .column_count = csv->columns };
	return &made->trace.format;
}

/* The keys are the columns from the first one to that with the name. */
static bool take_keys(struct file_format *made, size_t first, const char *end)
{
	const size_t last = csv_table_column(&made->csv, end);
	struct group_table *keys = &made->keys;

	if (last == SIZE_MAX || last <= first || last - first > ARRAY_SIZE(keys->keys))
		return false;
	for (size_t i = first; i < last; i++) {
		const char *name = made->csv.header[i].text;
		enum group_key key = text_starts(name, "field.")
		                             ? KEY_FIELD
		                             : group_key_find(name, strlen(name));

		if (key == KEY_COUNT)
			return false;
		keys->names[keys->key_count] = name;
		keys->keys[keys->key_count++] = key;
	}
	return true;
}

static const struct table_format *make_latency(struct file_format *made)
{
	if (!take_keys(made, 1, "count"))
		return NULL;
	latency_format_init(&made->latency, &made->keys);
	return &made->latency.format;
}

static const struct table_format *make_group(struct file_format *made)
{
	if (!take_keys(made, 0, "event"))
		return NULL;
	group_format_init(&made->group, &made->keys);
	made->group.format.name = made->name;
	return &made->group.format;
}

static const struct table_format *make_format(struct file_format *made)
{
	const struct table_format *format;

	for (size_t i = 0; i < made->csv.columns; i++)
		if (!is_plain_name(made->csv.header[i].text))
			return NULL;
	if (!is_plain_name(made->name))
		return NULL;
	format = file_format_is_trace(made->name) ? make_trace(made)
	         : !strcmp(made->name, "latency") ? make_latency(made)
	                                          : make_group(made);
	return format && has_columns(&made->csv, format, !file_format_is_trace(made->name)) ? format
	                                                                                    : NULL;
}

bool file_format_read(struct file_format *made, const char *path, const char *name, size_t length,
                      struct err *err)
{
	made->name = path_format(err, "%.*s", (int)length, name);
	made->path = made->name ? path_format(err, "%s", path) : NULL;
	if (!made->path || !open_header(&made->csv, made->path, err))
		return false;
	made->format = make_format(made);
	return true;
}

void file_format_release(struct file_format *made)
{
	csv_table_close(&made->csv);
	free(made->name);
	free(made->path);
}

bool file_format_compare(const struct file_format *made, const char *path, bool *same,
                         struct err *err)
{
	struct csv_table csv;
	const bool ok = open_header(&csv, path, err);

	*same = ok && has_columns(&csv, made->format, !file_format_is_trace(made->name));
	csv_table_close(&csv);
	return ok;
}
