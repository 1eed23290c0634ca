/*
 * The rows of ratios.csv.
 *
 * In:  the counters of `perf stat record`, or the rows of results.csv.
 * Out: for each moment, CPU and function the ratios of its events.
 */
#ifndef READPERF_DECODE_TABLES_RATIOS_H
#define READPERF_DECODE_TABLES_RATIOS_H

#include "decode/tables/ratiokinds.h"
#include "decode/tables/tables.h"

enum ratio_scope { RATIO_TOTAL, RATIO_INTERVAL, RATIO_CPU, RATIO_FUNCTION };

struct ratio_row {
	enum ratio_scope scope;
	enum ratio_kind kind;
	uint64_t time;                   /* ns since the start; TIME_NONE: of the whole recording */
	int64_t cpu;                     /* -1: all */
	uint32_t function, binary;       /* strings; 0 if it is not of a function */
	uint32_t numerator, denominator; /* as in struct ratio */
	double value;
	double above, below;    /* both counts, extrapolated, as recorded; of time: ns */
	double running_percent; /* of the time, of the event that ran less; negative: not known */
};

/* Below this the events of a ratio may have counted different parts of the program. */
#define RATIO_RAN_ENOUGH 50.0 /* percent */

struct ratio_rows {
	struct ratio_row *rows; /* malloc'd; by scope, time, CPU, function, number of the event */
	size_t count, capacity;
};

/* False with err set when memory is refused; ratio_rows_release() must be called in any case. */
bool ratio_rows_make(struct ratio_rows *rows, const struct report *report, struct err *err);
void ratio_rows_release(struct ratio_rows *rows);

#endif
