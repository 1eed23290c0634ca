/*
 * A process that reads recordings, one after the other, each as a run of its own with a folder of
 * its own:
 *
 *   several.c  --- number of the file, folder --->  worker  (reads, writes tables)
 *              <-- cells of its row ---------------
 *
 * A recording that makes a worker crash, or need too much memory, costs only its own row. What a
 * worker has read of binaries serves its next recordings, too (decode/naming/lookupcache.h).
 */
#ifndef READPERF_DECODE_RUN_WORKER_H
#define READPERF_DECODE_RUN_WORKER_H

#include "decode/options/options.h"
#include "decode/options/filelist.h"
#include "decode/run/outcome.h"
#include "decode/tables/recordings.h"

#include <sys/types.h>

struct worker_setup {
	const struct options *options;
	const struct file_list *list;
	const struct message_sink *sink;
	unsigned threads; /* of each worker */
};

struct worker {
	pid_t process; /* 0: there is none */
	int socket;
};

#define REPLY_SIZE 16384 /* bytes: all cells of a row, each with its NUL */

/* Starts one. Everything in setup must outlive it. False with err set. */
bool worker_start(struct worker *worker, const struct worker_setup *setup, struct err *err);
/* Ends it; why: "was ended by signal 11", for a worker that did not reply. */
void worker_end(struct worker *worker, char why[80]);
/* False: it has gone. */
bool worker_ask(const struct worker *worker, uint32_t number, const char *folder);
/*
 * The cells of the row, which point into reply; blocks until it is there. False: the worker has
 * gone.
 */
bool worker_answer(const struct worker *worker, char reply[REPLY_SIZE],
                   const char *cells[RECORDINGS_COLUMNS]);

#endif
