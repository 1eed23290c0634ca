/*
 * The first reading of a large file in two threads: while the caller reads from the start, the
 * second half is read here, from a place where records seem to begin. Nothing marks the start of a
 * record for certain, so what was found counts only if the caller arrives at exactly that place.
 *
 * In:  the bytes of a file from its middle on.
 * Out: how many records lie there, and when; up to the first record that needs more than counting.
 *
 * Wall time of default runs on two idle CPUs, medians of 11: 295 MB of tracepoints 263 ms instead
 * of 298 (12 %), 179 MB of samples 276 instead of 300 (8 %), 120 MB with call chains 228 instead of
 * 255 (11 %). With two other processes on them there is no difference: 452 and 440, 452 and 453,
 * 363 and 359 ms.
 */
#ifndef READPERF_PERFFILE_ORDER_SECONDHALF_H
#define READPERF_PERFFILE_ORDER_SECONDHALF_H

#include "perffile/order/filereader.h"
#include "perffile/record/summary.h"

#include <pthread.h>
#include <stdatomic.h>

/* Until second_half_join(), the second thread uses all of it. All zeros: never opened. */
struct second_half {
	const struct session *session; /* borrowed; its events do not change meanwhile */
	struct block_pool pool;
	pthread_t thread;
	bool running;
	atomic_bool unwanted;
	/* offsets in the file: the records from start up to stop were read; no record: equal */
	uint64_t start, stop;
	struct file_reader file;     /* the bounds and times of those records */
	struct read_summary summary; /* their number and bytes */
};

/*
 * Starts to read the second half of a recording that is one file. False if no thread was started,
 * because the file is small or packed, or has the layout of a pipe, nothing in its middle looks
 * like a record, or the system refuses.
 */
bool second_half_open(struct second_half *half, const struct input *input,
                      const struct session *session);
/* Waits until all of it is read. */
void second_half_join(struct second_half *half);
/* Ends the thread, read or not, and frees everything. */
void second_half_close(struct second_half *half);

#endif
