#include "util/vec.h"

#include <stdlib.h>

void *vec_grow(void *items, size_t count, size_t *capacity, size_t item_size, struct err *err)
{
	size_t wanted, size;
	void *moved;

	if (count < *capacity)
		return items;
	wanted = *capacity ? *capacity * 2 : 8;
	if (__builtin_mul_overflow(wanted, item_size, &size) || wanted < *capacity) {
		err_nomem(err, SIZE_MAX);
		return NULL;
	}
	moved = realloc(items, size);
	if (!moved) {
		err_nomem(err, size);
		return NULL;
	}
	*capacity = wanted;
	return moved;
}
