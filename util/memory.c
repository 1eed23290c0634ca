#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "util/memory.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define STACK ((size_t)1024 * 1024) /* bytes; names of C++ are demangled in so much */
#define STACK_PAGE 4096

bool memory_is_limited(void)
{
	struct rlimit space = { .rlim_cur = RLIM_INFINITY }, data = space;

	getrlimit(RLIMIT_AS, &space);
	getrlimit(RLIMIT_DATA, &data);
	return space.rlim_cur != RLIM_INFINITY || data.rlim_cur != RLIM_INFINITY;
}

bool memory_has(size_t size, struct err *err)
{
	void *memory;

	if (!memory_is_limited())
		return true;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return err_nomem(err, size);
	munmap(memory, size);
	return true;
}

/* Writes to each page of so much of the stack. */
static __attribute__((noinline)) void touch(size_t size)
{
	volatile uint8_t *part = __builtin_alloca(size);

	for (size_t i = size; i >= STACK_PAGE; i -= STACK_PAGE)
		part[i - STACK_PAGE] = 0;
}

bool memory_take_stack(struct err *err)
{
	struct rlimit stack;
	size_t size = STACK;

	if (!memory_is_limited())
		return true;
	/* half of it: some is in use */
	if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur / 2 < size)
		size = (size_t)stack.rlim_cur / 2;
	if (!memory_has(size, err))
		return false;
	touch(size);
	return true;
}
