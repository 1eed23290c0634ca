/*
 * How the process gets memory from the kernel, and how much is left where memory is limited
 * (--max-memory, ulimit). Some libraries end the process when memory is refused, or silently leave
 * something out; so callers check with memory_has() before they call them.
 */
#ifndef READPERF_UTIL_MEMORY_H
#define READPERF_UTIL_MEMORY_H

#include "util/errhandler.h"

/*
 * Limits the address space to so many bytes (0: no change) and prepares the heap. Call it once,
 * before other threads are started. False with err set.
 */
bool memory_start(uint64_t limit, struct err *err);
/*
 * From now on, allocations of size bytes and more that do not fit into the heap are mapped
 * separately: their pages are returned when they are freed, and leave no holes in the heap. Has an
 * effect with glibc only.
 */
void memory_part_from(size_t size);
/* Whether the address space or the data segment of this process is limited. Two system calls. */
bool memory_is_limited(void);
/*
 * Whether size more bytes would be granted; always true where memory is not limited. False with err
 * set.
 */
bool memory_has(size_t size, struct err *err);
/*
 * Bytes that glibc's malloc adds to each allocation. An aligned allocation that asks for so much
 * less than a multiple of its alignment leaves no gap before the next one: a recording of 180 MB
 * takes 28 MB of memory, and 37 MB with gaps between the blocks of its stream.
 */
#define MEMORY_OWN sizeof(size_t)

#endif
