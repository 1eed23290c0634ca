#include "decode/run/several.h"

#include "decode/run/checks.h"
#include "decode/run/filestate.h"
#include "decode/run/journal.h"
#include "decode/run/run.h"
#include "decode/run/runfolder.h"
#include "decode/tables/version.h"
#include "util/path.h"
#include "util/text.h"
#include "util/vec.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORKERS_MOST 64 /* more processes than CPUs only need memory */
#define QUESTION_SIZE (OPTIONS_GIVEN_SIZE + 100)
#define NAMES_SIZE (TABLE_NAMES_SIZE + 4)

struct pool_worker {
	struct worker worker;
	struct temp_folder folder; /* of the recording that it reads */
	uint32_t number;           /* of that recording */
	char state[FILE_STATE_SIZE];
	bool busy;
};

struct batch {
	struct several *several;
	struct options *options;
	struct file_list list;
	struct journal journal;
	struct worker_setup setup;
	struct pool_worker workers[WORKERS_MOST];
	unsigned worker_count, busy;
	char question[QUESTION_SIZE], tables[NAMES_SIZE];
	uint8_t *statuses; /* of each file; STATUS_NONE: it was not read */
	bool *known;       /* of each file: it was read by a call before */
	size_t next, done, read, failed;
	size_t without_room; /* one after the other, up to the last one */
	char reply[REPLY_SIZE];
};

#define STATUS_NONE 255

/* So many failures in a row: no room is left for the others, either. One alone may be too large. */
#define WITHOUT_ROOM_MOST 8

/* --- what was read before */

/* All that changes tables, but not which ones there are. */
static void fill_question(struct batch *batch)
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

static char *folder_path(const struct batch *batch, const char *recording, struct err *err)
{
	return path_format(err, "%s/recording=%s", batch->options->output, recording);
}

/* Whether the tables of a file are there, and made from what it is now. */
static bool is_known(const struct batch *batch, const char *file, struct err *err)
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
	folder = folder_path(batch, recording, err);
	ok = folder && run_folder_is_complete(folder, recording, batch->options);
	free(folder);
	return ok;
}

/* --- what is read now */

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

static void say_failure(const struct batch *batch, const char *file, const char *text)
{
	const struct message_sink *sink = batch->several->sink;

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
	say_failure(batch, cells[RECORDINGS_FILE], why);
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

/* Makes the tables that a worker has written those of their recording. The journal is locked. */
static bool take_folder(struct batch *batch, struct pool_worker *worker,
                        const char *const cells[JOURNAL_COLUMNS], struct err *err)
{
	const char *recording = cells[RECORDINGS_RECORDING];
	const struct journal_row *other = journal_of_recording(&batch->journal, recording);
	const bool better = other && gives_way(batch, other, cells);
	char *folder = folder_path(batch, recording, err);
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

/* Counts recordings that failed for a full disk. False with err set if no more will succeed. */
static bool check_room(struct batch *batch, const char *message, struct err *err)
{
	const bool full = text_ends(message, strerror(ENOSPC)) ||
	                  text_ends(message, strerror(EDQUOT));

	batch->without_room = full ? batch->without_room + 1 : 0;
	return batch->without_room < WITHOUT_ROOM_MOST || batch->done == batch->list.count ||
	       err_set(err, ERR_IO,
	               "no room is left: %zu of %zu recordings were not read; a further call goes "
	               "on with them and with those that failed",
	               batch->list.count - batch->done, batch->list.count);
}

/*
 * Notes what became of a recording. False with err set if that cannot be noted, or if it is no use
 * to go on.
 */
static bool finish_recording(struct batch *batch, struct pool_worker *worker,
                             const char *row[RECORDINGS_COLUMNS], struct err *err)
{
	const char *cells[JOURNAL_COLUMNS];
	struct err failure = { 0 };
	bool ok = journal_lock(&batch->journal, err);

	memcpy(cells, row, RECORDINGS_COLUMNS * sizeof(*row));
	/* the whole name, whatever a reply has room for */
	cells[RECORDINGS_FILE] = batch->list.paths[worker->number];
	cells[JOURNAL_STATE] = worker->state;
	cells[JOURNAL_TABLES] = batch->tables;
	cells[JOURNAL_QUESTION] = batch->question;
	if (ok && *cells[RECORDINGS_RECORDING] && !take_folder(batch, worker, cells, &failure)) {
		cells[RECORDINGS_RECORDING] = "";
		cells[RECORDINGS_STATUS] = "1";
		cells[RECORDINGS_MESSAGE] = failure.text;
		say_failure(batch, cells[RECORDINGS_FILE], failure.text);
	}
	temp_folder_remove(&worker->folder);
	batch->statuses[worker->number] = (uint8_t)atoi(cells[RECORDINGS_STATUS]);
	batch->failed += batch->statuses[worker->number] == EXIT_FAILED;
	batch->read++;
	batch->done++;
	worker->busy = false;
	batch->busy--;
	if (!ok)
		return false;
	ok = journal_add(&batch->journal, cells, err);
	journal_unlock(&batch->journal);
	return ok && check_room(batch, cells[RECORDINGS_MESSAGE], err);
}

/* A worker that has gone has failed with its recording; another one takes its place. */
static bool replace_worker(struct batch *batch, struct pool_worker *worker, struct err *err)
{
	const char *cells[RECORDINGS_COLUMNS];
	char why[80] = "";

	for (size_t i = 0; i < RECORDINGS_COLUMNS; i++)
		cells[i] = "";
	worker_end(&worker->worker, why);
	say_failure(batch, batch->list.paths[worker->number], why);
	cells[RECORDINGS_STATUS] = "1";
	cells[RECORDINGS_MESSAGE] = why;
	return finish_recording(batch, worker, cells, err) &&
	       worker_start(&worker->worker, &batch->setup, err);
}

static bool take_answer(struct batch *batch, struct pool_worker *worker, struct err *err)
{
	const char *cells[RECORDINGS_COLUMNS];

	if (!worker_answer(&worker->worker, batch->reply, cells))
		return replace_worker(batch, worker, err);
	return finish_recording(batch, worker, cells, err);
}

/* Gives the worker the next recording that has to be read, if there is one. */
static bool give_work(struct batch *batch, struct pool_worker *worker, struct err *err)
{
	while (batch->next < batch->list.count) {
		const uint32_t number = (uint32_t)batch->next++;
		const char *file = batch->list.paths[number];

		if (is_known(batch, file, err)) {
			const struct journal *journal = &batch->journal;

			batch->statuses[number] = (uint8_t)atoi(journal_cell(
				journal, journal_of_file(journal, file), RECORDINGS_STATUS));
			batch->known[number] = true;
			batch->done++;
			continue;
		}
		if (err->code || !temp_folder_make(&worker->folder, batch->options->output, err))
			return false;
		file_state(file, worker->state);
		worker->number = number;
		worker->busy = true;
		batch->busy++;
		return (worker->worker.process ||
		        worker_start(&worker->worker, &batch->setup, err)) &&
		       (worker_ask(&worker->worker, number, worker->folder.path) ||
		        replace_worker(batch, worker, err));
	}
	return true;
}

static void report_progress(const struct batch *batch)
{
	const struct several *several = batch->several;

	if (several->report)
		several->report(several->context, batch->done, batch->list.count, batch->done);
}

/* Waits until a worker has answered, or gone. */
static bool wait_for_answer(struct batch *batch, struct err *err)
{
	struct pollfd ready[WORKERS_MOST];

	for (unsigned i = 0; i < batch->worker_count; i++)
		ready[i] = (struct pollfd){ .fd = batch->workers[i].busy
			                                  ? batch->workers[i].worker.socket
			                                  : -1,
			                    .events = POLLIN };
	if (poll(ready, batch->worker_count, -1) < 0)
		return errno == EINTR || err_errno(err, "cannot wait for a process");
	for (unsigned i = 0; i < batch->worker_count; i++)
		if (ready[i].revents && !take_answer(batch, &batch->workers[i], err))
			return false;
	report_progress(batch);
	return true;
}

static bool read_all(struct batch *batch, struct err *err)
{
	for (;;) {
		for (unsigned i = 0; i < batch->worker_count; i++)
			if (!batch->workers[i].busy && !give_work(batch, &batch->workers[i], err))
				return false;
		if (!batch->busy)
			return true;
		if (!wait_for_answer(batch, err))
			return false;
	}
}

static void end_workers(struct batch *batch)
{
	for (unsigned i = 0; i < batch->worker_count; i++) {
		worker_end(&batch->workers[i].worker, NULL);
		temp_folder_remove(&batch->workers[i].folder);
	}
}

/* --- recordings.csv */

/* A recording under a second name keeps its row, but not the number, which names one row. */
static void print_row(const struct batch *batch, struct table_writer *out,
                      const struct journal_row *row)
{
	const struct journal *journal = &batch->journal;
	const char *recording = journal_cell(journal, row, RECORDINGS_RECORDING);
	const struct journal_row *first = *recording ? journal_of_recording(journal, recording)
	                                             : row;
	char message[800];
	struct recordings_row cells;

	for (size_t i = 0; i < RECORDINGS_COLUMNS; i++)
		cells.cells[i] = journal_cell(journal, row, i);
	if (first != row && first) {
		snprintf(message, sizeof(message), "is the same recording as %s",
		         journal_cell(journal, first, RECORDINGS_FILE));
		cells.cells[RECORDINGS_RECORDING] = "";
		cells.cells[RECORDINGS_MESSAGE] = message;
	}
	table_row(out, &cells);
}

static bool write_rows(struct batch *batch, struct table_outputs *to, struct err *err)
{
	struct table_writer out = table_outputs_text(to);
	bool ok = table_begin(&out, &recordings_format, err);
	char ending[16];

	for (size_t i = 0; ok && i < batch->journal.count; i++)
		print_row(batch, &out, &batch->journal.rows[i]);
	ok = ok && table_end(&out, err);
	table_discard(&out);
	if (!ok || !outputs_commit(&to->outputs, err))
		return false;
	snprintf(ending, sizeof(ending), "%s%s", batch->options->ndjson ? ".ndjson" : ".csv",
	         pack_suffix(batch->options->compress));
	table_remove_others(batch->options->output, recordings_format.name, ending);
	return true;
}

static bool write_recordings(struct batch *batch, struct err *err)
{
	struct table_outputs to;
	bool ok;

	if (!journal_lock(&batch->journal, err))
		return false;
	ok = table_outputs_init(&to, batch->options, err) &&
	     journal_compact(&batch->journal, batch->options->output, err) &&
	     write_rows(batch, &to, err);
	table_outputs_release(&to);
	journal_unlock(&batch->journal);
	return ok;
}

/* --- all of it */

/* 1 and 2 win over 4, and 4 over 3. */
static int worst_status(const struct batch *batch)
{
	static const int order[] = { EXIT_FAILED, EXIT_RULE_MET, EXIT_DAMAGED };

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (batch->list.count && memchr(batch->statuses, order[i], batch->list.count))
			return order[i];
	return EXIT_CLEAN;
}

static void choose_workers(struct batch *batch)
{
	const unsigned threads = batch->options->naming.threads;

	batch->worker_count = (unsigned)u64_min(u64_min(threads, WORKERS_MOST), batch->list.count);
	batch->setup = (struct worker_setup){ .options = batch->options,
		                              .list = &batch->list,
		                              .sink = batch->several->sink,
		                              .threads = batch->worker_count > 1 ? 1 : threads };
}

static bool prepare(struct batch *batch, struct err *err)
{
	const struct options *options = batch->options;

	if (!file_list_fill(&batch->list, options->compare.files, options->compare.file_count,
	                    batch->several->diag, err) ||
	    !output_folder_make(options, err) ||
	    !journal_open(&batch->journal, options->output, err))
		return false;
	temp_folders_remove_stale(options->output);
	batch->statuses = vec_new(batch->list.count, 1, err);
	batch->known = vec_new(batch->list.count, sizeof(*batch->known), err);
	if (!batch->statuses || !batch->known)
		return false;
	memset(batch->statuses, STATUS_NONE, batch->list.count);
	fill_question(batch);
	choose_workers(batch);
	return true;
}

static void print_summary(const struct batch *batch)
{
	if (!batch->options->quiet)
		printf("%zu recordings in %s: %zu read, %zu as they were, %zu failed\n",
		       batch->list.count, batch->options->output, batch->read - batch->failed,
		       batch->list.count - batch->read, batch->failed);
}

/* recordings.csv is written even if not all could be read: what is there has its rows. */
static bool run_batch(struct batch *batch, struct err *err)
{
	struct err failure = { 0 };
	bool ok = read_all(batch, err);

	end_workers(batch);
	if (!write_recordings(batch, &failure))
		return ok ? err_pass(err, &failure) : false;
	if (!ok)
		return false;
	print_summary(batch);
	return fflush(stdout) == 0 || errno == EPIPE ||
	       err_errno(err, "standard output: cannot write");
}

int several_run(struct several *several)
{
	struct batch *batch = calloc(1, sizeof(*batch));
	int status = EXIT_FAILED;

	if (!batch) {
		err_nomem(&several->err, sizeof(*batch));
		return status;
	}
	batch->several = several;
	batch->options = several->options;
	batch->journal.lock = -1;
	if (prepare(batch, &several->err) && run_batch(batch, &several->err))
		status = worst_status(batch);
	else if (several->err.code == ERR_USAGE)
		status = EXIT_USAGE;
	journal_close(&batch->journal);
	file_list_release(&batch->list);
	free(batch->statuses);
	free(batch->known);
	free(batch);
	return status;
}
