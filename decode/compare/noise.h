/*
 * How much a function's cost varies from run to run, for the tests of comparisons and of trends:
 * the variance that was observed, what is typical of the event's functions, and chance.
 */
#ifndef READPERF_DECODE_COMPARE_NOISE_H
#define READPERF_DECODE_COMPARE_NOISE_H

#include <math.h>
#include <stdbool.h>

#define TYPICAL_LEAST 20   /* functions; fewer do not show how much noise is typical */
#define TYPICAL_FREEDOM 4u /* degrees of freedom for the typical noise */
#define POWER_TAIL 0.4     /* two-sided p of the t that 4 of 5 tests exceed */
#define INTERVAL_P 0.05

/*
 * Samples are drawn by chance, intervals are all there. Their sums are taken to vary by 0.1 % at
 * least, so that equal ones have a variance, too.
 */
#define INTERVAL_NOISE 1e-6

/*
 * The variance that is used instead of the observed one, which has so many degrees of freedom.
 * floor: the variance of a count by chance alone; typical: what the functions of the event have
 * beyond it. Not moderated, it is the observed one. It is never below the floor.
 */
static inline double noise_variance(double observed, unsigned freedom, double floor, double typical,
                                    bool moderated)
{
	if (moderated)
		observed = (TYPICAL_FREEDOM * (floor + typical) + freedom * observed) /
		           (TYPICAL_FREEDOM + freedom);
	return fmax(observed, floor);
}

#endif
