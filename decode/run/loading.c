#include "decode/run/loading.h"

#include "decode/options/loaders.h"
#include "decode/run/fileformat.h"
#include "decode/tables/recordings.h"
#include "util/folder.h"
#include "util/path.h"
#include "util/text.h"
#include "util/vec.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_FORMATS_MOST 4096 /* tables whose columns only their files know */

/* A table that may be in the folders. */
struct loadable {
	const struct table_format *format;
	const struct file_format *of_file; /* NULL: the format is known without its files */
	size_t last;                       /* the folder that had it last, from 1; 0: none had it */
	bool differs;                      /* not all folders have the same columns */
};

struct loading {
	const struct options *options;
	struct diag *diag;
	struct loader_place place;
	struct loadable *tables;
	size_t count, capacity;
	struct file_format **formats; /* owned */
	size_t format_count, format_capacity;
	size_t folders, lines_of_json, unknown;
	char *first_unknown; /* owned */
};

static struct loadable *add_loadable(struct loading *loading, const struct table_format *format,
                                     const struct file_format *of_file, struct err *err)
{
	const struct loadable table = { .format = format, .of_file = of_file };

	return vec_append(&loading->tables, &loading->count, &loading->capacity, &table,
	                  sizeof(table), err)
	               ? &loading->tables[loading->count - 1]
	               : NULL;
}

/* All whose columns are known, in the order in which they are listed. */
static bool add_known(struct loading *loading, struct err *err)
{
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (!tables[i]->file && !tables[i]->several && !tables[i]->makes_columns &&
		    !add_loadable(loading, tables[i]->format, NULL, err))
			return false;
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

/* --- tables whose columns only their files know */

static void free_format(struct file_format *format)
{
	file_format_release(format);
	free(format);
}

/* NULL if the file is no such table, or with err set. */
static struct loadable *add_file_format(struct loading *loading, const char *path, const char *name,
                                        size_t length, struct err *err)
{
	struct file_format *format = vec_new(1, sizeof(*format), err);

	if (!format)
		return NULL;
	if (loading->format_count == FILE_FORMATS_MOST)
		err_set(err, ERR_FORMAT,
		        "expected at most %d tables with columns of their own, found more",
		        FILE_FORMATS_MOST);
	if (err->code || !file_format_read(format, path, name, length, err) || !format->format ||
	    !vec_append(&loading->formats, &loading->format_count, &loading->format_capacity,
	                &format, sizeof(format), err)) {
		free_format(format);
		return NULL;
	}
	return add_loadable(loading, format->format, format, err);
}

/* The table of a file. NULL if it is none, or with err set. */
static struct loadable *take_table(struct loading *loading, const char *path, const char *name,
                                   size_t length, struct err *err)
{
	struct loadable *table = find_loadable(loading, name, length);
	bool same;

	if (!table)
		return add_file_format(loading, path, name, length, err);
	if (table->of_file && !table->differs) {
		if (!file_format_compare(table->of_file, path, &same, err))
			return NULL;
		table->differs = !same;
	}
	return table;
}

/* --- folders */

static bool is_recording(const char *folder)
{
	return text_starts(folder, "recording=");
}

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

/*
 * Whether the user wants it: of tables that were named, nothing else; those of --by have names that
 * --by says.
 */
static bool is_wanted(const struct loading *loading, const char *name, size_t length)
{
	const struct table_set *set = &loading->options->tables;
	const struct group_tables *groups = &loading->options->groups;
	const struct table *table = file_format_is_trace(name) ? &trace_table
	                                                       : table_find(name, length);

	if (set->unsaid || table)
		return set->unsaid || table_set_has(set, table);
	for (unsigned i = 0; i < groups->count; i++)
		if (!strncmp(groups->items[i].name, name, length) && !groups->items[i].name[length])
			return true;
	return !set->named; /* all */
}

static bool take_file(struct loading *loading, const char *folder, const char *file,
                      struct err *err)
{
	const size_t length = table_name_length(loading, file);
	struct loadable *table;
	char *path;
	bool ok;

	if (!length || !is_wanted(loading, file, length))
		return true;
	path = path_format(err, "%s/%s", folder, file);
	if (!path)
		return false;
	table = take_table(loading, path, file, length, err);
	ok = table ||
	     (!err->code && note_unknown(loading, path + strlen(loading->place.folder) + 1, err));
	/* its rows would be there twice */
	if (table && table->last == loading->folders)
		ok = err_set(err, ERR_FORMAT, "%s: expected one file of a table, found two", path);
	if (table)
		table->last = loading->folders;
	free(path);
	return ok;
}

/*
 * Folders of recordings or of slices of a stream: KEY=... with the key of the first one. False with
 * err set.
 */
static bool take_key(struct loading *loading, const char *folder, struct err *err)
{
	const char *key = is_recording(folder) ? "recording" : "start";

	if (!loading->place.partition)
		loading->place.partition = key;
	return !strcmp(loading->place.partition, key) ||
	       err_set(err, ERR_FORMAT,
	               "expected folders recording=ID or start=TIME in it, found both");
}

static bool take_files(struct loading *loading, const char *folder, struct err *err)
{
	struct folder files;
	bool ok = true;

	if (!folder_list(&files, folder, folder_entry_is_visible))
		return err_errno(err, "%s", folder);
	loading->folders++;
	for (size_t i = 0; ok && i < files.count; i++)
		ok = take_file(loading, folder, files.entries[i]->d_name, err);
	folder_release(&files);
	return ok;
}

static bool take_folder(struct loading *loading, const char *name, struct err *err)
{
	char *path = path_format(err, "%s/%s", loading->place.folder, name);
	bool ok = path && take_key(loading, name, err) && take_files(loading, path, err);

	free(path);
	return ok;
}

static int is_partition(const struct dirent *entry)
{
	return is_recording(entry->d_name) || text_starts(entry->d_name, "start=");
}

/* Those of recordings or slices; where there are none, the folder itself is one of tables. */
static bool take_folders(struct loading *loading, struct err *err)
{
	struct folder found;
	bool ok = true;

	if (!folder_list(&found, loading->place.folder, is_partition))
		return err_errno(err, "cannot list the folder");
	for (size_t i = 0; ok && i < found.count; i++)
		ok = take_folder(loading, found.entries[i]->d_name, err);
	folder_release(&found);
	if (!ok || !loading->folders)
		return ok && take_files(loading, loading->place.folder, err);
	return loads_partitions(loading->options->generate) ||
	       err_set(err, ERR_USAGE,
	               "--generate: expected one folder of tables, or duckdb, clickhouse or spark, "
	               "which load folders %s=... as one",
	               loading->place.partition);
}

/* --- what is printed */

/* A table that was named and is in no folder. NULL: there is none. */
static const struct table *find_missing(const struct loading *loading)
{
	const struct table_set *set = &loading->options->tables;

	for (unsigned i = 0; i < TABLE_COUNT && !set->unsaid; i++) {
		const char *name = tables[i]->format->name;
		const struct loadable *found = find_loadable(loading, name, strlen(name));

		if (table_set_names(set, tables[i]) && !tables[i]->file && !tables[i]->several &&
		    (!found || !found->last))
			return tables[i];
	}
	return NULL;
}

static bool print_tables(struct loading *loading, struct err *err)
{
	const struct table *missing = find_missing(loading);
	size_t printed = 0;

	if (missing)
		return err_set(err, ERR_FORMAT, "expected table %s in it, found none",
		               missing->format->name);
	for (size_t i = 0; i < loading->count; i++) {
		const struct loadable *table = &loading->tables[i];

		if (table->differs)
			diag_warn(
				loading->diag, ERR_NO_OFFSET,
				"%s.csv has not the same columns in all recordings: it is left out",
				table->format->name);
		else if (table->last && ++printed)
			loader_print(stdout, loading->options->generate, table->format,
			             &loading->place);
	}
	return printed ||
	       err_set(err, ERR_FORMAT,
	               "expected tables (CSV) in it, or in folders recording=ID or start=TIME, "
	               "found %s",
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

	for (const char *c = folder; *c; c++)
		if (strchr("*?[]{}'\"\\", *c) || iscntrl((unsigned char)*c))
			return err_set(err, ERR_USAGE,
			               "--generate: expected a folder without *?[]{}'\"\\ in its "
			               "path, found %s",
			               folder);
	return true;
}

static void loading_release(struct loading *loading)
{
	for (size_t i = 0; i < loading->format_count; i++)
		free_format(loading->formats[i]);
	free(loading->formats);
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
	loading->place = (struct loader_place){ options->file, NULL };
	ok = check_folder(options, err) && add_known(loading, err) && take_folders(loading, err);
	if (ok && loading->unknown)
		diag_warn(diag, ERR_NO_OFFSET,
		          "%s%s: expected a table as readperf writes it: left out",
		          loading->first_unknown, loading->unknown > 1 ? " and others" : "");
	if (ok) {
		loader_print_head(stdout, options->generate, options->file);
		ok = print_tables(loading, err);
	}
	if (ok)
		print_recordings(loading);
	loading_release(loading);
	return ok;
}
