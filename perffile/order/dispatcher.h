/*
 * Brings records to the handlers: takes spans of records, passes them on by the batch, and gives
 * their blocks back.
 *
 * Handlers that want samples in order are one group, all others another, and each group gets one batch
 * after the other. Which thread delivers does not matter: a second one takes what there is, and who
 * reads delivers himself instead of waiting. So both are busy, whichever work is the larger part.
 */
#ifndef READPERF_PERFFILE_ORDER_DISPATCHER_H
#define READPERF_PERFFILE_ORDER_DISPATCHER_H

#include "perffile/order/handlergroup.h"

#include <pthread.h>

#define DISPATCHER_BATCHES 4

/* Records that are delivered together. */
struct batch {
	struct record_span *spans;
	size_t count, capacity;
	uint64_t records, bytes;
	struct sample *samples; /* decoded ahead; NULL: none yet */
	size_t sample_count;
};

/* A group, and how far it is. Between the two threads, but for what is set once. */
struct dispatcher_group {
	struct handler_group group;
	bool tied;          /* only the reading thread may deliver to it */
	bool busy;          /* somebody delivers to it */
	size_t brought;     /* batches, counted from the first */
	struct err failure; /* for who delivers */
};

#define DISPATCHER_GROUPS 2

struct dispatcher {
	struct session *session; /* borrowed, as all of these */
	struct block_pool *pool;
	struct err *err;
	struct handler_group decoder;             /* has no handlers: decodes ahead */
	struct batch batches[DISPATCHER_BATCHES]; /* used in turn */
	size_t filling;                           /* batch that is filled, counted from the first */
	size_t returned;                          /* batches whose blocks have been given back */
	struct block *dropped; /* of a span that found no room; parts of it may be under way */
	bool wanted, threaded, started; /* the thread: asked for, allowed from now on, there */
	size_t namings,
		named; /* how often events were named, and how many there were the last time */
	bool ahead;    /* with it, who reads decodes the samples once for all groups */
	pthread_t thread;
	/* between the two threads */
	struct dispatcher_group
		groups[DISPATCHER_GROUPS]; /* the first wants samples in order, if any does */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t filled; /* batches, counted from the first */
	bool ended, failed;
	struct err failure; /* the first one, if a group failed; not changed from then on */
};

/* What the dispatcher works for; all of it is borrowed. */
struct dispatcher_order {
	struct session *session;
	const struct record_handler *handlers;
	size_t handler_count;
	struct block_pool *pool;
	struct diag *diag;
	struct read_summary *summary;
	/*
	 * A second thread may deliver; all_apart: also to the group that tells summary and diag, which who
	 * reads leaves alone meanwhile, as in a file's second reading.
	 */
	bool threaded, all_apart;
};

/* dispatcher_close() is due in any case. False with err set when memory is refused. */
bool dispatcher_open(struct dispatcher *dispatcher, const struct dispatcher_order *order,
                     struct err *err);
/* From now on the second thread may work, if there is to be one. */
void dispatcher_start(struct dispatcher *dispatcher);
/*
 * group_decode(), into the batch that is filled: returns the samples, for a span that is brought next;
 * NULL if there are none, or that is not for who reads to do.
 */
const struct sample *dispatcher_decode(struct dispatcher *dispatcher, struct record_span *span,
                                       const struct limit *limit);
/*
 * Records of so many bytes to be delivered, behind all that came before; a span that is no samples, or
 * dispatcher_flush(), is what sets samples before and behind apart. False with err set when a handler
 * failed, perhaps with records of earlier calls.
 */
bool dispatcher_bring(struct dispatcher *dispatcher, const struct record_span *span, size_t bytes);
/* All that come from now on are no older than those brought so far. */
bool dispatcher_cut(struct dispatcher *dispatcher);
/* The same, whatever comes from now on. */
bool dispatcher_flush(struct dispatcher *dispatcher);
/* Waits until all is delivered and all blocks are given back: the session may change then. */
bool dispatcher_wait(struct dispatcher *dispatcher);
/* After the last record: the same, and the events have names in any case. */
bool dispatcher_finish(struct dispatcher *dispatcher);
/* Ends the thread, without delivering what is left, gives all blocks back. */
void dispatcher_close(struct dispatcher *dispatcher);

#endif
