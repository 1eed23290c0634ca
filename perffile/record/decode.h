/*
 * Decodes a raw record: only its time, or all of it. Format reference, sections 3 and 4;
 * recordtypes.c has the part of each type.
 */
#ifndef READPERF_PERFFILE_RECORD_DECODE_H
#define READPERF_PERFFILE_RECORD_DECODE_H

#include "perffile/input/stream.h"
#include "perffile/record/sample.h"

/*
 * The time that orders a record, or TIME_NONE: that of a sample is its own, that of other records
 * is in the trailer; FORK and EXIT without a trailer have it in their payload. 0 and ~0 count as
 * none. event may be EVENT_UNKNOWN.
 */
uint64_t record_time(const struct session *session, const struct raw_record *raw, uint32_t event);

/* record_time() of a record whose event is not known yet. */
static inline uint64_t raw_record_time(const struct session *session, const struct raw_record *raw)
{
	uint32_t event = EVENT_UNKNOWN;

	if (raw->type == PERF_RECORD_SAMPLE && session->sample_time >= 0)
		return raw->size < session->sample_time + 8
		               ? TIME_NONE
		               : usable_time(
					 load_u64(raw->data + session->sample_time, session->swap));
	if (!session->uniform)
		event = session_event_of(session, raw->data, raw->type, raw->size);
	return record_time(session, raw, event);
}

/*
 * The same for the sample at data, in a block. Quick if all events have their time at the same
 * offset.
 */
static inline uint64_t sample_time_at(const struct session *session, const uint8_t *data, bool swap)
{
	const int16_t at = session->sample_time;
	struct raw_record raw;

	if (at >= 0 && load_u16(data + 6, swap) >= at + 8)
		return usable_time(load_u64(data + at, swap));
	raw_record_at(&raw, data, swap);
	return raw_record_time(session, &raw);
}

/*
 * Decodes raw, a record of the kernel's types, into record; the caller sets nr and time. A record
 * that is too short for its type is marked as damaged, and problem says why.
 */
void record_decode(struct record *record, const struct session *session,
                   const struct raw_record *raw, uint32_t event, struct err *problem);

/*
 * Decodes all fields of a sample that was passed to samples(), into the struct record that record()
 * would have received. It points into the raw record, and is valid as long as the callback that
 * received the sample.
 */
void sample_record(struct record *record, const struct session *session,
                   const struct sample *sample);

#endif
