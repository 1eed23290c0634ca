#include "perffile/order/handlergroup.h"

#include <stdlib.h>

void group_release(struct handler_group *group)
{
	free(group->handlers);
	merge_release(&group->merge);
	group->handlers = NULL;
}

/* session_event_of() of a sample with an id, nearly always one of the few that were seen last. */
static inline uint32_t event_of_sample(struct handler_group *group, const uint8_t *data,
                                       size_t size)
{
	const struct session *session = group->session;
	uint64_t id = load_u64(data + session->sample_id, session->swap);
	size_t slot = id % GROUP_IDS;
	uint32_t event;

	/* in the second reading an event of the first one may be still to come */
	if (id && group->ids[slot].id == id && group->ids[slot].event < session->active)
		return group->ids[slot].event;
	event = session_event_of(session, data, PERF_RECORD_SAMPLE, size);
	/* an unknown id may become known with a later attr, as may the first ids at all */
	if (event != EVENT_UNKNOWN && session->ids.count) {
		group->ids[slot].id = id;
		group->ids[slot].event = event;
	}
	return event;
}

static inline uint32_t event_of(struct handler_group *group, const struct raw_record *raw)
{
	const struct session *session = group->session;

	if (session->active == 1)
		return 0;
	if (raw->type != PERF_RECORD_SAMPLE || session->sample_id < 0 ||
	    (size_t)session->sample_id + 8 > raw->size)
		return session_event_of(session, raw->data, raw->type, raw->size);
	return event_of_sample(group, raw->data, raw->size);
}

static bool give_samples(struct handler_group *group, const struct sample *samples, size_t count)
{
	for (size_t i = 0; i < group->count; i++)
		if (!group->handlers[i]->samples(group->handlers[i]->context, samples, count,
		                                 group->err))
			return false;
	return true;
}

/* Brings the samples that were decoded. */
static bool bring_samples(struct handler_group *group)
{
	size_t count = group->sample_count;

	group->sample_count = 0;
	if (group->summary)
		summary_note_samples(group->summary, group->samples, count);
	return give_samples(group, group->samples, count);
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

/* Spans that somebody else has decoded, side by side: so many samples in all. */
static bool bring_decoded(struct handler_group *group, const struct record_span *spans,
                          size_t count, size_t samples)
{
	const struct sample *first = spans->decoded;
	size_t most;

	if (group->sample_count && !bring_samples(group))
		return false;
	for (size_t i = 0; group->summary && i < count; i++)
		summary_note_run(group->summary, spans[i].decoded, spans[i].count);
	for (size_t at = 0; at < samples; at += most) {
		most = samples - at < SAMPLES_MOST ? samples - at : SAMPLES_MOST;
		fetch_samples(first + at, most);
		if (!give_samples(group, first + at, most))
			return false;
	}
	return true;
}

/* The damage of the record at data. Where that lies means nothing without its file's name. */
static void say_damage(struct handler_group *group, const uint8_t *data)
{
	if (block_of(data)->part)
		err_prefix(&group->damage, block_of(data)->part);
	summary_broken(group->summary, group->diag, &group->damage);
}

static bool bring_record(struct handler_group *group, const struct raw_record *raw, uint32_t event,
                         uint64_t nr, uint64_t time)
{
	struct record record;

	if (group->sample_count && !bring_samples(group))
		return false;
	record.nr = nr;
	record.time = time;
	group->damage.code = ERR_NONE;
	record_decode(&record, group->session, raw, event, &group->damage);
	if (group->summary) {
		if (group->damage.code)
			say_damage(group, raw->data);
		summary_note(group->summary, &record);
	}
	for (size_t i = 0; i < group->count; i++)
		if (!group->handlers[i]->record(group->handlers[i]->context, &record, group->err))
			return false;
	return true;
}

/* Any record. Not worth room in the loops that it is called from. */
static NOINLINE bool bring_any(struct handler_group *group, const struct record_span *span)
{
	struct raw_record raw;
	uint32_t event;

	raw_record_at(&raw, span->data, group->session->swap);
	event = event_of(group, &raw);
	return bring_record(group, &raw, event, span->nr, span->time);
}

/* How to take samples by the dozen. */
struct plain {
	bool all; /* it can be tried: all have their time, and their id if need be, at one place */
	bool several; /* events, told apart by the id */
	bool alike;   /* and all have the same fixed fields */
	size_t id_at; /* bytes from the start of a sample */
};

static struct plain plain_of(const struct handler_group *group)
{
	const struct session *session = group->session;
	struct plain plain = { 0 };

	plain.several = session->active > 1;
	plain.all = group->bulk && !session->swap && session->active && session->sample_time >= 0 &&
	            (!plain.several || (session->sample_id >= 0 && session->ids.count));
	if (plain.all) {
		plain.id_at = plain.several ? (size_t)session->sample_id : 0;
		plain.alike = session->uniform;
	}
	return plain;
}

/* The first record of the span, to be brought with others; false if it is not that simple. */
static ALWAYS_INLINE bool put_plain(struct handler_group *group, const struct plain *plain,
                                    const struct record_span *span, size_t size)
{
	struct sample *sample = &group->samples[group->sample_count];
	const struct event *event;
	uint32_t number = 0;

	if (!span->samples || size < plain->id_at + 8)
		return false;
	if (plain->several)
		number = event_of_sample(group, span->data, size);
	if (number >= group->session->active)
		return false;
	event = &group->session->events[number];
	if (size < (size_t)event->layout.fixed)
		return false;
	sample->nr = span->nr;
	sample->time = span->time;
	sample->event = number;
	sample_take(sample, &event->layout, span->data, event->attr.default_period, false);
	if (!sample_is_whole(group->session, sample))
		return false;
	group->sample_count++;
	return true;
}

/* One more sample that was decoded. */
static inline bool add_sample(struct handler_group *group, const struct sample *sample)
{
	fetch_samples(sample, 1);
	group->samples[group->sample_count++] = *sample;
	return group->sample_count < SAMPLES_MOST || bring_samples(group);
}

/* Brings the first record of the span, which then starts with the next one. */
static ALWAYS_INLINE bool bring_first(struct handler_group *group, const struct plain *plain,
                                      struct record_span *span)
{
	size_t size;

	if (span->decoded) {
		if (!add_sample(group, span->decoded++))
			return false;
		if (--span->count) {
			span->nr = span->decoded->nr;
			span->time = span->decoded->time;
		}
		return true;
	}
	size = load_u16(span->data + 6, group->session->swap);
	if (!plain->all || !put_plain(group, plain, span, size)) {
		if (!bring_any(group, span))
			return false;
	} else if (group->sample_count == SAMPLES_MOST && !bring_samples(group)) {
		return false;
	}
	span->nr++;
	span->data += size;
	if (--span->count)
		span->time = sample_time_at(group->session, span->data, group->session->swap);
	return true;
}

/* decode_many() where the samples have the usual fields, or any. */
static ALWAYS_INLINE uint32_t decode_as(struct handler_group *group, struct record_span *span,
                                        const struct limit *limit, struct sample *samples,
                                        uint32_t most, bool usual)
{
	const bool several = group->session->active > 1;
	const size_t id_at = several ? (size_t)group->session->sample_id : 0;
	const struct limit end = *limit;
	const struct event *event = group->session->events;
	const struct layout layout = event->layout; /* no store to a sample changes a copy */
	const uint8_t *data = span->data;
	uint32_t count = 0, number = 0;
	uint64_t last = 0, last_time = 0; /* last: id; 0 is never told apart */
	struct sample sample = { 0 };

	for (; count < most; count++) {
		size_t size = load_u16(data + 6, false);
		uint64_t time;

		if (size < (size_t)layout.fixed)
			break;
		time = usable_time(load_u64(data + layout.time, false));
		if (time > end.time || (time == end.time && span->nr + count > end.nr))
			break;
		if (several && (last == 0 || load_u64(data + id_at, false) != last)) {
			last = load_u64(data + id_at, false);
			number = event_of_sample(group, data, size);
			if (number >= group->session->active)
				break;
			event = &group->session->events[number];
		}
		sample.nr = span->nr + count;
		sample.time = time;
		sample.event = number;
		sample_take(&sample, &layout, data, event->attr.default_period, usual);
		if (!sample_is_whole(group->session, &sample))
			break;
		samples[count] = sample;
		data += size;
		last_time = time;
	}
	if (count)
		span->last_time = last_time;
	span->nr += count;
	span->count -= count;
	span->data = data;
	if (span->count)
		span->time = sample_time_at(group->session, data, group->session->swap);
	return count;
}

/*
 * Decodes samples that a span begins with, as many as there is room for and lie within the limit, where
 * all events have the same fixed fields; up to one that is not that simple. One run mostly has one id.
 */
static ALWAYS_INLINE uint32_t decode_many(struct handler_group *group, struct record_span *span,
                                          const struct limit *limit, struct sample *samples,
                                          size_t room)
{
	uint32_t most = span->count < room ? span->count : (uint32_t)room;

	if (layout_is_usual(&group->session->events[0].layout))
		return decode_as(group, span, limit, samples, most, true);
	return decode_as(group, span, limit, samples, most, false);
}

uint32_t group_decode(struct handler_group *group, struct record_span *span,
                      const struct limit *limit, struct sample *samples, size_t room)
{
	return plain_of(group).alike ? decode_many(group, span, limit, samples, room) : 0;
}

static bool bring_all(struct handler_group *group, const struct plain *plain,
                      const struct record_span *span)
{
	static const struct limit all = { UINT64_MAX, UINT64_MAX };
	struct record_span left = *span;

	while (left.count) {
		if (plain->alike && left.samples) {
			group->sample_count += decode_many(group, &left, &all,
			                                   group->samples + group->sample_count,
			                                   SAMPLES_MOST - group->sample_count);
			if (group->sample_count == SAMPLES_MOST && !bring_samples(group))
				return false;
			if (!left.count)
				break;
		}
		if (!bring_first(group, plain, &left))
			return false;
	}
	return true;
}

/* Merges two spans that are decoded, up to the end of one: which comes first is chance, no branch. */
static bool merge_decoded(struct handler_group *group, struct record_span *first,
                          struct record_span *second)
{
	const struct sample *a = first->decoded, *a_end = a + first->count;
	const struct sample *b = second->decoded, *b_end = b + second->count;

	while (a < a_end && b < b_end) {
		size_t take = (b->time < a->time) | ((b->time == a->time) & (b->nr < a->nr));

		if (!add_sample(group, take ? b : a))
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
static bool merge_two(struct handler_group *group)
{
	struct chain *a = &group->merge.slots[0].chain, *b = &group->merge.slots[1].chain, *left;

	do {
		if (!merge_decoded(group, &a->left, &b->left))
			return false;
		left = a->left.count ? a : b;
	} while (merge_go_on(&group->merge, left == a ? b : a));
	do {
		for (uint32_t i = 0; i < left->left.count; i++)
			if (!add_sample(group, &left->left.decoded[i]))
				return false;
	} while (merge_go_on(&group->merge, left));
	return true;
}

/* Spans as they lie. */
static bool bring_in_turn(struct handler_group *group, const struct plain *plain,
                          const struct record_span *spans, size_t count)
{
	size_t samples, end;

	for (size_t i = 0; i < count; i = end) {
		const struct record_span *first = &spans[i];

		samples = first->count;
		for (end = i + 1; end < count && first->decoded &&
		                  spans[end].decoded == first->decoded + samples;)
			samples += spans[end++].count;
		if (first->decoded ? !bring_decoded(group, first, end - i, samples)
		                   : !bring_all(group, plain, first))
			return false;
	}
	return true;
}

/* Samples of several spans, in order. */
static bool merge_all(struct handler_group *group, const struct plain *plain,
                      const struct record_span *spans, size_t count)
{
	const struct record_span *second;
	struct record_span *first;

	if (!merge_start(&group->merge, spans, count, group->err))
		return false;
	if (group->merge.chain_count == 1)
		return bring_in_turn(group, plain, spans, count);
	if (group->merge.chain_count == 2 && group->merge.decoded)
		return merge_two(group);
	while ((first = merge_first(&group->merge, &second))) {
		do {
			if (!bring_first(group, plain, first))
				return false;
		} while (first->count && (!second || span_before(first, second)));
	}
	return true;
}

#define AHEAD 8 /* spans; one of other records takes as long as memory does */

/* A record that has been read, but not looked at for a while. */
static inline void fetch(const struct record_span *span)
{
	__builtin_prefetch(span->data);
	__builtin_prefetch(span->data + 64);
}

bool group_deliver(struct handler_group *group, const struct record_span *spans, size_t count)
{
	/* values of counters tell something only as a difference to the ones before */
	bool ordered = group->ordered || group->session->reads;
	struct plain plain = plain_of(group);
	size_t end, fetched = 0;

	/* what the records say is of use without any handler */
	if (!group->count && !group->summary)
		return true;
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && spans[i].samples && spans[end].samples;)
			end++;
		for (; fetched < count && fetched < end + AHEAD; fetched++)
			if (!spans[fetched].samples)
				fetch(&spans[fetched]);
		if (ordered && end > i + 1 ? !merge_all(group, &plain, &spans[i], end - i)
		                           : !bring_in_turn(group, &plain, &spans[i], end - i))
			return false;
	}
	return !group->sample_count || bring_samples(group);
}
