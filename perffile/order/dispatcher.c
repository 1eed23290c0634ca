#include "perffile/order/dispatcher.h"

#include "perffile/session/eventname.h"
#include "perffile/session/features.h"
#include "util/thread.h"
#include "util/vec.h"

#include <stdlib.h>

/*
 * A batch is also delivered when it has so many records that were not decoded together with others,
 * or so many bytes of raw records.
 */
#define BATCH_SINGLE 512 /* each takes as much memory as four samples */
#define BATCH_BYTES ((uint64_t)1024 * 1024)
#define NAMINGS_ALWAYS 64 /* more than the number of things in a recording that can name events */

bool dispatcher_open(struct dispatcher *dispatcher, const struct record_handler *handlers,
                     size_t count)
{
	dispatcher->batch_count = 1;
	pthread_mutex_init(&dispatcher->lock, NULL);
	pthread_cond_init(&dispatcher->changed, NULL);
	for (size_t i = 0; i < DISPATCHER_GROUPS; i++) {
		struct handler_group *group = &dispatcher->groups[i];

		if (!group_init(group, handlers, count, i == 0, dispatcher->err))
			return false;
		group->session = dispatcher->session;
	}
	return true;
}

/* A batch, counted from the first one. */
static struct record_batch *batch_of(struct dispatcher *dispatcher, size_t number)
{
	return &dispatcher->batches[number % dispatcher->batch_count];
}

/*
 * The first group that has not received all batches and that no thread is delivering to, or NULL.
 * The two threads search from opposite ends.
 */
static struct handler_group *find_group(struct dispatcher *dispatcher, bool reading)
{
	for (size_t i = 0; i < DISPATCHER_GROUPS; i++) {
		struct handler_group *group =
			&dispatcher->groups[reading ? DISPATCHER_GROUPS - 1 - i : i];

		if (!group->busy && group->delivered < dispatcher->filled)
			return group;
	}
	return NULL;
}

/* Delivers the next batch to the group. The lock is held, but released during the delivery. */
static void deliver_batch(struct dispatcher *dispatcher, struct handler_group *group)
{
	const struct record_batch *batch = batch_of(dispatcher, group->delivered);
	bool ok = !dispatcher->failed;

	group->busy = true;
	pthread_mutex_unlock(&dispatcher->lock);
	ok = ok && group_deliver(group, batch->spans, batch->count, batch->records);
	pthread_mutex_lock(&dispatcher->lock);
	if (!ok && !dispatcher->failed) {
		dispatcher->failure = group->err;
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
	struct handler_group *group;

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

void dispatcher_start(struct dispatcher *dispatcher)
{
	if (thread_start(&dispatcher->thread, THREAD_SMALL, deliver_until_end, dispatcher))
		dispatcher->batch_count = DISPATCHER_BATCHES;
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
	       features_mark_groups(session, dispatcher->err);
}

/* Empties a batch that has been delivered, or that never will be. */
static void empty_batch(struct dispatcher *dispatcher, struct record_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		if (batch->spans[i].block)
			block_put(dispatcher->pool, batch->spans[i].block);
	batch->count = batch->sample_count = batch->record_count = 0;
	batch->bytes = 0;
}

/* How many batches both groups have received. */
static size_t delivered_to_all(const struct dispatcher *dispatcher)
{
	size_t first = dispatcher->groups[0].delivered, second = dispatcher->groups[1].delivered;

	return first < second ? first : second;
}

/*
 * Delivers batches, or waits for the other thread, until at most `most` are undelivered; then
 * empties the delivered ones.
 */
static bool deliver_all_but(struct dispatcher *dispatcher, size_t most)
{
	struct handler_group *group;
	size_t delivered;
	bool failed;

	pthread_mutex_lock(&dispatcher->lock);
	while (dispatcher->filled - (delivered = delivered_to_all(dispatcher)) > most) {
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
	if (!batch_of(dispatcher, dispatcher->filled)->count)
		return true;
	pthread_mutex_lock(&dispatcher->lock);
	dispatcher->filled++;
	pthread_cond_signal(&dispatcher->changed);
	pthread_mutex_unlock(&dispatcher->lock);
	return deliver_all_but(dispatcher, dispatcher->batch_count - 1);
}

bool dispatcher_cut(struct dispatcher *dispatcher)
{
	const struct record_batch *batch = batch_of(dispatcher, dispatcher->filled);

	if (batch->sample_count < BATCH_RECORDS && batch->record_count < BATCH_SINGLE &&
	    batch->bytes < BATCH_BYTES)
		return true;
	return dispatcher_flush(dispatcher);
}

/*
 * Whether all samples have their time at the same offset, and also the field that tells their
 * event.
 */
static bool has_common_places(const struct session *session)
{
	return session->active && session->sample_time >= 0 &&
	       (session->active == 1 || (session->sample_id >= 0 && session->ids.count));
}

/*
 * Decodes at most `room` samples from the front of a waiting span, up to `end`, and moves the span
 * behind them. Stops at a sample that has to go to record() instead of samples(). Returns how many
 * were decoded.
 */
static uint32_t decode_samples(const struct session *session, struct waiting_span *span,
                               struct order_key end, struct sample *samples, size_t room)
{
	const bool several = session->active > 1, swap = session->swap;
	const size_t time_at = (size_t)session->sample_time;
	const size_t id_at = several ? (size_t)session->sample_id : time_at;
	const size_t least = 8 + (time_at > id_at ? time_at : id_at);
	const struct event *event = session->events;
	struct waiting_span rest = *span;
	uint32_t count = 0, number = 0;
	uint64_t last_id = 0;

	if (!has_common_places(session))
		return 0;
	for (; count < room && rest.count; count++) {
		const uint8_t *data = rest.data;
		size_t size = load_u16(data + 6, swap);
		struct sample *sample = &samples[count];

		if (size < least)
			break;
		sample->time = usable_time(load_u64(data + time_at, swap));
		sample->nr = rest.nr;
		if (!key_before(sample_key(sample), end))
			break;
		if (several && (count == 0 || load_u64(data + id_at, swap) != last_id)) {
			last_id = load_u64(data + id_at, swap);
			number = session_event_of_id(session, last_id);
			if (number >= session->active)
				break;
			event = &session->events[number];
		}
		if (size < (size_t)event->layout.fixed)
			break;
		sample->event = number;
		sample_take(sample, event, data, swap);
		if (event->layout.variable && !sample_is_whole(session, sample))
			break;
		span_pass_first(&rest, swap);
	}
	if (count && rest.count)
		rest.time = record_time(session, rest.data);
	*span = rest;
	return count;
}

/* Decodes the samples at the front; none if the first one cannot be decoded like this. */
static bool take_samples(struct dispatcher *dispatcher, struct record_batch *batch,
                         struct record_span *span, struct waiting_span *rest, struct order_key end)
{
	const size_t size = BATCH_SAMPLES * sizeof(*batch->samples);
	struct sample *samples;

	if (!batch->samples && !(batch->samples = malloc(size)))
		return err_nomem(dispatcher->err, size);
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

/*
 * Reports damage of the record at data. In a directory, its offset is useful only with the name of
 * the file.
 */
static void report_damage(struct dispatcher *dispatcher, const uint8_t *data, struct err *damage)
{
	if (block_of(data)->part)
		err_prefix(damage, block_of(data)->part);
	summary_broken(dispatcher->summary, dispatcher->session->diag, damage);
}

/* Decodes the record at the front, and notes what it says about the recording. */
static bool take_record(struct dispatcher *dispatcher, struct record_batch *batch,
                        struct record_span *span, struct waiting_span *rest)
{
	const struct session *session = dispatcher->session;
	const uint8_t *data = rest->data;
	struct record *record;
	struct err damage;

	if (!vec_room(&batch->records, batch->record_count, &batch->record_capacity,
	              sizeof(*record), dispatcher->err))
		return false;
	span->first = (struct order_key){ rest->time, rest->nr };
	span->count = 1;
	span->record = (uint32_t)batch->record_count;
	record = &batch->records[batch->record_count++];
	record->nr = rest->nr;
	record->time = rest->time;
	damage.code = ERR_NONE;
	record_decode(record, session, data, session_event_of(session, data), &damage);
	if (damage.code)
		report_damage(dispatcher, data, &damage);
	summary_note(dispatcher->summary, session, record);
	span_pass_first(rest, session->swap);
	if (rest->count)
		rest->time = record_time(session, rest->data);
	return true;
}

struct record_span *dispatcher_take(struct dispatcher *dispatcher, struct waiting_span *rest,
                                    bool samples, struct order_key end)
{
	struct record_batch *batch = batch_of(dispatcher, dispatcher->filled);
	const uint8_t *data = rest->data;
	struct record_span *span;

	/* the contents of a sample may depend on the name of its event */
	if (!name_events(dispatcher, false) ||
	    !vec_room(&batch->spans, batch->count, &batch->capacity, sizeof(*batch->spans),
	              dispatcher->err))
		return NULL;
	span = &batch->spans[batch->count];
	*span = (struct record_span){ .is_sample = samples };
	if ((samples && !take_samples(dispatcher, batch, span, rest, end)) ||
	    (!span->count && !take_record(dispatcher, batch, span, rest)))
		return NULL;
	batch->count++;
	batch->bytes += (uint64_t)(rest->data - data);
	return span;
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
	if (dispatcher->batch_count > 1) {
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
		free(dispatcher->batches[i].records);
	}
	for (size_t i = 0; i < DISPATCHER_GROUPS; i++)
		group_release(&dispatcher->groups[i]);
	pthread_mutex_destroy(&dispatcher->lock);
	pthread_cond_destroy(&dispatcher->changed);
}
