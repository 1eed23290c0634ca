/* The threads that have samples of an event, or something else to show, with their names. */
#ifndef READPERF_DECODE_EXPORTS_THREADLIST_H
#define READPERF_DECODE_EXPORTS_THREADLIST_H

#include "decode/tables/tables.h"
#include "decode/tally/intervallog.h"

struct listed_thread {
	int32_t pid, tid; /* -1: unknown */
	uint32_t process; /* string: the last name of its process; STRING_EMPTY: no sample had it */
	uint32_t name;    /* string: what an interval calls it; STRING_EMPTY: none does */
	uint64_t samples, period;
};

/* All zeros is empty. */
struct thread_list {
	struct listed_thread *items;
	size_t count, capacity;
	struct map numbers; /* pid << 32 | tid -> number */
};

void thread_list_release(struct thread_list *list);
/* The number of the thread, which is added if it is new; MAP_NONE with err set. */
uint32_t thread_list_put(struct thread_list *list, int32_t pid, int32_t tid, struct err *err);
/* Its number, or MAP_NONE. */
uint32_t thread_list_find(const struct thread_list *list, int32_t pid, int32_t tid);
/* Counts a sample of its thread; MAP_NONE with err set. */
uint32_t thread_list_count(struct thread_list *list, const struct logged_sample *sample,
                           struct err *err);
/* A string: the name that a thread had last; `process` if none is known. */
uint32_t last_thread_name(const struct report *report, int32_t pid, int32_t tid, uint32_t process);
/*
 * A string: the name of an interval's thread. A thread of an unknown process, which others only
 * switched to or woke, has the name that those records give.
 */
uint32_t interval_thread_name(const struct report *report, const struct interval_row *row);
/* The names that thread and process had last. */
const char *listed_thread_name(const struct report *report, const struct listed_thread *thread);
const char *listed_process_name(const struct report *report, const struct listed_thread *thread);

#endif
