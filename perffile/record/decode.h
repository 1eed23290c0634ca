/*
 * A raw record in, its time or the whole decoded record out. Format reference, sections 3 and 4;
 * each type's own part is in recordtypes.c.
 */
#ifndef READPERF_PERFFILE_RECORD_DECODE_H
#define READPERF_PERFFILE_RECORD_DECODE_H

#include "perffile/input/stream.h"
#include "perffile/record/sample.h"

/*
 * The time that a record sorts by, or TIME_NONE: of a sample its own, of others the trailer's, of
 * FORK and EXIT without a trailer their payload's. 0 and ~0 count as none. event may be
 * EVENT_UNKNOWN.
 */
uint64_t record_time(const struct session *session, const struct raw_record *raw, uint32_t event);

/* record_time() of a record whose event is still to be found. */
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

/* The same of the sample at data, in a block; quick where all events have their time at one place.
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
 * Decodes raw, which is of the kernel's types, into record; nr and time are the caller's.
 * A record that is too short for its type is marked damaged, and problem says why.
 */
void record_decode(struct record *record, const struct session *session,
                   const struct raw_record *raw, uint32_t event, struct err *problem);

/*
 * Decodes all fields of a sample that a handler was given by samples(), into what record() would
 * have been given. It leads into the raw record, and lives as long as the callback that was given
 * the sample.
 */
void sample_record(struct record *record, const struct session *session,
                   const struct sample *sample);

#endif
