/*
 * The threads that the scheduler's records are about, and their numbers. A recording made inside a
 * container has two numbers for a thread: the kernel's, in the payloads of tracepoints, and the
 * container's, in everything else. Each sample tells one pair of them.
 *
 *   same numbers:  number --> thread
 *   two numbers:   kernel's number --> thread <-- container's number
 *
 * A number that is used again is another thread.
 */
#ifndef READPERF_DECODE_INTERVALS_SCHEDTHREADS_H
#define READPERF_DECODE_INTERVALS_SCHEDTHREADS_H

#include "util/hash.h"
#include "util/strings.h"

enum sched_state {
	SCHED_UNKNOWN, /* also: out, and nothing tells why */
	SCHED_RUNNING,
	SCHED_WAITING, /* for a CPU */
	SCHED_SLEEPING,
	SCHED_BLOCKED,
	SCHED_STOPPED,
	SCHED_STATES
};

#define SCHED_NO_THREAD UINT32_MAX
#define SCHED_RECENT 256   /* a power of two */
#define SCHED_NAME_SIZE 16 /* bytes of a thread's name in the kernel */

/* What threads.csv sums up. */
struct sched_sums {
	uint64_t states[SCHED_STATES]; /* ns, by enum sched_state */
	uint64_t switches;             /* out */
	uint64_t preempted;            /* of them, those that a preemption made */
	uint64_t wakeups, migrations;
	uint64_t waits, wait_sum;         /* those with a begin and an end; ns */
	uint64_t max_wait, max_wait_time; /* ns; where the longest one began */
};

/* Where an open interval began. */
struct sched_mark {
	uint64_t time, seq;
	int32_t cpu;
	uint32_t token; /* of the sink */
};

struct sched_thread {
	int32_t kernel;             /* the kernel's number; -1: not known */
	int32_t tid;                /* the number in samples; -1: it never wrote a record */
	int32_t pid;                /* -1: not known */
	uint32_t name;              /* string */
	char text[SCHED_NAME_SIZE]; /* its name as it was last read; zeros: not yet */
	uint8_t state;
	bool out;      /* switched out, by record, and not in again */
	bool fresh;    /* made by FORK, and not yet woken or switched in */
	bool forked;   /* made by FORK */
	bool began_in; /* its first record switched it in: began_nr on began_cpu */
	bool exited;   /* EXIT was recorded */
	bool ended;
	bool called;  /* it wrote a record of a syscall; for the engine */
	bool touched; /* it has a record: start and end are valid */
	bool hole;    /* records were lost between `since` and `end` */
	int32_t began_cpu;
	uint64_t began_nr;
	int32_t ran;             /* the CPU on which it runs, or ran last; -1: not known */
	uint32_t by;             /* a thread that woke it, SCHED_IDLER, or SCHED_NO_THREAD */
	uint32_t child;          /* the last thread that it made, or SCHED_NO_THREAD */
	uint64_t start, end;     /* ns: its first and its last record */
	struct sched_mark since; /* of the state; its token is that of on-cpu */
	struct sched_mark off, wait;
	/* a wait that has ended, while it is not known which number in the container it is of */
	struct {
		uint64_t time, nr;
		int32_t cpu;
		uint32_t token;
	} late;
	struct sched_sums sums;
	struct sched_sums *at_exit; /* malloc'd; NULL: no EXIT */
	uint64_t exit_time, exit_nr;
	uint32_t exit_token; /* of the on-cpu interval that was open at EXIT */
};

struct sched_threads {
	struct strings *strings; /* borrowed */
	struct sched_thread *items;
	size_t count, capacity;
	struct map kernel, sample; /* number -> thread; sample is only used with two_numbers */
	bool two_numbers;          /* the recording was made inside a container */
	/* of the map of the kernel's numbers, those that were looked up last; by number */
	struct {
		int32_t number;
		uint32_t thread; /* index + 1; 0: none */
	} recent[SCHED_RECENT];
};

void sched_threads_release(struct sched_threads *threads);

/*
 * The thread with this number now: the kernel's, or that of samples. A new one is made if there is
 * none, or if the one that there was has ended. SCHED_NO_THREAD with err set when memory is
 * refused.
 */
uint32_t sched_thread_of_kernel(struct sched_threads *threads, int32_t number, struct err *err);
uint32_t sched_thread_of_sample(struct sched_threads *threads, int32_t number, struct err *err);
/*
 * The thread that wrote a sample, if all that the sample tells of it is known: it is what
 * sched_task_writer() would find. Otherwise SCHED_NO_THREAD.
 */
static inline uint32_t sched_thread_known(const struct sched_threads *threads, int32_t kernel,
                                          int32_t pid, int32_t tid)
{
	const size_t at = (uint32_t)kernel % SCHED_RECENT;
	const uint32_t number = threads->recent[at].thread - 1; /* of none: SCHED_NO_THREAD */
	const struct sched_thread *thread;

	if (number == SCHED_NO_THREAD || threads->recent[at].number != kernel || tid <= 0)
		return SCHED_NO_THREAD;
	thread = &threads->items[number];
	return thread->kernel == kernel && thread->tid == tid && thread->pid == pid &&
	                       !thread->ended
	               ? number
	               : SCHED_NO_THREAD;
}
/* The thread that has the number, even if it has ended; SCHED_NO_THREAD: there is none. */
uint32_t sched_find_kernel(struct sched_threads *threads, int32_t number);
uint32_t sched_find_sample(const struct sched_threads *threads, int32_t number);
/* A new thread that has the number from now on. */
uint32_t sched_new_of_kernel(struct sched_threads *threads, int32_t number, struct err *err);
uint32_t sched_new_of_sample(struct sched_threads *threads, int32_t number, struct err *err);
/*
 * A sample told that the thread with the kernel's number has this number in samples. *other: a
 * thread that was known by the latter alone and is to be merged into the result; SCHED_NO_THREAD:
 * none.
 */
uint32_t sched_thread_pair(struct sched_threads *threads, int32_t kernel, int32_t tid,
                           uint32_t *other, struct err *err);
/* Gives a thread that is known by its number in samples the kernel's number, too. */
bool sched_thread_bind(struct sched_threads *threads, uint32_t thread, int32_t kernel,
                       struct err *err);
/* Sets its name; text: size bytes, with a NUL unless all are used. */
bool sched_thread_name(struct sched_threads *threads, uint32_t thread, const char *text,
                       size_t size, struct err *err);

/* The number that tables show. */
static inline int32_t sched_thread_number(const struct sched_thread *thread)
{
	return thread->tid >= 0 ? thread->tid : thread->kernel;
}

#endif
