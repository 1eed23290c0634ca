/*
 * Brings records to the handlers, in this thread, in one of its own, or in both at the same time:
 * takes stretches of records, passes them on by the parcel, and gives their blocks back.
 */
#ifndef READPERF_PERFFILE_COURIER_H
#define READPERF_PERFFILE_COURIER_H

#include "perffile/crew.h"

#include <pthread.h>

#define COURIER_PARCELS 4

/* Records that are delivered together. */
struct parcel {
	struct stretch *stretches;
	size_t count, capacity;
	uint64_t records, bytes;
	struct sample *samples; /* decoded ahead; NULL: none yet */
	size_t sample_count;
};

struct courier {
	struct session *session; /* borrowed, as all of these */
	struct block_pool *pool;
	struct err *err;
	struct crew here, apart; /* apart works in the second thread, if there is one */
	struct parcel parcels[COURIER_PARCELS]; /* used in turn */
	size_t filling;          /* parcel that is filled, counted from the first */
	size_t returned;         /* parcels whose blocks have been given back */
	struct block *dropped;   /* of a stretch that found no room; parts of it may be under way */
	/* between the two threads */
	bool wanted, threaded, started; /* the thread: asked for, allowed from now on, there */
	bool ahead;              /* with it, samples are decoded in this one, which has less to do */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t filled, brought;  /* parcels, counted from the first */
	bool ended, failed;
	struct err failure;      /* of the crew apart */
};

/* What the courier works for; all of it is borrowed. */
struct courier_order {
	struct session *session;
	const struct record_handler *handlers;
	size_t handler_count;
	struct block_pool *pool;
	struct diag *diag;
	struct read_summary *summary;
	/* A second thread may deliver; to all handlers only if nobody else tells summary and diag. */
	bool threaded, all_apart;
};

/* courier_close() is due in any case. False with err set when memory is refused. */
bool courier_open(struct courier *courier, const struct courier_order *order, struct err *err);
/* From now on the second thread may work, if there is to be one. */
void courier_start(struct courier *courier);
/*
 * Records of so many bytes to be delivered, behind all that came before; a stretch that is no samples, or
 * courier_flush(), is what sets samples before and behind apart. False with err set when a handler
 * failed, perhaps with records of earlier calls.
 */
bool courier_bring(struct courier *courier, const struct stretch *stretch, size_t bytes);
/* All that come from now on are no older than those brought so far. */
bool courier_cut(struct courier *courier);
/* The same, whatever comes from now on. */
bool courier_flush(struct courier *courier);
/* Waits until all is delivered and all blocks are given back: the session may change then. */
bool courier_wait(struct courier *courier);
/* After the last record: the same, and the events have names in any case. */
bool courier_finish(struct courier *courier);
/* Ends the thread, without delivering what is left, gives all blocks back. */
void courier_close(struct courier *courier);

#endif
