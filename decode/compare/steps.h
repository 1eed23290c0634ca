/* The steps of compare_all(), which have files of their own, and what they and rules.c compute. */
#ifndef READPERF_DECODE_COMPARE_STEPS_H
#define READPERF_DECODE_COMPARE_STEPS_H

#include "decode/compare/comparison.h"

#include <math.h>

/*
 * Fills the family `own`: adds a row for each function and event that some run has, and sets the
 * values of the row in each run.
 */
bool merge_runs(struct comparison *comparison, struct err *err);
/* Two parts of it: adds the events of a run; those with the same name are the same event. */
bool merge_run_events(struct comparison *comparison, size_t run, struct err *err);
/* Adds the row [total] of each event. */
bool merge_total_rows(struct comparison *comparison, struct err *err);
/*
 * Behind merge_runs(), computes the totals of functions with all that they call (totals.c): fills
 * the family of totals, which begins with the rows of the other one; behind them are functions that
 * only call others. Totals come from the call trees if all runs have one, otherwise from the total
 * columns of results.csv. Without either the family stays empty.
 */
bool totals_merge(struct comparison *comparison, struct err *err);
/*
 * The number of the row for a function, which is added to the family if it is new, by the names
 * that are the same in all builds. MAP_NONE with err set when memory is refused.
 */
uint32_t compare_row_put(struct comparison *comparison, struct compare_family *family,
                         uint32_t event, uint32_t function, uint32_t binary, struct err *err);
/* Allocates the observations of all rows of a family; they are zero. */
bool family_alloc_seen(const struct comparison *comparison, struct compare_family *family,
                       struct err *err);
void observation_add(struct observation *seen, uint64_t samples, uint64_t period);
/* Sets each run's scale of each event. */
bool scale_runs(struct comparison *comparison, struct err *err);
/* Sets how unequal the periods of each event's samples are. */
void measure_periods(struct comparison *comparison);
/* Computes costs, tests the rows that are large enough, and sets all verdicts. */
bool test_rows(const struct comparison *comparison, struct compare_family *family, struct err *err);
/*
 * Finds functions that were only renamed, inlined or split: regressed, improved, new and gone
 * become moved.
 */
bool find_moved(const struct comparison *comparison, struct compare_family *family,
                struct err *err);

/* Makes sums over the runs of each side their means. */
static inline void divide_by_runs(double sums[SIDE_COUNT], const struct compare_event *event)
{
	for (unsigned side = 0; side < SIDE_COUNT; side++)
		if (event->side_runs[side])
			sums[side] /= event->side_runs[side];
}

/* The change from the base to the new side; INFINITY if the base has nothing. */
static inline double change_percent(const double cost[SIDE_COUNT])
{
	if (cost[SIDE_BASE] > 0)
		return 100 * (cost[SIDE_NEW] / cost[SIDE_BASE] - 1);
	return cost[SIDE_NEW] > 0 ? INFINITY : 0;
}

/* The logarithm that the statistics use, without the scale. */
double observation_log(const struct observation *seen, const struct event_run *run);

static inline bool row_has_share(const struct comparison *comparison, const struct compare_row *row)
{
	double least = comparison->options.min_share;

	return row->is_total || row->share[SIDE_BASE] >= least || row->share[SIDE_NEW] >= least;
}

#endif
