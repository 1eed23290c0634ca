#define _GNU_SOURCE /* sched_getcpu(), CPU_CLR(), pthread_setaffinity_np() */

#include "util/thread.h"

#include <sched.h>

/* Has the thread go on elsewhere, without keeping it there. */
static void move_away(pthread_t thread)
{
	int here = sched_getcpu();
	cpu_set_t all, others;

	/* more CPUs than these sets hold are no such problem */
	if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof(all), &all) != 0)
		return;
	others = all;
	CPU_CLR((size_t)here, &others);
	if (CPU_COUNT(&others) == 0)
		return;
	pthread_setaffinity_np(thread, sizeof(others), &others);
	pthread_setaffinity_np(thread, sizeof(all), &all);
}

bool thread_start(pthread_t *thread, size_t stack, void *(*run)(void *context), void *context)
{
	pthread_attr_t attr;
	bool started;

	if (pthread_attr_init(&attr) != 0)
		return false;
	/* where this is too small, it stays as it is */
	if (stack != THREAD_USUAL)
		(void)pthread_attr_setstacksize(&attr, stack);
	started = pthread_create(thread, &attr, run, context) == 0;
	pthread_attr_destroy(&attr);
	if (started)
		move_away(*thread);
	return started;
}
