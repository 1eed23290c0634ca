/* Time as it passes, for measuring how long something takes. */
#ifndef READPERF_UTIL_CLOCK_H
#define READPERF_UTIL_CLOCK_H

#include <time.h>

/* Seconds since some moment in the past. */
static inline double clock_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

#endif
