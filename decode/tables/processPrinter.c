#include "decode/tables/processPrinter.h"

#include <stdlib.h>

/* A process, or one of its counts. */
struct sortable {
	const struct process *process;
	const struct process_count *count; /* NULL: it has no samples */
};

static int compare(const void *a, const void *b)
{
	const struct sortable *x = a, *y = b;

	if (x->process->pid != y->process->pid)
		return x->process->pid < y->process->pid ? -1 : 1;
	if (x->process != y->process) {
		/* one that no FORK introduced was there first */
		uint64_t xf = x->process->fork + 1, yf = y->process->fork + 1;

		if (xf != yf)
			return xf < yf ? -1 : 1;
		return x->process < y->process ? -1 : 1;
	}
	if (!x->count || !y->count)
		return 0;
	return x->count->event < y->count->event ? -1 : x->count->event > y->count->event;
}

static void print_row(struct csv *csv, const struct buildstat *stat, const struct sortable *row)
{
	const struct process *process = row->process;

	csv_i64(csv, process->pid);
	csv_str(csv, strings_get(stat->strings, process->comm));
	csv_u64(csv, process->mmaps);
	if (process->fork == TIME_NONE)
		csv_empty(csv);
	else
		csv_u64(csv, process->fork);
	if (process->exit == TIME_NONE)
		csv_empty(csv);
	else
		csv_u64(csv, process->exit);
	csv_u64(csv, row->count ? row->count->samples : 0);
	csv_u64(csv, row->count ? row->count->period : 0);
	csv_str(csv, row->count ? buildstat_event_name(stat->session, row->count->event) : NULL);
	if (process->ppid == -1)
		csv_empty(csv);
	else
		csv_i64(csv, process->ppid);
	csv_u64(csv, process->threads);
	csv_end(csv);
}

bool processes_print(struct csv *csv, const struct buildstat *stat, struct err *err)
{
	const struct processes *processes = &stat->processes;
	size_t rows = processes->count_count + processes->count, used = 0;
	struct sortable *order = calloc(rows + 1, sizeof(*order));
	bool *sampled = calloc(processes->count + 1, sizeof(*sampled));

	if (!order || !sampled) {
		free(order);
		free(sampled);
		return err_nomem(err, rows * sizeof(*order));
	}
	for (size_t i = 0; i < processes->count_count; i++) {
		const struct process_count *count = &processes->counts[i];

		sampled[count->process] = true;
		order[used++] = (struct sortable){ &processes->items[count->process], count };
	}
	for (size_t i = 0; i < processes->count; i++)
		if (!sampled[i])
			order[used++] = (struct sortable){ &processes->items[i], NULL };
	qsort(order, used, sizeof(*order), compare);
	for (size_t i = 0; i < used; i++)
		print_row(csv, stat, &order[i]);
	free(order);
	free(sampled);
	return true;
}
