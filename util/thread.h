/*
 * The threads that help the first one: theirs is a small stack, since one of the usual size takes 8 MB of
 * the address space, which may be limited.
 */
#ifndef READPERF_UTIL_THREAD_H
#define READPERF_UTIL_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* For code of ours alone, which needs little of the stack. False: there is no thread, all else is as it was. */
bool thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

#endif
