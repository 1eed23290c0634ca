/*
 * The runs of a trend in order, in little memory: a run's rows are packed into a few bytes each
 * when it has been read. Of 20,000 functions in 1,500 runs few are ever large enough to be tested.
 *
 * In:  runs, each of a version.
 * Out: series, one for each function and event; their samples in each run.
 */
#ifndef READPERF_DECODE_COMPARE_HISTORY_H
#define READPERF_DECODE_COMPARE_HISTORY_H

#include "decode/compare/comparison.h"
#include "decode/compare/match.h"
#include "util/tuples.h"

/* A function of an event, by names that are the same in all builds. */
struct series_key {
	uint32_t event, function, home; /* strings */
};

struct series {
	uint32_t binary, file, line; /* as the last run with samples of it has them */
	bool unnamed;
	bool large;              /* it has --min-share in some run */
	uint32_t first, last;    /* versions with samples of it */
	uint32_t versions, runs; /* how many have samples of it */
	uint32_t run;            /* number of the last run that has it, plus 1; 0: none */
	uint64_t period;         /* in that run */
};

/* A FILE of the command line: one run or several. */
struct trend_version {
	uint32_t name; /* string: as it was given */
	uint32_t first_run;
	uint32_t run_count; /* 0: it could not be read, or its runs have no samples */
};

struct packed_run {
	uint8_t *bytes; /* malloc'd */
	size_t size;
	uint64_t sample_period; /* by which periods are predicted */
};

/* All but strings and min_share is zero at first. */
struct history {
	struct strings *strings; /* borrowed */
	double min_share;        /* percent */
	struct name_matcher matcher;
	struct tuples keys; /* series_key: numbers of series; history_init() */
	struct series *series;
	size_t series_capacity;
	uint32_t *of_names; /* by run_row.names: the series plus 1; 0: not known yet */
	size_t of_names_count, of_names_capacity;
	struct compare_run *runs;  /* without rows */
	struct packed_run *packed; /* of each run */
	size_t run_count, run_capacity, packed_capacity;
	struct trend_version *versions;
	size_t version_count, version_capacity;
	uint8_t *buffer; /* of the run that is packed */
	size_t buffer_capacity;
};

void history_init(struct history *history, struct strings *strings, double min_share);
void history_release(struct history *history);
/* Begins a version; name: string. False with err set when memory is refused. */
bool history_add_version(struct history *history, uint32_t name, struct err *err);
/*
 * Adds a run to the version that was added last. It is empty afterwards, but for the memory of its
 * rows. False with err set.
 */
bool history_add_run(struct history *history, struct compare_run *run, struct err *err);

static inline size_t history_series_count(const struct history *history)
{
	return history->keys.count;
}

static inline const struct series_key *history_key(const struct history *history, size_t series)
{
	return tuples_get(&history->keys, series);
}

/* A row of a packed run. */
struct packed_row {
	uint32_t series;
	struct observation seen;
};

/* Reads a run's rows one after the other. */
struct unpacker {
	const uint8_t *pos, *end;
	uint64_t sample_period;
	uint32_t series; /* of the last row */
};

struct unpacker history_unpack(const struct history *history, size_t run);
/* The next row; false at the end. */
bool unpacker_next(struct unpacker *unpacker, struct packed_row *row);

#endif
