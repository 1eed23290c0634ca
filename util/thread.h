/* Threads, and how much stack they get. */
#ifndef READPERF_UTIL_THREAD_H
#define READPERF_UTIL_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Bytes of stack for threads that run only our own code, which needs little. The usual stack takes
 * 8 MB of the address space, which may be limited.
 */
#define THREAD_SMALL ((size_t)512 * 1024)
/* Bytes of stack that are enough to read a recording; demangling C++ names needs the most. */
#define THREAD_ENOUGH ((size_t)1024 * 1024)

/* False: no thread was started, and nothing has changed. */
bool thread_start(pthread_t *thread, size_t stack, void *(*run)(void *context), void *context);

/*
 * Calls both and returns when they have ended: if two threads may be used, at the same time, the
 * second one, whose result is not used, in another thread with THREAD_ENOUGH bytes of stack.
 * Otherwise, or where memory is limited, one after the other: one thread could use what the other
 * has just found to be free.
 */
void thread_both(bool may, void (*one)(void *context), void *(*other)(void *context),
                 void *context);

/*
 * Calls run and waits until it returns: on the caller's stack, or in a thread with THREAD_ENOUGH
 * where the stack limit (ulimit -s) is lower or memory is limited. Meanwhile signals reach only
 * that thread. False: the thread could not be started, and run was not called.
 */
bool thread_call(void *(*run)(void *context), void *context);

#endif
