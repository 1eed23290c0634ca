#include "decode/intervals/sched.h"

#include "decode/intervals/schedcpus.h"
#include "decode/intervals/schedstate.h"
#include "perffile/session/session.h"

#include <stdlib.h>

static bool know_words(struct sched *sched, struct err *err)
{
	static const char *const off[SCHED_STATES] = { "off",      "",        "preempted",
		                                       "sleeping", "blocked", "stopped" };
	struct strings *strings = sched->threads.strings;

	sched->words.wakeup = strings_put_text(strings, "wakeup", err);
	sched->words.new = strings_put_text(strings, "new", err);
	for (int i = 0; i < SCHED_STATES; i++)
		sched->words.off[i] = strings_put_text(strings, off[i], err);
	return err->code == ERR_NONE;
}

bool sched_init(struct sched *sched, struct strings *strings, const struct interval_sink *sink,
                struct err *err)
{
	*sched = (struct sched){ .threads.strings = strings };
	for (int i = 0; i < SCHED_EVENTS; i++)
		sched->events[i] = EVENT_UNKNOWN;
	if (sink)
		sched->sink = *sink;
	return know_words(sched, err);
}

void sched_release(struct sched *sched)
{
	sched_threads_release(&sched->threads);
	free(sched->cpus);
	map_release(&sched->ran);
}

/* Before a fact: time does not run backwards, even in a pipe whose records came too late. */
static bool take_fact(struct sched *sched, struct sched_at *at, struct err *err)
{
	sched->seq++;
	if (at->time > sched->now)
		sched->now = at->time;
	at->time = sched->now;
	return sched_cpu_touch(sched, at, err);
}

/* A thread that ran by record on a CPU evidently does not any more. */
static bool forget_running(struct sched *sched, uint32_t thread, struct err *err)
{
	return !sched_is_thread(thread) || sched_forget(sched, sched_thread_at(sched, thread), err);
}

/*
 * Before a switch from prev: whether it fits what is known. Where a switch is missing, what was
 * open for both threads, and for the CPU, is not known.
 */
static bool check_prev(struct sched *sched, struct sched_at at, uint32_t prev, struct err *err)
{
	const struct sched_cpu *cpu = sched_cpu_find(sched, at.cpu);
	uint32_t running = cpu ? cpu->running : SCHED_NOBODY;
	struct sched_thread *thread = prev == SCHED_IDLER ? NULL : sched_thread_at(sched, prev);

	if (running != SCHED_NOBODY && running != prev) {
		sched->missed++;
		if (!sched_cpu_forget(sched, at.cpu, err) || !forget_running(sched, running, err))
			return false;
	}
	if (!thread || (thread->state == SCHED_UNKNOWN && !thread->out))
		return true;
	if (thread->state == SCHED_RUNNING && (thread->ran == at.cpu || at.cpu < 0))
		return true;
	if (thread->state == SCHED_RUNNING) { /* on another CPU */
		if (running == SCHED_NOBODY)
			sched->missed++;
		if (!sched_cpu_forget(sched, thread->ran, err))
			return false;
	}
	return sched_forget(sched, thread, err);
}

/* Before a switch to next, in the same way. */
static bool check_next(struct sched *sched, struct sched_at at, uint32_t next, bool count,
                       struct err *err)
{
	struct sched_thread *thread = sched_thread_at(sched, next);

	if (thread->state != SCHED_RUNNING)
		return true;
	sched->missed += count;
	if (thread->ran != at.cpu && !sched_cpu_forget(sched, thread->ran, err))
		return false;
	return sched_forget(sched, thread, err);
}

bool sched_switched(struct sched *sched, struct sched_at at, uint32_t prev,
                    const struct sched_leave *leave, uint32_t next, struct err *err)
{
	struct sched_cpu *cpu;

	if (!take_fact(sched, &at, err) || !check_prev(sched, at, prev, err))
		return false;
	if (prev == SCHED_IDLER) {
		sched->idle_outs++;
	} else {
		sched_touch(sched, sched_thread_at(sched, prev), at);
		if (!sched_leave_cpu(sched, prev, at, leave, err))
			return false;
	}
	sched->switch_outs++;
	if (!sched_cpu_turn(sched, at, true, next == SCHED_IDLER ? SCHED_CPU_IDLE : SCHED_CPU_BUSY,
	                    err))
		return false;
	cpu = sched_cpu_find(sched, at.cpu);
	if (cpu) {
		cpu->switches++;
		cpu->running = next;
	}
	return next == SCHED_IDLER ||
	       (check_next(sched, at, next, true, err) && sched_enter(sched, next, at, err));
}

static bool idler_out(struct sched *sched, struct sched_at at, struct err *err)
{
	struct sched_cpu *cpu = sched_cpu_find(sched, at.cpu);

	sched->idle_outs++;
	if (!cpu || (cpu->running != SCHED_IDLER && cpu->running != SCHED_NOBODY))
		return true; /* a switch by tracepoint has told it */
	cpu->running = SCHED_NOBODY;
	return sched_cpu_turn(sched, at, true, SCHED_CPU_BUSY, err);
}

bool sched_out(struct sched *sched, struct sched_at at, uint32_t thread,
               const struct sched_leave *leave, bool wide, struct err *err)
{
	struct sched_cpu *cpu;
	struct sched_thread *out;
	uint32_t running;
	bool known;

	if (!take_fact(sched, &at, err))
		return false;
	if (thread == SCHED_IDLER)
		return idler_out(sched, at, err);
	if (!sched_is_thread(thread))
		return true;
	out = sched_thread_at(sched, thread);
	if (out->out || out->ended)
		return true;
	if (out->state == SCHED_RUNNING && out->ran != at.cpu &&
	    !sched_cpu_forget(sched, out->ran, err))
		return false;
	if (out->state != SCHED_UNKNOWN && (out->state != SCHED_RUNNING || out->ran != at.cpu) &&
	    !sched_forget(sched, out, err))
		return false;
	cpu = sched_cpu_find(sched, at.cpu);
	running = cpu ? cpu->running : SCHED_NOBODY;
	known = running == thread || running == SCHED_NOBODY;
	if (!known && !forget_running(sched, running, err))
		return false;
	sched_touch(sched, out, at);
	if (!sched_leave_cpu(sched, thread, at, leave, err))
		return false;
	sched->switch_outs++;
	if (!cpu)
		return true;
	cpu->running = SCHED_NOBODY;
	return sched_cpu_turn(sched, at, known, wide ? SCHED_CPU_BUSY : SCHED_CPU_UNKNOWN, err);
}

static bool idler_in(struct sched *sched, struct sched_at at, struct err *err)
{
	struct sched_cpu *cpu = sched_cpu_find(sched, at.cpu);

	if (!cpu || cpu->running == SCHED_IDLER)
		return true;
	if (!forget_running(sched, cpu->running, err) ||
	    !sched_cpu_turn(sched, at, cpu->running == SCHED_NOBODY, SCHED_CPU_IDLE, err))
		return false;
	cpu->running = SCHED_IDLER;
	cpu->switches++;
	return true;
}

bool sched_in(struct sched *sched, struct sched_at at, uint32_t thread, struct err *err)
{
	struct sched_cpu *cpu;
	struct sched_thread *in;

	if (!take_fact(sched, &at, err))
		return false;
	if (thread == SCHED_IDLER)
		return idler_in(sched, at, err);
	if (!sched_is_thread(thread))
		return true;
	in = sched_thread_at(sched, thread);
	/* it runs already, unless the record of its switch out was lost on a CPU that is not known
	 */
	if (in->ended || (in->state == SCHED_RUNNING && (in->ran == at.cpu || at.cpu < 0) &&
	                  !sched_lost_since(sched, &in->since, at.cpu)))
		return true;
	cpu = sched_cpu_find(sched, at.cpu);
	if (cpu) {
		if (!forget_running(sched, cpu->running, err) ||
		    !sched_cpu_turn(sched, at, cpu->running == SCHED_NOBODY, SCHED_CPU_BUSY, err))
			return false;
		cpu->switches++;
	}
	return check_next(sched, at, thread, false, err) && sched_enter(sched, thread, at, err);
}

bool sched_idle_until(struct sched *sched, struct sched_at at, struct err *err)
{
	const struct sched_cpu *cpu = sched_cpu_find(sched, at.cpu);

	return !cpu || cpu->running != SCHED_IDLER ||
	       (take_fact(sched, &at, err) && idler_out(sched, at, err));
}

/*
 * The tracking event begins before the others, and those on one CPU after the other, so that a new
 * thread may have run before its switches were recorded.
 */
bool sched_has_run(struct sched *sched, uint32_t thread, struct err *err)
{
	return sched_forget(sched, sched_thread_at(sched, thread), err);
}

bool sched_woken(struct sched *sched, struct sched_at at, uint32_t thread, uint32_t by,
                 struct err *err)
{
	struct sched_thread *woken = sched_thread_at(sched, thread);

	if (!take_fact(sched, &at, err))
		return false;
	sched->wakeups++;
	sched_touch(sched, woken, at);
	/* only who has run can have gone to sleep */
	if (woken->fresh && !sched_has_run(sched, thread, err))
		return false;
	if (woken->state == SCHED_RUNNING || woken->state == SCHED_WAITING)
		return true;
	sched_turn(sched, woken, at, SCHED_WAITING);
	woken->sums.wakeups++;
	return sched_begin_wait(sched, woken, at, sched->words.wakeup, STRING_EMPTY, by, err);
}

bool sched_woken_new(struct sched *sched, struct sched_at at, uint32_t thread, uint32_t by,
                     struct err *err)
{
	struct sched_thread *woken = sched_thread_at(sched, thread);

	if (!take_fact(sched, &at, err))
		return false;
	if (woken->fresh) { /* it waits from now on, not since its FORK */
		if (woken->wait.token != INTERVAL_NO_TOKEN)
			sched->sink.cancel(sched->sink.context, woken->wait.token);
		woken->wait.token = INTERVAL_NO_TOKEN;
		sched_become(sched, woken, SCHED_UNKNOWN);
		woken->fresh = false;
	}
	sched_touch(sched, woken, at);
	sched_turn(sched, woken, at, SCHED_WAITING);
	woken->sums.wakeups++;
	return sched_begin_wait(sched, woken, at, sched->words.new, STRING_EMPTY, by, err);
}

bool sched_forked(struct sched *sched, struct sched_at at, uint32_t thread, uint32_t by,
                  struct err *err)
{
	struct sched_thread *child = sched_thread_at(sched, thread);

	if (!take_fact(sched, &at, err))
		return false;
	sched_touch(sched, child, at);
	sched_turn(sched, child, at, SCHED_WAITING);
	child->fresh = child->forked = true;
	return sched_begin_wait(sched, child, at, sched->words.new, STRING_EMPTY, by, err);
}

bool sched_exited(struct sched *sched, struct sched_at at, uint32_t thread, struct err *err)
{
	struct sched_thread *gone = sched_thread_at(sched, thread);

	if (!take_fact(sched, &at, err))
		return false;
	/* it wrote the record while it ran */
	if (gone->state != SCHED_RUNNING && !sched_forget(sched, gone, err))
		return false;
	sched_touch(sched, gone, at);
	if (!sched_exit_at(gone, at, err))
		return false;
	return sched->has_switch || sched_gone(sched, thread, err);
}

bool sched_gone(struct sched *sched, uint32_t thread, struct err *err)
{
	struct sched_thread *gone = sched_thread_at(sched, thread);
	struct sched_cpu *cpu = sched_cpu_find(sched, gone->ran);

	if (cpu && cpu->running == thread)
		cpu->running = SCHED_NOBODY;
	return sched_close(sched, gone, err);
}

bool sched_moved(struct sched *sched, struct sched_at at, uint32_t from, uint32_t to, bool known,
                 struct err *err)
{
	struct sched_thread *old = sched_thread_at(sched, from), *new = sched_thread_at(sched, to);
	struct sched_cpu *cpu = sched_cpu_find(sched, old->ran);

	if (!take_fact(sched, &at, err))
		return false;
	sched_touch(sched, new, at);
	if (!known)
		return sched_gone(sched, from, err);
	if (sched->on_move.moved && !sched->on_move.moved(sched->on_move.context, from, to, err))
		return false;
	sched_touch(sched, old, at);
	sched_become(sched, new, old->state);
	new->ran = old->ran;
	if (!old->hole) {
		new->since.token = old->since.token;
		new->off = old->off;
		new->wait = old->wait;
		old->since.token = old->off.token = old->wait.token = INTERVAL_NO_TOKEN;
	}
	if (cpu && cpu->running == from)
		cpu->running = to;
	return sched_close(sched, old, err);
}

bool sched_lost(struct sched *sched, struct sched_at at, struct err *err)
{
	size_t first = at.cpu < 0 ? 0 : (size_t)at.cpu;
	size_t end = at.cpu < 0 ? sched->cpu_count : first + 1;

	if (!take_fact(sched, &at, err))
		return false;
	sched->lost_seq = sched->seq;
	if (at.cpu < 0)
		sched->lost_all_seq = sched->seq;
	for (size_t i = first; i < end && i < sched->cpu_count; i++) {
		uint32_t running = sched->cpus[i].running;

		sched->cpus[i].lost_seq = sched->seq;
		if (!sched_cpu_forget(sched, (int32_t)i, err) ||
		    !forget_running(sched, running, err))
			return false;
	}
	return true;
}

bool sched_note_seen(struct sched *sched, struct sched_at at, uint32_t thread, struct err *err)
{
	if (sched->keeps_no_times)
		return sched_cpu_get(sched, at.cpu, err) || err->code == ERR_NONE;
	if (!take_fact(sched, &at, err))
		return false;
	if (sched_is_thread(thread) && !sched_thread_at(sched, thread)->ended)
		sched_touch(sched, sched_thread_at(sched, thread), at);
	return true;
}

/* The time that the other one, whose FORK is recorded, waited before the first record of thread. */
static bool add_new_wait(struct sched *sched, struct sched_thread *thread,
                         struct sched_thread *other, struct err *err)
{
	uint64_t length = thread->start - other->start;
	const struct interval_end end = { .time = thread->start,
		                          .cpu = thread->began_cpu,
		                          .earlier = true,
		                          .nr = thread->began_nr };
	uint32_t token = other->wait.token;

	other->wait.token = INTERVAL_NO_TOKEN;
	if (!thread->began_in || !other->fresh) {
		thread->sums.states[SCHED_UNKNOWN] += length;
		if (token != INTERVAL_NO_TOKEN && other->fresh)
			sched->sink.cancel(sched->sink.context, token);
		else
			other->wait.token = token;
		return true;
	}
	thread->sums.states[SCHED_WAITING] += length;
	thread->sums.waits++;
	thread->sums.wait_sum += length;
	if (length > thread->sums.max_wait || thread->sums.waits == 1) {
		thread->sums.max_wait = length;
		thread->sums.max_wait_time = other->start;
	}
	return token == INTERVAL_NO_TOKEN || sched->sink.end(sched->sink.context, token, &end, err);
}

bool sched_merged(struct sched *sched, uint32_t number, uint32_t absorbed, struct err *err)
{
	struct sched_thread *thread = sched_thread_at(sched, number);
	struct sched_thread *other = sched_thread_at(sched, absorbed);
	struct sched_cpu *cpu = sched_cpu_find(sched, other->ran);

	if (thread->pid < 0)
		thread->pid = other->pid;
	if (!thread->touched && other->touched) {
		thread->touched = true;
		thread->start = thread->end = other->end;
		thread->since = (struct sched_mark){ other->end, sched->seq, -1,
			                             INTERVAL_NO_TOKEN };
	}
	if (other->touched && other->start < thread->start) {
		if (!add_new_wait(sched, thread, other, err))
			return false;
		thread->start = other->start;
	}
	if (cpu && cpu->running == absorbed)
		cpu->running = number;
	other->touched = false;
	return sched_close(sched, other, err);
}

bool sched_add_irq(struct sched *sched, int32_t number, bool soft, uint64_t length, struct err *err)
{
	struct sched_cpu *cpu = sched_cpu_get(sched, number, err);

	if (cpu && soft)
		cpu->softirq += length;
	else if (cpu)
		cpu->irq += length;
	return err->code == ERR_NONE;
}

bool sched_finish(struct sched *sched, struct err *err)
{
	for (size_t i = 0; i < sched->threads.count; i++)
		if (!sched_close(sched, &sched->threads.items[i], err))
			return false;
	return sched_cpus_finish(sched, err);
}
