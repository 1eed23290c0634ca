/*
 * The threads that help the first one. Each begins on another CPU, where there is one: a kernel leaves it on
 * the one that it was started on for up to 20 ms, which is half of what a small recording takes.
 */
#ifndef READPERF_UTIL_THREAD_H
#define READPERF_UTIL_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Bytes of stack, for code of ours alone, which needs little: one of the usual size takes 8 MB of the address
 * space, which may be limited.
 */
#define THREAD_SMALL ((size_t)512 * 1024)
#define THREAD_USUAL ((size_t)0)

/* False: there is no thread, all else is as it was. */
bool thread_start(pthread_t *thread, size_t stack, void *(*run)(void *context), void *context);

#endif
