/*
 * Collects spans of records into batches and delivers each batch to both groups of handlers: those
 * that want samples in order of time, and those that take them as they come. Each group gets one
 * batch after the other.
 *
 * With a second thread, either thread delivers whatever batch a group has not got yet, so that both
 * have work whichever group takes longer; the reading thread does so when DISPATCHER_BATCHES are
 * under way, rather than wait. Without one, the reading thread delivers each batch as soon as it is
 * full.
 */
#ifndef READPERF_PERFFILE_ORDER_DISPATCHER_H
#define READPERF_PERFFILE_ORDER_DISPATCHER_H

#include "perffile/order/handlergroup.h"

#include <pthread.h>

#define DISPATCHER_BATCHES 4
#define BATCH_RECORDS 4096 /* a batch is delivered when it holds so many */
#define SLICE_SAMPLES \
	4096 /* samples that are added at most between two calls of dispatcher_cut() */

/* Records that are delivered together. */
struct batch {
	struct record_span *spans;
	size_t count, capacity;
	uint64_t records, bytes;
	struct sample *samples; /* of its spans: room for BATCH_SAMPLES */
	size_t sample_count;
};

#define BATCH_SAMPLES (BATCH_RECORDS + SLICE_SAMPLES)

/* A group of handlers, and how far it is. What changes is protected by the lock. */
struct dispatcher_group {
	struct handler_group group;
	bool reader_only;   /* only the reading thread may deliver to it */
	bool busy;          /* a thread delivers to it */
	size_t delivered;   /* batches that it has got, counted from the first */
	struct err failure; /* of the group's handlers */
};

#define DISPATCHER_GROUPS 2

struct dispatcher {
	/* the reading thread's */
	struct session *session; /* borrowed */
	struct block_pool *pool; /* borrowed */
	struct err *err;         /* borrowed */
	struct sample_decoder decoder;
	struct batch batches[DISPATCHER_BATCHES];
	size_t batch_count; /* of them in use, in turn; 1 without a second thread */
	size_t filling;     /* the batch that is filled, counted from the first */
	size_t returned;    /* batches whose blocks have been given back */
	size_t namings;     /* how often events were named, */
	size_t named;       /* and how many there were the last time */
	bool threaded;      /* there is to be a second thread, from dispatcher_start() on */
	bool started;       /* there is one */
	pthread_t thread;
	/* both threads' */
	struct dispatcher_group groups[DISPATCHER_GROUPS]; /* the first wants samples in order */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t filled; /* batches, counted from the first */
	bool ended, failed;
	struct err failure; /* of the group that failed first */
};

/* What a dispatcher is made for; all of it is borrowed. */
struct dispatcher_options {
	struct session *session;
	const struct record_handler *handlers;
	size_t handler_count;
	struct block_pool *pool;
	struct diag *diag;
	struct read_summary *summary;
	bool threaded; /* a second thread may deliver */
	/*
	 * Once dispatcher_start() has been called, the reading thread itself leaves summary and
	 * diag alone, as in the second reading of a file: the group that uses them may be delivered
	 * to by the second thread too.
	 */
	bool summary_is_free;
};

/* dispatcher_close() is due in any case. False with err set when memory is refused. */
bool dispatcher_open(struct dispatcher *dispatcher, const struct dispatcher_options *options,
                     struct err *err);
/* Allows the second thread from now on, if there is to be one. Nothing may be under way. */
void dispatcher_start(struct dispatcher *dispatcher);

/*
 * A new span behind all others, for the caller to fill in; dispatcher_add() is due then. NULL with
 * err set when memory is refused.
 */
struct record_span *dispatcher_new_span(struct dispatcher *dispatcher);
/*
 * Decodes samples that `rest` begins with and come before `end` into the new span, and moves `rest`
 * behind them. If the first one cannot be decoded with others, the span is left as it is. False
 * with err set when memory is refused.
 */
bool dispatcher_decode(struct dispatcher *dispatcher, struct record_span *span,
                       struct waiting_span *rest, struct order_key end);
/*
 * Adds the new span, whose records take so many bytes. False with err set when a handler failed,
 * perhaps with records of earlier calls.
 */
bool dispatcher_add(struct dispatcher *dispatcher, uint64_t bytes);
/*
 * Says that nothing that is added from now on is older than what was added so far, so that the
 * batch may end here. False as above.
 */
bool dispatcher_cut(struct dispatcher *dispatcher);
/* Ends the batch, whatever is added from now on: that is delivered behind it. False as above. */
bool dispatcher_flush(struct dispatcher *dispatcher);
/*
 * Waits until all is delivered and all blocks are given back: the session may change then. False as
 * above.
 */
bool dispatcher_wait(struct dispatcher *dispatcher);
/* The same after the last record; then all events have names. False as above. */
bool dispatcher_finish(struct dispatcher *dispatcher);
/* Ends the thread, drops what was not delivered, gives all blocks back. */
void dispatcher_close(struct dispatcher *dispatcher);

#endif
