/* Computes the scales: one factor per run and event that makes the runs comparable. */
#include "decode/compare/student.h"
#include "decode/compare/steps.h"
#include "util/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEADY_LEAST 0.1 /* of the weight: functions that all runs of a trend have */

double observation_log(const struct observation *seen, const struct event_run *run)
{
	double period = 1; /* mean of the samples */

	if (seen->samples && seen->period)
		period = (double)seen->period / (double)seen->samples;
	else if (run->samples && run->period)
		period = (double)run->period / (double)run->samples;
	/* the 0.5 keeps a function without samples in a run from being infinitely cheap */
	return log((double)seen->samples + 0.5) + log(period);
}

static void fill_shares(const struct comparison *comparison, struct compare_family *family)
{
	for (size_t i = 0; i < family->count; i++) {
		struct compare_row *row = &family->rows[i];
		const struct compare_event *event = &comparison->events[row->event];

		for (size_t run = 0; run < comparison->run_count; run++)
			if (event->runs[run].present && event->runs[run].period)
				row->share[comparison->runs[run].side] +=
					100 * (double)row->seen[run].period /
					(double)event->runs[run].period;
		divide_by_runs(row->share, event);
	}
}

/* A row that takes part in the robust scales of its event. */
struct scaling_row {
	const struct compare_row *row;
	double mean;   /* its mean logarithm over the runs that have the event */
	double weight; /* the square root of its samples in all runs */
	bool steady;   /* every run has samples of it */
};

/* Rows of one event. */
struct scaling {
	struct scaling_row *rows;
	struct weighted *items; /* buffer, one for each row */
	size_t count;
};

static struct scaling_row scaling_row_of(const struct comparison *comparison,
                                         const struct compare_row *row)
{
	const struct compare_event *event = &comparison->events[row->event];
	struct scaling_row scaling = { .row = row, .steady = true };
	uint64_t samples = 0;
	size_t count = 0;

	for (size_t run = 0; run < comparison->run_count; run++) {
		samples = u64_add_sat(samples, row->seen[run].samples);
		if (!event->runs[run].present)
			continue;
		scaling.mean += observation_log(&row->seen[run], &event->runs[run]);
		scaling.steady &= row->seen[run].samples != 0;
		count++;
	}
	scaling.mean /= count ? (double)count : 1;
	scaling.weight = sqrt((double)samples);
	return scaling;
}

/*
 * Functions that come and go during a trend say nothing about the runs that lack them: the others
 * decide. False if these have too little of the weight.
 */
static bool keep_steady(struct scaling *scaling)
{
	double whole = 0, steady = 0;
	size_t kept = 0;

	for (size_t i = 0; i < scaling->count; i++) {
		whole += scaling->rows[i].weight;
		if (!scaling->rows[i].steady)
			continue;
		steady += scaling->rows[i].weight;
		scaling->rows[kept++] = scaling->rows[i];
	}
	scaling->count = kept;
	return steady >= STEADY_LEAST * whole;
}

static void find_scaling_rows(struct scaling *scaling, const struct comparison *comparison,
                              uint32_t number)
{
	scaling->count = 0;
	for (size_t i = 0; i < comparison->own.count; i++) {
		const struct compare_row *row = &comparison->own.rows[i];

		if (row->event == number && !row->is_total &&
		    (comparison->options.trend || row_has_share(comparison, row)))
			scaling->rows[scaling->count++] = scaling_row_of(comparison, row);
	}
}

/*
 * Whether the functions of one side that the other side lacks have half of the weight. The median
 * is then that of ratios to nothing.
 */
static bool is_unscaled(const struct comparison *comparison, uint32_t number,
                        struct scaling *scaling)
{
	const struct compare_event *event = &comparison->events[number];
	double whole = 0, alone[SIDE_COUNT] = { 0, 0 };

	if (comparison->options.trend)
		return !keep_steady(scaling);
	if (!event->side_runs[SIDE_BASE] || !event->side_runs[SIDE_NEW])
		return false;
	for (size_t i = 0; i < scaling->count; i++) {
		const struct compare_row *row = scaling->rows[i].row;
		const double weight = scaling->rows[i].weight;

		whole += weight;
		alone[SIDE_BASE] += row->share[SIDE_NEW] > 0 ? 0 : weight;
		alone[SIDE_NEW] += row->share[SIDE_BASE] > 0 ? 0 : weight;
	}
	return whole > 0 && fmax(alone[SIDE_BASE], alone[SIDE_NEW]) >= whole / 2;
}

/*
 * The scale by which the weighted median of the functions' ratios to their mean over all runs
 * becomes 1 in this run. Functions below the minimum share have too few samples for a ratio.
 */
static double robust_scale(const struct comparison *comparison, uint32_t number, size_t run,
                           const struct scaling *scaling)
{
	const struct compare_event *event = &comparison->events[number];

	/* no slower machine makes a second longer */
	if (event->unscaled || event->is_interval)
		return 1;
	for (size_t i = 0; i < scaling->count; i++) {
		const struct scaling_row *row = &scaling->rows[i];

		scaling->items[i] = (struct weighted){
			observation_log(&row->row->seen[run], &event->runs[run]) - row->mean,
			row->weight
		};
	}
	return exp(-weighted_median(scaling->items, scaling->count));
}

static double work_scale(const struct comparison *comparison, size_t run, struct err *err)
{
	const struct comparison *c = comparison;

	for (size_t i = 0; i < c->event_count; i++)
		if (!strcmp(strings_get(c->strings, c->events[i].name), c->options.work_event) &&
		    c->events[i].runs[run].period)
			return 1 / (double)c->events[i].runs[run].period;
	err_set(err, ERR_USAGE, "--scale=work:%s: %s has no such event", c->options.work_event,
	        strings_get(c->strings, c->runs[run].file));
	return 0;
}

static double scale_of(const struct comparison *comparison, uint32_t event, size_t run,
                       const struct scaling *scaling, struct err *err)
{
	const struct event_run *sums = &comparison->events[event].runs[run];

	switch (comparison->options.scale) {
	case SCALE_ROBUST:
		return robust_scale(comparison, event, run, scaling);
	case SCALE_SHARE:
		return sums->period ? 100 / (double)sums->period : 0;
	case SCALE_WORK_EVENT:
		return work_scale(comparison, run, err);
	case SCALE_WORK:
		return 1 / comparison->options.work;
	case SCALE_NONE:
		break;
	}
	return 1;
}

bool scale_runs(struct comparison *comparison, struct err *err)
{
	const size_t rows = comparison->own.count;
	struct scaling scaling = { .rows = vec_new(rows, sizeof(*scaling.rows), err),
		                   .items = vec_new(rows, sizeof(*scaling.items), err) };

	fill_shares(comparison, &comparison->own);
	fill_shares(comparison, &comparison->totals);
	for (uint32_t number = 0; !err->code && number < comparison->event_count; number++) {
		struct compare_event *event = &comparison->events[number];

		find_scaling_rows(&scaling, comparison, number);
		event->unscaled = comparison->options.scale == SCALE_ROBUST &&
		                  !event->is_interval && is_unscaled(comparison, number, &scaling);
		for (size_t run = 0; !err->code && run < comparison->run_count; run++)
			if (event->runs[run].present)
				event->runs[run].scale = scale_of(comparison, number, run, &scaling,
				                                  err);
	}
	free(scaling.rows);
	free(scaling.items);
	return err->code == ERR_NONE;
}
