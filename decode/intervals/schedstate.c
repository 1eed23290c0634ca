#include "decode/intervals/schedstate.h"

#include "decode/intervals/schedcpus.h"

#include <stdlib.h>

static const struct sched_thread *thread_or_none(struct sched *sched, uint32_t thread)
{
	return sched_is_thread(thread) ? sched_thread_at(sched, thread) : NULL;
}

static bool sink_begin(struct sched *sched, const struct interval_begin *begin, uint32_t *token,
                       struct err *err)
{
	*token = INTERVAL_NO_TOKEN;
	return !sched->sink.begin || sched->sink.begin(sched->sink.context, begin, token, err);
}

/* Ends the interval of a mark, if one is open; lost: not known when. */
static bool sink_end(struct sched *sched, struct sched_mark *mark, bool lost,
                     const struct interval_end *end, struct err *err)
{
	uint32_t token = mark->token;

	mark->token = INTERVAL_NO_TOKEN;
	if (token == INTERVAL_NO_TOKEN)
		return true;
	return lost ? sched->sink.unfinished(sched->sink.context, token, err)
	            : sched->sink.end(sched->sink.context, token, end, err);
}

static bool drop_open(struct sched *sched, struct sched_thread *thread, struct err *err)
{
	return sink_end(sched, &thread->since, true, NULL, err) &&
	       sink_end(sched, &thread->off, true, NULL, err) &&
	       sink_end(sched, &thread->wait, true, NULL, err);
}

/* It wrote EXIT while it ran, so that the interval which was open then ended there at the latest.
 */
static bool end_at_exit(struct sched *sched, struct sched_thread *thread, struct err *err)
{
	const struct interval_end end = { .time = thread->exit_time,
		                          .cpu = thread->ran,
		                          .thread = thread,
		                          .earlier = true,
		                          .nr = thread->exit_nr };

	return !thread->exited || thread->since.token != thread->exit_token ||
	       sink_end(sched, &thread->since, false, &end, err);
}

/* Tells of the wait that has ended before: the thread's own records have told its number, if any.
 */
static bool end_late(struct sched *sched, struct sched_thread *thread, struct err *err)
{
	const struct interval_end end = { .time = thread->late.time,
		                          .cpu = thread->late.cpu,
		                          .thread = thread,
		                          .earlier = true,
		                          .nr = thread->late.nr };
	const uint32_t token = thread->late.token;

	thread->late.token = INTERVAL_NO_TOKEN;
	return token == INTERVAL_NO_TOKEN || sched->sink.end(sched->sink.context, token, &end, err);
}

bool sched_forget(struct sched *sched, struct sched_thread *thread, struct err *err)
{
	if (!end_late(sched, thread, err) || !end_at_exit(sched, thread, err))
		return false;
	sched_become(sched, thread, SCHED_UNKNOWN);
	thread->out = thread->fresh = false;
	return drop_open(sched, thread, err);
}

bool sched_begin_wait(struct sched *sched, struct sched_thread *thread, struct sched_at at,
                      uint32_t what, uint32_t result, uint32_t by, struct err *err)
{
	const struct interval_begin begin = { .event = sched->events[SCHED_WAIT],
		                              .time = at.time,
		                              .cpu = at.cpu,
		                              .thread = thread,
		                              .what = what,
		                              .result = result,
		                              .by = thread_or_none(sched, by),
		                              .by_idle = by == SCHED_IDLER };

	thread->wait = (struct sched_mark){ at.time, sched->seq, at.cpu, INTERVAL_NO_TOKEN };
	thread->by = by;
	return sink_begin(sched, &begin, &thread->wait.token, err);
}

static bool end_wait(struct sched *sched, struct sched_thread *thread, struct sched_at at,
                     struct err *err)
{
	const struct interval_end end = { .time = at.time, .cpu = at.cpu, .thread = thread };
	bool lost = sched_lost_since(sched, &thread->wait, at.cpu);
	uint64_t length = at.time - thread->wait.time;
	struct sched_sums *sums = &thread->sums;

	if (!lost) {
		if (!sums->waits || length > sums->max_wait) {
			sums->max_wait = length;
			sums->max_wait_time = thread->wait.time;
		}
		sums->waits++;
		sums->wait_sum += length;
	}
	if (!lost && sched->threads.two_numbers && thread->pid < 0) {
		thread->late.time = at.time;
		thread->late.nr = at.nr;
		thread->late.cpu = at.cpu;
		thread->late.token = thread->wait.token;
		thread->wait.token = INTERVAL_NO_TOKEN;
		return true;
	}
	return sink_end(sched, &thread->wait, lost, &end, err);
}

static bool end_off(struct sched *sched, struct sched_thread *thread, struct sched_at at,
                    struct err *err)
{
	const struct interval_end end = { .time = at.time,
		                          .cpu = at.cpu,
		                          .thread = thread,
		                          .by = thread_or_none(sched, thread->by),
		                          .by_idle = thread->by == SCHED_IDLER };

	return sink_end(sched, &thread->off, sched_lost_since(sched, &thread->off, at.cpu), &end,
	                err);
}

/* The thread runs on another CPU than before. */
static bool migrate(struct sched *sched, uint32_t number, int32_t cpu, struct err *err)
{
	struct sched_thread *thread = sched_thread_at(sched, number);
	struct sched_cpu *where = sched_cpu_find(sched, cpu);
	uint64_t key = (uint64_t)number << 32 | (uint32_t)cpu;

	if (where && map_get(&sched->ran, key) == MAP_NONE) {
		where->threads++;
		if (!map_put(&sched->ran, key, 0, err))
			return false;
	}
	if (thread->ran >= 0 && cpu >= 0)
		thread->sums.migrations++;
	thread->ran = cpu;
	return true;
}

/* Notes on which CPU the thread runs from now on. */
static inline bool note_cpu(struct sched *sched, uint32_t number, int32_t cpu, struct err *err)
{
	struct sched_cpu *where = sched_cpu_find(sched, cpu);

	if (where)
		where->running = number;
	return sched_thread_at(sched, number)->ran == cpu || migrate(sched, number, cpu, err);
}

/* The thread gets a CPU. */
bool sched_enter(struct sched *sched, uint32_t number, struct sched_at at, struct err *err)
{
	struct sched_thread *thread = sched_thread_at(sched, number);
	const struct interval_begin begin = {
		.event = sched->events[SCHED_ON_CPU],
		.time = at.time,
		.cpu = at.cpu,
		.thread = thread,
		/* its chain is that of the thread before */
		.place = PLACE_RECORD,
	};

	if (!thread->touched) {
		thread->began_in = true;
		thread->began_cpu = at.cpu;
		thread->began_nr = at.nr;
	}
	sched_touch(sched, thread, at);
	if ((thread->state == SCHED_WAITING && !end_wait(sched, thread, at, err)) ||
	    !end_off(sched, thread, at, err))
		return false;
	sched_turn(sched, thread, at, SCHED_RUNNING);
	thread->out = thread->fresh = false;
	thread->by = SCHED_NO_THREAD;
	return note_cpu(sched, number, at.cpu, err) &&
	       sink_begin(sched, &begin, &thread->since.token, err);
}

/* The thread loses its CPU. */
bool sched_leave_cpu(struct sched *sched, uint32_t number, struct sched_at at,
                     const struct sched_leave *leave, struct err *err)
{
	struct sched_thread *thread = sched_thread_at(sched, number);
	const struct interval_end end = { .time = at.time,
		                          .cpu = at.cpu,
		                          .thread = thread,
		                          .kind = leave->letters == STRING_EMPTY ? RESULT_NONE
		                                                                 : RESULT_TEXT,
		                          .text = leave->letters };
	const struct interval_begin begin = { .event = sched->events[SCHED_OFF_CPU],
		                              .is_off_cpu = true,
		                              .time = at.time,
		                              .cpu = at.cpu,
		                              .thread = thread,
		                              .what = sched->words.off[leave->state],
		                              .result = leave->letters };

	if (!end_late(sched, thread, err) || !note_cpu(sched, number, at.cpu, err) ||
	    !sink_end(sched, &thread->since, sched_lost_since(sched, &thread->since, at.cpu), &end,
	              err))
		return false;
	sched_turn(sched, thread, at, leave->state);
	thread->sums.switches++;
	if (leave->ends) {
		thread->ended = true;
		return true;
	}
	thread->out = true;
	thread->by = SCHED_NO_THREAD;
	thread->off = (struct sched_mark){ at.time, sched->seq, at.cpu, INTERVAL_NO_TOKEN };
	if (!sink_begin(sched, &begin, &thread->off.token, err))
		return false;
	if (leave->state != SCHED_WAITING)
		return true;
	thread->sums.preempted++;
	return sched_begin_wait(sched, thread, at, sched->words.off[SCHED_WAITING], leave->letters,
	                        SCHED_NO_THREAD, err);
}

bool sched_close(struct sched *sched, struct sched_thread *thread, struct err *err)
{
	if (!end_late(sched, thread, err))
		return false;
	if (!thread->touched || thread->ended)
		return drop_open(sched, thread, err);
	if (thread->exited) {
		thread->end = thread->exit_time;
		thread->sums = *thread->at_exit;
		if (!end_at_exit(sched, thread, err))
			return false;
	} else {
		thread->sums.states[thread->hole ? SCHED_UNKNOWN : thread->state] +=
			thread->end - thread->since.time;
	}
	sched_become(sched, thread, SCHED_UNKNOWN);
	thread->ended = true;
	return drop_open(sched, thread, err);
}

bool sched_exit_at(struct sched_thread *thread, struct sched_at at, struct err *err)
{
	if (thread->exited)
		return true;
	thread->at_exit = malloc(sizeof(*thread->at_exit));
	if (!thread->at_exit)
		return err_nomem(err, sizeof(*thread->at_exit));
	*thread->at_exit = thread->sums;
	thread->at_exit->states[thread->hole ? SCHED_UNKNOWN : thread->state] += at.time -
	                                                                         thread->since.time;
	thread->exited = true;
	thread->exit_time = at.time;
	thread->exit_nr = at.nr;
	thread->exit_token = thread->hole ? INTERVAL_NO_TOKEN : thread->since.token;
	return true;
}
