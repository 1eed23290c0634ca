#include "util/vec.h"

#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

void *vec_new(size_t count, size_t item_size, struct err *err)
{
	void *items = calloc(count ? count : 1, item_size);
	size_t size;

	if (!items)
		err_nomem(err, __builtin_mul_overflow(count, item_size, &size) ? SIZE_MAX : size);
	return items;
}

bool vec_reserve(void *items, size_t wanted, size_t *capacity, size_t item_size, struct err *err)
{
	size_t count = *capacity ? *capacity : 8, size;
	void *moved;

	if (*capacity && wanted <= *capacity)
		return true;
	while (count < wanted)
		if (__builtin_mul_overflow(count, 2, &count))
			return err_nomem(err, SIZE_MAX);
	if (__builtin_mul_overflow(count, item_size, &size))
		return err_nomem(err, SIZE_MAX);
	/* a pointer to any object; all have the same representation */
	memcpy(&moved, items, sizeof(moved));
	moved = realloc(moved, size);
	if (!moved)
		return err_nomem(err, size);
	memory_use_large_pages(moved, size);
	memcpy(items, &moved, sizeof(moved));
	*capacity = count;
	return true;
}
