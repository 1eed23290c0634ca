#include "decode/tally/funcstat.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

void cells_init(struct cells *cells)
{
	memset(cells, 0, sizeof(*cells));
	cells->seed = hash_seed();
	tuples_init(&cells->kinds, sizeof(struct cell_kind));
	for (size_t i = 0; i < CELLS_CACHE; i++)
		cells->cache[i] = MAP_NONE;
}

void cells_release(struct cells *cells)
{
	hash_index_release(&cells->index);
	free(cells->items);
	tuples_release(&cells->kinds);
	cells_init(cells);
}

uint32_t cells_find_kind(struct cells *cells, const struct cell_kind *kind, struct err *err)
{
	const uint32_t number = tuples_put(&cells->kinds, kind, err);

	if (number != MAP_NONE)
		cells->cache[cells_cache_slot(kind)] = number;
	return number;
}

/* A cell whose counter is not full. */
struct cell_search {
	const struct cell *items;
	uint64_t key;
	uint32_t kind;
};

static bool is_wanted_cell(const void *context, uint32_t number)
{
	const struct cell_search *search = context;
	const struct cell *cell = &search->items[number];

	return cell->key == search->key && cell->kind == search->kind &&
	       cell->samples != UINT32_MAX;
}

bool cells_count_waiting(struct cells *cells, struct err *err)
{
	const size_t count = cells->waiting_count;

	cells->waiting_count = 0;
	if (!vec_reserve(&cells->items, cells->count + count, &cells->capacity,
	                 sizeof(*cells->items), err))
		return false;
	for (size_t i = 0; i < count; i++) {
		const uint32_t kind = cells->waiting[i].kind;
		const uint64_t key = cells->waiting[i].key;
		const struct cell_search search = { cells->items, key, kind };
		const uint32_t number = hash_index_put(&cells->index, cells->waiting[i].hash,
		                                       (uint32_t)cells->count, is_wanted_cell,
		                                       &search, err);

		if (number == MAP_NONE)
			return false;
		if (number == cells->count)
			cells->items[cells->count++] = (struct cell){ key, 0, 0, kind };
		cells->items[number].samples++;
		cells->items[number].period += cells->waiting[i].period;
	}
	return true;
}

bool cells_finish(struct cells *cells, struct err *err)
{
	const bool ok = cells_count_waiting(cells, err);

	hash_index_release(&cells->index);
	return ok;
}

bool cells_append(struct cells *cells, uint32_t kind, uint64_t key, uint64_t samples,
                  uint64_t period, struct err *err)
{
	while (samples) {
		const uint32_t part = (uint32_t)u64_min(samples, UINT32_MAX);

		if (!vec_room(&cells->items, cells->count, &cells->capacity, sizeof(*cells->items),
		              err))
			return false;
		cells->items[cells->count++] = (struct cell){ key, period, part, kind };
		samples -= part;
		period = 0;
	}
	return true;
}
