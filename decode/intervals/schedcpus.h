/* The CPUs of the scheduler's state machine: who runs there, and for how long it was idle. */
#ifndef READPERF_DECODE_INTERVALS_SCHEDCPUS_H
#define READPERF_DECODE_INTERVALS_SCHEDCPUS_H

#include "decode/intervals/schedmachine.h"

/* NULL: the number is not recorded, or no kernel has so many; with err set: memory is refused. */
struct sched_cpu *sched_cpu_get(struct sched *sched, int32_t number, struct err *err);
/* The same for one that has had a record; NULL: there is none. */
static inline struct sched_cpu *sched_cpu_find(struct sched *sched, int32_t number)
{
	return number >= 0 && (size_t)number < sched->cpu_count ? &sched->cpus[number] : NULL;
}
/* Its first record came, or one after records were lost. */
bool sched_cpu_meet(struct sched *sched, const struct sched_at *at, struct err *err);
/* A record of the CPU came. */
static inline bool sched_cpu_touch(struct sched *sched, const struct sched_at *at, struct err *err)
{
	struct sched_cpu *cpu = sched_cpu_find(sched, at->cpu);

	if (!cpu || !cpu->seen || sched->lost_seq > cpu->since_seq)
		return sched_cpu_meet(sched, at, err);
	cpu->end = at->time;
	cpu->hole = false;
	return true;
}
/* Ends the CPU's state, and the interval if it was idle; known: as recorded. */
bool sched_cpu_turn(struct sched *sched, struct sched_at at, bool known, enum sched_cpu_state state,
                    struct err *err);
/* What the CPU did since its last switch is not known, and who runs there is not either. */
bool sched_cpu_forget(struct sched *sched, int32_t number, struct err *err);
bool sched_lost_on_since(const struct sched *sched, const struct sched_mark *mark, int32_t cpu);
/* Whether records were lost, after a mark, on its CPU or on this one. */
static inline bool sched_lost_since(const struct sched *sched, const struct sched_mark *mark,
                                    int32_t cpu)
{
	return sched->lost_seq > mark->seq && sched_lost_on_since(sched, mark, cpu);
}
/* At the end. */
bool sched_cpus_finish(struct sched *sched, struct err *err);

#endif
