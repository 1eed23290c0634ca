#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "util/memory.h"

#include <sys/mman.h>
#include <sys/resource.h>

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
