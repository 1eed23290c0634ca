#define _GNU_SOURCE /* qsort_r() */
#include "decode/exports/timelinecells.h"

#include "decode/machine/cpumode.h"
#include "decode/tables/eventfile.h"
#include "decode/tally/samplereader.h"
#include "util/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MOST 40  /* rows of threads; the others share one */
#define CPUS_MOST 16     /* the same of CPUs */
#define COLUMNS_MOST 232 /* halves of it, down to the least, are whole numbers of pixels */
#define COLUMNS_LEAST 29
#define SAMPLES_A_COLUMN 6 /* of the busiest row, or else chance draws stripes */

static bool is_timed(const struct logged_sample *sample)
{
	return sample->time < TIME_OFF_CPU;
}

/* Calls take for each sample of the event that is selected. */
static bool for_each_sample(struct timeline_cells *cells,
                            bool (*take)(struct timeline_cells *cells,
                                         const struct logged_sample *sample))
{
	const struct report *report = cells->report;
	struct sample_reader reader;
	struct logged_sample sample;
	uint32_t cell;
	bool ok = sample_reader_open(&reader, report->stat, cells->err);

	while (ok && sample_reader_has_next(&reader)) {
		ok = sample_reader_next(&reader, &sample, &cell, cells->err);
		if (!ok || call_event_of(report->session, sample.task->event) != cells->event ||
		    (cell != MAP_NONE && !report->stat->stacks->cells.items[cell].samples))
			continue;
		ok = take(cells, &sample);
	}
	sample_reader_close(&reader);
	return ok;
}

/* The CPU of a sample as a thread of process 0; false: it is not known. */
static bool cpu_as_thread(const struct logged_sample *sample, struct log_task *task)
{
	*task = *sample->task;
	task->pid = 0;
	task->tid = task->cpu;
	task->has_tid = true;
	return task->cpu >= 0;
}

static bool count_sample(struct timeline_cells *cells, const struct logged_sample *sample)
{
	struct log_task task;
	struct logged_sample on_cpu = *sample;

	if (!is_timed(sample)) {
		cells->untimed++;
		return true;
	}
	cells->timed++;
	cells->first = u64_min(cells->first, sample->time);
	cells->last = u64_max(cells->last, sample->time);
	if (thread_list_count(&cells->threads.list, sample, cells->err) == MAP_NONE)
		return false;
	on_cpu.task = &task;
	return !cpu_as_thread(sample, &task) ||
	       thread_list_count(&cells->cpus.list, &on_cpu, cells->err) != MAP_NONE;
}

static int compare_busiest(const void *first, const void *second, void *context)
{
	const struct thread_list *list = context;
	const struct listed_thread *a = &list->items[*(const uint32_t *)first];
	const struct listed_thread *b = &list->items[*(const uint32_t *)second];

	if (a->period != b->period)
		return a->period > b->period ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

static int compare_numbers(const void *first, const void *second, void *context)
{
	const struct thread_list *list = context;
	const int32_t a = list->items[*(const uint32_t *)first].tid;
	const int32_t b = list->items[*(const uint32_t *)second].tid;

	return (a > b) - (a < b);
}

/*
 * Puts threads of one process together, where the first of them is; the order of processes, and of
 * threads in each, stays.
 */
static void group_processes(struct timeline_rows *rows)
{
	const struct listed_thread *items = rows->list.items;

	for (size_t first = 0; first < rows->shown;) {
		size_t end = first + 1;

		for (size_t i = end; i < rows->shown; i++) {
			const uint32_t moved = rows->order[i];

			if (items[moved].pid != items[rows->order[first]].pid)
				continue;
			memmove(&rows->order[end + 1], &rows->order[end],
			        (i - end) * sizeof(moved));
			rows->order[end++] = moved;
		}
		first = end;
	}
}

/* Chooses which have a row of their own. */
static bool choose_rows(struct timeline_rows *rows, size_t most, bool are_cpus, struct err *err)
{
	const size_t count = rows->list.count;

	rows->order = vec_new(count, sizeof(*rows->order), err);
	rows->row_of = vec_new(count, sizeof(*rows->row_of), err);
	if (!rows->order || !rows->row_of)
		return false;
	for (uint32_t i = 0; i < count; i++)
		rows->order[i] = i;
	if (count)
		qsort_r(rows->order, count, sizeof(*rows->order), compare_busiest, &rows->list);
	rows->shown = count <= most ? count : most;
	rows->count = rows->shown + (rows->shown < count);
	if (are_cpus && count)
		qsort_r(rows->order, rows->shown, sizeof(*rows->order), compare_numbers,
		        &rows->list);
	if (!are_cpus)
		group_processes(rows);
	for (size_t i = 0; i < count; i++)
		rows->row_of[rows->order[i]] = (uint32_t)(i < rows->shown ? i : rows->shown);
	return true;
}

/* As many columns as the samples of the busiest thread fill. */
static size_t choose_columns(const struct timeline_cells *cells)
{
	uint64_t most = 0;
	size_t columns = COLUMNS_MOST;

	for (size_t i = 0; i < cells->threads.list.count; i++)
		most = u64_max(most, cells->threads.list.items[i].samples);
	while (columns > COLUMNS_LEAST && most / columns < SAMPLES_A_COLUMN)
		columns /= 2;
	return columns;
}

static size_t column_of(const struct timeline_cells *cells, uint64_t time)
{
	const double length = (double)(cells->last - cells->first) + 1;
	const double share = (double)(time - cells->first) / length;

	/* of more than 2^53 ns, as damaged times can be apart, one less is rounded to the whole */
	return share < 1 ? (size_t)(share * (double)cells->columns) : cells->columns - 1;
}

static void add_cost(struct timeline_cells *cells, size_t row, const struct logged_sample *sample)
{
	const enum cpu_mode mode = (enum cpu_mode)sample->task->mode;
	const int part = mode == MODE_USER || mode == MODE_GUEST_USER ? IN_USER : ELSEWHERE;
	const size_t column = column_of(cells, sample->time);

	cells->items[row * cells->columns + column].period[part] += sample->period;
}

static bool add_sample(struct timeline_cells *cells, const struct logged_sample *sample)
{
	const struct log_task *task = sample->task;
	const struct timeline_rows *threads = &cells->threads, *cpus = &cells->cpus;
	struct log_task cpu;

	if (!is_timed(sample))
		return true;
	add_cost(cells,
	         cpus->count + threads->row_of[thread_list_find(&threads->list,
	                                                        task->has_tid ? task->pid : -1,
	                                                        task->has_tid ? task->tid : -1)],
	         sample);
	if (cpu_as_thread(sample, &cpu))
		add_cost(cells, cpus->row_of[thread_list_find(&cpus->list, cpu.pid, cpu.tid)],
		         sample);
	return true;
}

/* A busy thread, or the highest cell of a row that is not of several. */
static double full_cost(const struct timeline_cells *cells)
{
	const size_t cpus = cells->cpus.shown, threads = cells->threads.shown;
	double most = 0;

	if (cells->clock && cells->last > cells->first)
		return (double)(cells->last - cells->first) / (double)cells->columns;
	for (size_t row = 0; row < cells->cpus.count + threads; row++)
		for (size_t i = 0; (row < cpus || row >= cells->cpus.count) && i < cells->columns;
		     i++)
			most = fmax(most,
			            timeline_cell_cost(&cells->items[row * cells->columns + i]));
	return most > 0 ? most : 1;
}

/* Makes the cells, once it is known which threads and CPUs there are. */
static bool fill_rows(struct timeline_cells *cells)
{
	if (!choose_rows(&cells->threads, THREADS_MOST, false, cells->err) ||
	    !choose_rows(&cells->cpus, CPUS_MOST, true, cells->err))
		return false;
	cells->columns = choose_columns(cells);
	cells->items = vec_new((cells->threads.count + cells->cpus.count) * cells->columns,
	                       sizeof(*cells->items), cells->err);
	if (!cells->items || !for_each_sample(cells, add_sample))
		return false;
	cells->full = full_cost(cells);
	return true;
}

bool timeline_cells_fill(struct timeline_cells *cells, const struct report *report, size_t event,
                         struct err *err)
{
	*cells = (struct timeline_cells){ .report = report,
		                          .event = event,
		                          .clock = report_event_is_clock(report, event),
		                          .first = TIME_NONE,
		                          .err = err };
	return for_each_sample(cells, count_sample) && fill_rows(cells);
}

static void rows_release(struct timeline_rows *rows)
{
	thread_list_release(&rows->list);
	free(rows->order);
	free(rows->row_of);
}

void timeline_cells_release(struct timeline_cells *cells)
{
	rows_release(&cells->threads);
	rows_release(&cells->cpus);
	free(cells->items);
}
