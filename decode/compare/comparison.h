/*
 * Compares two sides of runs: which function costs more than before, by how much, and how certain
 * that is.
 *
 *   runs --merge by name--> observations (row x run) --scale per run--> costs --test--> verdicts
 *
 * In:  runs (run.h).
 * Out: a row per function of either side and event, one [total] per event, a scale per run and
 * event. The same runs give the same rows, bit for bit.
 *
 * The statistics work on y = ln((n + 0.5) * mean period * scale) of each run. n is the number of
 * samples; the mean period is that of the function's samples in that run or, if it has none, of the
 * event's. With a fixed period, y is ln((samples + 0.5) * scale) plus a constant.
 */
#ifndef READPERF_DECODE_COMPARE_COMPARISON_H
#define READPERF_DECODE_COMPARE_COMPARISON_H

#include "decode/compare/run.h"
#include "util/hash.h"

struct merged_calls;

enum compare_scale { SCALE_ROBUST, SCALE_SHARE, SCALE_NONE, SCALE_WORK_EVENT, SCALE_WORK };

struct compare_options {
	enum compare_scale scale;
	/* SCALE_WORK_EVENT: the total of this event is the amount of work */
	const char *work_event;
	double work;       /* SCALE_WORK: units of work of each run, above 0 */
	double alpha;      /* limit of the adjusted p */
	double min_share;  /* percent of the event; rows below it on both sides are not tested */
	double min_change; /* percent; smaller changes count as the same */
	/* the call trees of the runs, in the same order; borrowed; NULL: not needed */
	const struct merged_calls *calls;
	/* the runs are those of a trend, in order, and all rows are large enough to be tested */
	bool trend;
	/* names of binaries in the base, by those of the new side: renamed.h; borrowed; or NULL */
	const struct map *base_of;
};

#define COMPARE_DEFAULTS                                                                           \
	{                                                                                          \
		.scale = SCALE_ROBUST, .work = 1, .alpha = 0.05, .min_share = 0.5, .min_change = 5 \
	}

/* In the order of diff.csv. */
enum verdict {
	VERDICT_REGRESSED,
	VERDICT_IMPROVED,
	VERDICT_NEW,
	VERDICT_GONE,
	VERDICT_MOVED,
	VERDICT_NOISE,
	VERDICT_SAME,
	VERDICT_SMALL,
	VERDICT_UNTESTED,
	VERDICT_COUNT
};

extern const char *const verdict_names[VERDICT_COUNT];

/* The values of one row in one run. */
struct observation {
	uint64_t samples, period;
};

struct compare_row {
	uint32_t event;                  /* index in struct comparison */
	uint32_t function, binary, file; /* strings; function without the suffixes of compilers */
	/* string: the name of the binary by which functions are matched, see match.h */
	uint32_t home;
	uint32_t line; /* its most expensive line in that file; 0: not known */
	bool is_total; /* the row [total] of its event */
	enum verdict verdict;
	bool tested;          /* has low, high, p, p_adjusted and detectable */
	double cost[2];       /* mean per run of the side, scaled */
	double share[2];      /* percent of the event, mean over the side's runs */
	uint64_t samples[2];  /* of all runs of the side */
	unsigned runs[2];     /* number of runs that have samples of it */
	double change;        /* percent; INFINITY if the base has none */
	double low, high;     /* percent: 95 % interval of the change */
	double p, p_adjusted; /* two-sided */
	double detectable;    /* percent */
	uint32_t match;       /* string: the function that it moved to or from; STRING_NONE: none */
	struct observation *seen; /* of each run; in its family's array */
};

/* The values of one event in one run. */
struct event_run {
	bool present; /* the run has samples of the event */
	bool wrapped; /* the sum of its periods is modulo 2^64 */
	uint64_t samples, period, lost, unknown_period;
	double scale;
};

struct compare_event {
	uint32_t name;          /* string */
	struct event_run *runs; /* one per run */
	unsigned side_runs[2];  /* number of runs that have samples of it */
	bool is_interval;       /* its samples are intervals: nothing is left to chance, and
	                           --scale=robust leaves them as they are */
	bool is_time;           /* its costs are ns, in all runs */
	bool excluded;          /* by --event, in all runs: people are not told that it is empty */
	bool unscaled;          /* --scale=robust has nothing to go by: all scales are 1 */
	double unequal; /* squared relative spread of the samples' periods; 0: they are all equal */
	uint64_t sample_period, frequency; /* of the first run that has it */
	struct map row_of;                 /* function << 32 | binary -> row */
	size_t total_row;
};

static inline bool compare_event_has_samples(const struct compare_event *event)
{
	return event->side_runs[SIDE_BASE] || event->side_runs[SIDE_NEW];
}

/*
 * Rows that are tested together: of the functions alone, or of the functions with all that they
 * call.
 */
struct compare_family {
	struct compare_row *rows;
	size_t count, capacity;
	struct observation *seen; /* of all rows; NULL: the family has none */
};

struct comparison {
	struct strings *strings;  /* borrowed */
	struct compare_run *runs; /* borrowed; base side first */
	size_t run_count;
	struct compare_options options;
	struct compare_event *events;
	size_t event_count, event_capacity;
	struct map event_of;          /* string -> event */
	struct compare_family own;    /* after compare_all() sorted as in diff.csv */
	struct compare_family totals; /* functions with all that they call, but those without a
	                                 total in some run; empty if a run has no totals */
};

/*
 * Compares the runs, which must outlive the comparison. False with err set when memory is refused,
 * if the tables of a run do not add up to the same sums, or if it lacks the event of --scale=work.
 * comparison_release() must be called in any case.
 */
bool compare_all(struct comparison *comparison, struct compare_run *runs, size_t count,
                 const struct compare_options *options, struct strings *strings, struct err *err);
void comparison_release(struct comparison *comparison);

#endif
