/*
 * The rows of results.csv: a projection of the cells by function; and what of them has no name, and
 * why.
 *
 * In:  cells, and the names of their places.
 * Out: rows in the order of the table. Texts are numbers of the recording's strings.
 */
#ifndef READPERF_DECODE_NAMING_RESULTS_H
#define READPERF_DECODE_NAMING_RESULTS_H

#include "decode/naming/calltree.h"
#include "decode/naming/placenames.h"
#include "decode/symbols/symbols.h"
#include "decode/tally/buildstat.h"

/* A row of results.csv. */
struct result_row {
	uint64_t period, samples;
	struct call_count total; /* of samples that have it anywhere in their stack */
	uint32_t event, binary, function, file; /* event: of the session; others: strings */
	uint32_t build; /* number of the binary that has most of its samples: its build id is the
	                   row's */
	uint8_t origin; /* enum symbol_origin */
};

/* What has no name, for one reason. */
struct unnamed {
	uint64_t samples, period; /* periods of several events do not add up: see results */
	uint32_t worst;           /* string: the binary with most of them */
	uint64_t worst_samples;
};

struct results {
	struct result_row *rows; /* by event, the most expensive first */
	size_t row_count;
	struct unnamed unnamed[ORIGIN_COUNT];
	uint64_t samples, period; /* in all */
};

/*
 * Makes the rows. calls: of the same names, or NULL. diag is warned of binaries whose file is
 * another build. False with err set when memory is refused; results_release() in any case.
 */
bool results_make(struct results *results, const struct buildstat *stat,
                  const struct place_names *names, const struct call_tree *calls, struct diag *diag,
                  struct err *err);
void results_release(struct results *results);

#endif
