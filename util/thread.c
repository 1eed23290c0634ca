#include "util/thread.h"

#include "util/memory.h"

#include <signal.h>
#include <sys/resource.h>

bool thread_start(pthread_t *thread, size_t stack, void *(*run)(void *context), void *context)
{
	pthread_attr_t attr;
	bool started;

	if (pthread_attr_init(&attr) != 0)
		return false;
	/* if the system refuses this size, the usual one stays */
	(void)pthread_attr_setstacksize(&attr, stack);
	started = pthread_create(thread, &attr, run, context) == 0;
	pthread_attr_destroy(&attr);
	return started;
}

void thread_both(bool may, void (*one)(void *context), void *(*other)(void *context), void *context)
{
	pthread_t thread;
	const bool two = may && !memory_is_limited() &&
	                 thread_start(&thread, THREAD_ENOUGH, other, context);

	one(context);
	if (two)
		pthread_join(thread, NULL);
	else
		other(context);
}

bool thread_call(void *(*run)(void *context), void *context)
{
	struct rlimit limit;
	sigset_t all, before;
	pthread_t thread;

	/*
	 * where memory is limited, the kernel may refuse to grow the main stack, which ends the
	 * process
	 */
	if (!memory_is_limited() &&
	    (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur >= THREAD_ENOUGH)) {
		run(context);
		return true;
	}
	if (!thread_start(&thread, THREAD_ENOUGH, run, context))
		return false;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return true;
}
