/*
 * Processes by pid, their threads and their mappings, and how records change them: format
 * reference, 8.2.
 */
#ifndef READPERF_DECODE_MACHINE_PROCESSES_H
#define READPERF_DECODE_MACHINE_PROCESSES_H

#include "decode/machine/binaries.h"
#include "decode/machine/space.h"
#include "perffile/record/sample.h"
#include "util/hash.h"

struct process {
	int32_t pid, ppid;   /* ppid: -1 if not known */
	uint32_t comm;       /* string: its last name */
	bool named;          /* a record had the name */
	uint64_t mmaps;      /* MMAP and MMAP2 records */
	uint64_t fork, exit; /* ns; TIME_NONE: not recorded */
	uint32_t threads;    /* all threads that were seen */
	uint32_t live;       /* those of them that are not known to have exited */
	uint32_t execs;      /* how often it has begun to run another program */
	struct space *space; /* NULL: nothing is mapped, or the process has exited */
};

#define PROCESS_NONE UINT32_MAX

/*
 * Whether all its threads are known to have exited, so that only a new process can have this pid
 * now.
 */
static inline bool process_is_over(const struct process *process)
{
	return process->exit != TIME_NONE && process->live == 0;
}

/* States of a thread. TID_STARTED: alive, and its FORK was recorded. */
enum { TID_EXITED, TID_LIVES, TID_STARTED };

static inline bool thread_is_live(uint32_t state)
{
	return state == TID_LIVES || state == TID_STARTED;
}

/* The key of a thread in maps. */
static inline uint64_t process_thread(uint32_t process, int32_t tid)
{
	return (uint64_t)process << 32 | (uint32_t)tid;
}

#define PROCESSES_RECENT 128 /* a power of two */

struct processes {
	struct strings *strings; /* borrowed */
	struct space_pool pool;  /* for the address spaces of the processes and of the kernel */
	struct process *items;   /* in order of appearance */
	size_t count, capacity;
	struct map pids;                   /* pid -> the process that has it now */
	struct map tids;                   /* process << 32 | tid -> state of the thread */
	uint32_t unknown, swapper, kernel; /* strings */
	bool keep_thread_names;            /* set before the first record if they are needed */
	struct map thread_names;           /* process << 32 | tid -> string */
	/* What processes_get() returned last, by tid; as long as there are as many processes. */
	struct {
		int32_t pid, tid;
		uint32_t number;
		size_t processes; /* 0: nothing is kept */
	} recent[PROCESSES_RECENT];
};

bool processes_init(struct processes *processes, struct strings *strings, struct err *err);
void processes_release(struct processes *processes);

/*
 * The process that has the pid now; it is added if there is none. tid is noted as one of its
 * threads. PROCESS_NONE with err set when memory is refused.
 */
uint32_t processes_get(struct processes *processes, int32_t pid, int32_t tid, struct err *err);

/*
 * processes_get() for a record that a process which has exited cannot cause: the pid must have been
 * given to a new process.
 */
uint32_t processes_get_living(struct processes *processes, int32_t pid, int32_t tid,
                              struct err *err);

/*
 * Apply these records to processes and threads. exec_known: COMM records say whether they come from
 * an exec (attr flag comm_exec), which removes all mappings. False with err set when memory is
 * refused.
 */
bool processes_comm(struct processes *processes, const struct record *record, bool exec_known,
                    struct err *err);
bool processes_fork(struct processes *processes, const struct record *record, struct err *err);
bool processes_exit(struct processes *processes, const struct record *record, struct err *err);
/* Maps [map->start, map->end) into the process with this number. */
bool processes_map(struct processes *processes, uint32_t process, const struct space_map *map,
                   struct err *err);
/*
 * A string: the current name of the thread, or that of the process if the thread has none. Requires
 * keep_thread_names.
 */
uint32_t processes_thread_name(const struct processes *processes, uint32_t process, int32_t tid);

#endif
