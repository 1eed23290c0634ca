/*
 * SAMPLE records: the fields that nearly all of them have, in a small struct for handlers that read
 * millions of them, and the decoder of all fields. Format reference, section 4.
 */
#ifndef READPERF_PERFFILE_RECORD_SAMPLE_H
#define READPERF_PERFFILE_RECORD_SAMPLE_H

#include "perffile/input/stream.h"
#include "perffile/record/record.h"

/* The fixed fields of a complete SAMPLE record. */
struct sample {
	uint64_t nr;   /* position in the recording, counting from 0 */
	uint64_t time; /* ns */
	uint64_t ip, addr, period;
	int32_t pid, tid; /* -1 if not recorded; has_tid tells */
	int32_t cpu;      /* -1: not recorded */
	uint32_t event;   /* number in the session */
	uint16_t misc;
	bool has_tid, has_addr;
	const uint8_t *data; /* the raw record; valid as long as the callback that receives it */
};

static inline uint64_t usable_time(uint64_t time)
{
	return time == 0 ? TIME_NONE : time;
}

/*
 * Whether a sample that has its fixed fields may be passed to samples(): it has no values of
 * counters, does not come from --off-cpu, and its last field ends at the end of the record.
 */
bool sample_is_whole(const struct session *session, const struct sample *sample);

/*
 * The raw data of a sample that was passed to samples(), *size bytes, without decoding the other
 * fields. NULL, and *size 0: it has none.
 */
const uint8_t *sample_raw(const struct session *session, const struct sample *sample, size_t *size);

/*
 * Decodes the fixed fields of a raw sample that has all of them; the caller sets nr, time and
 * event.
 */
static inline void sample_take(struct sample *sample, const struct event *event,
                               const uint8_t *data, bool swap)
{
	const struct sample_layout *layout = &event->layout;

	sample->data = data;
	sample->misc = load_u16(data + 4, swap);
	sample->ip = layout->ip >= 0 ? load_u64(data + layout->ip, swap) : 0;
	sample->has_tid = layout->tid >= 0;
	sample->pid = sample->has_tid ? (int32_t)load_u32(data + layout->tid, swap) : -1;
	sample->tid = sample->has_tid ? (int32_t)load_u32(data + layout->tid + 4, swap) : -1;
	sample->has_addr = layout->addr >= 0;
	sample->addr = sample->has_addr ? load_u64(data + layout->addr, swap) : 0;
	sample->cpu = layout->cpu >= 0 ? (int32_t)load_u32(data + layout->cpu, swap) : -1;
	sample->period = layout->period >= 0 ? load_u64(data + layout->period, swap)
	                                     : event->attr.default_period;
}

#endif
