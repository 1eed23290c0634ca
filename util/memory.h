/*
 * What the kernel is asked for: how memory comes and goes, and what is left where it is limited
 * (--max-memory, ulimit). Libraries that are refused some end the process, or leave something out
 * without a word: so it is asked for before they are.
 */
#ifndef READPERF_UTIL_MEMORY_H
#define READPERF_UTIL_MEMORY_H

#include "util/errhandler.h"

/*
 * Limits the address space to so many bytes (0: leaves it as it is) and gets the heap ready: once,
 * before there are other threads. False with err set.
 */
bool memory_start(uint64_t limit, struct err *err);
/*
 * From now on allocations of size bytes and more get pages of their own where the heap has no room
 * for them: those go back when they are freed, instead of leaving holes in the heap. glibc only.
 */
void memory_part_from(size_t size);
/* Whether the address space or the data of this process are: two system calls. */
bool memory_is_limited(void);
/*
 * Whether size more bytes would be granted; always, where memory is not limited. False with err
 * set.
 */
bool memory_has(size_t size, struct err *err);
/*
 * Bytes that glibc's malloc adds to each allocation. Aligned allocations that ask for so much less
 * than a multiple of their alignment leave no gaps between them: a recording of 180 MB takes 28 MB
 * of memory, with gaps between the blocks of its stream 37.
 */
#define MEMORY_OWN sizeof(size_t)

#endif
