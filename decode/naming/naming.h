/*
 * From addresses to names, after the last record: each distinct address once, binary by binary, in
 * ascending order, and only binaries that have samples. The results are what the tables print.
 */
#ifndef READPERF_DECODE_NAMING_NAMING_H
#define READPERF_DECODE_NAMING_NAMING_H

#include "decode/tally/buildstat.h"
#include "decode/naming/lookup.h"
#include "decode/naming/results.h"

struct naming_options {
	struct lookup_options lookup; /* what it needs of the recording is filled in here */
	bool raw_names;               /* --no-demangle */
	bool addresses;               /* a row per address, for addresses.csv; needs lookup.lines */
	unsigned threads;             /* that may be used */
	/*
	 * May be NULL: called once, perhaps in another thread, for work that needs no names. It may read
	 * what the buildstat has.
	 */
	void (*meanwhile)(void *context);
	void *context; /* of meanwhile */
};

/* Sorts the tally and names it. False with err set when memory is refused. */
bool naming_run(struct results *results, struct buildstat *stat,
                const struct naming_options *options, struct diag *diag, struct err *err);

#endif
