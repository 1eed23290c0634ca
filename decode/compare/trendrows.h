/*
 * Which functions a trend is about: rows of all runs.
 *
 * In:  the history, and an empty comparison with its runs and options.
 * Out: the comparison's rows: by event, [total] first, then by the samples; each is large enough in
 * some segment that may lie beside a cut. The runs of each event, with their scales.
 */
#ifndef READPERF_DECODE_COMPARE_TRENDROWS_H
#define READPERF_DECODE_COMPARE_TRENDROWS_H

#include "decode/compare/lineage.h"

/* What rows are made from and into; the caller releases all. */
struct trend_rows {
	struct history *history; /* its runs get sides */
	struct lineage *lineage;
	struct comparison *comparison;
	struct event_runs *event_runs; /* of each event of the comparison; NULL at first */
};

/* False with err set: some of it may be made. */
bool trend_rows_make(struct trend_rows *rows, struct err *err);

/* The share of a row in its event's samples in a run, by period, in percent. */
double trend_share(const struct comparison *comparison, const struct compare_row *row, size_t run);

#endif
