/*
 * Brings records to the handlers: takes stretches of records, passes them on by the parcel, and gives
 * their blocks back.
 *
 * Handlers that want samples in order are one crew, all others another, and each crew gets one parcel
 * after the other. Which thread delivers does not matter: a second one takes what there is, and who
 * reads delivers himself instead of waiting. So both are busy, whichever work is the larger part.
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

/* A crew, and how far it is. Between the two threads, but for what is set once. */
struct courier_crew {
	struct crew crew;
	bool tied;          /* only the reading thread may deliver to it */
	bool busy;          /* somebody delivers to it */
	size_t brought;     /* parcels, counted from the first */
	struct err failure; /* for who delivers */
};

#define COURIER_CREWS 2

struct courier {
	struct session *session; /* borrowed, as all of these */
	struct block_pool *pool;
	struct err *err;
	struct crew decoder;                    /* has no handlers: decodes ahead */
	struct parcel parcels[COURIER_PARCELS]; /* used in turn */
	size_t filling;                         /* parcel that is filled, counted from the first */
	size_t returned;                        /* parcels whose blocks have been given back */
	struct block *dropped; /* of a stretch that found no room; parts of it may be under way */
	bool wanted, threaded, started; /* the thread: asked for, allowed from now on, there */
	size_t namings,
		named; /* how often events were named, and how many there were the last time */
	bool ahead;    /* with it, who reads decodes the samples once for all crews */
	pthread_t thread;
	/* between the two threads */
	struct courier_crew
		crews[COURIER_CREWS]; /* the first wants samples in order, if any does */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t filled; /* parcels, counted from the first */
	bool ended, failed;
	struct err failure; /* the first one, if a crew failed; not changed from then on */
};

/* What the courier works for; all of it is borrowed. */
struct courier_order {
	struct session *session;
	const struct record_handler *handlers;
	size_t handler_count;
	struct block_pool *pool;
	struct diag *diag;
	struct read_summary *summary;
	/*
	 * A second thread may deliver; all_apart: also to the crew that tells summary and diag, which who
	 * reads leaves alone meanwhile, as in a file's second reading.
	 */
	bool threaded, all_apart;
};

/* courier_close() is due in any case. False with err set when memory is refused. */
bool courier_open(struct courier *courier, const struct courier_order *order, struct err *err);
/* From now on the second thread may work, if there is to be one. */
void courier_start(struct courier *courier);
/*
 * crew_decode(), into the parcel that is filled: returns the samples, for a stretch that is brought next;
 * NULL if there are none, or that is not for who reads to do.
 */
const struct sample *courier_decode(struct courier *courier, struct stretch *stretch,
                                    const struct limit *limit);
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
