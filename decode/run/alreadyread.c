#include "decode/run/alreadyread.h"

#include "decode/tables/version.h"
#include "util/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The question is all that changes tables, but not which ones there are. */
void batch_fill_question(struct batch *batch)
{
	const struct options *options = batch->options;

	snprintf(batch->question, sizeof(batch->question), "readperf %s schema %d %s %d",
	         READPERF_VERSION, SCHEMA_NUMBER, options->given, (int)options->compress);
	snprintf(batch->tables, sizeof(batch->tables), ",");
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (table_set_has(&options->tables, tables[i])) {
			const size_t used = strlen(batch->tables);

			/* a table that was named is written even if it has no rows */
			snprintf(batch->tables + used, sizeof(batch->tables) - used, "%s%s,",
			         table_set_names(&options->tables, tables[i]) ? "+" : "",
			         tables[i]->format->name);
		}
}

/* Whether all that is asked for now was asked for then; a named table has a plus. */
static bool has_tables(const char *then, const char *now)
{
	char word[64];

	for (size_t length; *++now; now += length) {
		length = strcspn(now, ",");
		snprintf(word, sizeof(word), ",%.*s,", (int)length, now);
		if (strstr(then, word))
			continue;
		snprintf(word, sizeof(word), ",+%.*s,", (int)length, now);
		if (!strstr(then, word))
			return false;
	}
	return true;
}

char *batch_folder(const struct batch *batch, const char *recording, struct err *err)
{
	return path_format(err, "%s/recording=%s", batch->options->output, recording);
}

bool batch_knows(const struct batch *batch, const char *file, struct err *err)
{
	const struct journal *journal = &batch->journal;
	const struct journal_row *row = journal_of_file(journal, file);
	const char *recording = row ? journal_cell(journal, row, RECORDINGS_RECORDING) : "";
	char state[FILE_STATE_SIZE], *folder;
	bool ok;

	/* rules have to be checked again */
	if (!*recording || batch->options->again || batch->options->compare.rules.count)
		return false;
	file_state(file, state);
	if (!*state || strcmp(state, journal_cell(journal, row, JOURNAL_STATE)) != 0 ||
	    strcmp(batch->question, journal_cell(journal, row, JOURNAL_QUESTION)) != 0 ||
	    !has_tables(journal_cell(journal, row, JOURNAL_TABLES), batch->tables))
		return false;
	folder = batch_folder(batch, recording, err);
	ok = folder && run_folder_is_complete(folder, recording, batch->options);
	free(folder);
	return ok;
}
