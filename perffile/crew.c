#include "perffile/crew.h"

#include <stdlib.h>

void crew_release(struct crew *crew)
{
	free(crew->handlers);
	merge_release(&crew->merge);
	crew->handlers = NULL;
}

/* session_event_of() of a sample with an id, nearly always one of the few that were seen last. */
static inline uint32_t event_of_sample(struct crew *crew, const uint8_t *data, size_t size)
{
	const struct session *session = crew->session;
	uint64_t id = load_u64(data + session->sample_id, session->swap);
	size_t slot = id % CREW_IDS;
	uint32_t event;

	/* in the second reading an event of the first one may be still to come */
	if (id && crew->ids[slot].id == id && crew->ids[slot].event < session->active)
		return crew->ids[slot].event;
	event = session_event_of(session, data, PERF_RECORD_SAMPLE, size);
	/* an unknown id may become known with a later attr, as may the first ids at all */
	if (event != EVENT_UNKNOWN && session->ids.count) {
		crew->ids[slot].id = id;
		crew->ids[slot].event = event;
	}
	return event;
}

static inline uint32_t event_of(struct crew *crew, const struct raw_record *raw)
{
	const struct session *session = crew->session;

	if (session->active == 1)
		return 0;
	if (raw->type != PERF_RECORD_SAMPLE || session->sample_id < 0 ||
	    (size_t)session->sample_id + 8 > raw->size)
		return session_event_of(session, raw->data, raw->type, raw->size);
	return event_of_sample(crew, raw->data, raw->size);
}

static bool give_samples(struct crew *crew, const struct sample *samples, size_t count)
{
	for (size_t i = 0; i < crew->count; i++)
		if (!crew->handlers[i]->samples(crew->handlers[i]->context, samples, count,
		                                crew->err))
			return false;
	return true;
}

/* Brings the samples that were decoded. */
static bool bring_samples(struct crew *crew)
{
	size_t count = crew->sample_count;

	crew->sample_count = 0;
	if (crew->summary)
		summary_note_samples(crew->summary, crew->samples, count);
	return give_samples(crew, crew->samples, count);
}

/*
 * Asks for the samples that lie SAMPLES_MOST further on, which the other thread wrote and no cache here has.
 * That may be no memory of ours, which a prefetch does not mind.
 */
static void fetch_samples(const struct sample *samples, size_t count)
{
	uintptr_t later = (uintptr_t)samples + SAMPLES_MOST * sizeof(*samples);

	for (size_t i = 0; i < count; i++)
		__builtin_prefetch((const void *)(later + i * sizeof(*samples)));
}

/* Stretches that somebody else has decoded, side by side: so many samples in all. */
static bool bring_decoded(struct crew *crew, const struct stretch *stretches, size_t count,
                          size_t samples)
{
	const struct sample *first = stretches->decoded;
	size_t most;

	if (crew->sample_count && !bring_samples(crew))
		return false;
	for (size_t i = 0; crew->summary && i < count; i++)
		summary_note_run(crew->summary, stretches[i].decoded, stretches[i].count);
	for (size_t at = 0; at < samples; at += most) {
		most = samples - at < SAMPLES_MOST ? samples - at : SAMPLES_MOST;
		fetch_samples(first + at, most);
		if (!give_samples(crew, first + at, most))
			return false;
	}
	return true;
}

static bool bring_record(struct crew *crew, const struct raw_record *raw, uint32_t event,
                         uint64_t nr, uint64_t time)
{
	struct record record;

	if (crew->sample_count && !bring_samples(crew))
		return false;
	record.nr = nr;
	record.time = time;
	crew->damage.code = ERR_NONE;
	record_decode(&record, crew->session, raw, event, &crew->damage);
	if (crew->summary) {
		if (crew->damage.code)
			summary_broken(crew->summary, crew->diag, &crew->damage);
		summary_note(crew->summary, &record);
	}
	for (size_t i = 0; i < crew->count; i++)
		if (!crew->handlers[i]->record(crew->handlers[i]->context, &record, crew->err))
			return false;
	return true;
}

/* Any record. Not worth room in the loops that it is called from. */
static NOINLINE bool bring_any(struct crew *crew, const struct stretch *stretch)
{
	struct raw_record raw;
	uint32_t event;

	raw_record_at(&raw, stretch->data, crew->session->swap);
	event = event_of(crew, &raw);
	return bring_record(crew, &raw, event, stretch->nr, stretch->time);
}

/* How to take samples by the dozen. */
struct plain {
	bool all; /* it can be tried: all have their time, and their id if need be, at one place */
	bool several; /* events, told apart by the id */
	bool alike;   /* and all have the same fixed fields */
	size_t id_at; /* bytes from the start of a sample */
};

static struct plain plain_of(const struct crew *crew)
{
	const struct session *session = crew->session;
	struct plain plain = { 0 };

	plain.several = session->active > 1;
	plain.all = crew->bulk && !session->swap && session->active && session->sample_time >= 0 &&
	            (!plain.several || (session->sample_id >= 0 && session->ids.count));
	if (plain.all) {
		plain.id_at = plain.several ? (size_t)session->sample_id : 0;
		plain.alike = session->uniform;
	}
	return plain;
}

/* Whether what follows the fixed fields does not change what the sample says. */
static bool check_variable(struct crew *crew, const struct event *event, const uint8_t *data)
{
	struct raw_record raw;

	if (!sample_is_plain(event))
		return false;
	if (!crew->summary)
		return true;
	/* it is only looked at to see whether it ends where the record does */
	raw_record_at(&raw, data, false);
	crew->damage.code = ERR_NONE;
	sample_pass_variable(crew->session, event, &raw, &crew->damage);
	if (crew->damage.code)
		summary_broken(crew->summary, crew->diag, &crew->damage);
	return true;
}

/* The first record of the stretch, to be brought with others; false if it is not that simple. */
static ALWAYS_INLINE bool put_plain(struct crew *crew, const struct plain *plain,
                                    const struct stretch *stretch, size_t size)
{
	struct sample *sample = &crew->samples[crew->sample_count];
	const struct event *event;
	uint32_t number = 0;

	if (!stretch->samples || size < plain->id_at + 8)
		return false;
	if (plain->several)
		number = event_of_sample(crew, stretch->data, size);
	if (number >= crew->session->active)
		return false;
	event = &crew->session->events[number];
	if (size < (size_t)event->layout.fixed ||
	    (event->layout.variable && !check_variable(crew, event, stretch->data)))
		return false;
	sample->nr = stretch->nr;
	sample->time = stretch->time;
	sample->event = number;
	sample_take(sample, &event->layout, stretch->data, event->attr.default_period, false);
	crew->sample_count++;
	return true;
}

/* One more sample that was decoded. */
static inline bool add_sample(struct crew *crew, const struct sample *sample)
{
	fetch_samples(sample, 1);
	crew->samples[crew->sample_count++] = *sample;
	return crew->sample_count < SAMPLES_MOST || bring_samples(crew);
}

/* Brings the first record of the stretch, which then starts with the next one. */
static ALWAYS_INLINE bool bring_first(struct crew *crew, const struct plain *plain,
                                      struct stretch *stretch)
{
	size_t size;

	if (stretch->decoded) {
		if (!add_sample(crew, stretch->decoded++))
			return false;
		if (--stretch->count) {
			stretch->nr = stretch->decoded->nr;
			stretch->time = stretch->decoded->time;
		}
		return true;
	}
	size = load_u16(stretch->data + 6, crew->session->swap);
	if (!plain->all || !put_plain(crew, plain, stretch, size)) {
		if (!bring_any(crew, stretch))
			return false;
	} else if (crew->sample_count == SAMPLES_MOST && !bring_samples(crew)) {
		return false;
	}
	stretch->nr++;
	stretch->data += size;
	if (--stretch->count)
		stretch->time = sample_time_at(crew->session, stretch->data, crew->session->swap);
	return true;
}

/* decode_many() where the samples have the usual fields, or any; and are for another thread, or not. */
static ALWAYS_INLINE uint32_t decode_as(struct crew *crew, struct stretch *stretch,
                                        const struct limit *limit, struct sample *samples,
                                        uint32_t most, bool usual, bool pass)
{
	const bool several = crew->session->active > 1;
	const size_t id_at = several ? (size_t)crew->session->sample_id : 0;
	const struct limit end = *limit;
	const struct event *event = crew->session->events;
	const struct layout layout = event->layout; /* no store to a sample changes a copy */
	const uint8_t *data = stretch->data;
	uint32_t count = 0, number = 0;
	uint64_t last = 0; /* id; 0 is never told apart */
	struct sample sample = { 0 };

	for (; count < most; count++) {
		size_t size = load_u16(data + 6, false);
		uint64_t time;

		if (size < (size_t)layout.fixed)
			break;
		time = usable_time(load_u64(data + layout.time, false));
		if (time > end.time || (time == end.time && stretch->nr + count > end.nr))
			break;
		if (several && (last == 0 || load_u64(data + id_at, false) != last)) {
			last = load_u64(data + id_at, false);
			number = event_of_sample(crew, data, size);
			if (number >= crew->session->active)
				break;
			event = &crew->session->events[number];
		}
		if (event->layout.variable)
			break;
		sample.nr = stretch->nr + count;
		sample.time = time;
		sample.event = number;
		sample_take(&sample, &layout, data, event->attr.default_period, usual);
		if (pass)
			sample_pass(&samples[count], &sample);
		else
			samples[count] = sample;
		data += size;
	}
	if (count)
		stretch->last_time = sample.time;
	stretch->nr += count;
	stretch->count -= count;
	stretch->data = data;
	if (stretch->count)
		stretch->time = sample_time_at(crew->session, data, crew->session->swap);
	return count;
}

/*
 * Decodes samples that a stretch begins with, as many as there is room for and lie within the limit, where
 * all events have the same fixed fields; up to one that is not that simple. One run mostly has one id.
 */
static ALWAYS_INLINE uint32_t decode_many(struct crew *crew, struct stretch *stretch,
                                          const struct limit *limit, struct sample *samples,
                                          size_t room, bool pass)
{
	uint32_t most = stretch->count < room ? stretch->count : (uint32_t)room;

	if (layout_is_usual(&crew->session->events[0].layout))
		return decode_as(crew, stretch, limit, samples, most, true, pass);
	return decode_as(crew, stretch, limit, samples, most, false, pass);
}

uint32_t crew_decode(struct crew *crew, struct stretch *stretch, const struct limit *limit,
                     struct sample *samples, size_t room)
{
	return plain_of(crew).alike ? decode_many(crew, stretch, limit, samples, room, true) : 0;
}

static bool bring_all(struct crew *crew, const struct plain *plain, const struct stretch *stretch)
{
	static const struct limit all = { UINT64_MAX, UINT64_MAX };
	struct stretch left = *stretch;

	while (left.count) {
		if (plain->alike && left.samples) {
			crew->sample_count += decode_many(crew, &left, &all,
			                                  crew->samples + crew->sample_count,
			                                  SAMPLES_MOST - crew->sample_count, false);
			if (crew->sample_count == SAMPLES_MOST && !bring_samples(crew))
				return false;
			if (!left.count)
				break;
		}
		if (!bring_first(crew, plain, &left))
			return false;
	}
	return true;
}

/* Merges two stretches that are decoded, up to the end of one: which comes first is chance, no branch. */
static bool merge_decoded(struct crew *crew, struct stretch *first, struct stretch *second)
{
	const struct sample *a = first->decoded, *a_end = a + first->count;
	const struct sample *b = second->decoded, *b_end = b + second->count;

	while (a < a_end && b < b_end) {
		size_t take = (b->time < a->time) | ((b->time == a->time) & (b->nr < a->nr));

		if (!add_sample(crew, take ? b : a))
			return false;
		b += take;
		a += 1 - take;
	}
	first->decoded = a;
	first->count = (uint32_t)(a_end - a);
	second->decoded = b;
	second->count = (uint32_t)(b_end - b);
	return true;
}

/* merge_all() of two chains that are decoded. */
static bool merge_two(struct crew *crew)
{
	struct chain *a = &crew->merge.slots[0].chain, *b = &crew->merge.slots[1].chain, *left;

	do {
		if (!merge_decoded(crew, &a->left, &b->left))
			return false;
		left = a->left.count ? a : b;
	} while (merge_go_on(&crew->merge, left == a ? b : a));
	do {
		for (uint32_t i = 0; i < left->left.count; i++)
			if (!add_sample(crew, &left->left.decoded[i]))
				return false;
	} while (merge_go_on(&crew->merge, left));
	return true;
}

/* Stretches as they lie. */
static bool bring_in_turn(struct crew *crew, const struct plain *plain,
                          const struct stretch *stretches, size_t count)
{
	size_t samples, end;

	for (size_t i = 0; i < count; i = end) {
		const struct stretch *first = &stretches[i];

		samples = first->count;
		for (end = i + 1; end < count && first->decoded &&
		                  stretches[end].decoded == first->decoded + samples;)
			samples += stretches[end++].count;
		if (first->decoded ? !bring_decoded(crew, first, end - i, samples)
		                   : !bring_all(crew, plain, first))
			return false;
	}
	return true;
}

/* Samples of several stretches, in order. */
static bool merge_all(struct crew *crew, const struct plain *plain, const struct stretch *stretches,
                      size_t count)
{
	const struct stretch *second;
	struct stretch *first;

	if (!merge_start(&crew->merge, stretches, count, crew->err))
		return false;
	if (crew->merge.chain_count == 1)
		return bring_in_turn(crew, plain, stretches, count);
	if (crew->merge.chain_count == 2 && crew->merge.decoded)
		return merge_two(crew);
	while ((first = merge_first(&crew->merge, &second))) {
		do {
			if (!bring_first(crew, plain, first))
				return false;
		} while (first->count && (!second || stretch_before(first, second)));
	}
	return true;
}

#define AHEAD 8 /* stretches; one of other records takes as long as memory does */

/* A record that has been read, but not looked at for a while. */
static inline void fetch(const struct stretch *stretch)
{
	__builtin_prefetch(stretch->data);
	__builtin_prefetch(stretch->data + 64);
}

bool crew_deliver(struct crew *crew, const struct stretch *stretches, size_t count)
{
	/* values of counters tell something only as a difference to the ones before */
	bool ordered = crew->ordered || crew->session->reads;
	struct plain plain = plain_of(crew);
	size_t end, fetched = 0;

	/* what the records say is of use without any handler */
	if (!crew->count && !crew->summary)
		return true;
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && stretches[i].samples && stretches[end].samples;)
			end++;
		for (; fetched < count && fetched < end + AHEAD; fetched++)
			if (!stretches[fetched].samples)
				fetch(&stretches[fetched]);
		if (ordered && end > i + 1 ? !merge_all(crew, &plain, &stretches[i], end - i)
		                           : !bring_in_turn(crew, &plain, &stretches[i], end - i))
			return false;
	}
	return !crew->sample_count || bring_samples(crew);
}
