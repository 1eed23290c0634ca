#include "decode/intervals/schedtask.h"

#include "decode/intervals/schedcpus.h"
#include "decode/intervals/schedstate.h"

#include <string.h>

static void set_process(struct sched *sched, uint32_t thread, int32_t pid)
{
	if (pid > 0)
		sched_thread_at(sched, thread)->pid = pid;
}

bool sched_task_writer(struct sched *sched, int32_t number, int32_t pid, int32_t tid,
                       uint32_t *writer, struct err *err)
{
	uint32_t other = SCHED_NO_THREAD;

	if (tid <= 0) {
		*writer = sched_thread_of_kernel(&sched->threads, number, err);
		return *writer != SCHED_NO_THREAD;
	}
	*writer = sched_thread_pair(&sched->threads, number, tid, &other, err);
	if (*writer == SCHED_NO_THREAD ||
	    (other != SCHED_NO_THREAD && !sched_merged(sched, *writer, other, err)))
		return false;
	if (sched_thread_at(sched, *writer)->ended) {
		*writer = sched_thread_of_kernel(&sched->threads, number, err);
		if (*writer == SCHED_NO_THREAD)
			return false;
	}
	set_process(sched, *writer, pid);
	return true;
}

/*
 * In a container, a thread that by its number in samples is new gets a CPU by a sched_switch with
 * the kernel's number. Its first own record on that CPU tells that the two are one, before a sample
 * of it tells both numbers; that they have the same name makes sure of it where a switch in between
 * is missing.
 */
static bool join_numbers(struct sched *sched, struct sched_at at, int32_t pid, int32_t tid,
                         struct err *err)
{
	const struct sched_cpu *cpu = sched_cpu_find(sched, at.cpu);
	const uint32_t known = sched_find_sample(&sched->threads, tid);
	const struct sched_thread *made, *runs;
	uint32_t writer;

	if (known == SCHED_NO_THREAD || !cpu || !sched_is_thread(cpu->running))
		return true;
	made = sched_thread_at(sched, known);
	runs = sched_thread_at(sched, cpu->running);
	if (made->kernel >= 0 || runs->kernel < 0 || runs->tid >= 0 ||
	    !(made->fresh ? runs->began_in : !made->touched) ||
	    memcmp(made->text, runs->text, SCHED_NAME_SIZE) != 0)
		return true;
	return sched_task_writer(sched, runs->kernel, pid, tid, &writer, err);
}

uint32_t sched_task_new(struct sched *sched, int32_t number, uint32_t parent, struct err *err)
{
	struct sched_threads *threads = &sched->threads;
	uint32_t known = sched_find_kernel(threads, number);

	if (threads->two_numbers && sched_is_thread(parent)) {
		/* the parent has just written its FORK, with the child's number in samples */
		uint32_t child = sched_thread_at(sched, parent)->child;

		if (child != SCHED_NO_THREAD && sched_thread_at(sched, child)->fresh &&
		    sched_thread_at(sched, child)->kernel < 0)
			return sched_thread_bind(threads, child, number, err) ? child
			                                                      : SCHED_NO_THREAD;
	}
	if (known == SCHED_NO_THREAD || sched_thread_at(sched, known)->ended ||
	    sched_thread_at(sched, known)->fresh || !sched_thread_at(sched, known)->touched)
		return sched_thread_of_kernel(threads, number, err);
	return sched_gone(sched, known, err) ? sched_new_of_kernel(threads, number, err)
	                                     : SCHED_NO_THREAD;
}

bool sched_task_living(struct sched *sched, int32_t pid, int32_t tid, uint32_t *thread,
                       struct err *err)
{
	const uint32_t known = sched_find_sample(&sched->threads, tid);

	*thread = SCHED_NO_THREAD;
	if (known != SCHED_NO_THREAD && sched_thread_at(sched, known)->ended)
		return true;
	*thread = sched_thread_of_sample(&sched->threads, tid, err);
	if (*thread == SCHED_NO_THREAD)
		return false;
	set_process(sched, *thread, pid);
	return true;
}

bool sched_task_running(struct sched *sched, struct sched_at at, int32_t pid, int32_t tid,
                        uint32_t *thread, struct err *err)
{
	return (!sched->threads.two_numbers || join_numbers(sched, at, pid, tid, err)) &&
	       sched_task_living(sched, pid, tid, thread, err);
}

bool sched_task_seen(struct sched *sched, struct sched_at at, int32_t pid, int32_t tid,
                     struct err *err)
{
	uint32_t thread = SCHED_NO_THREAD;

	return (tid <= 0 || sched_task_running(sched, at, pid, tid, &thread, err)) &&
	       sched_seen(sched, at, thread, err);
}

bool sched_task_old(struct sched *sched, int32_t pid, int32_t tid, const char *name, size_t size,
                    struct err *err)
{
	uint32_t thread;

	if (tid == 0 || !sched_task_living(sched, pid, tid, &thread, err))
		return tid == 0;
	return thread == SCHED_NO_THREAD ||
	       sched_thread_name(&sched->threads, thread, name, size, err);
}

bool sched_task_forked(struct sched *sched, struct sched_at at, const struct record *record,
                       struct err *err)
{
	uint32_t known = sched_find_sample(&sched->threads, record->tid);
	uint32_t parent = SCHED_NO_THREAD, child;

	if (record->tid <= 0)
		return sched_seen(sched, at, SCHED_NO_THREAD, err);
	if (known != SCHED_NO_THREAD && !sched_gone(sched, known, err))
		return false;
	if (record->task.ptid == 0)
		parent = SCHED_IDLER;
	else if (record->task.ptid > 0 &&
	         !sched_task_running(sched, at, record->task.ppid, record->task.ptid, &parent, err))
		return false;
	child = sched_new_of_sample(&sched->threads, record->tid, err);
	if (child == SCHED_NO_THREAD)
		return false;
	set_process(sched, child, record->pid);
	if (sched_is_thread(parent)) {
		struct sched_thread *from = sched_thread_at(sched, parent);
		struct sched_thread *to = sched_thread_at(sched, child);

		from->child = child;
		to->name = from->name;
		memcpy(to->text, from->text, sizeof(to->text));
	}
	return sched_seen(sched, at, parent, err) && sched_forked(sched, at, child, parent, err);
}

bool sched_task_exited(struct sched *sched, struct sched_at at, const struct record *record,
                       struct err *err)
{
	uint32_t thread;

	if (record->tid <= 0)
		return sched_seen(sched, at, SCHED_NO_THREAD, err);
	return sched_task_running(sched, at, record->pid, record->tid, &thread, err) &&
	       (thread == SCHED_NO_THREAD || sched_exited(sched, at, thread, err));
}

/*
 * exec by another thread than the first: the first one, whose number the record has, has exited,
 * and the thread that by record runs on the CPU is another one of the process.
 */
static bool exec_by_other(struct sched *sched, struct sched_at at, const struct record *record,
                          uint32_t first, bool known, struct err *err)
{
	const struct sched_cpu *cpu = sched_cpu_find(sched, at.cpu);
	uint32_t from = cpu ? cpu->running : SCHED_NOBODY, to;

	if (first == SCHED_NO_THREAD || !sched_thread_at(sched, first)->exited)
		return true;
	if (!sched_gone(sched, first, err))
		return false;
	to = sched_new_of_sample(&sched->threads, record->tid, err);
	if (to == SCHED_NO_THREAD)
		return false;
	set_process(sched, to, record->pid);
	if (!sched_is_thread(from) || from == first ||
	    sched_thread_at(sched, from)->pid != record->pid)
		return true;
	return sched_moved(sched, at, from, to, known, err);
}

bool sched_task_comm(struct sched *sched, struct sched_at at, const struct record *record,
                     bool has_exec, struct err *err)
{
	uint32_t thread = sched_find_sample(&sched->threads, record->tid);

	if (record->tid <= 0)
		return sched_seen(sched, at, SCHED_NO_THREAD, err);
	if ((record->misc & PERF_MISC_COMM_EXEC) &&
	    !exec_by_other(sched, at, record, thread, has_exec, err))
		return false;
	if (!sched_task_running(sched, at, record->pid, record->tid, &thread, err))
		return false;
	return (thread == SCHED_NO_THREAD ||
	        sched_thread_name(&sched->threads, thread, record->comm.text, record->comm.length,
	                          err)) &&
	       sched_seen(sched, at, thread, err);
}

/* COMM comes before, and may have named another one. */
static void copy_name(struct sched_thread *to, const struct sched_thread *from)
{
	to->name = from->name;
	memcpy(to->text, from->text, sizeof(to->text));
}

bool sched_task_exec(struct sched *sched, struct sched_at at, int32_t from, int32_t to,
                     struct err *err)
{
	uint32_t old = sched_find_kernel(&sched->threads, from);
	uint32_t first = sched_find_kernel(&sched->threads, to), new;

	/* COMM may have told it before */
	if (old == SCHED_NO_THREAD || sched_thread_at(sched, old)->ended)
		return true;
	if (first != SCHED_NO_THREAD && !sched_gone(sched, first, err))
		return false;
	new = sched_new_of_kernel(&sched->threads, to, err);
	if (new == SCHED_NO_THREAD)
		return false;
	set_process(sched, new, sched_thread_at(sched, old)->pid);
	if (first != SCHED_NO_THREAD && !sched_thread_at(sched, first)->exited)
		copy_name(sched_thread_at(sched, new), sched_thread_at(sched, first));
	return sched_moved(sched, at, old, new, true, err);
}
