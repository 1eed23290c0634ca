/* Threads, and how much stack they get. */
#ifndef READPERF_UTIL_THREAD_H
#define READPERF_UTIL_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Bytes of stack, for code of ours alone, which needs little: one of the usual size takes 8 MB of
 * the address space, which may be limited.
 */
#define THREAD_SMALL ((size_t)512 * 1024)
#define THREAD_USUAL ((size_t)0)

/* Bytes of stack that reading a recording needs at most: C++ names are demangled in so much. */
#define THREAD_ENOUGH ((size_t)1024 * 1024)

/*
 * stack: THREAD_SMALL, or THREAD_USUAL: what the system gives, but not less than THREAD_ENOUGH.
 * False: there is no thread, all else is as it was.
 */
bool thread_start(pthread_t *thread, size_t stack, void *(*run)(void *context), void *context);

/*
 * Calls run and waits for its end: on the caller's stack, or in a thread with THREAD_ENOUGH where
 * the limit of stacks (ulimit -s) is lower, or memory is limited. Meanwhile signals reach that
 * thread only. False: there was no thread, and no call.
 */
bool thread_call(void *(*run)(void *context), void *context);

#endif
