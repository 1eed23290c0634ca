/*
 * Statistics for comparisons: Student's t distribution and the weighted median. Pure functions: the
 * same input gives the same bits.
 */
#ifndef READPERF_DECODE_COMPARE_STUDENT_H
#define READPERF_DECODE_COMPARE_STUDENT_H

#include "util/types.h"

/*
 * The probability of |T| >= |t| if T has Student's t distribution with that many degrees of freedom
 * (at least 1): the two-sided p value. Its relative error is below 1e-10 for p above 1e-300.
 */
double student_two_sided(double t, unsigned freedom);

/* The t > 0 with student_two_sided(t) == p, for 0 < p < 1. */
double student_quantile(double p, unsigned freedom);

struct weighted {
	double value, weight; /* weight >= 0 */
};

/*
 * The value below which half of the weight lies; if half of the weight ends exactly between two
 * values, their mean; 0 without any weight. Sorts the items by value.
 */
double weighted_median(struct weighted *items, size_t count);

#endif
