/*
 * Since which version does a function cost more? Runs of many versions, in order.
 *
 *   runs --pack--> history --names that go on--> rows x runs --scale--> costs --cut--> steps
 *
 * In:  the runs of each version (history.h).
 * Out: a comparison whose rows are the functions that are large enough somewhere, of all runs; for
 * each row the steps of its cost. The values of a row that have sides are those of its last step:
 * the base is the segment before it, the new side the last segment; so rules and documents speak of
 * the last segment. The new side of what belongs to a whole event (what is lost, what has no name)
 * is the last version.
 */
#ifndef READPERF_DECODE_COMPARE_TREND_H
#define READPERF_DECODE_COMPARE_TREND_H

#include "decode/compare/cuts.h"
#include "decode/compare/lineage.h"

/* A version from which on a function costs more, or less. */
struct trend_step {
	uint32_t row; /* in the comparison */
	uint32_t version,
		previous;        /* in the history: the first one behind it, the last one before */
	enum verdict verdict;    /* at most VERDICT_MOVED */
	double cost[SIDE_COUNT]; /* mean per run of the segments beside it, scaled */
	double share[SIDE_COUNT];
	uint64_t samples[SIDE_COUNT];
	unsigned runs[SIDE_COUNT];
	double change;    /* percent; INFINITY if there was nothing before */
	double low, high; /* percent: 95 % interval */
	double p_adjusted;
	uint32_t match; /* string: see struct compare_row */
};

/* What a row of the comparison has besides. */
struct trend_row {
	size_t first_step, step_count; /* in the trend's steps, by version */
	/* the smallest increase, in percent, that would have been found in the middle of the last
	   segment; NAN: it is too short */
	double detectable;
};

struct trend {
	struct history history; /* with the runs; history_init() */
	struct lineage lineage;
	struct comparison comparison;
	struct event_runs *event_runs; /* of each event */
	struct trend_row *rows;        /* of each row of the comparison */
	struct trend_step *steps;      /* of all rows, one row behind the other */
	size_t step_count, step_capacity;
	/* numbers of all steps: by event, the last version first, the largest change first */
	size_t *order;
};

/*
 * Finds the steps of all functions, after the runs were added to the history. False with err set;
 * trend_release() must be called in any case.
 */
bool trend_make(struct trend *trend, const struct compare_options *options, struct err *err);
void trend_release(struct trend *trend);

#endif
