#include "decode/exports/pagesamples.h"

#include "decode/exports/intervalreader.h"
#include "decode/exports/pagecolumn.h"
#include "decode/exports/threadlist.h"
#include "decode/tables/sampleframes.h"
#include "decode/tables/sampleplaces.h"

#include <stdlib.h>

#define SLICES_MOST 65536 /* some 50 for a pixel of a timeline, so that zooming in shows more */
/* Where fewer would be needed, more rows are allowed. */
#define SLICES_WANTED 4096
/* More rows than the fewest, which are those of one slice: a quarter. It has none but these to
 * save. */
#define MORE 4
#define NS_PER_US 1000u

/* What rows of a slice differ in. */
struct slice_key {
	uint32_t task, node, place;
	uint32_t what; /* of an interval: its number + 1; only if there are no slices */
};

struct slice_sum {
	uint64_t weight, samples;
};

struct page_sample_reader {
	struct page_samples *made;
	const struct report *report;
	struct sample_nodes nodes;
	struct interval_reader intervals;
	struct sample_places places; /* made when it is needed: not for samples with stacks */
	uint32_t *task_of; /* by its number in the log: that of the task + 1; 0: not known yet */
	uint64_t last;     /* time of the last row */
	/* rows of the current slice, if there are slices */
	struct tuples keys; /* struct slice_key */
	struct slice_sum *sums;
	size_t sum_capacity;
	uint64_t slice;
	size_t most;   /* rows */
	bool too_many; /* there are more: slices must be wider */
	struct err *err;
};

static uint32_t task_of_sample(struct page_sample_reader *reader,
                               const struct logged_sample *sample)
{
	const struct log_task *task = sample->task;
	struct page_thread thread = { task->has_tid ? task->pid : -1,
		                      task->has_tid ? task->tid : -1, task->comm, task->comm };
	struct page_task wanted = { .cpu = task->cpu >= 0 ? task->cpu : -1 };
	uint32_t *known = sample->number == LOG_MORE ? NULL : &reader->task_of[sample->number];
	uint32_t number;

	if (known && *known)
		return *known - 1;
	thread.name = last_thread_name(reader->report, thread.pid, thread.tid, thread.comm);
	wanted.thread = tuples_put(&reader->made->threads, &thread, reader->err);
	wanted.event = (uint32_t)call_event_of(reader->report->session, task->event);
	number = wanted.thread == MAP_NONE ? MAP_NONE
	                                   : tuples_put(&reader->made->tasks, &wanted, reader->err);
	if (known)
		*known = number + 1;
	return number;
}

/* NULL with err set. */
static const struct sample_place *place_of_sample(struct page_sample_reader *reader,
                                                  const struct logged_sample *sample)
{
	const struct report *report = reader->report;
	const struct sample_place *slot;

	if (!reader->places.slots &&
	    !sample_places_init(&reader->places, &report->stat->places, report->names, reader->err))
		return NULL;
	slot = sample_places_slot(&reader->places, sample->binary, sample->addr);

	return sample_places_find(&reader->places, slot, sample->binary, sample->addr);
}

static bool put_row(struct page_sample_reader *reader, const struct slice_key *row, uint64_t time,
                    const struct slice_sum *sum)
{
	struct page_samples *made = reader->made;
	struct err *err = reader->err;

	if (!vec_append(&made->nodes, &made->count, &made->node_capacity, &row->node,
	                sizeof(row->node), err) ||
	    !page_planes_put(&made->task, page_recent_put(&made->recent, row->task), err) ||
	    !page_planes_put(&made->weight, sum->weight, err))
		return false;
	if (made->has_places && !page_planes_put(&made->place, row->place, err))
		return false;
	if (made->sliced && !page_planes_put(&made->samples, sum->samples, err))
		return false;
	if (made->has_whats && !page_planes_put(&made->what, row->what, err))
		return false;
	if (time == TIME_NONE) {
		made->untimed++;
		return true;
	}
	if (!page_planes_put(&made->time, page_signed((int64_t)(time - reader->last)), err))
		return false;
	reader->last = time;
	return true;
}

/* Writes the rows of the slice. */
static bool end_slice(struct page_sample_reader *reader)
{
	const size_t count = reader->keys.count;

	for (size_t i = 0; i < count; i++)
		if (!put_row(reader, tuples_get(&reader->keys, i), reader->slice, &reader->sums[i]))
			return false;
	tuples_release(&reader->keys);
	tuples_init(&reader->keys, sizeof(struct slice_key));
	reader->too_many = reader->made->count > reader->most;
	return true;
}

static bool put_in_slice(struct page_sample_reader *reader, const struct slice_key *row,
                         uint64_t time, uint64_t weight)
{
	size_t before;
	uint32_t number;

	if (time != reader->slice && reader->keys.count && !end_slice(reader))
		return false;
	reader->slice = time;
	before = reader->keys.count;
	number = tuples_put(&reader->keys, row, reader->err);
	if (number == MAP_NONE || !vec_room(&reader->sums, number, &reader->sum_capacity,
	                                    sizeof(*reader->sums), reader->err))
		return false;
	if (reader->keys.count != before)
		reader->sums[number] = (struct slice_sum){ 0, 0 };
	reader->sums[number].weight += weight;
	reader->sums[number].samples++;
	return true;
}

/* The node of a function that has no stack. MAP_NONE with err set. */
static uint32_t single_node(struct page_sample_reader *reader, uint32_t function)
{
	const uint32_t alike = reader->report->names->functions[function].alike;
	const uint32_t number = tuples_put(&reader->made->singles, &alike, reader->err);

	return number == MAP_NONE ? MAP_NONE : (uint32_t)reader->report->calls->count + number;
}

/*
 * Whether --function selects a sample: of a node, or, if it is no node of the tree of functions, of
 * a function. Names are looked up only then: each would be waited for.
 */
static bool is_selected(struct page_sample_reader *reader, uint32_t node, uint32_t function)
{
	const struct report *report = reader->report;

	return buildstat_function_passes(report->stat,
	                                 node != CALL_NODE_NONE
	                                         ? report->calls->nodes[node].name
	                                         : report->names->functions[function].name,
	                                 reader->err);
}

/* Adds a row, or adds it to one of its slice. time: of the recording. */
static bool take_row(struct page_sample_reader *reader, struct slice_key *row, uint64_t time,
                     uint64_t weight)
{
	const struct page_samples *made = reader->made;
	const struct slice_sum one = { weight, 1 };

	if (time != TIME_NONE)
		time -= u64_min(time, made->first);
	if (time != TIME_NONE && made->unit == NS_PER_US)
		time /= NS_PER_US; /* a constant, which takes far less time */
	else if (time != TIME_NONE)
		time /= made->unit;
	return made->sliced ? put_in_slice(reader, row, time, weight)
	                    : put_row(reader, row, time, &one);
}

/* The current interval, as a sample of its event. */
static bool take_interval(struct page_sample_reader *reader)
{
	const struct interval_row *interval = reader->intervals.row;
	const struct report *report = reader->report;
	struct page_samples *made = reader->made;
	const struct page_thread thread = { interval->pid, interval->tid, interval->comm,
		                            interval_thread_name(report, interval) };
	const struct page_task task = { tuples_put(&made->threads, &thread, reader->err),
		                        interval->cpu >= 0 ? interval->cpu : -1, interval->event };
	const uint32_t place = stack_cell_place(
		&report->stat->stacks->cells.items[reader->intervals.cell]);
	struct slice_key row = { .node = reader->intervals.node };

	if (!is_selected(reader, row.node, 0))
		return reader->err->code == ERR_NONE;
	row.task = tuples_put(&made->tasks, &task, reader->err);
	if (made->has_places)
		row.place = tuples_put(&made->places, &place, reader->err);
	if (!made->sliced)
		row.what = 1 + tuples_put(&made->whats, &reader->intervals.what, reader->err);
	return reader->err->code == ERR_NONE &&
	       take_row(reader, &row, interval->time, interval->weight);
}

/* Takes the intervals that began by then. */
static bool take_intervals(struct page_sample_reader *reader, uint64_t time)
{
	while (reader->intervals.row && reader->intervals.row->time <= time && !reader->too_many)
		if (!take_interval(reader) ||
		    !interval_reader_next(&reader->intervals, reader->err))
			return false;
	return true;
}

static bool take_sample(struct page_sample_reader *reader, const struct logged_sample *sample,
                        uint32_t node)
{
	const bool has_stack = node != CALL_NODE_NONE;
	const struct sample_place *place = NULL;
	struct slice_key row = { .node = node };

	if ((!has_stack || reader->made->has_places) && !(place = place_of_sample(reader, sample)))
		return false;
	if (!is_selected(reader, node, has_stack ? 0 : place->function))
		return reader->err->code == ERR_NONE;
	if (!has_stack)
		row.node = single_node(reader, place->function);
	row.task = task_of_sample(reader, sample);
	if (reader->made->has_places)
		row.place = tuples_put(&reader->made->places, &place->place, reader->err);
	if (reader->err->code != ERR_NONE)
		return false;
	return take_row(reader, &row, sample->time, sample->period);
}

/* untimed: only samples without a time; else only those with one. */
static bool take_samples(struct page_sample_reader *reader, bool untimed)
{
	struct sample_log *log = &reader->report->stat->log;
	struct logged_sample sample;
	uint32_t node;

	interval_reader_close(&reader->intervals);
	if (!untimed && !interval_reader_open(&reader->intervals, reader->report, reader->err))
		return false;
	if (!spool_rewind(&log->rows, reader->err) ||
	    !sample_nodes_rewind(&reader->nodes, reader->err))
		return false;
	while (reader->nodes.number < log->count && !reader->too_many) {
		if (!sample_log_next(log, &sample, reader->err) ||
		    !sample_nodes_next(&reader->nodes, &node, reader->err))
			return false;
		if ((sample.time == TIME_NONE) != untimed)
			continue;
		if (reader->intervals.row && !take_intervals(reader, sample.time))
			return false;
		if (!take_sample(reader, &sample, node))
			return false;
	}
	if (!take_intervals(reader, TIME_NONE))
		return false;
	return !reader->keys.count || end_slice(reader);
}

static bool take_all(struct page_sample_reader *reader)
{
	const bool untimed = reader->report->stat->log.untimed != 0;

	return (!untimed || take_samples(reader, true)) && take_samples(reader, false);
}

static void clear_rows(struct page_samples *made)
{
	made->count = made->untimed = 0;
	page_planes_clear(&made->time);
	page_planes_clear(&made->task);
	page_recent_init(&made->recent);
	page_planes_clear(&made->weight);
	page_planes_clear(&made->samples);
	page_planes_clear(&made->place);
	page_planes_clear(&made->what);
}

/* 1, 2 or 5 times a power of ten, at least so many. */
static uint64_t round_width(uint64_t width)
{
	static const unsigned steps[] = { 1, 2, 5 };
	uint64_t power = 1;

	for (;; power *= 10)
		for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
			if (steps[i] * power >= width || power > UINT64_MAX / 100)
				return steps[i] * power;
}

/* The times of all samples, for slices: ns. */
static uint64_t duration_of(const struct report *report)
{
	const struct read_summary *summary = report->summary;

	return summary->first_time == TIME_NONE ? 0 : summary->last_time - summary->first_time;
}

static uint64_t finest_slice(const struct report *report)
{
	return u64_max(round_width(duration_of(report) / SLICES_MOST), NS_PER_US);
}

static void choose_unit(struct page_samples *made, const struct report *report)
{
	const uint64_t intervals = interval_reader_count(report);
	const uint64_t samples = report->stat->log.count + intervals;

	made->first = report->summary->first_time == TIME_NONE ? 0 : report->summary->first_time;
	made->sliced = samples > PAGE_ROWS_MOST;
	made->has_whats = intervals && !made->sliced;
	made->unit = samples > PAGE_EXACT_MOST ? NS_PER_US : 1;
	if (made->sliced)
		made->unit = finest_slice(report);
}

/* A width of all of the time. */
static uint64_t one_slice(uint64_t duration)
{
	const uint64_t width = round_width(duration + 1);

	return width > duration ? width : UINT64_MAX; /* a damaged recording may last centuries */
}

/*
 * After slices of one width had too many rows. Rows can only shrink as much as slices grow, so that
 * a part of the samples that had them all says how wide the next ones are at least.
 */
static void widen_slices(struct page_sample_reader *reader)
{
	struct page_samples *made = reader->made;
	const uint64_t duration = duration_of(reader->report);
	const uint64_t all = reader->report->stat->log.count;
	const uint64_t times = u64_max(all / u64_max(reader->nodes.number, 1), 1);

	if (reader->most == SIZE_MAX) { /* that was to know how few rows there can be */
		reader->most = PAGE_SLICED_MOST;
		if (made->count > reader->most - reader->most / MORE)
			reader->most = made->count + made->count / MORE;
		made->unit = finest_slice(reader->report);
		return;
	}
	made->unit = made->unit < duration / times ? round_width(made->unit * times + 1)
	                                           : one_slice(duration);
	if (reader->most != PAGE_ROWS_MOST || made->unit <= duration / SLICES_WANTED)
		return;
	if (all + interval_reader_count(reader->report) <= PAGE_SLICED_MOST) {
		reader->most = PAGE_SLICED_MOST;
		made->unit = finest_slice(reader->report);
	} else {
		reader->most = SIZE_MAX;
		made->unit = one_slice(duration);
	}
}

/* Reads all samples, in wider and wider slices if they have to be. */
static bool take_slices(struct page_sample_reader *reader)
{
	while (take_all(reader)) {
		if (!reader->too_many && reader->most != SIZE_MAX)
			return true;
		widen_slices(reader);
		clear_rows(reader->made);
		reader->last = 0;
		reader->too_many = false;
	}
	return false;
}

/* Room for most recordings, so that columns need not grow: that took 3 % of the time of a page. */
static bool reserve_rows(struct page_samples *made, size_t rows, struct err *err)
{
	return vec_reserve(&made->nodes, rows, &made->node_capacity, sizeof(*made->nodes), err) &&
	       page_planes_reserve(&made->time, rows, err) &&
	       page_planes_reserve(&made->task, rows, err) &&
	       page_planes_reserve(&made->weight, rows, err);
}

void page_samples_init(struct page_samples *samples)
{
	*samples = (struct page_samples){ .count = 0 };
	page_recent_init(&samples->recent);
	tuples_init(&samples->threads, sizeof(struct page_thread));
	tuples_init(&samples->tasks, sizeof(struct page_task));
	tuples_init(&samples->places, sizeof(uint32_t));
	tuples_init(&samples->whats, sizeof(uint32_t));
	tuples_init(&samples->singles, sizeof(uint32_t));
}

bool page_samples_make(struct page_samples *made, const struct report *report, bool places,
                       struct err *err)
{
	const struct buildstat *stat = report->stat;
	struct page_sample_reader reader = {
		.made = made, .report = report, .most = PAGE_ROWS_MOST, .err = err
	};
	bool ok;

	page_samples_init(made);
	made->has_places = places;
	tuples_init(&reader.keys, sizeof(struct slice_key));
	choose_unit(made, report);
	sample_nodes_init(&reader.nodes, report, stat->log.count);
	reader.task_of = vec_new(stat->log.tasks.count, sizeof(*reader.task_of), err);
	ok = reader.task_of &&
	     reserve_rows(made, (size_t)u64_min(stat->log.count, PAGE_ROWS_MOST), err);
	ok = ok && take_slices(&reader);
	free(reader.task_of);
	free(reader.sums);
	tuples_release(&reader.keys);
	sample_places_release(&reader.places);
	interval_reader_close(&reader.intervals);
	return ok;
}

void page_samples_release(struct page_samples *samples)
{
	page_planes_release(&samples->time);
	page_planes_release(&samples->task);
	page_planes_release(&samples->weight);
	page_planes_release(&samples->samples);
	page_planes_release(&samples->base);
	page_planes_release(&samples->place);
	page_planes_release(&samples->what);
	free(samples->nodes);
	tuples_release(&samples->threads);
	tuples_release(&samples->tasks);
	tuples_release(&samples->places);
	tuples_release(&samples->whats);
	tuples_release(&samples->singles);
}
