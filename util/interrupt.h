/*
 * A signal that ends the process from outside (SIGINT, SIGTERM, SIGALRM, ...) calls a function
 * first, which removes what must not stay. In: signals; out: one call, then the end that the signal
 * would have brought.
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
	int signals;      /* descriptor that hands them out */
	int stop[2];      /* pipe: when its writing end is closed, the thread ends */
	sigset_t guarded; /* what the thread waits for */
	sigset_t before;  /* the calling thread's mask, as it was */
};

/*
 * From here on those signals are blocked in the calling thread, and so in all threads that it
 * starts: call it before there are others. A signal that the caller of the program ignores (nohup)
 * stays ignored. Where the system refuses descriptors or threads, signals end the process without a
 * call.
 */
void interrupt_init(struct interrupt *interrupt, void (*clean_up)(void *context), void *context);
/* Ends the waiting. Afterwards a signal ends the process as it would without us. */
void interrupt_release(struct interrupt *interrupt);

#endif
