/*
 * SAMPLE records: what nearly every one says, in a small struct of its own for those who read millions, and
 * the decoder of all of one. Format reference, section 4.
 */
#ifndef READPERF_PERFFILE_RECORD_SAMPLE_H
#define READPERF_PERFFILE_RECORD_SAMPLE_H

#include "perffile/input/stream.h"
#include "perffile/record/record.h"

/* What nearly every SAMPLE record says: the fixed fields of one that is whole. */
struct sample {
	uint64_t nr;   /* position in the recording, counting from 0 */
	uint64_t time; /* ns */
	uint64_t ip, addr, period;
	int32_t pid, tid; /* -1 if not recorded; has_tid tells */
	int32_t cpu;      /* -1: not recorded */
	uint32_t event;   /* number in the session */
	uint16_t misc;
	bool has_tid, has_addr;
	const uint8_t *data; /* the raw record; lives as long as the callback that is given it */
};

static inline uint64_t usable_time(uint64_t time)
{
	return time == 0 ? TIME_NONE : time;
}

/* record_time() of a sample whose layout is known. */
static inline uint64_t sample_time(const struct session *session, const struct layout *layout,
                                   const struct raw_record *raw)
{
	if (layout->time < 0 || raw->size < layout->time + 8)
		return TIME_NONE;
	return usable_time(load_u64(raw->data + layout->time, session->swap));
}

/*
 * Whether a sample that is in our byte order and has its fixed fields may be given to samples(): it holds no
 * values of counters, did not happen off the CPU, and its last field ends where the record does.
 */
bool sample_is_whole(const struct session *session, const struct sample *sample);

/* For recordtypes.c. */
struct payload;
void sample_decode(struct record *record, const struct payload *payload);

/* Whether samples have what perf asks for by default, beyond time and period: nothing more to ask then. */
static inline bool layout_is_usual(const struct layout *layout)
{
	return layout->ip >= 0 && layout->tid >= 0 && layout->cpu >= 0 && layout->addr < 0;
}

/*
 * The fixed fields of a sample that has them all, in our byte order; period is for where none is
 * recorded. nr, time and event are the caller's. usual: the layout is known to be.
 */
static inline void sample_take(struct sample *sample, const struct layout *layout,
                               const uint8_t *data, uint64_t period, bool usual)
{
	sample->data = data;
	sample->misc = load_u16(data + 4, false);
	sample->ip = usual || layout->ip >= 0 ? load_u64(data + layout->ip, false) : 0;
	sample->has_tid = usual || layout->tid >= 0;
	sample->pid = sample->tid = -1;
	if (usual || layout->tid >= 0) {
		sample->pid = (int32_t)load_u32(data + layout->tid, false);
		sample->tid = (int32_t)load_u32(data + layout->tid + 4, false);
	}
	sample->has_addr = !usual && layout->addr >= 0;
	sample->addr = sample->has_addr ? load_u64(data + layout->addr, false) : 0;
	sample->cpu = usual || layout->cpu >= 0 ? (int32_t)load_u32(data + layout->cpu, false) : -1;
	sample->period = layout->period >= 0 ? load_u64(data + layout->period, false) : period;
}

#endif
