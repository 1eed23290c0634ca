/* Computes the scales: one factor per run and event that makes the runs comparable. */
#include "decode/compare/student.h"
#include "decode/compare/steps.h"
#include "util/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
	for (struct compare_row *row = family->rows; row < family->rows + family->count; row++) {
		const struct compare_event *event = &comparison->events[row->event];

		for (size_t run = 0; run < comparison->run_count; run++)
			if (event->runs[run].present && event->runs[run].period)
				row->share[comparison->runs[run].side] +=
					100 * (double)row->seen[run].period /
					(double)event->runs[run].period;
		divide_by_runs(row->share, event);
	}
}

/* The mean logarithm of a row over the runs that have the event. */
static double mean_log(const struct comparison *comparison, const struct compare_row *row)
{
	const struct compare_event *event = &comparison->events[row->event];
	double sum = 0;
	size_t count = 0;

	for (size_t run = 0; run < comparison->run_count; run++) {
		if (!event->runs[run].present)
			continue;
		sum += observation_log(&row->seen[run], &event->runs[run]);
		count++;
	}
	return count ? sum / (double)count : 0;
}

/* The weight of a function: the square root of its samples in all runs. */
static double row_weight(const struct comparison *comparison, const struct compare_row *row)
{
	uint64_t samples = 0;

	for (size_t run = 0; run < comparison->run_count; run++)
		samples = u64_add_sat(samples, row->seen[run].samples);
	return sqrt((double)samples);
}

/* Whether the row takes part in the robust scale of an event. */
static bool is_scaled_by(const struct comparison *comparison, uint32_t number,
                         const struct compare_row *row)
{
	return row->event == number && !row->is_total && row_has_share(comparison, row);
}

/*
 * Whether the functions of one side that the other side lacks have half of the weight. The median
 * is then that of ratios to nothing.
 */
static bool is_unscaled(const struct comparison *comparison, uint32_t number)
{
	const struct compare_event *event = &comparison->events[number];
	double whole = 0, alone[SIDE_COUNT] = { 0, 0 };

	if (!event->side_runs[SIDE_BASE] || !event->side_runs[SIDE_NEW])
		return false;
	for (size_t i = 0; i < comparison->own.count; i++) {
		const struct compare_row *row = &comparison->own.rows[i];
		double weight;

		if (!is_scaled_by(comparison, number, row))
			continue;
		weight = row_weight(comparison, row);
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
                           struct weighted *items)
{
	const struct compare_family *own = &comparison->own;
	const struct compare_event *event = &comparison->events[number];
	size_t count = 0;

	if (event->unscaled)
		return 1;
	for (size_t i = 0; i < own->count; i++) {
		const struct compare_row *row = &own->rows[i];

		if (!is_scaled_by(comparison, number, row))
			continue;
		items[count].value = observation_log(&row->seen[run], &event->runs[run]) -
		                     mean_log(comparison, row);
		items[count++].weight = row_weight(comparison, row);
	}
	return exp(-weighted_median(items, count));
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
                       struct weighted *items, struct err *err)
{
	const struct event_run *sums = &comparison->events[event].runs[run];

	switch (comparison->options.scale) {
	case SCALE_ROBUST:
		return robust_scale(comparison, event, run, items);
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
	struct weighted *items = vec_new(comparison->own.count, sizeof(*items), err);

	if (!items)
		return false;
	fill_shares(comparison, &comparison->own);
	fill_shares(comparison, &comparison->totals);
	for (uint32_t event = 0; event < comparison->event_count; event++) {
		comparison->events[event].unscaled = comparison->options.scale == SCALE_ROBUST &&
		                                     is_unscaled(comparison, event);
		for (size_t run = 0; run < comparison->run_count; run++)
			if (comparison->events[event].runs[run].present)
				comparison->events[event].runs[run].scale = scale_of(
					comparison, event, run, items, err);
	}
	free(items);
	return err->code == ERR_NONE;
}
