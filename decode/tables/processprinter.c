/* processes.csv: one row per process and event, by pid, fork time and event. */
#include "decode/tables/tables.h"
#include "util/vec.h"

#include <stdlib.h>

/* A process, and one of its counts. */
struct process_row {
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

static void print_process(struct table_writer *out, const struct buildstat *stat,
                          const struct process_row *row)
{
	const struct process *process = row->process;

	table_i64(out, process->pid);
	table_str(out, strings_get(stat->strings, process->comm));
	table_u64(out, process->mmaps);
	table_time_if(out, process->fork != TIME_NONE, process->fork);
	table_time_if(out, process->exit != TIME_NONE, process->exit);
	table_u64(out, row->count ? row->count->samples : 0);
	table_u64(out, row->count ? row->count->period : 0);
	table_str(out, row->count ? buildstat_event_name(stat->session, row->count->event) : NULL);
	table_i64_if(out, process->ppid != -1, process->ppid);
	table_u64(out, process->threads);
	table_end_row(out);
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
		order[used++] = (struct process_row){ &processes->items[count->number], count };
	}
	for (size_t i = 0; ok && i < processes->count; i++)
		if (!sampled[i])
			order[used++] = (struct process_row){ &processes->items[i], NULL };
	if (ok)
		qsort(order, used, sizeof(*order), compare_processes);
	for (size_t i = 0; i < used; i++)
		print_process(out, stat, &order[i]);
	free(order);
	free(sampled);
	return ok;
}

static const struct column processes_columns[] = {
	{ "pid", COLUMN_INTEGER, "", "process; -1 holds the kernel's maps", 1 },
	{ "comm", COLUMN_TEXT, "", "its last name", 2 },
	{ "mmaps", COLUMN_INTEGER, "records", "its MMAP and MMAP2 records", 10 },
	{ "fork", COLUMN_TIME, "ns", "when it was forked, if recorded", 6 },
	{ "exit", COLUMN_TIME, "ns", "when it exited, if recorded", 7 },
	{ "samples", COLUMN_INTEGER, "samples", "of the event", 3 },
	{ "period", COLUMN_INTEGER, "events", "that its samples stand for", 4 },
	{ "event", COLUMN_TEXT, "", "empty for a process without samples", 5 },
	{ "ppid", COLUMN_INTEGER, "", "its parent, if recorded", 8 },
	{ "threads", COLUMN_INTEGER, "threads", "that were seen", 9 },
};

const struct table processes_table = {
	.format = FORMAT_OF("processes", processes_columns),
	.by_default = true,
	.needs = NEEDS_TALLY,
	.print = print_processes,
};
