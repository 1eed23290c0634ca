/* Steps of a comparison that are files of their own; for compare.c. */
#ifndef READPERF_DECODE_COMPARE_WORK_H
#define READPERF_DECODE_COMPARE_WORK_H

#include "decode/compare/comparison.h"

/*
 * Fills the family with a row for each function and event of any run, with what each run says about
 * it.
 */
bool merge_runs(struct comparison *comparison, struct err *err);
/* Sets each run's scale of each event. */
bool scale_runs(struct comparison *comparison, struct err *err);
/* Fills in costs and shares, tests the rows that are large enough, and gives each its verdict. */
bool test_rows(struct comparison *comparison, struct compare_family *family, struct err *err);
/* Finds what was only renamed, inlined or split: regressed, improved, new and gone become moved. */
bool find_moved(struct compare_family *family, struct err *err);

/* The logarithm that the statistics work on, without the scale. */
double observation_log(const struct observation *seen, const struct event_run *run);

static inline bool row_has_share(const struct comparison *comparison, const struct compare_row *row)
{
	double least = comparison->options.min_share;

	return row->is_total || row->share[SIDE_BASE] >= least || row->share[SIDE_NEW] >= least;
}

#endif
