/*
 * What the kernel is asked for: how memory comes and goes, and what is left where it is limited
 * (--max-memory, ulimit). Libraries that are refused some end the process, or leave something out without a
 * word: so it is asked for before they are.
 */
#ifndef READPERF_UTIL_MEMORY_H
#define READPERF_UTIL_MEMORY_H

#include "util/errhandler.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/*
 * Limits the address space to so many bytes (0: leaves it as it is) and gets heap and stack ready: once,
 * before there are other threads. False with err set.
 */
bool memory_start(uint64_t limit, struct err *err);
/*
 * From now on allocations of size bytes and more get pages of their own, which go back when they are freed,
 * instead of leaving holes in the heap.
 */
void memory_part_from(size_t size);
bool memory_is_limited(void);
/* Whether size more bytes would be granted; always, where memory is not limited. False with err set. */
bool memory_has(size_t size, struct err *err);
/*
 * Has the pages of memory that will be written soon, all of it, come in one step: each that is written
 * first would be a fault, which takes a virtual machine up to 10 us. What they hold stays.
 */
void memory_populate(void *memory, size_t size);

#define MEMORY_LINE 64 /* bytes of a cache line */

#ifdef __SSE2__
/*
 * Stores two words that another thread will read, to a multiple of their size, and past the caches: a line
 * that this thread has written there last time is in the other one's, and to get it back takes longer than
 * to write it. Lines are written as a whole, and not read by this thread. memory_pass_end() comes before the
 * other thread is told.
 */
static inline void memory_pass(void *to, uint64_t first, uint64_t second)
{
	_mm_stream_si128(to, _mm_set_epi64x((long long)second, (long long)first));
}
#endif

static inline void memory_pass_end(void)
{
#ifdef __SSE2__
	_mm_sfence();
#endif
}

#endif
