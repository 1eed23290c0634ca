#include "decode/run/leftover.h"

#include "decode/compare/runtable.h"
#include "decode/tables/eventfile.h"
#include "util/digits.h"
#include "util/folder.h"
#include "util/nearest.h"
#include "util/text.h"

#include <stdlib.h>
#include <string.h>

#define NAMES_SHOWN 400 /* bytes */

void tables_written(const struct table_set *set, const struct report *report,
                    char names[ALL_NAMES_SIZE])
{
	const struct group_tables *groups = report->by;

	names[0] = '\0';
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (tables[i] != &about_table && table_set_writes(set, tables[i], report))
			list_name(names, ALL_NAMES_SIZE, ",", tables[i]->format->name);
	for (unsigned i = 0; i < groups->count; i++)
		list_name(names, ALL_NAMES_SIZE, ",", groups->items[i].name);
}

/* Whether a file is NAME.csv, NAME.ndjson or, of a long table for spreadsheets, NAME-2.csv; packed
 * or not. */
static bool is_csv_of_table(const char *name, size_t length, const char *file)
{
	static const char *const extensions[] = { ".csv", ".ndjson" };
	size_t kind = 0;

	if (strncmp(file, name, length) != 0)
		return false;
	file += length;
	if (*file == '-' && is_digit(file[1]))
		file += 1 + strspn(file + 1, "0123456789");
	while (!text_starts(file, extensions[kind]))
		if (++kind == ARRAY_SIZE(extensions))
			return false;
	file += strlen(extensions[kind]);
	return !*file || !strcmp(file, ".gz") || !strcmp(file, ".zst");
}

/* Whether a file is one of several tables, "trace-SYSTEM-NAME.csv". */
static bool is_one_of_several(const struct table *table, const char *file)
{
	const size_t length = strcspn(table->several, "-") + 1;
	static const char *const extensions[] = { ".csv",    ".csv.gz",    ".csv.zst",
		                                  ".ndjson", ".ndjson.gz", ".ndjson.zst" };

	if (strncmp(file, table->several, length) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(extensions); i++)
		if (text_ends(file + length, extensions[i]))
			return true;
	return false;
}

/* Whether a file is FILE or, of a table with a file per event, NAME-EVENT.EXT. */
static bool is_file_of_table(const struct table *table, const char *file)
{
	const size_t length = strcspn(table->file, ".");

	if (!strcmp(file, table->file))
		return true;
	return table->write_event && !strncmp(file, table->file, length) && file[length] == '-' &&
	       text_ends(file + length, table->file + length);
}

bool leftover_is_table(const char *names, const char *file)
{
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (tables[i]->several ? is_one_of_several(tables[i], file)
		    : tables[i]->file  ? is_file_of_table(tables[i], file)
		                       : is_csv_of_table(tables[i]->format->name,
		                                         strlen(tables[i]->format->name), file))
			return true;
	for (size_t length; *names; names += length + (names[length] == ',')) {
		length = strcspn(names, ",");
		if (length && is_csv_of_table(names, length, file))
			return true;
	}
	return false;
}

/*
 * Lists the tables in the folder that this run does not write, as many as fit into a message. Runs
 * before the last one may have written them, too.
 */
static void list_left_behind(char list[NAMES_SHOWN], const char *folder,
                             const struct outputs *outputs, const char *names)
{
	struct folder found;

	folder_list(&found, folder, NULL);
	for (size_t i = 0; i < found.count; i++) {
		const char *file = found.entries[i]->d_name;

		if (leftover_is_table(names, file) && !outputs_have(outputs, file))
			list_name(list, NAMES_SHOWN, ", ", file);
	}
	folder_release(&found);
}

void leftover_compare(const char *folder, const char *written, const struct outputs *outputs,
                      struct diag *diag)
{
	const char *recording = NULL;
	char *names = NULL, staying[NAMES_SHOWN] = "";
	struct err ignored = { .code = ERR_NONE };
	struct run_table table = { .memory = NULL };

	run_table_open(&table, folder, "about.csv", true, &ignored);
	while (csv_table_next(&table.csv)) {
		const char *key = csv_table_text(&table.csv, 0);

		if (!strcmp(key, "recording"))
			recording = csv_table_text(&table.csv, 1);
		else if (!strcmp(key, "tables") && !names)
			names = strdup(csv_table_text(&table.csv, 1));
	}
	if (recording && strcmp(recording, written) != 0) {
		list_left_behind(staying, folder, outputs, names ? names : "");
		if (*staying)
			diag_warn(diag, ERR_NO_OFFSET,
			          "%s held tables of another recording, and these stay as "
			          "they are: %s",
			          folder, staying);
		else
			diag_warn(diag, ERR_NO_OFFSET,
			          "%s held tables of another recording: all are replaced", folder);
	}
	run_table_close(&table);
	free(names);
}
