/* What a call with several recordings knows while it reads them: several.c and its parts. */
#ifndef READPERF_DECODE_RUN_BATCH_H
#define READPERF_DECODE_RUN_BATCH_H

#include "decode/run/filestate.h"
#include "decode/run/journal.h"
#include "decode/run/runfolder.h"
#include "decode/run/worker.h"

#define WORKERS_MOST 64 /* more processes than CPUs only need memory */
#define QUESTION_SIZE (OPTIONS_GIVEN_SIZE + 100)
#define NAMES_SIZE (TABLE_NAMES_SIZE + 4) /* of tables, with commas around each */

struct pool_worker {
	struct worker worker;
	struct temp_folder folder; /* of the recording that it reads */
	uint32_t number;           /* of that recording */
	char state[FILE_STATE_SIZE];
	bool busy;
};

#define STATUS_NONE 255 /* no exit status */

struct batch {
	struct several *several;
	struct options *options;
	struct file_list list;
	struct journal journal;
	struct worker_setup setup;
	struct pool_worker workers[WORKERS_MOST];
	unsigned worker_count, busy;
	/* what is asked of each recording: alreadyread.h */
	char question[QUESTION_SIZE], tables[NAMES_SIZE];
	uint8_t *statuses; /* of each file; STATUS_NONE: it was not read */
	bool *known;       /* of each file: it was read by a call before */
	size_t next, done, read, failed;
	size_t without_room; /* one after the other, up to the last one */
	char reply[REPLY_SIZE];
};

#endif
