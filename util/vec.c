#include "util/vec.h"

#include <stdlib.h>

void *vec_enlarge(void *items, size_t *capacity, size_t item_size, struct err *err)
{
	size_t wanted = *capacity ? *capacity * 2 : 8, size;
	void *moved;

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
