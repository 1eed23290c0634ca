#include "decode/run/takefolder.h"

#include "decode/run/alreadyread.h"
#include "decode/run/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether two rows say the same of these columns. */
static bool cells_agree(const struct batch *batch, const struct journal_row *row,
                        const char *const cells[JOURNAL_COLUMNS], const unsigned *columns,
                        size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(journal_cell(&batch->journal, row, columns[i]), cells[columns[i]]) != 0)
			return false;
	return true;
}

/* Whether two rows are of one recording, under two names. */
static bool is_same_recording(const struct batch *batch, const struct journal_row *row,
                              const char *const cells[JOURNAL_COLUMNS])
{
	static const unsigned facts[] = { RECORDINGS_HOST,    RECORDINGS_OS_RELEASE,
		                          RECORDINGS_ARCH,    RECORDINGS_CPU,
		                          RECORDINGS_CMDLINE, RECORDINGS_START,
		                          RECORDINGS_DURATION };

	return cells_agree(batch, row, cells, facts, ARRAY_SIZE(facts));
}

/* Whether the tables of the row are those of what its file is now, with the options of now. */
static bool is_up_to_date(const struct batch *batch, const struct journal_row *row,
                          const char *const cells[JOURNAL_COLUMNS], const char *folder)
{
	static const unsigned asked[] = { JOURNAL_QUESTION, JOURNAL_TABLES };
	char state[FILE_STATE_SIZE];

	file_state(journal_cell(&batch->journal, row, RECORDINGS_FILE), state);
	return *state && !strcmp(state, journal_cell(&batch->journal, row, JOURNAL_STATE)) &&
	       cells_agree(batch, row, cells, asked, ARRAY_SIZE(asked)) &&
	       run_folder_is_complete(folder, cells[RECORDINGS_RECORDING], batch->options);
}

/* Of two recordings with one number the damaged one gives way, whichever was read first. */
static bool is_damaged_twin(const char *status, const char *status_of_other)
{
	return atoi(status) == EXIT_DAMAGED && atoi(status_of_other) == EXIT_CLEAN;
}

#define DAMAGED_TWIN \
	"is damaged, and its number is that of %s, which is not: its tables are not kept"

/*
 * Whether the folder has the tables of another file, so that it is not written. The number does not
 * tell recordings apart that differ only in some bytes, as a damaged copy does. False with err set:
 * they are others.
 */
static bool is_there(const struct batch *batch, const struct pool_worker *worker,
                     const struct journal_row *other, const char *const cells[JOURNAL_COLUMNS],
                     const char *folder, struct err *err)
{
	static const unsigned counts[] = { RECORDINGS_SAMPLES, RECORDINGS_LOST,
		                           RECORDINGS_UNKNOWN_PERCENT, RECORDINGS_STATUS };
	const char *file = journal_cell(&batch->journal, other, RECORDINGS_FILE);
	const char *why = "is another recording";

	if (is_damaged_twin(cells[RECORDINGS_STATUS],
	                    journal_cell(&batch->journal, other, RECORDINGS_STATUS)))
		return err_set(err, ERR_FORMAT, DAMAGED_TWIN, file);
	if (is_same_recording(batch, other, cells)) {
		if (!is_up_to_date(batch, other, cells, folder))
			return false;
		if (cells_agree(batch, other, cells, counts, ARRAY_SIZE(counts)) &&
		    run_folder_agrees(folder, &worker->folder))
			return true;
		why = "has other tables";
	}
	return err_set(err, ERR_FORMAT,
	               "its number is that of %s, which %s: its tables are not written", file, why);
}

void batch_say_failure(const struct batch *batch, const char *file, const char *text)
{
	const struct message_sink *sink = batch->setup.sink;

	sink->name_file(sink->context, file, true);
	sink->print(sink->context, ERR_NO_OFFSET, text);
	sink->name_file(sink->context, "", false);
}

static bool gives_way(const struct batch *batch, const struct journal_row *row,
                      const char *const cells[JOURNAL_COLUMNS])
{
	const struct journal *journal = &batch->journal;

	return !strcmp(journal_cell(journal, row, RECORDINGS_RECORDING),
	               cells[RECORDINGS_RECORDING]) &&
	       strcmp(journal_cell(journal, row, RECORDINGS_FILE), cells[RECORDINGS_FILE]) != 0 &&
	       is_damaged_twin(journal_cell(journal, row, RECORDINGS_STATUS),
	                       cells[RECORDINGS_STATUS]);
}

/* The row of a recording whose tables have gone says so. */
static bool give_way(struct batch *batch, const struct journal_row *row, const char *winner,
                     struct err *err)
{
	const char *cells[JOURNAL_COLUMNS];
	char why[5000];

	for (size_t i = 0; i < JOURNAL_COLUMNS; i++)
		cells[i] = journal_cell(&batch->journal, row, i);
	snprintf(why, sizeof(why), DAMAGED_TWIN, winner);
	cells[RECORDINGS_RECORDING] = "";
	cells[RECORDINGS_STATUS] = "1";
	cells[RECORDINGS_MESSAGE] = why;
	batch_say_failure(batch, cells[RECORDINGS_FILE], why);
	for (size_t i = 0; i < batch->list.count; i++)
		if (!strcmp(batch->list.paths[i], cells[RECORDINGS_FILE]) &&
		    batch->statuses[i] != STATUS_NONE) {
			batch->statuses[i] = EXIT_FAILED;
			batch->failed++;
			batch->read += batch->known[i];
			batch->known[i] = false;
		}
	return journal_add(&batch->journal, cells, err);
}

/* All rows of damaged recordings with the number of this one; copies have a row each. */
static bool let_give_way(struct batch *batch, const char *const cells[JOURNAL_COLUMNS],
                         struct err *err)
{
	for (size_t i = 0; i < batch->journal.count; i++) {
		const struct journal_row row = batch->journal.rows[i];

		if (gives_way(batch, &row, cells) &&
		    !give_way(batch, &row, cells[RECORDINGS_FILE], err))
			return false;
	}
	return true;
}

bool batch_take_folder(struct batch *batch, struct pool_worker *worker,
                       const char *const cells[JOURNAL_COLUMNS], struct err *err)
{
	const char *recording = cells[RECORDINGS_RECORDING];
	const struct journal_row *other = journal_of_recording(&batch->journal, recording);
	const bool better = other && gives_way(batch, other, cells);
	char *folder = batch_folder(batch, recording, err);
	bool ok = folder != NULL, there = false;

	if (ok && access(folder, F_OK) == 0) {
		there = other && !better &&
		        strcmp(journal_cell(&batch->journal, other, RECORDINGS_FILE),
		               cells[RECORDINGS_FILE]) != 0 &&
		        is_there(batch, worker, other, cells, folder, err);
		ok = !err->code && run_folder_is_ours(folder, recording, err);
	}
	ok = ok && (there || temp_folder_commit(&worker->folder, folder,
	                                        better ? OLD_TABLES_GO : OLD_TABLES_STAY, err));
	free(folder);
	return ok && (!better || let_give_way(batch, cells, err));
}
