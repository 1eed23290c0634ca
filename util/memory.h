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
/*
 * Asks the kernel for large pages for a block that will be filled, if it is large. Measured on 2.8
 * million samples of builds with call chains, which need 10,000 small pages more than the heap
 * starts with: 11 % less wall time with -j1 and 9 % with two threads on an idle machine (medians of
 * 7 and 11 runs), 7 % less CPU time with a load of 5 on 2 CPUs; for tables of stacks 12 and 11 %.
 */
void memory_use_large_pages(void *block, size_t size);
/*
 * Whether processes that are forked from now on get the whole pages in a block; they do unless this
 * is called. Undo it before the block is freed. Without, the first write to each page after a fork
 * costs a copy of it, and an interrupt of all CPUs: 18 % of the CPU time of --every=10s at 100,000
 * samples per second.
 */
void memory_let_fork(void *block, size_t size, bool let);
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
