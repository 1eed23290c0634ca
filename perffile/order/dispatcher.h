/*
 * Decodes the records that leave the window, collects them into batches, and delivers each batch to
 * two groups of handlers: those that want samples in order of time, and those that take samples in
 * any order. Each group receives the batches one after the other.
 *
 * With a second thread, either thread may deliver the next batch to either group, so that both
 * threads have work even if one group takes longer. The reading thread delivers too, instead of
 * waiting, once DISPATCHER_BATCHES are undelivered. Without a second thread, the reading thread
 * delivers each batch as soon as it is full.
 */
#ifndef READPERF_PERFFILE_ORDER_DISPATCHER_H
#define READPERF_PERFFILE_ORDER_DISPATCHER_H

#include "perffile/order/handlergroup.h"
#include "perffile/order/records.h"

#include <pthread.h>

#define DISPATCHER_BATCHES 4
#define BATCH_RECORDS 4096 /* a batch with so many records is delivered */
#define SLICE_SAMPLES 4096 /* samples that may be taken between two calls of dispatcher_cut() */

/* Records that are delivered together. */
struct record_batch {
	struct record_span *spans;
	size_t count, capacity;
	uint64_t bytes;         /* of the raw records */
	struct sample *samples; /* those that were decoded together: room for BATCH_SAMPLES */
	size_t sample_count;
	struct record *records; /* all others */
	size_t record_count, record_capacity;
};

#define BATCH_SAMPLES (BATCH_RECORDS + SLICE_SAMPLES)

#define DISPATCHER_GROUPS 2

struct dispatcher {
	/* used by the reading thread only; the first four are borrowed and set by the caller */
	struct session *session;
	struct block_pool *pool;
	struct read_summary *summary;
	struct err *err;
	struct record_batch batches[DISPATCHER_BATCHES];
	size_t batch_count; /* batches in use, in turn; 1 without a second thread */
	size_t returned;    /* batches whose blocks have been released */
	size_t namings;     /* how often events have been named */
	size_t named;       /* how many events there were the last time */
	pthread_t thread;
	/* used by both threads */
	/* the first one wants samples in order */
	struct handler_group groups[DISPATCHER_GROUPS];
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t filled; /* batches; changed by the reading thread only, which fills the next one */
	bool ended, failed;
	struct err failure; /* of the group that failed first */
};

/*
 * Takes the handlers, which are borrowed. dispatcher_close() must be called in any case. False with
 * err set when memory is refused.
 */
bool dispatcher_open(struct dispatcher *dispatcher, const struct record_handler *handlers,
                     size_t count);
/*
 * Starts a second thread; if the system refuses one, the reading thread does everything. No batch
 * may be undelivered.
 */
void dispatcher_start(struct dispatcher *dispatcher);

/*
 * Takes the first record of `rest`, or with `samples` as many samples as come before `end` and can
 * be decoded together; moves `rest` behind them. Returns their new span, whose block the caller may
 * set. NULL with err set when memory is refused.
 */
struct record_span *dispatcher_take(struct dispatcher *dispatcher, struct waiting_span *rest,
                                    bool samples, struct order_key end);
/*
 * Promises that everything taken from now on is younger than everything taken so far, so that the
 * batch may end here. False with err set when a handler failed, perhaps for records of earlier
 * calls.
 */
bool dispatcher_cut(struct dispatcher *dispatcher);
/* Ends the batch; whatever is taken from now on is delivered after it. False as above. */
bool dispatcher_flush(struct dispatcher *dispatcher);
/*
 * Waits until everything is delivered and all blocks are released: then the session may be changed.
 * False as above.
 */
bool dispatcher_wait(struct dispatcher *dispatcher);
/* dispatcher_wait() at the end of a reading; it also names events without records. False as above.
 */
bool dispatcher_finish(struct dispatcher *dispatcher);
/* Ends the second thread, drops undelivered batches and releases all blocks. */
void dispatcher_close(struct dispatcher *dispatcher);

#endif
