/*
 * Runs the lookups of all binaries, in two threads if there may be two: names first, then sources,
 * and what takes long before what does not.
 */
#ifndef READPERF_DECODE_NAMING_LOOKUPS_H
#define READPERF_DECODE_NAMING_LOOKUPS_H

#include "decode/naming/lookup.h"

struct lookups {
	struct lookup *items; /* as lookup_names() wants them */
	size_t count;
	const struct lookup_options *options;
	const struct strings *names; /* texts of the binaries */
	unsigned threads;            /* that may be used */
	/* called once, perhaps in another thread, for work that needs no names; NULL: there is none
	 */
	void (*meanwhile)(void *context);
	void *context; /* of meanwhile */
};

/*
 * Runs all. False with err set when memory is refused. lookup_release() each in any case.
 */
bool lookups_run(const struct lookups *lookups, struct err *err);

#endif
