/*
 * What one call of the program does: one recording, a comparison or a trend (run.h), several
 * recordings (several.h), or a stream in slices (every.h).
 *
 * In:  the options.
 * Out: tables, what goes to standard output, and the exit status. Messages go to the sink.
 */
#ifndef READPERF_DECODE_RUN_JOB_H
#define READPERF_DECODE_RUN_JOB_H

#include "decode/options/filelist.h"
#include "decode/options/options.h"
#include "decode/run/outcome.h"

#include <stdio.h>

struct run;
struct every;

struct job {
	struct options *options; /* borrowed, like sink */
	const struct message_sink *sink;
	/* May be NULL: progress, as struct read_options has it; of several recordings in files, not
	   bytes. Both get the context of the sink. */
	void (*report)(void *context, uint64_t done, uint64_t total, uint64_t records);
	void (*report_files)(void *context, uint64_t done, uint64_t total, uint64_t records);
	/* what follows is set by job_run() */
	struct err err; /* why it failed; not printed yet */
	bool opened;    /* the one recording was */
	struct diag diag;
	struct file_list files; /* what is compared, with those of each @LIST */
	struct run *run;        /* owned, like every; NULL: it is another kind of job */
	struct every *every;    /* the same */
};

/* Set all zeros and the first members before. Returns an enum exit_status. */
int job_run(struct job *job);
/* What --verbose prints after job_run(): times, memory, how much there was. */
void job_print_figures(const struct job *job, FILE *out);
void job_release(struct job *job);

#endif
