/*
 * The first reading of a file in two threads. A prescan looks at the second half: it starts where records
 * seem to begin, and what it found counts only if who reads from the start arrives at that very place.
 * It takes what is counted and has a time, and stops at the first record that asks for more.
 */
#ifndef READPERF_PERFFILE_ORDER_PRESCAN_H
#define READPERF_PERFFILE_ORDER_PRESCAN_H

#include "perffile/order/filereader.h"
#include "perffile/record/summary.h"

#include <pthread.h>
#include <stdatomic.h>

struct prescan {
	const struct session
		*session; /* borrowed; its layouts and ids stay as they are meanwhile */
	struct block_pool pool;
	pthread_t thread;
	atomic_bool dismissed;
	bool started;
	/* what it found; the thread's own until prescan_return() */
	struct file_reader file_reader;
	struct record_count types[RECORD_TYPES];
	uint64_t start, stop; /* offsets in the file: it saw the records from start up to stop */
};

/*
 * Sends the prescan into the bytes from begin to end of the first file. Where that is not worth it or
 * nothing looks like a record, or the system refuses, nobody starts, and prescan->start is UINT64_MAX.
 */
void prescan_send(struct prescan *prescan, const struct input *input, const struct session *session,
                  uint64_t begin, uint64_t end);
/* Waits until the prescan is through. */
void prescan_return(struct prescan *prescan);
/* What it finds is not wanted; due in any case. Zeros will do. */
void prescan_release(struct prescan *prescan);

#endif
