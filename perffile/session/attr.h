/*
 * Decodes a perf_event_attr, and computes where the fields of its records are. Format reference,
 * sections 2 to 4.
 */
#ifndef READPERF_PERFFILE_SESSION_ATTR_H
#define READPERF_PERFFILE_SESSION_ATTR_H

#include "util/cursor.h"
#include "util/origperf.h"

/* A decoded perf_event_attr; fields that the attr in the file is too short for are 0. */
struct event_attr {
	uint32_t type, size;
	uint64_t config;
	uint64_t sample_period;  /* or a frequency in Hz, with the freq flag */
	uint64_t default_period; /* of a sample without its own; 1 if the attr has a frequency */
	uint64_t sample_type, read_format;
	uint64_t flags; /* bit n is enum perf_attr_flag n, whatever the byte order */
	uint32_t bp_type;
	uint64_t bp_addr;
	uint64_t branch_sample_type;
	uint64_t sample_regs_user, sample_regs_intr;
	uint32_t sample_stack_user; /* bytes */
	uint16_t sample_max_stack;  /* entries of a call chain; 0: the kernel's own limit */
	int32_t clockid;
};

static inline bool attr_flag(const struct event_attr *attr, enum perf_attr_flag flag)
{
	return attr->flags >> flag & 1;
}

/* Whether each time that a tracepoint was reached is a sample, with its fields. */
static inline bool attr_is_complete(const struct event_attr *attr)
{
	return !attr_flag(attr, PERF_FLAG_FREQ) && attr->sample_period == 1 &&
	       (attr->sample_type & PERF_SAMPLE_RAW);
}

/* Whether the event counts ns. */
static inline bool attr_is_clock(const struct event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
	                                            attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/*
 * The offsets of the fields of an attr's records, in bytes. Computed once per attr. In samples they
 * count from the start of the record; in the trailer (sample id) of all other kernel records from
 * its end. -1: the field is not there.
 */
struct sample_layout {
	int16_t ip, tid, time, addr, id, cpu, period;
	int16_t fixed;   /* size of the header and the fixed fields */
	int16_t trailer; /* size of the trailer; 0 without sample_id_all */
	int16_t back_tid, back_time, back_id, back_cpu;
	/* the following do not change the offsets above */
	uint64_t variable; /* the fields that follow the fixed ones: PERF_SAMPLE_... */
};

/*
 * Decodes an attr; c is at its start and has at least 64 bytes. A size of 0 in the attr means 64.
 */
void event_attr_decode(struct event_attr *attr, struct cursor c, bool big_endian);
/*
 * Computes where the fields of samples, and of trailers, of such an event are. Format reference,
 * 3.2 and 4.1.
 */
void layout_init(struct sample_layout *layout, const struct event_attr *attr);

#endif
