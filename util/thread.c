#include "util/thread.h"

#include <stddef.h>

#define STACK ((size_t)512 * 1024) /* bytes */

bool thread_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
	pthread_attr_t attr;
	bool started;

	if (pthread_attr_init(&attr) != 0)
		return false;
	/* where this is too small, it stays as it is */
	(void)pthread_attr_setstacksize(&attr, STACK);
	started = pthread_create(thread, &attr, run, context) == 0;
	pthread_attr_destroy(&attr);
	return started;
}
