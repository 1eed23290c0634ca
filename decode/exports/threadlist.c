#include "decode/exports/threadlist.h"

#include "util/vec.h"

#include <stdlib.h>

static uint64_t thread_key(int32_t pid, int32_t tid)
{
	return (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid;
}

void thread_list_release(struct thread_list *list)
{
	map_release(&list->numbers);
	free(list->items);
	list->items = NULL;
	list->count = list->capacity = 0;
}

uint32_t thread_list_put(struct thread_list *list, int32_t pid, int32_t tid, struct err *err)
{
	const struct listed_thread thread = {
		.pid = pid, .tid = tid, .process = STRING_EMPTY, .name = STRING_EMPTY
	};
	const uint32_t number = map_number(&list->numbers, thread_key(pid, tid), err);

	if (number == list->count &&
	    !vec_append(&list->items, &list->count, &list->capacity, &thread, sizeof(thread), err))
		return MAP_NONE;
	return number;
}

uint32_t thread_list_find(const struct thread_list *list, int32_t pid, int32_t tid)
{
	return map_get(&list->numbers, thread_key(pid, tid));
}

uint32_t thread_list_count(struct thread_list *list, const struct logged_sample *sample,
                           struct err *err)
{
	const struct log_task *task = sample->task;
	const uint32_t number = thread_list_put(list, task->has_tid ? task->pid : -1,
	                                        task->has_tid ? task->tid : -1, err);

	if (number == MAP_NONE)
		return MAP_NONE;
	list->items[number].process = task->comm;
	list->items[number].samples++;
	list->items[number].period += sample->period;
	return number;
}

uint32_t last_thread_name(const struct report *report, int32_t pid, int32_t tid, uint32_t process)
{
	const struct processes *processes = &report->stat->processes;
	const uint32_t number = map_get(&processes->pids, (uint32_t)pid);

	return number == MAP_NONE ? process : processes_thread_name(processes, number, tid);
}

uint32_t interval_thread_name(const struct report *report, const struct interval_row *row)
{
	return row->pid < 0 && row->thread != STRING_EMPTY
	               ? row->thread
	               : last_thread_name(report, row->pid, row->tid, row->comm);
}

const char *listed_thread_name(const struct report *report, const struct listed_thread *thread)
{
	if (thread->pid < 0 && thread->name != STRING_EMPTY)
		return strings_get(report->stat->strings, thread->name);
	return strings_get(report->stat->strings,
	                   last_thread_name(report, thread->pid, thread->tid, thread->process));
}

const char *listed_process_name(const struct report *report, const struct listed_thread *thread)
{
	const struct processes *processes = &report->stat->processes;
	const uint32_t process = map_get(&processes->pids, (uint32_t)thread->pid);

	return strings_get(report->stat->strings,
	                   process == MAP_NONE ? thread->process : processes->items[process].comm);
}
