#include "perffile/courier.h"

#include "perffile/eventname.h"
#include "perffile/features.h"
#include "util/memory.h"
#include "util/thread.h"
#include "util/vec.h"

#include <stdlib.h>

/* A parcel is passed on when it holds so much. */
#define PARCEL_RECORDS 8192
#define PARCEL_STRETCHES 4096
#define PARCEL_BYTES ((uint64_t)1024 * 1024)
#define PARCEL_SAMPLES 10240 /* decoded ahead */
/* bytes that these take */
#define PARCEL_SIZE (PARCEL_SAMPLES * sizeof(struct sample) + MEMORY_LINE - MEMORY_OWN)
#define NAMINGS_ALWAYS 64               /* more than a recording has places where names come from */
#define LARGE_PARCEL (4 * PARCEL_BYTES) /* nothing else is under way together with such a one */

/* A crew of those handlers that want records, and samples in order or not. */
static bool hire(struct crew *crew, const struct courier_order *order, bool ordered, bool any,
                 struct err *err)
{
	crew->session = order->session;
	crew->diag = order->diag;
	crew->err = err;
	crew->bulk = true;
	crew->handlers = calloc(order->handler_count + 1, sizeof(*crew->handlers));
	if (!crew->handlers)
		return err_nomem(err, (order->handler_count + 1) * sizeof(*crew->handlers));
	for (size_t i = 0; i < order->handler_count; i++) {
		const struct record_handler *handler = &order->handlers[i];

		if (!handler->record || !(handler->any_sample_order ? any : ordered))
			continue;
		crew->handlers[crew->count++] = handler;
		crew->ordered |= !handler->any_sample_order;
		crew->bulk &= handler->samples != NULL;
	}
	return true;
}

bool courier_open(struct courier *courier, const struct courier_order *order, struct err *err)
{
	struct courier_crew *first = &courier->crews[0], *second = &courier->crews[1];
	bool ordered = false, any = false, split;

	courier->session = order->session;
	courier->pool = order->pool;
	courier->err = err;
	pthread_mutex_init(&courier->lock, NULL);
	pthread_cond_init(&courier->changed, NULL);
	for (size_t i = 0; i < order->handler_count; i++) {
		ordered |= order->handlers[i].record && !order->handlers[i].any_sample_order;
		any |= order->handlers[i].record && order->handlers[i].any_sample_order;
	}
	/* who works alone decodes each record once for all */
	split = order->threaded && ordered && any;
	courier->wanted = order->threaded && (split || order->all_apart);
	if (!hire(&courier->decoder, order, false, false, err) ||
	    !hire(&first->crew, order, true, !split, err) ||
	    !hire(&second->crew, order, false, split, err))
		return false;
	first->crew.err = &first->failure;
	second->crew.err = &second->failure;
	(split ? second : first)->crew.summary = order->summary;
	(split ? second : first)->tied = !order->all_apart;
	courier->ahead = first->crew.bulk && second->crew.bulk;
	return true;
}

void courier_start(struct courier *courier)
{
	courier->threaded = courier->wanted;
}

static struct parcel *parcel_of(struct courier *courier, size_t number)
{
	return &courier->parcels[number % COURIER_PARCELS];
}

/* The first crew that a parcel waits for and that nobody delivers to, or NULL; in this order. */
static struct courier_crew *waiting_crew(struct courier *courier, bool reading)
{
	for (size_t i = 0; i < COURIER_CREWS; i++) {
		struct courier_crew *crew = &courier->crews[reading ? COURIER_CREWS - 1 - i : i];

		if (!crew->busy && crew->brought < courier->filled && (reading || !crew->tied))
			return crew;
	}
	return NULL;
}

/* Brings the crew its next parcel. The lock is held, but not meanwhile. */
static void deliver(struct courier *courier, struct courier_crew *crew)
{
	const struct parcel *parcel = parcel_of(courier, crew->brought);
	bool ok = !courier->failed;

	crew->busy = true;
	pthread_mutex_unlock(&courier->lock);
	ok = ok && crew_deliver(&crew->crew, parcel->stretches, parcel->count);
	pthread_mutex_lock(&courier->lock);
	if (!ok && !courier->failed) {
		courier->failure = crew->failure;
		courier->failed = true;
	}
	crew->busy = false;
	crew->brought++;
	pthread_cond_signal(&courier->changed);
}

static void *work(void *context)
{
	struct courier *courier = context;
	struct courier_crew *crew;

	pthread_mutex_lock(&courier->lock);
	while (!courier->ended) {
		if ((crew = waiting_crew(courier, false)))
			deliver(courier, crew);
		else
			pthread_cond_wait(&courier->changed, &courier->lock);
	}
	pthread_mutex_unlock(&courier->lock);
	return NULL;
}

/*
 * Events are named before anybody sees a record of them; names may come later in a pipe. Where attrs and
 * records take turns, all events are not named again for each of them: the last ones are at the end.
 */
static bool name_events(struct courier *courier, bool at_end)
{
	size_t events = courier->session->event_count;

	if (!courier->session->names_stale)
		return true;
	if (courier->namings >= NAMINGS_ALWAYS && events < 2 * courier->named && !at_end)
		return true;
	courier->namings++;
	courier->named = events;
	courier->session->names_stale = false;
	return session_names_fill(courier->session, courier->err) &&
	       features_mark_branch_counters(courier->session, courier->err);
}

static void give_back(struct courier *courier, struct parcel *parcel)
{
	for (size_t i = 0; i < parcel->count; i++)
		if (parcel->stretches[i].block)
			block_put(courier->pool, parcel->stretches[i].block);
	parcel->count = parcel->sample_count = 0;
	parcel->records = parcel->bytes = 0;
}

/* How many parcels all crews have. */
static size_t brought_to_all(const struct courier *courier)
{
	size_t least = courier->crews[0].brought;

	for (size_t i = 1; i < COURIER_CREWS; i++)
		if (courier->crews[i].brought < least)
			least = courier->crews[i].brought;
	return least;
}

/*
 * Whether a tied crew has not got all. It gets each parcel before more is read, so that what its records
 * say and what the reading says do not change places with the other thread's speed.
 */
static bool tied_crew_waits(const struct courier *courier)
{
	for (size_t i = 0; i < COURIER_CREWS; i++)
		if (courier->crews[i].tied && courier->crews[i].brought < courier->filled)
			return true;
	return false;
}

/*
 * Until no more than `most` parcels are under way, delivers what nobody else does; empties those that
 * came back.
 */
static bool collect(struct courier *courier, size_t most)
{
	struct courier_crew *crew;
	size_t brought;
	bool failed;

	pthread_mutex_lock(&courier->lock);
	while (courier->filled - (brought = brought_to_all(courier)) > most ||
	       tied_crew_waits(courier)) {
		if ((crew = waiting_crew(courier, true)))
			deliver(courier, crew);
		else
			pthread_cond_wait(&courier->changed, &courier->lock);
	}
	failed = courier->failed;
	pthread_mutex_unlock(&courier->lock);
	while (courier->returned < brought)
		give_back(courier, parcel_of(courier, courier->returned++));
	return !failed || err_pass(courier->err, &courier->failure);
}

bool courier_flush(struct courier *courier)
{
	const struct parcel *parcel = parcel_of(courier, courier->filling);

	if (!parcel->count)
		return true;
	if (!name_events(courier, false))
		return false;
	/* without a second thread all goes on in this one */
	if (courier->threaded && !courier->started) {
		courier->started = thread_start(&courier->thread, THREAD_SMALL, work, courier);
		courier->threaded = courier->started;
	}
	memory_pass_end();
	pthread_mutex_lock(&courier->lock);
	courier->filled = ++courier->filling;
	pthread_cond_signal(&courier->changed);
	pthread_mutex_unlock(&courier->lock);
	return collect(courier,
	               !courier->started || parcel->bytes > LARGE_PARCEL ? 0 : COURIER_PARCELS - 1);
}

bool courier_cut(struct courier *courier)
{
	const struct parcel *parcel = parcel_of(courier, courier->filling);

	if (parcel->records < PARCEL_RECORDS && parcel->count < PARCEL_STRETCHES &&
	    parcel->bytes < PARCEL_BYTES)
		return true;
	return courier_flush(courier);
}

static bool put(struct courier *courier, const struct stretch *stretch)
{
	struct parcel *parcel = parcel_of(courier, courier->filling);
	struct stretch *stretches = vec_grow(parcel->stretches, parcel->count, &parcel->capacity,
	                                     sizeof(*stretches), courier->err);

	if (!stretches)
		return false;
	parcel->stretches = stretches;
	stretches[parcel->count++] = *stretch;
	return true;
}

const struct sample *courier_decode(struct courier *courier, struct stretch *stretch,
                                    const struct limit *limit)
{
	struct parcel *parcel = parcel_of(courier, courier->filling);
	struct sample *samples;
	uint32_t count;

	if (!courier->ahead || !courier->threaded || courier->session->reads)
		return NULL;
	if (!parcel->samples) {
		void *memory;

		if (posix_memalign(&memory, MEMORY_LINE, PARCEL_SIZE))
			return NULL;
		memory_populate(memory, PARCEL_SIZE);
		parcel->samples = memory;
	}
	samples = parcel->samples + parcel->sample_count;
	count = crew_decode(&courier->decoder, stretch, limit, samples,
	                    PARCEL_SAMPLES - parcel->sample_count);
	parcel->sample_count += count;
	return count ? samples : NULL;
}

bool courier_bring(struct courier *courier, const struct stretch *stretch, size_t bytes)
{
	struct parcel *parcel = parcel_of(courier, courier->filling);

	if (!put(courier, stretch)) {
		courier->dropped = stretch->block;
		return false;
	}
	parcel->records += stretch->count;
	parcel->bytes += bytes;
	return stretch->samples || courier_cut(courier);
}

bool courier_wait(struct courier *courier)
{
	return courier_flush(courier) && collect(courier, 0);
}

bool courier_finish(struct courier *courier)
{
	/* a recording without records has events too */
	return courier_wait(courier) && name_events(courier, true);
}

void courier_close(struct courier *courier)
{
	if (courier->started) {
		pthread_mutex_lock(&courier->lock);
		/* what is under way is of no use any more */
		courier->ended = courier->failed = true;
		pthread_cond_signal(&courier->changed);
		pthread_mutex_unlock(&courier->lock);
		pthread_join(courier->thread, NULL);
	}
	if (courier->dropped)
		block_put(courier->pool, courier->dropped);
	for (size_t i = 0; i < COURIER_PARCELS; i++) {
		give_back(courier, &courier->parcels[i]);
		free(courier->parcels[i].stretches);
		free(courier->parcels[i].samples);
	}
	crew_release(&courier->decoder);
	for (size_t i = 0; i < COURIER_CREWS; i++)
		crew_release(&courier->crews[i].crew);
	pthread_mutex_destroy(&courier->lock);
	pthread_cond_destroy(&courier->changed);
}
