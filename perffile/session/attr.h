/*
 * A perf_event_attr in, its fields and the places of its records' fields out. Format reference,
 * sections 2 to 4.
 */
#ifndef READPERF_PERFFILE_SESSION_ATTR_H
#define READPERF_PERFFILE_SESSION_ATTR_H

#include "util/cursor.h"
#include "util/origperf.h"

/* A perf_event_attr, decoded; fields that the file's attr is too short for are 0. */
struct event_attr {
	uint32_t type, size;
	uint64_t config;
	uint64_t sample_period;  /* or a frequency in Hz, with the freq flag */
	uint64_t default_period; /* of a sample that tells none; 1 with a frequency, which is no
	                            period */
	uint64_t sample_type, read_format;
	uint64_t flags; /* bit n is enum perf_attr_flag n, whatever the byte order */
	uint32_t bp_type;
	uint64_t bp_addr, bp_len;
	uint64_t branch_sample_type;
	uint64_t sample_regs_user, sample_regs_intr;
	uint32_t sample_stack_user; /* bytes */
	uint16_t sample_max_stack;  /* entries of a call chain; 0: the kernel's own limit */
	int32_t clockid;
	bool has_unknown_sample_bits;
};

static inline bool attr_flag(const struct event_attr *attr, enum perf_attr_flag flag)
{
	return attr->flags >> flag & 1;
}

/*
 * Where the fields of an attr's records lie, in bytes. Computed once per attr.
 * In samples from the record's start; in the trailer (sample id) of all other kernel records from
 * the record's end. -1: not there.
 */
struct layout {
	int16_t ip, tid, time, addr, id, stream_id, cpu, period;
	int16_t fixed;   /* size of the header and the fixed fields */
	int16_t trailer; /* size of the trailer; 0 without sample_id_all */
	int16_t back_tid, back_time, back_id, back_cpu;
	bool variable; /* fields follow the fixed ones; last, for it alone does not move others */
};

/* Decodes an attr; c is at its start and has at least 64 bytes. size: 0 means 64. */
void event_attr_decode(struct event_attr *attr, struct cursor c, bool big_endian);
/*
 * Where the fields of samples, and of trailers, of such an event are. Format reference, 3.2
 * and 4.1.
 */
void layout_init(struct layout *layout, const struct event_attr *attr);

#endif
