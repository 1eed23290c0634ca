#define _GNU_SOURCE /* qsort_r() */
#include "decode/compare/trend.h"

#include "decode/compare/noise.h"
#include "decode/compare/steps.h"
#include "decode/compare/student.h"
#include "decode/compare/trendrows.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

void trend_release(struct trend *trend)
{
	for (size_t i = 0; trend->event_runs && i < trend->comparison.event_count; i++) {
		free(trend->event_runs[i].runs);
		free(trend->event_runs[i].versions);
		free(trend->event_runs[i].first_run);
	}
	free(trend->event_runs);
	free(trend->rows);
	free(trend->steps);
	free(trend->order);
	comparison_release(&trend->comparison);
	lineage_release(&trend->lineage);
	history_release(&trend->history);
}

/* --- steps */

/* The logarithm of a row's scaled cost in a run, as it is tested. */
static double log_cost(const struct comparison *comparison, const struct compare_row *row,
                       size_t run)
{
	const struct event_run *sums = &comparison->events[row->event].runs[run];

	return observation_log(&row->seen[run], sums) + log(sums->scale);
}

/* The rows of one event that are cut. */
struct event_cuts {
	struct trend *trend;
	struct cut_set set;
	struct cut_value *values;
	size_t first_row; /* in the comparison */
};

static void set_values(const struct event_cuts *cuts, const struct event_runs *list)
{
	const struct comparison *comparison = &cuts->trend->comparison;

	for (size_t i = 0; i < cuts->set.series_count; i++) {
		const struct compare_row *row = &comparison->own.rows[cuts->first_row + i];

		for (size_t k = 0; k < list->run_count; k++) {
			const uint32_t run = list->runs[k];

			cuts->values[i * list->run_count + k] = (struct cut_value){
				log_cost(comparison, row, run), (double)row->seen[run].samples,
				trend_share(comparison, row, run)
			};
		}
	}
}

/* Sets the means of a row over the versions from..to-1, as one side of a step. */
static void set_side(const struct trend *trend, const struct compare_row *row,
                     struct trend_step *step, enum compare_side side, uint32_t from, uint32_t to)
{
	const struct compare_event *event = &trend->comparison.events[row->event];
	const struct event_runs *list = &trend->event_runs[row->event];
	const uint32_t first = list->first_run[from], end = list->first_run[to];

	for (uint32_t i = first; i < end; i++) {
		const uint32_t run = list->runs[i];

		step->cost[side] += (double)row->seen[run].period * event->runs[run].scale;
		step->share[side] += trend_share(&trend->comparison, row, run);
		step->samples[side] = u64_add_sat(step->samples[side], row->seen[run].samples);
	}
	step->runs[side] = end - first;
	if (end > first) {
		step->cost[side] /= end - first;
		step->share[side] /= end - first;
	}
}

static enum verdict verdict_of(const struct trend_step *step)
{
	if (!step->samples[SIDE_BASE])
		return VERDICT_NEW;
	if (!step->samples[SIDE_NEW])
		return VERDICT_GONE;
	return step->change > 0 ? VERDICT_REGRESSED : VERDICT_IMPROVED;
}

static bool add_step(struct event_cuts *cuts, size_t series, const struct cut_list *list,
                     size_t number, struct err *err)
{
	struct trend *trend = cuts->trend;
	const size_t at_row = cuts->first_row + series;
	const struct compare_row *row = &trend->comparison.own.rows[at_row];
	const uint32_t *versions = trend->event_runs[row->event].versions;
	const struct cut_split split = {
		.from = number ? list->items[number - 1].version : 0,
		.at = list->items[number].version,
		.to = number + 1 < list->count ? list->items[number + 1].version
		                               : cuts->set.version_count,
	};
	struct trend_step step = { .row = (uint32_t)at_row,
		                   .version = versions[split.at],
		                   .previous = versions[split.at - 1],
		                   .p_adjusted = list->items[number].p_adjusted,
		                   .match = STRING_NONE };
	struct cut_test test;
	double reach;

	if (!cut_test(&cuts->set, series, &split, &test, err))
		return false;
	set_side(trend, row, &step, SIDE_BASE, split.from, split.at);
	set_side(trend, row, &step, SIDE_NEW, split.at, split.to);
	reach = student_quantile(INTERVAL_P, test.freedom) * test.error;
	step.change = step.samples[SIDE_BASE] && step.samples[SIDE_NEW] ? 100 * expm1(test.change)
	                                                                : change_percent(step.cost);
	step.low = 100 * expm1(test.change - reach);
	step.high = 100 * expm1(test.change + reach);
	step.verdict = verdict_of(&step);
	return vec_append(&trend->steps, &trend->step_count, &trend->step_capacity, &step,
	                  sizeof(step), err);
}

static bool cut_row(struct event_cuts *cuts, size_t series, struct err *err)
{
	struct trend_row *row = &cuts->trend->rows[cuts->first_row + series];
	struct cut_list list = { .count = 0 };
	bool ok = cut_series(&cuts->set, series, &list, err);

	row->first_step = cuts->trend->step_count;
	row->step_count = list.count;
	for (size_t i = 0; ok && i < list.count; i++)
		ok = add_step(cuts, series, &list, i, err);
	ok = ok &&
	     cut_detectable(&cuts->set, series, list.count ? list.items[list.count - 1].version : 0,
	                    cuts->set.version_count, &row->detectable, err);
	free(list.items);
	return ok;
}

static bool cut_event(struct trend *trend, uint32_t number, size_t first_row, size_t row_count,
                      struct err *err)
{
	const struct compare_options *options = &trend->comparison.options;
	const struct event_runs *list = &trend->event_runs[number];
	struct event_cuts cuts = { .trend = trend,
		                   .first_row = first_row,
		                   .values = vec_new(row_count,
		                                     list->run_count * sizeof(*cuts.values), err) };
	bool ok;

	cuts.set = (struct cut_set){ .values = cuts.values,
		                     .series_count = row_count,
		                     .run_count = list->run_count,
		                     .has_total = true,
		                     .first_run = list->first_run,
		                     .version_count = list->version_count,
		                     .tested = trend->comparison.own.count,
		                     .unequal = trend->comparison.events[number].unequal,
		                     .is_interval = trend->comparison.events[number].is_interval,
		                     .min_share = options->min_share,
		                     .min_change = options->min_change,
		                     .alpha = options->alpha };
	if (cuts.values)
		set_values(&cuts, list);
	ok = cuts.values && cut_set_init(&cuts.set, err);
	for (size_t i = 0; ok && i < row_count; i++)
		ok = cut_row(&cuts, i, err);
	cut_set_release(&cuts.set);
	free(cuts.values);
	return ok;
}

static bool cut_events(struct trend *trend, struct err *err)
{
	const struct compare_family *own = &trend->comparison.own;

	trend->rows = vec_new(own->count, sizeof(*trend->rows), err);
	for (size_t i = 0, end; trend->rows && i < own->count; i = end) {
		const uint32_t event = own->rows[i].event;

		for (end = i + 1; end < own->count && own->rows[end].event == event;)
			end++;
		if (!cut_event(trend, event, i, end - i, err))
			return false;
	}
	return trend->rows;
}

/* --- the order of steps, and what moved */

static int compare_places(const void *a, const void *b, void *context)
{
	const struct trend *trend = context;
	const struct trend_step *x = &trend->steps[*(const size_t *)a];
	const struct trend_step *y = &trend->steps[*(const size_t *)b];
	const struct compare_row *rows = trend->comparison.own.rows;
	const double dx = fabs(x->cost[SIDE_NEW] - x->cost[SIDE_BASE]);
	const double dy = fabs(y->cost[SIDE_NEW] - y->cost[SIDE_BASE]);

	if (rows[x->row].event != rows[y->row].event)
		return rows[x->row].event < rows[y->row].event ? -1 : 1;
	if (x->version != y->version)
		return x->version > y->version ? -1 : 1;
	if (dx != dy)
		return dx > dy ? -1 : 1;
	return (x > y) - (x < y);
}

/* Marks what only moved among the steps of one place, as a comparison of its two sides does. */
static bool find_moved_at(struct trend *trend, const size_t *steps, size_t count, struct err *err)
{
	struct compare_family family = { .rows = vec_new(count, sizeof(*family.rows), err),
		                         .count = count };
	bool ok = family.rows;

	for (size_t i = 0; ok && i < count; i++) {
		const struct trend_step *step = &trend->steps[steps[i]];

		family.rows[i] = trend->comparison.own.rows[step->row];
		family.rows[i].verdict = step->verdict;
		memcpy(family.rows[i].cost, step->cost, sizeof(step->cost));
	}
	ok = ok && find_moved(&trend->comparison, &family, err);
	for (size_t i = 0; ok && i < count; i++) {
		trend->steps[steps[i]].verdict = family.rows[i].verdict;
		trend->steps[steps[i]].match = family.rows[i].match;
	}
	free(family.rows);
	return ok;
}

static bool is_same_place(const struct trend *trend, size_t a, size_t b)
{
	const struct compare_row *rows = trend->comparison.own.rows;

	return trend->steps[a].version == trend->steps[b].version &&
	       rows[trend->steps[a].row].event == rows[trend->steps[b].row].event;
}

static bool order_steps(struct trend *trend, struct err *err)
{
	trend->order = vec_new(trend->step_count, sizeof(*trend->order), err);
	for (size_t i = 0; trend->order && i < trend->step_count; i++)
		trend->order[i] = i;
	if (trend->order && trend->step_count)
		qsort_r(trend->order, trend->step_count, sizeof(*trend->order), compare_places,
		        trend);
	return trend->order;
}

static bool find_moved_steps(struct trend *trend, struct err *err)
{
	const size_t count = trend->step_count;

	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1;
		     end < count && is_same_place(trend, trend->order[i], trend->order[end]);)
			end++;
		if (!find_moved_at(trend, trend->order + i, end - i, err))
			return false;
	}
	return true;
}

/* --- the last segment */

/* Sets the values of a row that have sides: those of its last step, or of all runs. */
static void set_last(struct trend *trend, size_t number)
{
	struct compare_row *row = &trend->comparison.own.rows[number];
	const struct trend_row *more = &trend->rows[number];
	struct trend_step whole = { .match = STRING_NONE };
	const struct trend_step *last = &whole;

	row->tested = more->step_count || isfinite(more->detectable);
	if (more->step_count) {
		last = &trend->steps[more->first_step + more->step_count - 1];
	} else {
		for (unsigned side = 0; side < SIDE_COUNT; side++)
			set_side(trend, row, &whole, side, 0,
			         trend->event_runs[row->event].version_count);
		whole.verdict = row->tested ? VERDICT_SAME : VERDICT_UNTESTED;
		whole.p_adjusted = 1;
	}
	memcpy(row->cost, last->cost, sizeof(row->cost));
	memcpy(row->share, last->share, sizeof(row->share));
	memcpy(row->samples, last->samples, sizeof(row->samples));
	memcpy(row->runs, last->runs, sizeof(row->runs));
	row->verdict = last->verdict;
	row->change = last->change;
	row->low = last->low;
	row->high = last->high;
	row->p = row->p_adjusted = fmin(last->p_adjusted, 1);
	row->detectable = more->detectable;
	row->match = last->match;
}

static bool make_rows(struct trend *trend, struct err *err)
{
	struct trend_rows rows = { .history = &trend->history,
		                   .lineage = &trend->lineage,
		                   .comparison = &trend->comparison };
	const bool ok = trend_rows_make(&rows, err);

	trend->event_runs = rows.event_runs; /* trend_release() frees them in any case */
	return ok;
}

bool trend_make(struct trend *trend, const struct compare_options *options, struct err *err)
{
	struct comparison *comparison = &trend->comparison;

	*comparison = (struct comparison){ .strings = trend->history.strings,
		                           .runs = trend->history.runs,
		                           .run_count = trend->history.run_count,
		                           .options = *options };
	comparison->options.trend = true;
	if (!make_rows(trend, err) || !cut_events(trend, err) || !order_steps(trend, err) ||
	    !find_moved_steps(trend, err))
		return false;
	for (size_t i = 0; i < comparison->own.count; i++)
		set_last(trend, i);
	return true;
}
