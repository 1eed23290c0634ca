/* processes.csv: one row per process and event, by pid, fork time and event. */
#include "decode/tables/tables.h"
#include "util/vec.h"

#include <stdlib.h>

/* A process, and one of its counts. */
struct process_row {
	const struct buildstat *stat;
	const struct process *process;
	const struct sum *count; /* NULL: the process has no samples */
};

static int compare_processes(const void *a, const void *b)
{
	const struct process_row *x = a, *y = b;

	if (x->process->pid != y->process->pid)
		return x->process->pid < y->process->pid ? -1 : 1;
	if (x->process != y->process) {
		/* a process without a FORK record existed before all others with its pid */
		const int order = u64_order(x->process->fork + 1, y->process->fork + 1);

		return order ? order : x->process < y->process ? -1 : 1;
	}
	return x->count && y->count ? u64_order(x->count->event, y->count->event) : 0;
}

static bool print_processes(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct buildstat *stat = report->stat;
	const struct processes *processes = &stat->processes;
	size_t rows = stat->process_sums.count + processes->count, used = 0;
	struct process_row *order = vec_new(rows, sizeof(*order), err);
	bool *sampled = vec_new(processes->count, sizeof(*sampled), err);
	const bool ok = order && sampled;

	for (size_t i = 0; ok && i < stat->process_sums.count; i++) {
		const struct sum *count = &stat->process_sums.items[i];

		sampled[count->number] = true;
		order[used++] = (struct process_row){ stat, &processes->items[count->number],
			                              count };
	}
	for (size_t i = 0; ok && i < processes->count; i++)
		if (!sampled[i])
			order[used++] = (struct process_row){ stat, &processes->items[i], NULL };
	if (ok)
		qsort(order, used, sizeof(*order), compare_processes);
	for (size_t i = 0; i < used; i++)
		table_row(out, &order[i]);
	free(order);
	free(sampled);
	return ok;
}

VALUE(process_row, process_pid, value_i64(row->process->pid));
VALUE(process_row, process_comm, value_str(strings_get(row->stat->strings, row->process->comm)));
VALUE(process_row, process_mmaps, value_u64(row->process->mmaps));
VALUE(process_row, process_fork,
      value_if(row->process->fork != TIME_NONE, value_time(row->process->fork)));
VALUE(process_row, process_exit,
      value_if(row->process->exit != TIME_NONE, value_time(row->process->exit)));
VALUE(process_row, process_samples, value_u64(row->count ? row->count->samples : 0));
VALUE(process_row, process_period, value_u64(row->count ? row->count->period : 0));
VALUE(process_row, process_event,
      value_str(row->count ? buildstat_event_name(row->stat->session, row->count->event) : NULL));
VALUE(process_row, process_ppid, value_if(row->process->ppid != -1, value_i64(row->process->ppid)));
VALUE(process_row, process_threads, value_u64(row->process->threads));

static const struct column processes_columns[] = {
	{ "pid", COLUMN_INTEGER, "", "process; -1 holds the kernel's maps", 1, process_pid },
	{ "comm", COLUMN_TEXT, "", "its last name", 2, process_comm },
	{ "mmaps", COLUMN_INTEGER, "records", "its MMAP and MMAP2 records", 10, process_mmaps },
	{ "fork", COLUMN_TIME, "ns", "when it was forked, if recorded", 6, process_fork },
	{ "exit", COLUMN_TIME, "ns", "when it exited, if recorded", 7, process_exit },
	{ "samples", COLUMN_INTEGER, "samples", "of the event", 3, process_samples },
	{ "period", COLUMN_INTEGER, "events", "that its samples stand for", 4, process_period },
	{ "event", COLUMN_TEXT, "", "empty for a process without samples", 5, process_event },
	{ "ppid", COLUMN_INTEGER, "", "its parent, if recorded", 8, process_ppid },
	{ "threads", COLUMN_INTEGER, "threads", "that were seen", 9, process_threads },
};

const struct table processes_table = {
	.format = FORMAT_OF("processes", processes_columns),
	.by_default = true,
	.needs = NEEDS_TALLY,
	.print = print_processes,
};
