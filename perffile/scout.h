/*
 * The first reading of a file in two threads. A scout looks at the second half: it starts where records
 * seem to begin, and what it found counts only if who reads from the start arrives at that very place.
 * It takes what is counted and has a time, and stops at the first record that asks for more.
 */
#ifndef READPERF_PERFFILE_SCOUT_H
#define READPERF_PERFFILE_SCOUT_H

#include "perffile/lane.h"
#include "perffile/summary.h"

#include <pthread.h>
#include <stdatomic.h>

struct scout {
	const struct session
		*session; /* borrowed; its layouts and ids stay as they are meanwhile */
	struct block_pool pool;
	pthread_t thread;
	atomic_bool dismissed;
	bool started;
	/* what it found; the thread's own until scout_return() */
	struct lane lane;
	struct record_count types[RECORD_TYPES];
	uint64_t start, stop; /* offsets in the file: it saw the records from start up to stop */
};

/*
 * Sends the scout into the bytes from begin to end of the first file. Where that is not worth it or
 * nothing looks like a record, or the system refuses, nobody starts, and scout->start is UINT64_MAX.
 */
void scout_send(struct scout *scout, const struct input *input, const struct session *session,
                uint64_t begin, uint64_t end);
/* Waits until the scout is through. */
void scout_return(struct scout *scout);
/* What it finds is not wanted; due in any case. Zeros will do. */
void scout_release(struct scout *scout);

#endif
