/*
 * The window: records wait here, in the tree, until nothing older can come, and then go out to the
 * dispatcher by the run. Holds the blocks that they lie in.
 *
 * Samples and all others wait in a tree each, so that a run of samples is cut only where a record of
 * another type comes between.
 */
#ifndef READPERF_PERFFILE_ORDER_QUEUE_H
#define READPERF_PERFFILE_ORDER_QUEUE_H

#include "perffile/order/dispatcher.h"
#include "perffile/order/filereader.h"
#include "perffile/order/records.h"

struct queue {
	struct session *session; /* borrowed */
	struct err *err;         /* borrowed */
	struct block_pool pool;
	struct dispatcher dispatcher; /* who brings the records to the handlers */
	struct records samples, others;
	uint64_t delivered;   /* ns, of the youngest record that went out */
	uint64_t late;        /* records that came when younger ones had gone out */
	uint64_t most;        /* records that waited at the same time */
	size_t blocks;        /* in which records wait: how far a second thread is does not tell */
	uint64_t input_bytes; /* read so far or in all: what waits may be in proportion to it */
	size_t files;         /* read side by side: each has blocks of its own */
};

/* queue_close() is due in any case. order's pool need not be set. */
bool queue_open(struct queue *queue, const struct dispatcher_order *order, struct err *err);
/* Gives all blocks back, what still waits is dropped. */
void queue_close(struct queue *queue);

/*
 * More that waits, from position nr on. Where more waits than the input's size justifies, the oldest
 * go out before their time. False with err set if memory is refused or a handler failed.
 */
bool queue_run(struct queue *queue, const struct run *run, uint64_t nr);
bool queue_record(struct queue *queue, const struct raw_record *raw, uint64_t nr, uint64_t time);
/* A record without a time goes out at once. */
bool queue_timeless(struct queue *queue, const struct raw_record *raw, uint64_t nr);
/* What is not younger than bound (ns) goes out: nothing older than that comes any more. */
bool queue_drain(struct queue *queue, uint64_t bound);

#endif
