#include "decode/tables/about.h"

#include "decode/tables/version.h"
#include "util/csvread.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ABOUT_MOST 65536 /* bytes of an existing about.csv that are read */
#define PATH_MOST 4096
#define NAMES_SHOWN 400 /* bytes */

#define ALL_NAMES_SIZE (TABLE_NAMES_SIZE + GROUP_TABLES_MOST * GROUP_NAME_SIZE)

/* "stat,overview,groups": the tables of this run, without about itself. */
static void list_written(const struct report *report, char names[ALL_NAMES_SIZE])
{
	const struct group_tables *groups = report->about->groups;
	size_t used = 0;

	names[0] = '\0';
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (tables[i] != &about_table &&
		    table_set_writes(report->about->set, tables[i], report))
			used += (size_t)snprintf(names + used, ALL_NAMES_SIZE - used, "%s%s",
			                         used ? "," : "", tables[i]->format->name);
	for (unsigned i = 0; i < groups->count; i++)
		used += (size_t)snprintf(names + used, ALL_NAMES_SIZE - used, "%s%s",
		                         used ? "," : "", groups->names[i]);
}

static bool print_about(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct about *about = report->about;
	char names[ALL_NAMES_SIZE];

	(void)err;
	list_written(report, names);
	table_text_row(out, "readperf", READPERF_VERSION);
	table_number_row(out, "schema", SCHEMA_NUMBER);
	table_text_row(out, "recording", about->recording);
	table_text_row(out, "file", about->file);
	table_text_row(out, "options", about->options);
	table_text_row(out, "tables", names);
	table_number_row(out, "status", (uint64_t)about->status);
	return true;
}

static const struct column about_columns[] = {
	{ "key", COLUMN_TEXT, "", "readperf, schema, recording, file, options, tables or status",
	  1 },
	{ "value", COLUMN_TEXT, "", "of the run that wrote the tables beside it", 2 },
};

const struct table about_table = {
	.format = FORMAT_OF("about", about_columns),
	.with_others = true,
	.print = print_about,
};

/* Reads the about.csv in a folder, if there is one. csv_table_close() must be called in any case.
 */
static bool read_about(const char *folder, struct csv_table *table)
{
	struct err ignored = { .code = ERR_NONE };
	char path[PATH_MOST], *text;
	FILE *file;
	size_t size;

	table->text = NULL;
	if (snprintf(path, sizeof(path), "%s/about.csv", folder) >= (int)sizeof(path) ||
	    !(file = fopen(path, "re")))
		return false;
	text = malloc(ABOUT_MOST);
	size = text ? fread(text, 1, ABOUT_MOST - 1, file) : 0;
	fclose(file);
	return text && csv_table_open(table, text, size, "about.csv", &ignored);
}

/* Whether this run writes a table with this name. */
static bool is_name_written(const struct report *report, const char *name)
{
	const struct group_tables *groups = report->about->groups;
	const struct table *table = table_find(name, strlen(name));

	if (table)
		return table_set_writes(report->about->set, table, report);
	for (unsigned i = 0; i < groups->count; i++)
		if (!strcmp(groups->names[i], name))
			return true;
	return false;
}

/* The files of another recording, as many as fit into a message. */
struct staying {
	char names[NAMES_SHOWN];
	size_t used;
};

static void add_name(struct staying *staying, const char *name, const char *extension)
{
	if (staying->used < sizeof(staying->names))
		staying->used += (size_t)snprintf(staying->names + staying->used,
		                                  sizeof(staying->names) - staying->used, "%s%s%s",
		                                  staying->used ? ", " : "", name, extension);
}

/* Whether a file is FILE or, of a table with a file per event, NAME-EVENT.EXT. */
static bool is_file_of_table(const struct table *table, const char *file)
{
	const size_t length = strcspn(table->file, "."), size = strlen(file);
	const size_t extension = strlen(table->file + length);

	if (!strcmp(file, table->file))
		return true;
	return table->has_file && size > length + extension &&
	       !strncmp(file, table->file, length) && file[length] == '-' &&
	       !strcmp(file + size - extension, table->file + length);
}

/* Adds the files of a table that is not CSV, which may have one per event. */
static void add_event_files(struct staying *staying, const char *folder,
                            const struct report *report, const struct table *table)
{
	const bool written = table_set_writes(report->about->set, table, report);
	struct dirent **files;
	int count = scandir(folder, &files, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		const char *file = files[i]->d_name;

		if (is_file_of_table(table, file) &&
		    !(written && (!table->has_file || table->has_file(report, file))))
			add_name(staying, file, "");
		free(files[i]);
	}
	if (count >= 0)
		free(files);
}

/*
 * Adds the files of a table that are in the folder and that this run does not write: packed or not.
 */
static void add_left_behind(struct staying *staying, const char *folder,
                            const struct report *report, const char *name)
{
	static const char *const suffixes[] = { "", ".gz", ".zst" };
	const bool written = is_name_written(report, name);
	const struct table *table = table_find(name, strlen(name));
	char path[PATH_MOST], extension[16];

	if (!*name || strchr(name, '/'))
		return;
	if (table && table->file) {
		add_event_files(staying, folder, report, table);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if ((written && !strcmp(suffixes[i], report->about->suffix)) ||
		    snprintf(path, sizeof(path), "%s/%s.csv%s", folder, name, suffixes[i]) >=
		            (int)sizeof(path) ||
		    access(path, F_OK) != 0)
			continue;
		snprintf(extension, sizeof(extension), ".csv%s", suffixes[i]);
		add_name(staying, name, extension);
	}
}

void about_compare(const char *folder, const struct report *report, struct diag *diag)
{
	const char *recording = NULL;
	char *names = NULL, *place = NULL;
	struct staying staying = { .used = 0 };
	struct csv_table table;

	for (bool found = read_about(folder, &table); found && csv_table_next(&table);) {
		if (!strcmp(csv_table_text(&table, 0), "recording"))
			recording = csv_table_text(&table, 1);
		else if (!strcmp(csv_table_text(&table, 0), "tables") && !names)
			names = strdup(csv_table_text(&table, 1));
	}
	if (recording && strcmp(recording, report->about->recording) != 0) {
		for (char *name = names ? strtok_r(names, ",", &place) : NULL; name;
		     name = strtok_r(NULL, ",", &place))
			add_left_behind(&staying, folder, report, name);
		if (staying.used)
			diag_warn(diag, ERR_NO_OFFSET,
			          "%s holds tables of another recording, and these stay as "
			          "they are: %s",
			          folder, staying.names);
		else
			diag_warn(diag, ERR_NO_OFFSET,
			          "%s held tables of another recording: all are replaced", folder);
	}
	csv_table_close(&table);
	free(names);
}
