#include "decode/run/loading.h"

#include "decode/files/rootfs.h"
#include "decode/options/loaders.h"
#include "decode/tables/latencyformat.h"
#include "decode/tables/recordings.h"
#include "decode/tables/tracerows.h"
#include "util/csvread.h"
#include "util/path.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/wholeio.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_MOST 65536 /* bytes of a header row */
#define PACKED_MOST ((size_t)1 << 30)
#define LOADED_TRACES 4096 /* tables of tracepoints */

/* A table that may be in the folders. */
struct loadable {
	const struct table_format *format;
	size_t last;  /* the folder that had it last, from 1; 0: none had it */
	bool differs; /* of a tracepoint: not all folders have the same columns */
};

/* A table of a tracepoint, whose columns are those of its files. */
struct trace_format {
	struct table_format format;
	struct column columns[CSV_COLUMNS_MOST];
	struct csv_table csv; /* the header row, which the columns point to */
	char *name, *path;    /* of its first file; owned */
};

struct loading {
	const struct options *options;
	struct diag *diag;
	struct loader_place place;
	struct loadable *tables;
	size_t count, capacity;
	struct trace_format **traces; /* owned */
	size_t trace_count, trace_capacity;
	struct group_format groups[GROUP_TABLES_MOST];
	struct latency_format latency;
	size_t folders, lines_of_json, unknown;
	char *first_unknown; /* owned */
};

static bool add_loadable(struct loading *loading, const struct table_format *format,
                         struct err *err)
{
	const struct loadable table = { .format = format };

	return vec_append(&loading->tables, &loading->count, &loading->capacity, &table,
	                  sizeof(table), err);
}

/* All whose columns are known, in the order in which they are listed. */
static bool add_known(struct loading *loading, struct err *err)
{
	const struct group_tables *groups = &loading->options->groups;

	latency_format_init(&loading->latency, group_tables_latency(groups));
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (!tables[i]->file && !tables[i]->several &&
		    !add_loadable(loading,
		                  tables[i] == &latency_table ? &loading->latency.format
		                                              : tables[i]->format,
		                  err))
			return false;
	for (unsigned i = 0; i < groups->count; i++) {
		group_format_init(&loading->groups[i], &groups->items[i]);
		if (!add_loadable(loading, &loading->groups[i].format, err))
			return false;
	}
	return true;
}

static struct loadable *find_loadable(const struct loading *loading, const char *name,
                                      size_t length)
{
	for (size_t i = 0; i < loading->count; i++)
		if (text_is(name, length, loading->tables[i].format->name))
			return &loading->tables[i];
	return NULL;
}

/* --- tables of tracepoints */

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
		if (!isalnum((unsigned char)*name) && *name != '_' && *name != '-')
			return false;
	return true;
}

/* The first columns are those of every such table; the fields behind them are texts. */
static bool make_columns(struct trace_format *trace, struct err *err)
{
	const struct csv_table *csv = &trace->csv;

	trace->format = (struct table_format){ .name = trace->name,
		                               .columns = trace->columns,
		                               .column_count = csv->columns };
	for (size_t i = 0; i < csv->columns; i++) {
		const char *name = csv->header[i].text;

		trace->columns[i] = i < TRACE_OWN_COLUMNS
		                            ? trace_own_columns[i]
		                            : (struct column){ .name = name, .type = COLUMN_TEXT };
		if (strcmp(name, trace->columns[i].name) != 0 || !is_plain_name(name))
			return err_set(err, ERR_FORMAT,
			               "%s: expected the columns of a tracepoint, found %.100s",
			               trace->path, name);
	}
	return csv->columns > TRACE_OWN_COLUMNS ||
	       err_set(err, ERR_FORMAT, "%s: expected the columns of a tracepoint, found %zu",
	               trace->path, csv->columns);
}

static void free_trace(struct trace_format *trace)
{
	csv_table_close(&trace->csv);
	free(trace->name);
	free(trace->path);
	free(trace);
}

/* A new one, which has the columns of this file. NULL with err set. */
static struct trace_format *new_trace(const char *path, const char *name, size_t length,
                                      struct err *err)
{
	struct trace_format *trace = vec_new(1, sizeof(*trace), err);

	if (!trace)
		return NULL;
	trace->name = path_format(err, "%.*s", (int)length, name);
	trace->path = trace->name ? path_format(err, "%s", path) : NULL;
	if (trace->path && open_header(&trace->csv, trace->path, err) && make_columns(trace, err))
		return trace;
	free_trace(trace);
	return NULL;
}

static struct loadable *add_trace(struct loading *loading, const char *path, const char *name,
                                  size_t length, struct err *err)
{
	struct trace_format *trace;

	if (loading->trace_count == LOADED_TRACES) {
		err_set(err, ERR_FORMAT, "expected at most %d tables of tracepoints, found more",
		        LOADED_TRACES);
		return NULL;
	}
	trace = new_trace(path, name, length, err);
	if (!trace)
		return NULL;
	if (!vec_append(&loading->traces, &loading->trace_count, &loading->trace_capacity, &trace,
	                sizeof(trace), err)) {
		free_trace(trace);
		return NULL;
	}
	return add_loadable(loading, &trace->format, err) ? &loading->tables[loading->count - 1]
	                                                  : NULL;
}

/* Notes whether a further file has the columns of the first. False with err set. */
static bool compare_columns(struct loadable *table, const char *path, struct err *err)
{
	struct csv_table csv;
	bool ok = open_header(&csv, path, err), same;

	same = ok && csv.columns == table->format->column_count;
	for (size_t i = 0; same && i < csv.columns; i++)
		same = !strcmp(csv.header[i].text, table->format->columns[i].name);
	table->differs = table->differs || !same;
	csv_table_close(&csv);
	return ok;
}

/* Finds the table of a file, or makes it. NULL with err set. */
static struct loadable *take_trace(struct loading *loading, const char *path, const char *name,
                                   size_t length, struct err *err)
{
	struct loadable *table = find_loadable(loading, name, length);

	if (!table)
		return add_trace(loading, path, name, length, err);
	return table->differs || compare_columns(table, path, err) ? table : NULL;
}

/* --- folders */

/* "results.csv.zst" -> the length of "results"; 0: no table. */
static size_t table_name_length(struct loading *loading, const char *file)
{
	static const char *const endings[] = { ".csv", ".csv.gz", ".csv.zst" };
	const char *dot = strchr(file, '.');

	loading->lines_of_json += dot && text_starts(dot, ".ndjson");
	for (size_t i = 0; dot && i < ARRAY_SIZE(endings); i++)
		if (!strcmp(dot, endings[i]))
			return (size_t)(dot - file);
	return 0;
}

static bool note_unknown(struct loading *loading, const char *path, struct err *err)
{
	if (loading->unknown++ == 0)
		loading->first_unknown = path_format(err, "%s", path);
	return !err->code;
}

static bool take_file(struct loading *loading, const char *folder, const char *file,
                      struct err *err)
{
	const size_t length = table_name_length(loading, file);
	const bool is_trace = text_starts(file, "trace-");
	const struct options *options = loading->options;
	struct loadable *table;
	char *path;
	bool ok;

	if (!length ||
	    (is_trace && !options->tables.unsaid && !table_set_has(&options->tables, &trace_table)))
		return true;
	path = path_format(err, "%s/%s", folder, file);
	if (!path)
		return false;
	table = is_trace ? take_trace(loading, path, file, length, err)
	                 : find_loadable(loading, file, length);
	ok = table || (!is_trace && note_unknown(loading, path, err));
	/* its rows would be there twice */
	if (table && table->last == loading->folders)
		ok = err_set(err, ERR_FORMAT, "%s: expected one file of a table, found two", path);
	if (table)
		table->last = loading->folders;
	free(path);
	return ok;
}

static bool take_folder(struct loading *loading, const char *name, struct err *err)
{
	char *path = path_format(err, "%s/%s", loading->place.folder, name);
	DIR *dir = path ? opendir(path) : NULL;
	const struct dirent *entry;
	bool ok = dir || (!err->code && err_errno(err, "%s", path));

	loading->folders++;
	while (ok && (entry = readdir(dir)))
		ok = take_file(loading, path, entry->d_name, err);
	if (dir)
		closedir(dir);
	free(path);
	return ok;
}

static int is_partition(const struct dirent *entry)
{
	return text_starts(entry->d_name, "recording=");
}

static bool take_folders(struct loading *loading, struct err *err)
{
	struct dirent **entries;
	int count = scandir(loading->place.folder, &entries, is_partition, alphasort);
	bool ok = true;

	if (count < 0)
		return err_errno(err, "cannot list the folder");
	for (int i = 0; i < count; i++) {
		ok = ok && take_folder(loading, entries[i]->d_name, err);
		free(entries[i]);
	}
	free(entries);
	if (!ok || loading->folders)
		return ok;
	return err_set(err, ERR_FORMAT, "expected folders recording=ID in it, found none");
}

/* --- what is printed */

/* Whether the user wants it: of tables that were named, nothing else. */
static bool is_wanted(const struct loading *loading, const struct table_format *format)
{
	const struct table_set *set = &loading->options->tables;
	const struct table *table = table_find(format->name, strlen(format->name));

	return set->unsaid || !table || table_set_has(set, table);
}

static bool print_tables(struct loading *loading, struct err *err)
{
	size_t printed = 0;

	for (size_t i = 0; i < loading->count; i++) {
		const struct loadable *table = &loading->tables[i];
		const struct table *known = table_find(table->format->name,
		                                       strlen(table->format->name));

		if (known && !table->last && table_set_names(&loading->options->tables, known) &&
		    !loading->options->tables.unsaid)
			return err_set(err, ERR_FORMAT,
			               "expected table %s in its folders, found none",
			               known->format->name);
		if (table->differs)
			diag_warn(
				loading->diag, ERR_NO_OFFSET,
				"%s.csv has not the same columns in all recordings: it is left out",
				table->format->name);
		else if (table->last && is_wanted(loading, table->format) && ++printed)
			loader_print(stdout, loading->options->generate, table->format,
			             &loading->place);
	}
	return printed || err_set(err, ERR_FORMAT, "expected tables (CSV) in its folders, found %s",
	                          loading->lines_of_json ? "lines of JSON" : "none");
}

/* recordings.csv lies beside the folders. */
static void print_recordings(const struct loading *loading)
{
	const struct loader_place beside = { .folder = loading->place.folder };
	static const char *const endings[] = { "", ".gz", ".zst" };
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		struct err ignored = { 0 };
		char *path = path_format(&ignored, "%s/recordings.csv%s", beside.folder,
		                         endings[i]);

		found = found || (path && access(path, F_OK) == 0);
		free(path);
	}
	if (found)
		loader_print(stdout, loading->options->generate, &recordings_format, &beside);
}

static bool check_folder(const struct options *options, struct err *err)
{
	const char *folder = options->file;

	if (!loads_partitions(options->generate))
		return err_set(
			err, ERR_USAGE,
			"expected a recording; duckdb, clickhouse and spark load a folder of recordings");
	for (const char *c = folder; *c; c++)
		if (strchr("*?[]{}'\"\\", *c) || iscntrl((unsigned char)*c))
			return err_set(err, ERR_USAGE,
			               "--generate: expected a folder without *?[]{}'\"\\ in its "
			               "path, found %s",
			               folder);
	return true;
}

static void release(struct loading *loading)
{
	for (size_t i = 0; i < loading->trace_count; i++)
		free_trace(loading->traces[i]);
	free(loading->traces);
	free(loading->tables);
	free(loading->first_unknown);
	free(loading);
}

bool loading_run(const struct options *options, struct diag *diag, struct err *err)
{
	struct loading *loading = vec_new(1, sizeof(*loading), err);
	bool ok;

	if (!loading)
		return false;
	loading->options = options;
	loading->diag = diag;
	loading->place = (struct loader_place){ options->file, "recording" };
	ok = check_folder(options, err) && add_known(loading, err) && take_folders(loading, err);
	if (ok && loading->unknown)
		diag_warn(diag, ERR_NO_OFFSET,
		          "%s, and %zu files like it: expected --by as it was given for them: they "
		          "are left out",
		          loading->first_unknown, loading->unknown - 1);
	if (ok) {
		loader_print_head(stdout, options->generate, options->file);
		ok = print_tables(loading, err);
	}
	if (ok)
		print_recordings(loading);
	release(loading);
	return ok;
}
