/*
 * Calls a function before a signal from outside (SIGINT, SIGTERM, SIGALRM, ...) ends the process,
 * so that it can remove unfinished files. In: signals. Out: one call, and then the end that the
 * signal would have caused.
 */
#ifndef READPERF_UTIL_INTERRUPT_H
#define READPERF_UTIL_INTERRUPT_H

#include "util/types.h"

#include <pthread.h>
#include <signal.h>

struct interrupt {
	void (*clean_up)(void *context);
	void *context;
	pthread_t thread; /* waits for the signals */
	bool running;
	int signals;      /* file descriptor from which the signals are read */
	int stop[2];      /* pipe: when its writing end is closed, the thread ends */
	sigset_t guarded; /* the signals that the thread waits for */
	sigset_t before;  /* the calling thread's mask before interrupt_init() */
};

/*
 * Blocks those signals in the calling thread, and so in all threads that it starts later: call it
 * before any other thread is started. A signal that was ignored when the program started (nohup)
 * stays ignored. Where the system refuses descriptors or threads, signals end the process without
 * the call.
 */
void interrupt_init(struct interrupt *interrupt, void (*clean_up)(void *context), void *context);
/* Stops waiting for signals. From then on a signal ends the process as usual. */
void interrupt_release(struct interrupt *interrupt);

#endif
