#include "perffile/order/sampledecoder.h"

/*
 * Whether all samples have their time at the same offset, and also the field that tells their
 * event.
 */
static bool has_common_places(const struct session *session)
{
	return session->active && session->sample_time >= 0 &&
	       (session->active == 1 || (session->sample_id >= 0 && session->ids.count));
}

uint32_t decode_samples(const struct session *session, struct waiting_span *span,
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
