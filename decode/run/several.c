#include "decode/run/several.h"

#include "decode/run/alreadyread.h"
#include "decode/run/checks.h"
#include "decode/run/recordingrows.h"
#include "decode/run/takefolder.h"
#include "util/text.h"
#include "util/vec.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* So many failures in a row: no room is left for the others, either. One alone may be too large. */
#define WITHOUT_ROOM_MOST 8

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
	if (ok && *cells[RECORDINGS_RECORDING] &&
	    !batch_take_folder(batch, worker, cells, &failure)) {
		cells[RECORDINGS_RECORDING] = "";
		cells[RECORDINGS_STATUS] = "1";
		cells[RECORDINGS_MESSAGE] = failure.text;
		batch_say_failure(batch, cells[RECORDINGS_FILE], failure.text);
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
	batch_say_failure(batch, batch->list.paths[worker->number], why);
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

		if (batch_knows(batch, file, err)) {
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
	batch_fill_question(batch);
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
	if (!batch_write_recordings(batch, &failure))
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
