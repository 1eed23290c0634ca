/*
 * What the records of tasks tell the scheduler's state machine: who wrote a record, and which
 * thread has a number when threads are made, exec and exit.
 */
#ifndef READPERF_DECODE_INTERVALS_SCHEDTASK_H
#define READPERF_DECODE_INTERVALS_SCHEDTASK_H

#include "decode/intervals/sched.h"
#include "perffile/record/record.h"

/*
 * All return false, or SCHED_NO_THREAD, with err set when memory is refused or the sink fails.
 */
/*
 * The thread that wrote a sample: number is the kernel's; pid and tid are the sample's, -1 if they
 * are not recorded.
 */
bool sched_task_writer(struct sched *sched, int32_t number, int32_t pid, int32_t tid,
                       uint32_t *writer, struct err *err);
/* wakeup_new: the thread that has the kernel's number from now on. */
uint32_t sched_task_new(struct sched *sched, int32_t number, uint32_t parent, struct err *err);
/* The thread with a number of samples; SCHED_NO_THREAD: it has exited. */
bool sched_task_living(struct sched *sched, int32_t pid, int32_t tid, uint32_t *thread,
                       struct err *err);
/* The same of who wrote a record while it ran. */
bool sched_task_running(struct sched *sched, struct sched_at at, int32_t pid, int32_t tid,
                        uint32_t *thread, struct err *err);
/* A record of a thread that tells nothing else. */
bool sched_task_seen(struct sched *sched, struct sched_at at, int32_t pid, int32_t tid,
                     struct err *err);
/* A thread that was there before the recording. */
bool sched_task_old(struct sched *sched, int32_t pid, int32_t tid, const char *name, size_t size,
                    struct err *err);
bool sched_task_forked(struct sched *sched, struct sched_at at, const struct record *record,
                       struct err *err);
bool sched_task_exited(struct sched *sched, struct sched_at at, const struct record *record,
                       struct err *err);
/* has_exec: sched_process_exec is recorded. */
bool sched_task_comm(struct sched *sched, struct sched_at at, const struct record *record,
                     bool has_exec, struct err *err);
/* sched_process_exec of a thread that has another number afterwards; both are the kernel's. */
bool sched_task_exec(struct sched *sched, struct sched_at at, int32_t from, int32_t to,
                     struct err *err);

#endif
