/*
 * Checks whether the runs can be compared at all: differences between them other than the program,
 * lost samples, samples without names, and what a comparison of so few runs can find.
 */
#ifndef READPERF_DECODE_COMPARE_COMPARABLE_H
#define READPERF_DECODE_COMPARE_COMPARABLE_H

#include "decode/compare/findings.h"

struct trend;

/*
 * Adds every reason not to trust the comparison, and rules that match nothing; rules may be
 * empty.
 */
void comparable_check(const struct comparison *comparison, const struct rules *rules,
                      struct findings *findings);
/* The same for a trend; also names that go on under another one. */
void comparable_check_trend(const struct trend *trend, const struct rules *rules,
                            struct findings *findings);
/* The same for the rules of one recording. chains: whether it has call chains. */
void comparable_check_single(const struct rules *rules, bool chains, struct findings *findings);

#endif
