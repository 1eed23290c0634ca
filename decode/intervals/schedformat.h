/*
 * Which tracepoints the scheduler's state machine reads, and where their fields are, by the formats
 * in the recording.
 */
#ifndef READPERF_DECODE_INTERVALS_SCHEDFORMAT_H
#define READPERF_DECODE_INTERVALS_SCHEDFORMAT_H

#include "perffile/fields/formats.h"

enum sched_tracepoint {
	SCHED_TP_NONE,  /* no tracepoint */
	SCHED_TP_OTHER, /* one that tells only whose record it is */
	SCHED_TP_SWITCH,
	SCHED_TP_WAKING,
	SCHED_TP_WAKEUP,
	SCHED_TP_WAKEUP_NEW,
	SCHED_TP_EXEC
};

enum sched_field {
	SCHED_COMMON_PID,
	SCHED_PREV_PID,
	SCHED_PREV_STATE,
	SCHED_PREV_COMM,
	SCHED_NEXT_PID,
	SCHED_NEXT_COMM,
	SCHED_PID,
	SCHED_COMM,
	SCHED_OLD_PID,
	SCHED_FIELDS
};

struct sched_format {
	enum sched_tracepoint kind;
	const struct field *fields[SCHED_FIELDS]; /* NULL: there is no such field */
};

/* Of a tracepoint whose format is known, or not. The fields live as long as that format. */
void sched_format_make(struct sched_format *format, const struct event_format *known);

/* An integer field. False: it is not there. */
static inline bool sched_number(const struct sched_format *format, enum sched_field field,
                                const uint8_t *raw, size_t raw_size, bool swap, uint64_t *value)
{
	const struct field *at = format->fields[field];

	return at && field_is_number(at) && field_number(at, raw, raw_size, swap, value);
}

#endif
