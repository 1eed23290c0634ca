/*
 * The rows of latency.csv: how long intervals are, by any keys.
 *
 * In:  the sums and histograms of struct latencystat, and the names of places.
 * Out: rows in the order of the table: by event, the longest total first, then the keys.
 */
#ifndef READPERF_DECODE_NAMING_LATENCYROWS_H
#define READPERF_DECODE_NAMING_LATENCYROWS_H

#include "decode/naming/grouprows.h"
#include "decode/tally/latencystat.h"

enum latency_percentile { LATENCY_P50, LATENCY_P90, LATENCY_P95, LATENCY_P99, LATENCY_PERCENTILES };

struct latency_row {
	const uint64_t *words; /* a word for each key of the table, then the event */
	struct latency_sum sum;
	/* ns; at most 1/64 above the duration that so many percent of the intervals do not exceed
	 */
	uint64_t percentiles[LATENCY_PERCENTILES];
};

/* All zeros is empty. */
struct latency_rows {
	struct tuples words;
	struct latency_row *rows; /* in the order of the table */
	size_t count, capacity;
};

/*
 * functions: whose names select intervals; NULL: all count. False with err set when memory is
 * refused; latency_rows_release() must be called in any case.
 */
bool latency_rows_make(struct latency_rows *rows, const struct latencystat *latency,
                       const struct group_table *table, const struct group_source *source,
                       struct selection *functions, struct err *err);
void latency_rows_release(struct latency_rows *rows);

#endif
