/* What the scheduler's state machine keeps, and what it tells: see sched.h. */
#ifndef READPERF_DECODE_INTERVALS_SCHEDMACHINE_H
#define READPERF_DECODE_INTERVALS_SCHEDMACHINE_H

#include "decode/intervals/intervalsink.h"
#include "decode/intervals/schedthreads.h"

enum sched_event { SCHED_OFF_CPU, SCHED_WAIT, SCHED_ON_CPU, SCHED_IDLE_CPU, SCHED_EVENTS };

/* How a thread was switched out. */
struct sched_leave {
	enum sched_state state; /* SCHED_WAITING: preempted */
	bool ends;              /* the thread has ended */
	uint32_t letters; /* string: of its state, such as "S" and "R+"; empty: not recorded */
};

/* Who is told when a thread goes on as another one: see sched_moved(). */
struct sched_on_move {
	void *context;
	bool (*moved)(void *context, uint32_t from, uint32_t to, struct err *err);
};

/* Strings: what intervals are called. */
struct sched_words {
	uint32_t wakeup, new;
	uint32_t off[SCHED_STATES]; /* by the state of the thread that does not run */
};

enum sched_cpu_state { SCHED_CPU_UNKNOWN, SCHED_CPU_BUSY, SCHED_CPU_IDLE, SCHED_CPU_STATES };

#define SCHED_NOBODY SCHED_NO_THREAD /* who runs on the CPU is not known */
#define SCHED_IDLER (SCHED_NO_THREAD - 1)

/* Whether it is the number of a thread, and not that of thread 0 or of nobody. */
static inline bool sched_is_thread(uint32_t number)
{
	return number < SCHED_IDLER;
}

struct sched_cpu {
	bool seen;           /* a record is of it */
	uint8_t state;       /* enum sched_cpu_state */
	uint32_t running;    /* a thread, SCHED_IDLER or SCHED_NOBODY */
	uint32_t idle_token; /* of the open interval */
	bool hole;           /* records were lost between `since` and `end` */
	uint64_t start, end; /* ns: its first and its last record */
	uint64_t since, since_seq;
	uint64_t lost_seq; /* the last fact that tells of lost records; 0: none */
	uint64_t sums[SCHED_CPU_STATES];
	uint64_t switches;     /* to another thread */
	uint64_t threads;      /* that ran on it, without the idle thread */
	uint64_t irq, softirq; /* ns: see sched_add_irq() */
};

/* CPUs with a higher number than any kernel supports are treated as one that is not recorded. */
#define SCHED_CPUS_MOST 65536

struct sched {
	struct sched_threads threads;
	struct sched_cpu *cpus; /* by number */
	size_t cpu_count, cpu_capacity;
	struct map ran;                /* thread << 32 | cpu: the thread has run there */
	struct interval_sink sink;     /* no function: nobody makes events */
	uint32_t events[SCHED_EVENTS]; /* numbers in the session, for the sink */
	struct sched_words words;
	struct sched_on_move on_move; /* no function: nobody is told */
	uint64_t seq;                 /* of the fact at hand, from 1 */
	uint64_t now;                 /* ns: the latest time so far */
	uint64_t lost_seq;            /* the last loss on any CPU; 0: none */
	uint64_t lost_all_seq;        /* the last loss on a CPU that is not known; 0: none */
	/* Switches out by tracepoint are recorded, so that the last one of a thread may follow its
	 * EXIT. Set before the first fact. */
	bool has_switch;
	bool has_irq, has_softirq; /* sched_add_irq() is called for all of them */
	/* set before the first record: nobody asks when a thread or CPU had its first and last one
	 */
	bool keeps_no_times;
	uint64_t missed;    /* switches that must have happened without a record */
	uint64_t idle_outs; /* records that the idle thread wrote: all CPUs are recorded */
	uint64_t switch_outs, wakeups; /* facts of these kinds */
	int64_t running;               /* threads in SCHED_RUNNING */
};

/* Where and when. */
struct sched_at {
	uint64_t time;
	int32_t cpu; /* -1: not recorded */
	uint64_t nr; /* of the record */
};

#endif
