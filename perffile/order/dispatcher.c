#include "perffile/order/dispatcher.h"

#include "perffile/session/eventname.h"
#include "perffile/session/features.h"
#include "util/thread.h"
#include "util/vec.h"

#include <stdlib.h>

/* A batch is passed on when it holds so much. */
#define BATCH_RECORDS 8192
#define BATCH_SPANES 4096
#define BATCH_BYTES ((uint64_t)1024 * 1024)
#define BATCH_SAMPLES 10240           /* decoded ahead */
#define NAMINGS_ALWAYS 64             /* more than a recording has places where names come from */
#define LARGE_BATCH (4 * BATCH_BYTES) /* nothing else is under way together with such a one */

/* A group of those handlers that want records, and samples in order or not. */
static bool hire(struct handler_group *group, const struct dispatcher_order *order, bool ordered,
                 bool any, struct err *err)
{
	group->session = order->session;
	group->diag = order->diag;
	group->err = err;
	group->bulk = true;
	group->handlers = calloc(order->handler_count + 1, sizeof(*group->handlers));
	if (!group->handlers)
		return err_nomem(err, (order->handler_count + 1) * sizeof(*group->handlers));
	for (size_t i = 0; i < order->handler_count; i++) {
		const struct record_handler *handler = &order->handlers[i];

		if (!handler->record || !(handler->any_sample_order ? any : ordered))
			continue;
		group->handlers[group->count++] = handler;
		group->ordered |= !handler->any_sample_order;
		group->bulk &= handler->samples != NULL;
	}
	return true;
}

bool dispatcher_open(struct dispatcher *dispatcher, const struct dispatcher_order *order,
                     struct err *err)
{
	struct dispatcher_group *first = &dispatcher->groups[0], *second = &dispatcher->groups[1];
	bool ordered = false, any = false, split;

	dispatcher->session = order->session;
	dispatcher->pool = order->pool;
	dispatcher->err = err;
	pthread_mutex_init(&dispatcher->lock, NULL);
	pthread_cond_init(&dispatcher->changed, NULL);
	for (size_t i = 0; i < order->handler_count; i++) {
		ordered |= order->handlers[i].record && !order->handlers[i].any_sample_order;
		any |= order->handlers[i].record && order->handlers[i].any_sample_order;
	}
	/* who works alone decodes each record once for all */
	split = order->threaded && ordered && any;
	dispatcher->wanted = order->threaded && (split || order->all_apart);
	if (!hire(&dispatcher->decoder, order, false, false, err) ||
	    !hire(&first->group, order, true, !split, err) ||
	    !hire(&second->group, order, false, split, err))
		return false;
	first->group.err = &first->failure;
	second->group.err = &second->failure;
	(split ? second : first)->group.summary = order->summary;
	(split ? second : first)->tied = !order->all_apart;
	dispatcher->ahead = first->group.bulk && second->group.bulk;
	return true;
}

void dispatcher_start(struct dispatcher *dispatcher)
{
	dispatcher->threaded = dispatcher->wanted;
}

static struct batch *batch_of(struct dispatcher *dispatcher, size_t number)
{
	return &dispatcher->batches[number % DISPATCHER_BATCHES];
}

/* The first group that a batch waits for and that nobody delivers to, or NULL; in this order. */
static struct dispatcher_group *waiting_group(struct dispatcher *dispatcher, bool reading)
{
	for (size_t i = 0; i < DISPATCHER_GROUPS; i++) {
		struct dispatcher_group *group =
			&dispatcher->groups[reading ? DISPATCHER_GROUPS - 1 - i : i];

		if (!group->busy && group->brought < dispatcher->filled &&
		    (reading || !group->tied))
			return group;
	}
	return NULL;
}

/* Brings the group its next batch. The lock is held, but not meanwhile. */
static void deliver(struct dispatcher *dispatcher, struct dispatcher_group *group)
{
	const struct batch *batch = batch_of(dispatcher, group->brought);
	bool ok = !dispatcher->failed;

	group->busy = true;
	pthread_mutex_unlock(&dispatcher->lock);
	ok = ok && group_deliver(&group->group, batch->spans, batch->count);
	pthread_mutex_lock(&dispatcher->lock);
	if (!ok && !dispatcher->failed) {
		dispatcher->failure = group->failure;
		dispatcher->failed = true;
	}
	group->busy = false;
	group->brought++;
	pthread_cond_signal(&dispatcher->changed);
}

static void *work(void *context)
{
	struct dispatcher *dispatcher = context;
	struct dispatcher_group *group;

	pthread_mutex_lock(&dispatcher->lock);
	while (!dispatcher->ended) {
		if ((group = waiting_group(dispatcher, false)))
			deliver(dispatcher, group);
		else
			pthread_cond_wait(&dispatcher->changed, &dispatcher->lock);
	}
	pthread_mutex_unlock(&dispatcher->lock);
	return NULL;
}

/*
 * Events are named before anybody sees a record of them; names may come later in a pipe. Where attrs and
 * records take turns, all events are not named again for each of them: the last ones are at the end.
 */
static bool name_events(struct dispatcher *dispatcher, bool at_end)
{
	size_t events = dispatcher->session->event_count;

	if (!dispatcher->session->names_stale)
		return true;
	if (dispatcher->namings >= NAMINGS_ALWAYS && events < 2 * dispatcher->named && !at_end)
		return true;
	dispatcher->namings++;
	dispatcher->named = events;
	dispatcher->session->names_stale = false;
	return session_names_fill(dispatcher->session, dispatcher->err) &&
	       features_mark_branch_counters(dispatcher->session, dispatcher->err);
}

static void give_back(struct dispatcher *dispatcher, struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		if (batch->spans[i].block)
			block_put(dispatcher->pool, batch->spans[i].block);
	batch->count = batch->sample_count = 0;
	batch->records = batch->bytes = 0;
}

/* How many batches all groups have. */
static size_t brought_to_all(const struct dispatcher *dispatcher)
{
	size_t least = dispatcher->groups[0].brought;

	for (size_t i = 1; i < DISPATCHER_GROUPS; i++)
		if (dispatcher->groups[i].brought < least)
			least = dispatcher->groups[i].brought;
	return least;
}

/*
 * Whether a tied group has not got all. It gets each batch before more is read, so that what its records
 * say and what the reading says do not change places with the other thread's speed.
 */
static bool tied_group_waits(const struct dispatcher *dispatcher)
{
	for (size_t i = 0; i < DISPATCHER_GROUPS; i++)
		if (dispatcher->groups[i].tied &&
		    dispatcher->groups[i].brought < dispatcher->filled)
			return true;
	return false;
}

/*
 * Until no more than `most` batches are under way, delivers what nobody else does; empties those that
 * came back.
 */
static bool collect(struct dispatcher *dispatcher, size_t most)
{
	struct dispatcher_group *group;
	size_t brought;
	bool failed;

	pthread_mutex_lock(&dispatcher->lock);
	while (dispatcher->filled - (brought = brought_to_all(dispatcher)) > most ||
	       tied_group_waits(dispatcher)) {
		if ((group = waiting_group(dispatcher, true)))
			deliver(dispatcher, group);
		else
			pthread_cond_wait(&dispatcher->changed, &dispatcher->lock);
	}
	failed = dispatcher->failed;
	pthread_mutex_unlock(&dispatcher->lock);
	while (dispatcher->returned < brought)
		give_back(dispatcher, batch_of(dispatcher, dispatcher->returned++));
	return !failed || err_pass(dispatcher->err, &dispatcher->failure);
}

bool dispatcher_flush(struct dispatcher *dispatcher)
{
	const struct batch *batch = batch_of(dispatcher, dispatcher->filling);

	if (!batch->count)
		return true;
	if (!name_events(dispatcher, false))
		return false;
	/* without a second thread all goes on in this one */
	if (dispatcher->threaded && !dispatcher->started) {
		dispatcher->started = thread_start(&dispatcher->thread, THREAD_SMALL, work,
		                                   dispatcher);
		dispatcher->threaded = dispatcher->started;
	}
	pthread_mutex_lock(&dispatcher->lock);
	dispatcher->filled = ++dispatcher->filling;
	pthread_cond_signal(&dispatcher->changed);
	pthread_mutex_unlock(&dispatcher->lock);
	return collect(dispatcher, !dispatcher->started || batch->bytes > LARGE_BATCH
	                                   ? 0
	                                   : DISPATCHER_BATCHES - 1);
}

bool dispatcher_cut(struct dispatcher *dispatcher)
{
	const struct batch *batch = batch_of(dispatcher, dispatcher->filling);

	if (batch->records < BATCH_RECORDS && batch->count < BATCH_SPANES &&
	    batch->bytes < BATCH_BYTES)
		return true;
	return dispatcher_flush(dispatcher);
}

static bool put(struct dispatcher *dispatcher, const struct record_span *span)
{
	struct batch *batch = batch_of(dispatcher, dispatcher->filling);
	struct record_span *spans = vec_grow(batch->spans, batch->count, &batch->capacity,
	                                     sizeof(*spans), dispatcher->err);

	if (!spans)
		return false;
	batch->spans = spans;
	spans[batch->count++] = *span;
	return true;
}

const struct sample *dispatcher_decode(struct dispatcher *dispatcher, struct record_span *span,
                                       const struct limit *limit)
{
	struct batch *batch = batch_of(dispatcher, dispatcher->filling);
	struct sample *samples;
	uint32_t count;

	if (!dispatcher->ahead || !dispatcher->threaded || dispatcher->session->reads ||
	    dispatcher->session->names_stale)
		return NULL;
	if (!batch->samples) {
		batch->samples = malloc(BATCH_SAMPLES * sizeof(*batch->samples));
		if (!batch->samples)
			return NULL;
	}
	samples = batch->samples + batch->sample_count;
	count = group_decode(&dispatcher->decoder, span, limit, samples,
	                     BATCH_SAMPLES - batch->sample_count);
	batch->sample_count += count;
	return count ? samples : NULL;
}

bool dispatcher_bring(struct dispatcher *dispatcher, const struct record_span *span, size_t bytes)
{
	struct batch *batch = batch_of(dispatcher, dispatcher->filling);

	if (!put(dispatcher, span)) {
		dispatcher->dropped = span->block;
		return false;
	}
	batch->records += span->count;
	batch->bytes += bytes;
	return span->samples || dispatcher_cut(dispatcher);
}

bool dispatcher_wait(struct dispatcher *dispatcher)
{
	return dispatcher_flush(dispatcher) && collect(dispatcher, 0);
}

bool dispatcher_finish(struct dispatcher *dispatcher)
{
	/* a recording without records has events too */
	return dispatcher_wait(dispatcher) && name_events(dispatcher, true);
}

void dispatcher_close(struct dispatcher *dispatcher)
{
	if (dispatcher->started) {
		pthread_mutex_lock(&dispatcher->lock);
		/* what is under way is of no use any more */
		dispatcher->ended = dispatcher->failed = true;
		pthread_cond_signal(&dispatcher->changed);
		pthread_mutex_unlock(&dispatcher->lock);
		pthread_join(dispatcher->thread, NULL);
	}
	if (dispatcher->dropped)
		block_put(dispatcher->pool, dispatcher->dropped);
	for (size_t i = 0; i < DISPATCHER_BATCHES; i++) {
		give_back(dispatcher, &dispatcher->batches[i]);
		free(dispatcher->batches[i].spans);
		free(dispatcher->batches[i].samples);
	}
	group_release(&dispatcher->decoder);
	for (size_t i = 0; i < DISPATCHER_GROUPS; i++)
		group_release(&dispatcher->groups[i].group);
	pthread_mutex_destroy(&dispatcher->lock);
	pthread_cond_destroy(&dispatcher->changed);
}
