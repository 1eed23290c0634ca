/*
 * Several recordings in one call: each gets a folder recording=ID below --output with the tables of
 * a run of its own, and recordings.csv has a row for each.
 *
 * In:  the options, with their FILEs.
 * Out: folders, recordings.csv, and a line on standard output. Messages go to the sink.
 */
#ifndef READPERF_DECODE_RUN_SEVERAL_H
#define READPERF_DECODE_RUN_SEVERAL_H

#include "decode/run/worker.h"

struct several {
	struct options *options;         /* borrowed, like the others */
	const struct message_sink *sink; /* of messages about a recording */
	struct diag *diag;               /* of others */
	/* May be NULL: called now and then, as struct read_options has it; in files, not bytes */
	void (*report)(void *context, uint64_t done, uint64_t total, uint64_t records);
	void *context;  /* of report */
	struct err err; /* why it failed */
};

/*
 * Returns the worst of all exit statuses. If recordings could be read at all, and the rest failed,
 * err is set, too.
 */
int several_run(struct several *several);

#endif
