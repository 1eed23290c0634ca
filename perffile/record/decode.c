#include "perffile/record/decode.h"

#include "perffile/record/payload.h"
#include "perffile/record/recordtypes.h"
#include "perffile/session/trailer.h"

/*
 * The event whose layout a record is read with: its own; the first one if that is not known; NULL
 * if there is no event yet. All code that needs an event's attr or layout for a record calls this.
 */
static const struct event *event_to_read_with(const struct session *session, uint32_t event)
{
	if (event != EVENT_UNKNOWN)
		return &session->events[event];
	return session->active ? session->events : NULL;
}

/* Bytes of the record's trailer: all of it, or 0 if its payload leaves no room for one. */
static size_t trailer_of(const struct event *event, const struct raw_record *raw)
{
	const struct record_type *type = record_type_of(raw->type);
	size_t least = type ? type->least : PERF_RECORD_HEADER_SIZE;
	size_t trailer = event ? (size_t)event->layout.trailer : 0;

	return raw->size >= least + trailer ? trailer : 0;
}

/* The event of a record, as far as it is needed to find the record's time. */
static const struct event *event_for_time(const struct session *session, const uint8_t *data)
{
	uint32_t number = EVENT_UNKNOWN;

	if (!session->uniform)
		number = session_event_of(session, data);
	return event_to_read_with(session, number);
}

uint64_t record_time(const struct session *session, const uint8_t *data)
{
	const bool swap = session->swap;
	const struct event *event;
	struct raw_record raw;

	raw_record_read(&raw, data, swap);
	if (raw.type == PERF_RECORD_SAMPLE) {
		int16_t at = session->sample_time;

		if (at < 0 && (event = event_for_time(session, data)))
			at = event->layout.time;
		return at < 0 || raw.size < at + 8 ? TIME_NONE
		                                   : usable_time(load_u64(data + at, swap));
	}
	event = event_for_time(session, data);
	if (trailer_of(event, &raw)) {
		if (event->layout.back_time < 0)
			return TIME_NONE;
		data += trailer_end(data, raw.size, swap, (size_t)event->layout.trailer);
		return usable_time(load_u64(data - event->layout.back_time, swap));
	}
	if ((raw.type == PERF_RECORD_FORK || raw.type == PERF_RECORD_EXIT) && raw.size >= 32)
		return usable_time(load_u64(data + 24, swap));
	return TIME_NONE;
}

/* Decodes the trailer; the decoder of the type may overwrite some of it. */
static void decode_trailer(struct record *record, const struct sample_layout *layout,
                           const uint8_t *end)
{
	const bool swap = record->swap;
	/* in a record that perf itself wrote, without a time, only the id is set */
	bool filled = layout->back_time < 0 ||
	              usable_time(load_u64(end - layout->back_time, swap)) != TIME_NONE;

	if (filled && layout->back_tid >= 0) {
		record->pid = (int32_t)load_u32(end - layout->back_tid, swap);
		record->tid = (int32_t)load_u32(end - layout->back_tid + 4, swap);
		record->has_tid = true;
	}
	if (filled && layout->back_cpu >= 0)
		record->cpu = (int32_t)load_u32(end - layout->back_cpu, swap);
	if (layout->back_id >= 0)
		record->has_event = load_u64(end - layout->back_id, swap) != 0;
}

void record_decode(struct record *record, const struct session *session, const uint8_t *data,
                   uint32_t event, struct err *problem)
{
	struct payload payload = { .event = event_to_read_with(session, event),
		                   .problem = problem };
	const struct record_type *type;
	struct raw_record raw;
	size_t trailer = 0, end;

	raw_record_at(&raw, data, session->swap);
	type = record_type_of(raw.type);
	record->data = data;
	record->type = raw.type;
	record->misc = raw.misc;
	record->size = raw.size;
	record->event = event;
	record->pid = record->tid = record->cpu = -1;
	record->has_tid = record->damaged = false;
	record->has_event = raw.type == PERF_RECORD_SAMPLE;
	record->swap = session->swap;
	/* other records than SAMPLE need an event only for their trailer */
	if (raw.type != PERF_RECORD_SAMPLE)
		trailer = trailer_of(payload.event, &raw);
	end = trailer_end(data, raw.size, session->swap, trailer);
	if (trailer)
		decode_trailer(record, &payload.event->layout, data + end);
	if (!type || !type->decode)
		return;
	if (raw.size < type->least) {
		record->damaged = true;
		err_at(problem, ERR_FORMAT, raw.offset,
		       "%s record: expected at least %d bytes, found %u", type->name, type->least,
		       raw.size);
		return;
	}
	payload.end = end - trailer;
	type->decode(record, &payload);
}

void sample_record(struct record *record, const struct session *session,
                   const struct sample *sample)
{
	struct err problem;

	record->nr = sample->nr;
	record->time = sample->time;
	problem.code = ERR_NONE;
	record_decode(record, session, sample->data, sample->event, &problem);
}
