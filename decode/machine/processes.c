#include "decode/machine/processes.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

bool processes_init(struct processes *processes, struct strings *strings, struct err *err)
{
	memset(processes, 0, sizeof(*processes));
	processes->strings = strings;
	processes->unknown = strings_put_text(strings, "[unknown]", err);
	processes->swapper = strings_put_text(strings, "swapper", err);
	processes->kernel = strings_put_text(strings, "[kernel]", err);
	return err->code == ERR_NONE;
}

void processes_release(struct processes *processes)
{
	for (size_t i = 0; i < processes->count; i++)
		space_put(processes->items[i].space);
	space_pool_release(&processes->pool);
	free(processes->items);
	map_release(&processes->pids);
	map_release(&processes->tids);
	map_release(&processes->thread_names);
	memset(processes, 0, sizeof(*processes));
}

/* Adds a process, which takes over the pid from any earlier process. */
static uint32_t add_process(struct processes *processes, int32_t pid, struct err *err)
{
	uint32_t number = (uint32_t)processes->count;
	struct process *process;

	if (!vec_room(&processes->items, processes->count, &processes->capacity, sizeof(*process),
	              err) ||
	    !map_put(&processes->pids, (uint32_t)pid, number, err))
		return PROCESS_NONE;
	process = &processes->items[processes->count++];
	memset(process, 0, sizeof(*process));
	process->pid = pid;
	process->ppid = -1;
	process->comm = pid == 0    ? processes->swapper
	                : pid == -1 ? processes->kernel
	                            : processes->unknown;
	process->named = pid == 0 || pid == -1;
	process->fork = process->exit = TIME_NONE;
	return number;
}

/*
 * Notes a thread of the process. If a thread starts under a tid whose thread had exited, or had
 * started already (its exit was lost then), it is a new one and counts again. A thread that perf
 * announced and that starts later does not count again. Tid -1 is none: the kernel writes it when
 * the task has exited and its tid is not known any more. Older kernels write 0 then, which is else
 * the idle task's.
 */
static bool see_thread(struct processes *processes, uint32_t number, int32_t tid, bool started,
                       struct err *err)
{
	struct process *process = &processes->items[number];
	const uint64_t thread = process_thread(number, tid);
	const uint32_t known = map_get(&processes->tids, thread);

	if (tid == -1 || (tid == 0 && process->pid > 0) || (!started && known != MAP_NONE))
		return true;
	if (!map_put(&processes->tids, thread, started ? TID_STARTED : TID_LIVES, err))
		return false;
	process->threads += known != TID_LIVES;
	process->live += !thread_is_live(known);
	return true;
}

static uint32_t find_process(const struct processes *processes, int32_t pid)
{
	return map_get(&processes->pids, (uint32_t)pid);
}

uint32_t processes_get(struct processes *processes, int32_t pid, int32_t tid, struct err *err)
{
	const size_t at = (uint32_t)tid % PROCESSES_RECENT;
	uint32_t number;

	/* a thread that was seen once needs not be noted again */
	if (processes->recent[at].processes == processes->count &&
	    processes->recent[at].pid == pid && processes->recent[at].tid == tid &&
	    processes->count)
		return processes->recent[at].number;
	number = find_process(processes, pid);
	if (number == PROCESS_NONE)
		number = add_process(processes, pid, err);
	if (number == PROCESS_NONE || !see_thread(processes, number, tid, false, err))
		return PROCESS_NONE;
	processes->recent[at].pid = pid;
	processes->recent[at].tid = tid;
	processes->recent[at].number = number;
	processes->recent[at].processes = processes->count;
	return number;
}

uint32_t processes_get_living(struct processes *processes, int32_t pid, int32_t tid,
                              struct err *err)
{
	uint32_t number = find_process(processes, pid);

	if (number != PROCESS_NONE && process_is_over(&processes->items[number]) &&
	    add_process(processes, pid, err) == PROCESS_NONE)
		return PROCESS_NONE;
	return processes_get(processes, pid, tid, err);
}

uint32_t processes_thread_name(const struct processes *processes, uint32_t process, int32_t tid)
{
	uint32_t name = map_get(&processes->thread_names, process_thread(process, tid));

	return name != MAP_NONE ? name : processes->items[process].comm;
}

/* Sets the name of the thread from now on, if names are kept. */
static bool name_thread(struct processes *processes, uint32_t process, int32_t tid, uint32_t name,
                        struct err *err)
{
	return !processes->keep_thread_names ||
	       map_put(&processes->thread_names, process_thread(process, tid), name, err);
}

/* A thread starts with the name of the thread that started it. */
static bool inherit_thread_name(struct processes *processes, uint32_t child,
                                const struct record *record, struct err *err)
{
	uint32_t parent = find_process(processes, record->task.ppid), name;

	if (!processes->keep_thread_names || parent == PROCESS_NONE)
		return true;
	name = processes_thread_name(processes, parent, record->task.ptid);
	return name == processes->unknown || name_thread(processes, child, record->tid, name, err);
}

bool processes_comm(struct processes *processes, const struct record *record, bool exec_known,
                    struct err *err)
{
	bool exec = (record->misc & PERF_MISC_COMM_EXEC) && exec_known && record->time != TIME_NONE;
	uint32_t number = processes_get_living(processes, record->pid, record->tid, err);
	struct process *process;
	uint32_t comm = STRING_NONE;
	bool own;

	if (number == PROCESS_NONE)
		return false;
	process = &processes->items[number];
	/* the name of another thread is not that of the process, unless nothing better is known */
	own = record->tid == record->pid || !process->named;
	if (own || processes->keep_thread_names) {
		comm = strings_put(processes->strings, record->comm.text, record->comm.length, err);
		if (comm == STRING_NONE || !name_thread(processes, number, record->tid, comm, err))
			return false;
	}
	if (own) {
		process->comm = comm;
		process->named = record->tid == record->pid;
	}
	process->execs += exec;
	/* this record comes before the first mapping of the new program */
	return !exec || space_exec(&process->space, err);
}

/* The child inherits the name and, with `maps`, the mappings of its parent. */
static bool inherit_from_parent(struct processes *processes, uint32_t child, int32_t ppid,
                                bool maps, struct err *err)
{
	uint32_t parent = processes_get(processes, ppid, ppid, err);
	struct process *from, *to;

	if (parent == PROCESS_NONE)
		return false;
	from = &processes->items[parent];
	to = &processes->items[child];
	to->ppid = ppid;
	if (!to->named) {
		to->comm = from->comm;
		/* the name of a thread is not the child's own name */
		to->named = maps && from->named;
	}
	if (maps && from->space && !to->space)
		to->space = space_share(from->space);
	return true;
}

bool processes_fork(struct processes *processes, const struct record *record, struct err *err)
{
	/*
	 * perf writes FORKs for what ran before it; these copy nothing, because each mapping is
	 * written too
	 */
	bool told = (record->misc & PERF_MISC_FORK_EXEC) || record->task.own_time == 0;
	bool thread = record->pid == record->task.ppid;
	uint32_t number = find_process(processes, record->pid);

	if (!thread && (number == PROCESS_NONE || !told)) {
		number = add_process(processes, record->pid, err);
		if (number == PROCESS_NONE)
			return false;
		processes->items[number].fork = told ? TIME_NONE : record->time;
	} else {
		number = processes_get_living(processes, record->pid, record->tid, err);
	}
	if (number == PROCESS_NONE || !see_thread(processes, number, record->tid, !told, err) ||
	    !inherit_thread_name(processes, number, record, err))
		return false;
	return thread || inherit_from_parent(processes, number, record->task.ppid, !told, err);
}

bool processes_exit(struct processes *processes, const struct record *record, struct err *err)
{
	uint32_t number = processes_get(processes, record->pid, record->tid, err);
	const uint64_t thread = process_thread(number, record->tid);
	struct process *process;

	if (number == PROCESS_NONE)
		return false;
	process = &processes->items[number];
	if (thread_is_live(map_get(&processes->tids, thread))) {
		if (!map_put(&processes->tids, thread, TID_EXITED, err))
			return false;
		process->live--;
	}
	/* the end of a thread is not that of its process, unless the leader has exited before */
	if (record->tid == record->pid || process->exit != TIME_NONE)
		process->exit = record->time;
	if (process_is_over(process)) {
		space_put(process->space);
		process->space = NULL;
	}
	return true;
}

bool processes_map(struct processes *processes, uint32_t number, const struct space_map *map,
                   struct err *err)
{
	struct process *process = &processes->items[number];

	if (!process->space && !(process->space = space_new(&processes->pool, err)))
		return false;
	return space_insert(&process->space, map, err);
}
