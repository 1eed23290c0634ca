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
#ifndef READPERF_DECODE_COMPARE_COMPARE_H
#define READPERF_DECODE_COMPARE_COMPARE_H

#include "decode/compare/comparison.h"

/*
 * Compares the runs, which must outlive the comparison. False with err set when memory is refused,
 * if the tables of a run do not add up to the same sums, or if it lacks the event of --scale=work.
 * comparison_release() must be called in any case.
 */
bool compare_all(struct comparison *comparison, struct compare_run *runs, size_t count,
                 const struct compare_options *options, struct strings *strings, struct err *err);
void comparison_release(struct comparison *comparison);

#endif
