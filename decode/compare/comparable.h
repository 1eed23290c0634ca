/*
 * Whether the runs should be compared at all: what differs between them that is not the program,
 * what was lost, what has no name, and how much a comparison of so many runs can find.
 */
#ifndef READPERF_DECODE_COMPARE_COMPARABLE_H
#define READPERF_DECODE_COMPARE_COMPARABLE_H

#include "decode/compare/rules.h"

/* Called for each finding: one clause, lower case, no full stop. */
struct finding_sink {
	void (*report)(void *context, const char *text);
	void *context;
};

/*
 * Reports each reason not to trust the comparison. rules: may be empty; those that match nothing
 * are said.
 */
void comparable_check(const struct comparison *comparison, const struct rules *rules,
                      const struct finding_sink *sink);

#endif
