/* How one thread goes from one state to the next, and which intervals that begins and ends. */
#ifndef READPERF_DECODE_INTERVALS_SCHEDSTATE_H
#define READPERF_DECODE_INTERVALS_SCHEDSTATE_H

#include "decode/intervals/schedcpus.h"

static inline struct sched_thread *sched_thread_at(struct sched *sched, uint32_t thread)
{
	return &sched->threads.items[thread];
}

/* Sets its state alone. */
static inline void sched_become(struct sched *sched, struct sched_thread *thread,
                                enum sched_state state)
{
	sched->running += (state == SCHED_RUNNING) - (thread->state == SCHED_RUNNING);
	thread->state = (uint8_t)state;
}

/* A record of the thread came. */
static inline void sched_touch(struct sched *sched, struct sched_thread *thread, struct sched_at at)
{
	if (!thread->touched) {
		thread->touched = true;
		thread->start = at.time;
		thread->since = (struct sched_mark){ at.time, sched->seq, at.cpu,
			                             INTERVAL_NO_TOKEN };
	}
	thread->end = at.time;
	thread->hole = sched_lost_since(sched, &thread->since, at.cpu);
}

/* Ends the state that the thread was in, and begins another. */
static inline void sched_turn(struct sched *sched, struct sched_thread *thread, struct sched_at at,
                              enum sched_state state)
{
	bool lost = sched_lost_since(sched, &thread->since, at.cpu);

	thread->sums.states[lost ? SCHED_UNKNOWN : thread->state] += at.time - thread->since.time;
	thread->since = (struct sched_mark){ at.time, sched->seq, at.cpu, INTERVAL_NO_TOKEN };
	thread->exit_token = INTERVAL_NO_TOKEN; /* a token may be used again */
	sched_become(sched, thread, state);
	thread->hole = false;
}

/*
 * What the thread has done since its last record that changed its state is not known; what is open
 * has no end.
 */
bool sched_forget(struct sched *sched, struct sched_thread *thread, struct err *err);
/* what, result: strings. by: a thread, SCHED_IDLER, or SCHED_NO_THREAD. */
bool sched_begin_wait(struct sched *sched, struct sched_thread *thread, struct sched_at at,
                      uint32_t what, uint32_t result, uint32_t by, struct err *err);
/* The thread gets a CPU. */
bool sched_enter(struct sched *sched, uint32_t number, struct sched_at at, struct err *err);
/* The thread, which was touched, loses its CPU. */
bool sched_leave_cpu(struct sched *sched, uint32_t number, struct sched_at at,
                     const struct sched_leave *leave, struct err *err);
/* The thread, which was touched, wrote EXIT: notes what closing it at this time would give. */
bool sched_exit_at(struct sched_thread *thread, struct sched_at at, struct err *err);
/* No further record of the thread comes. */
bool sched_close(struct sched *sched, struct sched_thread *thread, struct err *err);

#endif
