/* Units of time, and time as it passes, for measuring how long something takes. */
#ifndef READPERF_UTIL_CLOCK_H
#define READPERF_UTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_SECOND UINT64_C(1000000000)

/* Seconds since some moment in the past. */
static inline double clock_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

#endif
