/*
 * Which tracepoints the scheduler's state machine reads, and where their fields are, by the formats
 * in the recording.
 */
#ifndef READPERF_DECODE_INTERVALS_SCHEDFORMAT_H
#define READPERF_DECODE_INTERVALS_SCHEDFORMAT_H

#include "util/bytes.h"

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
	struct sched_place {
		uint16_t offset, size; /* bytes in the raw data; size 0: there is no such field */
	} fields[SCHED_FIELDS];
};

/* From a tracepoint's name and the text of its format, both of which may be NULL. */
void sched_format_read(struct sched_format *format, const char *name, const char *text);

/* An integer field. False: it is not there. */
static inline bool sched_number(const struct sched_format *format, enum sched_field field,
                                const uint8_t *raw, size_t raw_size, bool swap, uint64_t *value)
{
	const struct sched_place *place = &format->fields[field];

	if (!place->size || raw_size < (size_t)place->offset + place->size)
		return false;
	*value = place->size == 4   ? load_u32(raw + place->offset, swap)
	         : place->size == 8 ? load_u64(raw + place->offset, swap)
	         : place->size == 2 ? load_u16(raw + place->offset, swap)
	                            : raw[place->offset];
	return true;
}

#endif
