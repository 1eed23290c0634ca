/*
 * The rows of results.csv, a projection of the cells by function; and which samples have no name,
 * and why.
 *
 * In:  cells, and the names of their places.
 * Out: rows in the order of the table. Texts are strings of the recording.
 */
#ifndef READPERF_DECODE_NAMING_RESULTS_H
#define READPERF_DECODE_NAMING_RESULTS_H

#include "decode/naming/calltotals.h"
#include "decode/symbols/symbols.h"
#include "decode/tally/buildstat.h"

/* A row of results.csv. */
struct result_row {
	uint64_t period, samples;
	struct call_count total; /* of samples with the function anywhere in their stack */
	uint32_t event, binary, function, file; /* event: of the session; others: strings */
	/* Of its function with most samples, where binaries with one name have several: */
	uint64_t most;  /* these samples */
	uint32_t build; /* number of the binary, which gives the row its build id */
	uint8_t origin; /* enum symbol_origin */
};

/* Samples that have no name for the same reason. */
struct unnamed {
	uint64_t samples, period; /* periods of several events do not add up: see struct results */
	uint32_t worst;           /* string: the binary with most of them */
	uint64_t worst_samples;
};

struct results {
	struct result_row *rows; /* by event, the most expensive first */
	size_t row_count;
	struct unnamed unnamed[ORIGIN_COUNT];
	uint64_t samples, period; /* of all samples */
	struct {
		uint64_t samples, period;
	} nameable; /* the same without those whose records have no address */
};

/*
 * Makes the rows. totals: made from the same names. diag is warned of binaries whose file
 * is another build. False with err set when memory is refused; results_release() must be called in
 * any case.
 */
bool results_make(struct results *results, const struct buildstat *stat,
                  const struct place_names *names, const struct call_totals *totals,
                  struct diag *diag, struct err *err);
void results_release(struct results *results);

#endif
