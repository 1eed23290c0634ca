#include "decode/compare/run.h"

#include "util/csv.h"
#include "util/csvread.h"
#include "util/hash.h"
#include "util/vec.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TABLE_MOST ((off_t)1 << 30) /* bytes; results.csv of 20,000 functions has three million */

void compare_run_release(struct compare_run *run)
{
	free(run->events);
	free(run->rows);
	memset(run, 0, sizeof(*run));
}

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

bool compare_run_add_event(struct compare_run *run, const struct run_event *event, struct err *err)
{
	struct run_event *events = vec_grow(run->events, run->event_count, &run->event_capacity,
	                                    sizeof(*events), err);

	if (!events)
		return false;
	run->events = events;
	events[run->event_count++] = *event;
	return true;
}

bool compare_run_add_row(struct compare_run *run, const struct run_row *row, struct err *err)
{
	struct run_row *rows = vec_grow(run->rows, run->row_count, &run->row_capacity,
	                                sizeof(*rows), err);

	if (!rows)
		return false;
	run->rows = rows;
	rows[run->row_count++] = *row;
	return true;
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

/* Opens a table of the folder. With optional a table that is not there is no error: *there says so.
 */
static bool open_table(struct csv_table *table, char *path, size_t room, const char *folder,
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

/* The numbers of columns, by their names; those before `needed` must be there. */
static bool find_columns(const struct csv_table *table, const char *const *names, size_t count,
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

static uint32_t cell_string(const struct csv_table *table, size_t column, struct strings *strings,
                            struct err *err)
{
	const char *text = csv_table_text(table, column);

	return *text ? compare_string(strings, text, strlen(text), err) : STRING_EMPTY;
}

/*
 * A name that says that there is none. Functions without a name whose bounds are known are told by
 * `symbols`.
 */
static bool says_why(const char *symbols, const char *function)
{
	static const char *const reasons[] = { "no-map",        "file-missing", "build-id-mismatch",
		                               "stripped",      "no-symbol",    "other-file",
		                               "kernel-hidden", "no-perf-map",  "unreadable",
		                               "guest",         "damaged" };

	if (!strcmp(function, "[unknown]"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (!strcmp(symbols, reasons[i]))
			return true;
	return false;
}

static bool read_result_rows(struct compare_run *run, struct csv_table *table,
                             struct strings *strings, struct err *err)
{
	static const char *const names[] = { "period",  "samples",      "function",
		                             "binary",  "event",        "source_file",
		                             "symbols", "total_period", "total_samples" };
	size_t at[ARRAY_SIZE(names)];

	if (!find_columns(table, names, ARRAY_SIZE(names), 5, at, err))
		return false;
	while (csv_table_next(table)) {
		struct run_row row = { 0 };

		if (!csv_table_u64(table, at[0], &row.period, err) ||
		    !csv_table_u64(table, at[1], &row.samples, err) ||
		    !csv_table_u64(table, at[7], &row.total_period, err) ||
		    !csv_table_u64(table, at[8], &row.total_samples, err))
			return false;
		row.function = cell_string(table, at[2], strings, err);
		row.binary = cell_string(table, at[3], strings, err);
		row.event = cell_string(table, at[4], strings, err);
		row.file = cell_string(table, at[5], strings, err);
		row.unnamed = says_why(csv_table_text(table, at[6]), csv_table_text(table, at[2]));
		row.has_totals = *csv_table_text(table, at[7]) != '\0';
		if (err->code || !compare_run_add_row(run, &row, err))
			return false;
	}
	return true;
}

static bool read_event_rows(struct compare_run *run, struct csv_table *table,
                            struct strings *strings, struct err *err)
{
	static const char *const names[] = {
		"event",  "samples",   "total_period",     "lost",
		"period", "frequency", "selected_samples", "selected_period"
	};
	size_t at[ARRAY_SIZE(names)];

	if (!find_columns(table, names, ARRAY_SIZE(names), 3, at, err))
		return false;
	while (csv_table_next(table)) {
		struct run_event event = { 0 };

		if (!csv_table_u64(table, at[1], &event.samples, err) ||
		    !csv_table_u64(table, at[2], &event.period, err) ||
		    !csv_table_u64(table, at[3], &event.lost, err) ||
		    !csv_table_u64(table, at[4], &event.sample_period, err) ||
		    !csv_table_u64(table, at[5], &event.frequency, err))
			return false;
		/* a selection: the functions add up to it */
		if (*csv_table_text(table, at[6]) &&
		    (!csv_table_u64(table, at[6], &event.samples, err) ||
		     !csv_table_u64(table, at[7], &event.period, err)))
			return false;
		event.name = cell_string(table, at[0], strings, err);
		if (err->code || !compare_run_add_event(run, &event, err))
			return false;
	}
	return true;
}

static bool read_header_rows(struct compare_run *run, struct csv_table *table,
                             struct strings *strings, struct err *err)
{
	size_t key = csv_table_column(table, "key"), value = csv_table_column(table, "value");
	uint64_t first = 0, last = 0;
	struct err ignored = { 0 };

	while (csv_table_next(table)) {
		const char *name = csv_table_text(table, key);
		const struct {
			const char *name;
			uint32_t *fact;
		} facts[] = { { "hostname", &run->facts.host },
			      { "cpudesc", &run->facts.cpu },
			      { "os release", &run->facts.os_release },
			      { "perf version", &run->facts.perf_version },
			      { "cmdline", &run->facts.cmdline } };

		for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
			if (!strcmp(name, facts[i].name) && *facts[i].fact == STRING_EMPTY)
				*facts[i].fact = cell_string(table, value, strings, err);
		if (!strcmp(name, "first sample, ns"))
			csv_table_u64(table, value, &first, &ignored);
		if (!strcmp(name, "last sample, ns"))
			csv_table_u64(table, value, &last, &ignored);
	}
	run->facts.duration = last > first ? last - first : 0;
	return err->code == ERR_NONE;
}

/*
 * Lines stand in the order of their cost: the first one of a function in its own file is what is
 * kept.
 */
static bool read_line_rows(struct compare_run *run, struct csv_table *table,
                           struct strings *strings, struct err *err)
{
	static const char *const names[] = { "function", "source_file", "line" };
	size_t at[ARRAY_SIZE(names)];
	struct map rows; /* function << 32 | file -> row */
	bool ok = find_columns(table, names, ARRAY_SIZE(names), ARRAY_SIZE(names), at, err);

	map_init(&rows);
	for (size_t i = run->row_count; ok && i--;)
		ok = map_put(&rows, (uint64_t)run->rows[i].function << 32 | run->rows[i].file,
		             (uint32_t)i, err);
	while (ok && csv_table_next(table)) {
		uint64_t function = cell_string(table, at[0], strings, err), line;
		uint64_t file = cell_string(table, at[1], strings, err);
		uint32_t row;

		ok = err->code == ERR_NONE && csv_table_u64(table, at[2], &line, err);
		row = ok ? map_get(&rows, function << 32 | file) : MAP_NONE;
		if (row != MAP_NONE && !run->rows[row].line && line <= UINT32_MAX)
			run->rows[row].line = (uint32_t)line;
	}
	map_release(&rows);
	return ok;
}

bool compare_run_read(struct compare_run *run, const char *folder, struct strings *strings,
                      struct err *err)
{
	static const struct {
		const char *name;
		bool optional;
		bool (*read)(struct compare_run *, struct csv_table *, struct strings *,
		             struct err *);
	} parts[] = { { "results.csv", false, read_result_rows },
		      { "events.csv", false, read_event_rows },
		      { "header.csv", true, read_header_rows },
		      { "lines.csv", true, read_line_rows } };
	char path[4096];

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		struct csv_table table;
		bool there = true, ok;

		ok = open_table(&table, path, sizeof(path), folder, parts[i].name,
		                parts[i].optional ? &there : NULL, err);
		if (ok && there)
			ok = parts[i].read(run, &table, strings, err);
		csv_table_close(&table);
		if (!ok)
			return false;
	}
	return true;
}
