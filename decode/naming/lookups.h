/* Runs the lookups of all binaries, in two threads if possible. */
#ifndef READPERF_DECODE_NAMING_LOOKUPS_H
#define READPERF_DECODE_NAMING_LOOKUPS_H

#include "decode/naming/lookup.h"

struct lookups {
	struct lookup *items; /* prepared for lookup_names() */
	size_t count;
	const struct lookup_options *options;
	const struct strings *names; /* texts of the binaries */
	unsigned threads;            /* how many may be used */
};

/*
 * Runs all lookups. False with err set when memory is refused. Call lookup_release() for each in
 * any case.
 */
bool lookups_run(const struct lookups *lookups, struct err *err);

#endif
