/* threads.csv: what each thread did and for how long, by pid, tid and start. */
#include "decode/intervals/sched.h"
#include "decode/tables/tables.h"
#include "util/vec.h"

#include <stdlib.h>

struct thread_row {
	const struct report *report;
	const struct sched_thread *thread;
};

static int compare_threads(const void *a, const void *b)
{
	const struct sched_thread *x = ((const struct thread_row *)a)->thread;
	const struct sched_thread *y = ((const struct thread_row *)b)->thread;
	const int32_t x_tid = sched_thread_number(x), y_tid = sched_thread_number(y);

	/* a thread whose process is not known comes last */
	if (x->pid != y->pid)
		return (uint32_t)x->pid < (uint32_t)y->pid ? -1 : 1;
	if (x_tid != y_tid)
		return x_tid < y_tid ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool print_threads(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct sched_threads *threads = &report->sched->threads;
	struct thread_row *rows = vec_new(threads->count, sizeof(*rows), err);
	size_t count = 0;

	if (!rows)
		return false;
	for (size_t i = 0; i < threads->count; i++)
		if (threads->items[i].touched)
			rows[count++] = (struct thread_row){ report, &threads->items[i] };
	qsort(rows, count, sizeof(*rows), compare_threads);
	for (size_t i = 0; i < count; i++)
		table_row(out, &rows[i]);
	free(rows);
	return true;
}

static const struct sched_thread *thread_of(const void *row)
{
	return ((const struct thread_row *)row)->thread;
}

static const struct sched_sums *sums_of(const void *row)
{
	return &thread_of(row)->sums;
}

VALUE(thread_row, thread_pid, value_if(row->thread->pid >= 0, value_i64(row->thread->pid)));
VALUE(thread_row, thread_tid, value_i64(sched_thread_number(row->thread)));

/* The last name of the process, as in processes.csv. */
static struct value thread_comm(const void *row)
{
	const struct buildstat *stat = ((const struct thread_row *)row)->report->stat;
	const struct processes *processes = &stat->processes;
	const int32_t pid = thread_of(row)->pid;
	uint32_t process = pid < 0 ? MAP_NONE : map_get(&processes->pids, (uint32_t)pid);

	return process == MAP_NONE
	               ? value_none()
	               : value_str(strings_get(stat->strings, processes->items[process].comm));
}

static struct value thread_name(const void *row)
{
	const struct strings *strings =
		((const struct thread_row *)row)->report->sched->threads.strings;

	return value_str(strings_get(strings, thread_of(row)->name));
}

VALUE(thread_row, thread_start, value_time(row->thread->start));
VALUE(thread_row, thread_end, value_time(row->thread->end));
VALUE(thread_row, thread_on_cpu, value_u64(sums_of(row)->states[SCHED_RUNNING]));
VALUE(thread_row, thread_wait, value_u64(sums_of(row)->states[SCHED_WAITING]));
VALUE(thread_row, thread_sleeping, value_u64(sums_of(row)->states[SCHED_SLEEPING]));
VALUE(thread_row, thread_blocked, value_u64(sums_of(row)->states[SCHED_BLOCKED]));
VALUE(thread_row, thread_stopped, value_u64(sums_of(row)->states[SCHED_STOPPED]));
VALUE(thread_row, thread_unknown, value_u64(sums_of(row)->states[SCHED_UNKNOWN]));
VALUE(thread_row, thread_switches, value_u64(sums_of(row)->switches));
VALUE(thread_row, thread_preempted, value_u64(sums_of(row)->preempted));
VALUE(thread_row, thread_wakeups, value_u64(sums_of(row)->wakeups));
VALUE(thread_row, thread_migrations, value_u64(sums_of(row)->migrations));
VALUE(thread_row, thread_waits, value_u64(sums_of(row)->waits));

static struct value thread_mean_wait(const void *row)
{
	const struct sched_sums *sums = sums_of(row);

	return value_if(sums->waits != 0,
	                value_u64(sums->waits ? sums->wait_sum / sums->waits : 0));
}

VALUE(thread_row, thread_max_wait,
      value_if(sums_of(row)->waits != 0, value_u64(sums_of(row)->max_wait)));
VALUE(thread_row, thread_max_wait_time,
      value_if(sums_of(row)->waits != 0, value_time(sums_of(row)->max_wait_time)));

static const struct column threads_columns[] = {
	{ "pid", COLUMN_INTEGER, "", "its process; empty if it never wrote a record", 3,
	  thread_pid },
	{ "tid", COLUMN_INTEGER, "", "its number as in samples, else the kernel's", 4, thread_tid },
	{ "comm", COLUMN_TEXT, "", "last name of its process", 1, thread_comm },
	{ "thread", COLUMN_TEXT, "", "its own last name", 2, thread_name },
	{ "start", COLUMN_TIME, "ns", "its FORK, else its first record", 11, thread_start },
	{ "end", COLUMN_TIME, "ns", "its last switch, else its EXIT, else its last record", 12,
	  thread_end },
	{ "on_cpu", COLUMN_INTEGER, "ns", "it ran", 5, thread_on_cpu },
	{ "wait", COLUMN_INTEGER, "ns", "it could have run, and waited for a CPU", 6, thread_wait },
	{ "sleeping", COLUMN_INTEGER, "ns", "states S, I, N, until it was woken", 7,
	  thread_sleeping },
	{ "blocked", COLUMN_INTEGER, "ns", "states D, K, W, until it was woken", 8,
	  thread_blocked },
	{ "stopped", COLUMN_INTEGER, "ns", "states T, t, P, until it was woken", 9,
	  thread_stopped },
	{ "unknown", COLUMN_INTEGER, "ns", "no record tells", 10, thread_unknown },
	{ "switches", COLUMN_INTEGER, "switches", "out", 13, thread_switches },
	{ "preempted", COLUMN_INTEGER, "switches", "of them, those that a preemption made", 14,
	  thread_preempted },
	{ "wakeups", COLUMN_INTEGER, "wakeups", "that made it wait for a CPU", 15, thread_wakeups },
	{ "migrations", COLUMN_INTEGER, "switches", "to another CPU than before", 16,
	  thread_migrations },
	{ "waits", COLUMN_INTEGER, "waits", "whose begin and end are known", 17, thread_waits },
	{ "mean_wait", COLUMN_INTEGER, "ns", "of these waits", 18, thread_mean_wait },
	{ "max_wait", COLUMN_INTEGER, "ns", "the longest of them", 19, thread_max_wait },
	{ "max_wait_time", COLUMN_TIME, "ns", "when that began", 20, thread_max_wait_time },
};

static bool can_fill(const struct report *report)
{
	return sched_has_switches(report->sched);
}

const struct table threads_table = {
	.format = FORMAT_OF("threads", threads_columns),
	.needs = NEEDS_TALLY | NEEDS_SCHED,
	.can_fill = can_fill,
	.print = print_threads,
};
