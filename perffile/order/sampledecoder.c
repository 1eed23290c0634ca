#include "perffile/order/sampledecoder.h"

/* The event of the sample with this id. */
static uint32_t event_of_id(struct sample_decoder *decoder, uint64_t id, const uint8_t *data,
                            size_t size)
{
	const struct session *session = decoder->session;
	size_t slot = id % DECODER_IDS;
	uint32_t event;

	/* in the second reading of a file, the attr of a known id may still follow */
	if (id && decoder->ids[slot].id == id && decoder->ids[slot].event < session->active)
		return decoder->ids[slot].event;
	event = session_event_of(session, data, PERF_RECORD_SAMPLE, size);
	/* a later attr may explain an unknown id, or have the first ids at all */
	if (event != EVENT_UNKNOWN && session->ids.count) {
		decoder->ids[slot].id = id;
		decoder->ids[slot].event = event;
	}
	return event;
}

uint32_t decoder_event(struct sample_decoder *decoder, const struct raw_record *raw)
{
	const struct session *session = decoder->session;

	if (session->active == 1)
		return 0;
	if (raw->type != PERF_RECORD_SAMPLE || session->sample_id < 0 ||
	    (size_t)session->sample_id + 8 > raw->size)
		return session_event_of(session, raw->data, raw->type, raw->size);
	return event_of_id(decoder, load_u64(raw->data + session->sample_id, session->swap),
	                   raw->data, raw->size);
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

uint32_t decoder_samples(struct sample_decoder *decoder, struct waiting_span *span,
                         struct order_key end, struct sample *samples, size_t room)
{
	const struct session *session = decoder->session;
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
			number = event_of_id(decoder, last_id, data, size);
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
		rest.time = sample_time_at(session, rest.data, swap);
	*span = rest;
	return count;
}
