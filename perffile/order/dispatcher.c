#include "perffile/order/dispatcher.h"

#include "perffile/order/sampledecoder.h"
#include "perffile/session/eventname.h"
#include "perffile/session/features.h"
#include "util/thread.h"
#include "util/vec.h"

#include <stdlib.h>

/* A batch is also delivered when it has so many spans, or so many bytes of raw records. */
#define BATCH_SPANS 4096
#define BATCH_BYTES ((uint64_t)1024 * 1024)
/* after such a large batch, the reading thread waits until all are delivered */
#define LARGE_BATCH (4 * BATCH_BYTES)
#define NAMINGS_ALWAYS 64 /* more than the number of things in a recording that can name events */

bool dispatcher_open(struct dispatcher *dispatcher, const struct dispatcher_options *options,
                     struct err *err)
{
	struct dispatcher_group *unordered = &dispatcher->groups[1];

	dispatcher->session = options->session;
	dispatcher->pool = options->pool;
	dispatcher->err = err;
	dispatcher->batch_count = 1;
	pthread_mutex_init(&dispatcher->lock, NULL);
	pthread_cond_init(&dispatcher->changed, NULL);
	for (size_t i = 0; i < DISPATCHER_GROUPS; i++) {
		struct dispatcher_group *group = &dispatcher->groups[i];

		if (!group_init(&group->group, options->handlers, options->handler_count, i == 0,
		                err))
			return false;
		group->group.session = options->session;
	}
	unordered->group.summary = options->summary;
	unordered->group.diag = options->diag;
	unordered->reader_only = !options->summary_is_free;
	dispatcher->threaded = options->threaded &&
	                       (options->summary_is_free || dispatcher->groups[0].group.count);
	return true;
}

void dispatcher_start(struct dispatcher *dispatcher)
{
	/* if the thread cannot be started, this thread does everything */
	if (dispatcher->threaded)
		dispatcher->batch_count = DISPATCHER_BATCHES;
}

static struct batch *batch_of(struct dispatcher *dispatcher, size_t number)
{
	return &dispatcher->batches[number % dispatcher->batch_count];
}

/*
 * The first group that has not received all batches, that no thread is delivering to, and that the
 * calling thread may deliver to; or NULL. The two threads search from opposite ends.
 */
static struct dispatcher_group *find_group(struct dispatcher *dispatcher, bool reading)
{
	for (size_t i = 0; i < DISPATCHER_GROUPS; i++) {
		struct dispatcher_group *group =
			&dispatcher->groups[reading ? DISPATCHER_GROUPS - 1 - i : i];

		if (!group->busy && group->delivered < dispatcher->filled &&
		    (reading || !group->reader_only))
			return group;
	}
	return NULL;
}

/* Delivers the next batch to the group. The lock is held, but released during the delivery. */
static void deliver_batch(struct dispatcher *dispatcher, struct dispatcher_group *group)
{
	const struct batch *batch = batch_of(dispatcher, group->delivered);
	bool ok = !dispatcher->failed;

	group->busy = true;
	pthread_mutex_unlock(&dispatcher->lock);
	ok = ok && group_deliver(&group->group, batch->spans, batch->count);
	pthread_mutex_lock(&dispatcher->lock);
	if (!ok && !dispatcher->failed) {
		dispatcher->failure = group->group.err;
		dispatcher->failed = true;
	}
	group->busy = false;
	group->delivered++;
	pthread_cond_signal(&dispatcher->changed);
}

/* What the second thread does. */
static void *deliver_until_end(void *context)
{
	struct dispatcher *dispatcher = context;
	struct dispatcher_group *group;

	pthread_mutex_lock(&dispatcher->lock);
	while (!dispatcher->ended) {
		if ((group = find_group(dispatcher, false)))
			deliver_batch(dispatcher, group);
		else
			pthread_cond_wait(&dispatcher->changed, &dispatcher->lock);
	}
	pthread_mutex_unlock(&dispatcher->lock);
	return NULL;
}

/*
 * Names the events, if new information about names has been read. Handlers see a record of an event
 * only after that. A pipe may bring such information at any time. If attrs and records alternate,
 * naming all events again for each record would be too slow: after NAMINGS_ALWAYS times they are
 * named again only when their number has doubled, and at the end.
 */
static bool name_events(struct dispatcher *dispatcher, bool at_end)
{
	struct session *session = dispatcher->session;

	if (!session->names_stale || (dispatcher->namings >= NAMINGS_ALWAYS &&
	                              session->event_count < 2 * dispatcher->named && !at_end))
		return true;
	dispatcher->namings++;
	dispatcher->named = session->event_count;
	session->names_stale = false;
	return session_names_fill(session, dispatcher->err) &&
	       features_mark_branch_counters(session, dispatcher->err);
}

/* Empties a batch that has been delivered, or that never will be. */
static void empty_batch(struct dispatcher *dispatcher, struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		if (batch->spans[i].block)
			block_put(dispatcher->pool, batch->spans[i].block);
	batch->count = batch->sample_count = 0;
	batch->records = batch->bytes = 0;
}

/* How many batches both groups have received. */
static size_t delivered_to_all(const struct dispatcher *dispatcher)
{
	size_t first = dispatcher->groups[0].delivered, second = dispatcher->groups[1].delivered;

	return first < second ? first : second;
}

/*
 * Whether a group that only the reading thread may deliver to has not received all batches. It
 * receives each batch before more is read; otherwise the order of warnings would depend on the
 * speed of the other thread.
 */
static bool reader_has_work(const struct dispatcher *dispatcher)
{
	for (size_t i = 0; i < DISPATCHER_GROUPS; i++)
		if (dispatcher->groups[i].reader_only &&
		    dispatcher->groups[i].delivered < dispatcher->filled)
			return true;
	return false;
}

/*
 * Delivers batches, or waits for the other thread, until at most `most` are undelivered; then
 * empties the delivered ones.
 */
static bool deliver_all_but(struct dispatcher *dispatcher, size_t most)
{
	struct dispatcher_group *group;
	size_t delivered;
	bool failed;

	pthread_mutex_lock(&dispatcher->lock);
	while (dispatcher->filled - (delivered = delivered_to_all(dispatcher)) > most ||
	       reader_has_work(dispatcher)) {
		if ((group = find_group(dispatcher, true)))
			deliver_batch(dispatcher, group);
		else
			pthread_cond_wait(&dispatcher->changed, &dispatcher->lock);
	}
	failed = dispatcher->failed;
	pthread_mutex_unlock(&dispatcher->lock);
	while (dispatcher->returned < delivered)
		empty_batch(dispatcher, batch_of(dispatcher, dispatcher->returned++));
	return !failed || err_pass(dispatcher->err, &dispatcher->failure);
}

bool dispatcher_flush(struct dispatcher *dispatcher)
{
	const struct batch *batch = batch_of(dispatcher, dispatcher->filling);
	size_t most = dispatcher->batch_count - 1;

	if (!batch->count)
		return true;
	if (!name_events(dispatcher, false))
		return false;
	if (most && !dispatcher->started && dispatcher->threaded)
		dispatcher->threaded = dispatcher->started = thread_start(
			&dispatcher->thread, THREAD_SMALL, deliver_until_end, dispatcher);
	pthread_mutex_lock(&dispatcher->lock);
	dispatcher->filled = ++dispatcher->filling;
	pthread_cond_signal(&dispatcher->changed);
	pthread_mutex_unlock(&dispatcher->lock);
	return deliver_all_but(dispatcher,
	                       dispatcher->started && batch->bytes <= LARGE_BATCH ? most : 0);
}

bool dispatcher_cut(struct dispatcher *dispatcher)
{
	const struct batch *batch = batch_of(dispatcher, dispatcher->filling);

	if (batch->records < BATCH_RECORDS && batch->count < BATCH_SPANS &&
	    batch->bytes < BATCH_BYTES)
		return true;
	return dispatcher_flush(dispatcher);
}

struct record_span *dispatcher_new_span(struct dispatcher *dispatcher)
{
	struct batch *batch = batch_of(dispatcher, dispatcher->filling);

	if (!vec_room(&batch->spans, batch->count, &batch->capacity, sizeof(*batch->spans),
	              dispatcher->err))
		return NULL;
	batch->spans[batch->count] = (struct record_span){ 0 };
	return &batch->spans[batch->count];
}

bool dispatcher_decode(struct dispatcher *dispatcher, struct record_span *span,
                       struct waiting_span *rest, struct order_key end)
{
	struct batch *batch = batch_of(dispatcher, dispatcher->filling);
	const size_t size = BATCH_SAMPLES * sizeof(*batch->samples);
	struct sample *samples;

	if (!batch->samples && !(batch->samples = malloc(size)))
		return err_nomem(dispatcher->err, size);
	/* the contents of a sample may depend on the name of its event */
	if (!name_events(dispatcher, false))
		return false;
	samples = batch->samples + batch->sample_count;
	span->count = decode_samples(dispatcher->session, rest, end, samples,
	                             BATCH_SAMPLES - batch->sample_count);
	if (!span->count)
		return true;
	batch->sample_count += span->count;
	span->samples = samples;
	span->first = sample_key(samples);
	return true;
}

bool dispatcher_add(struct dispatcher *dispatcher, uint64_t bytes)
{
	struct batch *batch = batch_of(dispatcher, dispatcher->filling);
	const struct record_span *span = &batch->spans[batch->count++];

	batch->records += span->count;
	batch->bytes += bytes;
	return span->is_sample || dispatcher_cut(dispatcher);
}

bool dispatcher_wait(struct dispatcher *dispatcher)
{
	return dispatcher_flush(dispatcher) && deliver_all_but(dispatcher, 0);
}

bool dispatcher_finish(struct dispatcher *dispatcher)
{
	/* the events of a recording without records are named too */
	return dispatcher_wait(dispatcher) && name_events(dispatcher, true);
}

void dispatcher_close(struct dispatcher *dispatcher)
{
	if (dispatcher->started) {
		pthread_mutex_lock(&dispatcher->lock);
		/* the remaining batches are not delivered */
		dispatcher->ended = dispatcher->failed = true;
		pthread_cond_signal(&dispatcher->changed);
		pthread_mutex_unlock(&dispatcher->lock);
		pthread_join(dispatcher->thread, NULL);
	}
	for (size_t i = 0; i < DISPATCHER_BATCHES; i++) {
		empty_batch(dispatcher, &dispatcher->batches[i]);
		free(dispatcher->batches[i].spans);
		free(dispatcher->batches[i].samples);
	}
	for (size_t i = 0; i < DISPATCHER_GROUPS; i++)
		group_release(&dispatcher->groups[i].group);
	pthread_mutex_destroy(&dispatcher->lock);
	pthread_cond_destroy(&dispatcher->changed);
}
