#include "perffile/courier.h"

#include "perffile/eventname.h"
#include "perffile/features.h"

#include <pthread.h>
#include <stdlib.h>

#define PARCEL_RECORDS 2048
#define PARCEL_BYTES ((size_t)3 * 65536) /* any record fits behind what is there when it is sent */
#define PARCELS 4

struct parcel {
	struct {
		uint64_t nr, time, offset;
		uint32_t event;
		uint32_t at; /* in bytes */
	} records[PARCEL_RECORDS];
	size_t count, used;
	uint8_t bytes[PARCEL_BYTES];
};

struct courier_thread {
	struct courier courier; /* the thread's own; its err is failure */
	struct err failure;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t filled, brought; /* parcels, counted from the first */
	bool ended, failed;
	struct parcel parcels[PARCELS];
};

void summary_broken(struct read_summary *summary, struct diag *diag, const struct err *damage)
{
	summary->broken = true;
	diag_warn_err(diag, damage);
}

static void summarise(struct read_summary *summary, const struct record *record)
{
	if (record->event == EVENT_UNKNOWN)
		summary->unknown_ids++;
	if (record->damaged) {
		summary->damaged++;
		return;
	}
	if (record->type == PERF_RECORD_SAMPLE) {
		if (record->time == TIME_NONE || record->time >= TIME_OFF_CPU)
			return;
		if (summary->first_time == TIME_NONE || record->time < summary->first_time)
			summary->first_time = record->time;
		if (summary->last_time == TIME_NONE || record->time > summary->last_time)
			summary->last_time = record->time;
	} else if (record->type == PERF_RECORD_LOST) {
		summary->lost_records = u64_add_sat(summary->lost_records, record->lost.lost);
	} else if (record->type == PERF_RECORD_LOST_SAMPLES) {
		summary->lost_samples = u64_add_sat(summary->lost_samples, record->lost.lost);
	}
}

/* Events are named before anybody sees a record of them; names may come later in a pipe. */
static bool name_events(struct courier *courier)
{
	courier->session->names_stale = false;
	return session_names_fill(courier->session, courier->err) &&
	       features_mark_branch_counters(courier->session, courier->err);
}

bool courier_bring(struct courier *courier, const struct raw_record *raw, uint64_t nr,
                   uint64_t time, uint32_t event)
{
	struct record record;

	if (courier->session->names_stale && !name_events(courier))
		return false;
	courier->damage.code = ERR_NONE;
	record.nr = nr;
	record.time = time;
	record.late = courier->any && time != TIME_NONE && time < courier->last;
	record_decode(&record, courier->session, raw, event, &courier->damage);
	if (courier->damage.code)
		summary_broken(courier->summary, courier->diag, &courier->damage);
	summarise(courier->summary, &record);
	if (record.late) {
		courier->summary->late++;
	} else if (time != TIME_NONE) {
		courier->last = time;
		courier->any = true;
	}
	for (size_t i = 0; i < courier->handler_count; i++)
		if (courier->handlers[i].record &&
		    !courier->handlers[i].record(courier->handlers[i].context, &record,
		                                 courier->err))
			return false;
	return true;
}

static bool bring_parcel(struct courier *courier, const struct parcel *parcel)
{
	const bool swap = courier->session->swap;

	for (size_t i = 0; i < parcel->count; i++) {
		const uint8_t *data = parcel->bytes + parcel->records[i].at;
		struct raw_record raw = { data, parcel->records[i].offset, load_u32(data, swap),
			                  load_u16(data + 4, swap), load_u16(data + 6, swap) };

		if (!courier_bring(courier, &raw, parcel->records[i].nr, parcel->records[i].time,
		                   parcel->records[i].event))
			return false;
	}
	return true;
}

static void *work(void *context)
{
	struct courier_thread *thread = context;

	pthread_mutex_lock(&thread->lock);
	for (;;) {
		bool ok;

		while (thread->brought == thread->filled && !thread->ended)
			pthread_cond_wait(&thread->changed, &thread->lock);
		if (thread->brought == thread->filled)
			break;
		ok = !thread->failed;
		pthread_mutex_unlock(&thread->lock);
		ok = ok && bring_parcel(&thread->courier, &thread->parcels[thread->brought % PARCELS]);
		pthread_mutex_lock(&thread->lock);
		thread->failed |= !ok;
		thread->brought++;
		pthread_cond_signal(&thread->changed);
	}
	pthread_mutex_unlock(&thread->lock);
	return NULL;
}

void courier_start(struct courier *courier)
{
	struct courier_thread *thread = malloc(sizeof(*thread));

	if (!thread)
		return;
	thread->courier = *courier;
	thread->courier.err = &thread->failure;
	thread->courier.thread = NULL;
	thread->failure.code = ERR_NONE;
	thread->filled = thread->brought = 0;
	thread->ended = thread->failed = false;
	thread->parcels[0].count = thread->parcels[0].used = 0;
	pthread_mutex_init(&thread->lock, NULL);
	pthread_cond_init(&thread->changed, NULL);
	if (pthread_create(&thread->thread, NULL, work, thread) != 0) {
		pthread_mutex_destroy(&thread->lock);
		pthread_cond_destroy(&thread->changed);
		free(thread);
		return;
	}
	courier->thread = thread;
}

/* Hands over the parcel that was filled, and waits until the next one is empty. */
static bool hand_over(struct courier *courier)
{
	struct courier_thread *thread = courier->thread;
	struct parcel *parcel;
	bool failed;

	pthread_mutex_lock(&thread->lock);
	thread->filled++;
	pthread_cond_signal(&thread->changed);
	while (thread->filled - thread->brought >= PARCELS)
		pthread_cond_wait(&thread->changed, &thread->lock);
	failed = thread->failed;
	pthread_mutex_unlock(&thread->lock);
	parcel = &thread->parcels[thread->filled % PARCELS];
	parcel->count = parcel->used = 0;
	return !failed || err_pass(courier->err, &thread->failure);
}

bool courier_send(struct courier *courier, const struct raw_record *raw, uint64_t nr,
                  uint64_t time, uint32_t event)
{
	struct courier_thread *thread = courier->thread;
	struct parcel *parcel;

	if (!thread)
		return courier_bring(courier, raw, nr, time, event);
	parcel = &thread->parcels[thread->filled % PARCELS];
	parcel->records[parcel->count].nr = nr;
	parcel->records[parcel->count].time = time;
	parcel->records[parcel->count].offset = raw->offset;
	parcel->records[parcel->count].event = event;
	parcel->records[parcel->count].at = (uint32_t)parcel->used;
	memcpy(parcel->bytes + parcel->used, raw->data, raw->size);
	parcel->used += raw->size;
	if (++parcel->count < PARCEL_RECORDS && PARCEL_BYTES - parcel->used > PERF_RECORD_SIZE_MAX)
		return true;
	return hand_over(courier);
}

static bool join(struct courier *courier)
{
	struct courier_thread *thread = courier->thread;
	bool ok = hand_over(courier);

	pthread_mutex_lock(&thread->lock);
	thread->ended = true;
	pthread_cond_signal(&thread->changed);
	pthread_mutex_unlock(&thread->lock);
	pthread_join(thread->thread, NULL);
	if (ok && thread->failed)
		ok = err_pass(courier->err, &thread->failure);
	pthread_mutex_destroy(&thread->lock);
	pthread_cond_destroy(&thread->changed);
	free(thread);
	courier->thread = NULL;
	return ok;
}

bool courier_stop(struct courier *courier)
{
	if (courier->thread && !join(courier))
		return false;
	/* a recording without records has events too */
	return !courier->session->names_stale || name_events(courier);
}
