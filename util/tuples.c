#include "util/tuples.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

void tuples_init(struct tuples *tuples, size_t size)
{
	*tuples = (struct tuples){ .size = size, .seed = hash_seed() };
}

void tuples_release(struct tuples *tuples)
{
	free(tuples->items);
	hash_index_release(&tuples->index);
	memset(tuples, 0, sizeof(*tuples));
}

void tuples_clear(struct tuples *tuples)
{
	tuples->count = 0;
	hash_index_clear(&tuples->index);
}

/* The tuple that is looked for stands behind those that have a number. */
static bool is_same_tuple(const void *context, uint32_t number)
{
	const struct tuples *tuples = context;

	return !memcmp(tuples_get(tuples, number), tuples_get(tuples, tuples->count), tuples->size);
}

uint32_t tuples_put(struct tuples *tuples, const void *tuple, struct err *err)
{
	uint32_t number;

	if (tuples->count && !memcmp(tuples_get(tuples, tuples->last), tuple, tuples->size))
		return tuples->last;
	if (!vec_room(&tuples->items, tuples->count, &tuples->capacity, tuples->size, err))
		return MAP_NONE;
	memcpy(tuples->items + tuples->count * tuples->size, tuple, tuples->size);
	number = hash_index_put(&tuples->index, hash_bytes(tuples->seed, tuple, tuples->size),
	                        (uint32_t)tuples->count, is_same_tuple, tuples, err);
	if (number == MAP_NONE)
		return MAP_NONE;
	tuples->count += number == tuples->count;
	return tuples->last = number;
}
