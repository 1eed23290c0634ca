/*
 * The scheduler's state machine: which thread ran on which CPU, what every thread did while it did
 * not run, and which parts of that nobody recorded.
 *
 *   records --> schedreader.h --> facts --> this --> struct interval_sink: derived events
 *                                              \--> threads and CPUs: threads.csv, cpus.csv
 *
 * In:  sched_switched() and the other functions below, in order of time, each for one fact.
 * Out: calls of the sink for off-cpu, wait, on-cpu and idle; after sched_finish() the threads and
 *      CPUs, whose times per state add up to end - start exactly.
 *
 * A thread is in one state at a time, from `since` on. What it was in is added to a sum when the
 * state ends, or to the unknown time if a record of either end's CPU was lost in between, or if a
 * switch turns out to be missing.
 */
#ifndef READPERF_DECODE_INTERVALS_SCHED_H
#define READPERF_DECODE_INTERVALS_SCHED_H

#include "decode/intervals/schedmachine.h"

/*
 * sink may be NULL; its events are unknown until sched->events says otherwise. strings: borrowed.
 * False with err set; release it in any case.
 */
bool sched_init(struct sched *sched, struct strings *strings, const struct interval_sink *sink,
                struct err *err);
void sched_release(struct sched *sched);

/*
 * The facts. Threads are numbers from schedthreads.h; SCHED_IDLER stands for thread 0. All return
 * false with err set when memory is refused or the sink fails.
 */
/* sched_switch: next takes the CPU from prev. */
bool sched_switched(struct sched *sched, struct sched_at at, uint32_t prev,
                    const struct sched_leave *leave, uint32_t next, struct err *err);
/* A SWITCH record. wide: of a CPU, not of a process, so that the CPU's other switches are there. */
bool sched_out(struct sched *sched, struct sched_at at, uint32_t thread,
               const struct sched_leave *leave, bool wide, struct err *err);
bool sched_in(struct sched *sched, struct sched_at at, uint32_t thread, struct err *err);
/* A thread follows thread 0: if that was not seen to leave the CPU, it does now. */
bool sched_idle_until(struct sched *sched, struct sched_at at, struct err *err);
/* by may be SCHED_IDLER or SCHED_NO_THREAD. */
bool sched_woken(struct sched *sched, struct sched_at at, uint32_t thread, uint32_t by,
                 struct err *err);
/* wakeup_new: a thread that sched_task_new() has just made, or that FORK made. */
bool sched_woken_new(struct sched *sched, struct sched_at at, uint32_t thread, uint32_t by,
                     struct err *err);
/* FORK: a thread that was just made. */
bool sched_forked(struct sched *sched, struct sched_at at, uint32_t thread, uint32_t by,
                  struct err *err);
bool sched_exited(struct sched *sched, struct sched_at at, uint32_t thread, struct err *err);
/*
 * exec by a thread other than the first: it goes on with the number of the first one, as the thread
 * `to`, which is new. known: the record tells both numbers; otherwise nothing is carried over.
 */
bool sched_moved(struct sched *sched, struct sched_at at, uint32_t from, uint32_t to, bool known,
                 struct err *err);
/* The two are one: a record tells that `other`'s number in the container is thread's. */
bool sched_merged(struct sched *sched, uint32_t thread, uint32_t other, struct err *err);
/* Another thread has its number now: it ended without a record. */
bool sched_gone(struct sched *sched, uint32_t thread, struct err *err);
/* The CPU, or all of them if it is -1, lost records. */
bool sched_lost(struct sched *sched, struct sched_at at, struct err *err);
/* sched_seen(), where somebody asks for times or the CPU is new. */
bool sched_note_seen(struct sched *sched, struct sched_at at, uint32_t thread, struct err *err);
/* A record tells that the thread has run, although none tells since when: see `fresh`. */
bool sched_has_run(struct sched *sched, uint32_t thread, struct err *err);
/* A record of the thread that tells nothing else. */
static inline bool sched_seen(struct sched *sched, struct sched_at at, uint32_t thread,
                              struct err *err)
{
	if (sched_is_thread(thread) && sched->threads.items[thread].fresh &&
	    !sched_has_run(sched, thread, err))
		return false;
	/* lost records are those of a CPU, so CPUs must be known */
	return (sched->keeps_no_times && at.cpu >= 0 && (size_t)at.cpu < sched->cpu_count) ||
	       sched_note_seen(sched, at, thread, err);
}
/* Adds the time of an interrupt, or of a soft one, to its CPU. False with err set. */
bool sched_add_irq(struct sched *sched, int32_t cpu, bool soft, uint64_t length, struct err *err);
/* Whether there was a switch. */
static inline bool sched_has_switches(const struct sched *sched)
{
	return sched->switch_outs != 0;
}
/* After the last fact. */
bool sched_finish(struct sched *sched, struct err *err);

#endif
