/*
 * Which tracepoints the scheduler's state machine reads, and where their fields are, by the formats
 * in the recording.
 */
#ifndef READPERF_DECODE_INTERVALS_SCHEDFORMAT_H
#define READPERF_DECODE_INTERVALS_SCHEDFORMAT_H

#include "decode/intervals/schedthreads.h"
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

/* Fields with the number of a thread, and with a name. */
enum sched_pid {
	SCHED_COMMON_PID,
	SCHED_PREV_PID,
	SCHED_NEXT_PID,
	SCHED_PID,
	SCHED_OLD_PID,
	SCHED_PIDS
};
enum sched_comm { SCHED_PREV_COMM, SCHED_NEXT_COMM, SCHED_COMM, SCHED_COMMS };

/* Where the bytes of a field are in the raw data; end UINT32_MAX: it is not there. */
struct sched_place {
	uint32_t offset, end;
};

/*
 * Found once for each event, so that a sample is read without asking what its fields are. A thread
 * has a number of 4 bytes in every kernel, and nearly always a name of SCHED_NAME_SIZE.
 */
struct sched_format {
	enum sched_tracepoint kind;
	struct sched_place pids[SCHED_PIDS];
	struct sched_place names[SCHED_COMMS];  /* of that size, at their offset */
	const struct field *comms[SCHED_COMMS]; /* names of any kind; NULL: there is none */
	const struct field *state;              /* prev_state, a number; NULL: there is none */
};

/* Of a tracepoint whose format is known, or not. The fields live as long as that format. */
void sched_format_make(struct sched_format *format, const struct event_format *known);

#endif
