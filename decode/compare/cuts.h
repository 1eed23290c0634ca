/*
 * Cuts series of costs into segments: since when does a function cost more?
 *
 * In:  for each series and run the logarithm of its scaled cost, its samples and its share.
 * Out: for each series the versions at which its cost changed.
 *
 * A segment is cut at the place with the smallest p of all places that leave two versions and three
 * runs on either side, and at which the change does not depend on one version alone. The cut is
 * kept if p times the number of places times the number of series is below alpha and the change is
 * large enough; then both parts are cut again.
 *
 * What was undone soon (100, 150, 100) hides from that, because no single cut explains it. So a
 * segment that is not cut is tried once more, in windows of a half, a quarter and so on of all
 * versions; p is then multiplied by the number of places of all windows.
 */
#ifndef READPERF_DECODE_COMPARE_CUTS_H
#define READPERF_DECODE_COMPARE_CUTS_H

#include "util/hash.h"

#define CUT_VERSIONS_LEAST 2 /* on either side of a cut */
#define CUT_RUNS_LEAST 3

/* The values of one series in one run. */
struct cut_value {
	double cost;           /* logarithm, scaled */
	double samples, share; /* share: percent of the event */
};

/* Sums of values over the runs before one. */
struct cut_sums {
	double runs, cost, squares, samples, share;
};

/* The series of one event. Set all down to `alpha`; the rest is zero. */
struct cut_set {
	const struct cut_value *values; /* borrowed; of each series, of each of its runs */
	size_t series_count, run_count;
	bool has_total; /* the first series is that of the whole event: its noise is not typical */
	/* the number of the first run of each version, and behind them run_count; borrowed */
	const uint32_t *first_run;
	uint32_t version_count;
	size_t tested;                /* number of series of all events */
	double unequal;               /* squared relative spread of the samples' periods */
	bool is_interval;             /* samples are intervals, which are all there */
	double min_share, min_change; /* percent */
	double alpha;
	struct cut_sums *sums; /* of each series, run_count + 1 */
	/* Parts of the whole, for changes that were undone soon. */
	struct cut_window {
		uint32_t from, to; /* versions */
	} * windows;
	size_t window_count, window_capacity;
	size_t window_places; /* where one of them may be cut */
	/* Of segments that have been looked at: */
	struct map known; /* from << 32 | to -> number */
	struct cut_noise *noises;
	size_t noise_count, noise_capacity;
};

/* A cut of a series. */
struct cut {
	uint32_t version; /* the first one behind the cut */
	double p_adjusted;
};

struct cut_list {
	struct cut *items; /* ascending */
	size_t count, capacity;
};

/* Two neighbouring segments: the versions from..at-1 and at..to-1. */
struct cut_split {
	uint32_t from, at, to;
};

/* What a test of them says. */
struct cut_test {
	double change; /* of the mean logarithms */
	double error;  /* standard error of it */
	unsigned freedom;
};

/* False with err set when memory is refused; cut_set_release() must be called in any case. */
bool cut_set_init(struct cut_set *set, struct err *err);
void cut_set_release(struct cut_set *set);
/* Cuts a series. list is empty before; its items are the caller's. False with err set. */
bool cut_series(struct cut_set *set, size_t series, struct cut_list *list, struct err *err);
/* Tests both segments of a series against each other. False with err set. */
bool cut_test(struct cut_set *set, size_t series, const struct cut_split *split,
              struct cut_test *test, struct err *err);
/*
 * The smallest increase, in percent, in the middle of a segment that four of five such series would
 * find; NAN if the segment is too short for a cut. False with err set.
 */
bool cut_detectable(struct cut_set *set, size_t series, uint32_t from, uint32_t to,
                    double *detectable, struct err *err);

#endif
