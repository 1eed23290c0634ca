#include "decode/tally/funcstat.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CELLS 4096

void cells_init(struct cells *cells)
{
	memset(cells, 0, sizeof(*cells));
	cells->seed = hash_seed();
	for (size_t i = 0; i < CELLS_CACHE; i++)
		cells->cache[i] = MAP_NONE;
}

void cells_release(struct cells *cells)
{
	free(cells->items);
	free(cells->kinds);
	map_release(&cells->series);
	map_release(&cells->kind_of);
	cells_init(cells);
}

static inline size_t slot_of_hash(const struct cells *cells, uint64_t hash)
{
	return (size_t)hash & (cells->capacity - 1);
}

/*
 * The cell with this key, or the free slot where it belongs. Cells whose counter is full are
 * skipped.
 */
static inline struct cell *find_cell(const struct cells *cells, uint32_t kind, uint64_t key,
                                     uint64_t hash)
{
	size_t slot = slot_of_hash(cells, hash);

	for (;;) {
		struct cell *cell = &cells->items[slot];

		if (!cell->samples ||
		    (cell->key == key && cell->kind == kind && cell->samples != UINT32_MAX))
			return cell;
		slot = (slot + 1) & (cells->capacity - 1);
	}
}

/* Makes room for so many more cells. */
static bool reserve_cells(struct cells *cells, size_t more, struct err *err)
{
	struct cell *old = cells->items;
	size_t old_capacity = cells->capacity;
	size_t capacity = old_capacity ? old_capacity : FIRST_CELLS;
	struct cell *items;

	/* at most 3/4 of the slots are used */
	while (cells->count + more > capacity / 4 * 3)
		capacity *= 2;
	if (capacity == old_capacity)
		return true;
	items = calloc(capacity, sizeof(*items));
	if (!items)
		return err_nomem(err, capacity * sizeof(*items));
	cells->items = items;
	cells->capacity = capacity;
	for (size_t i = 0; i < old_capacity; i++) {
		if (!old[i].samples)
			continue;
		size_t slot = slot_of_hash(cells, cells_hash(cells, old[i].kind, old[i].key));

		while (items[slot].samples)
			slot = (slot + 1) & (capacity - 1);
		items[slot] = old[i];
	}
	free(old);
	return true;
}

uint32_t cells_find_kind(struct cells *cells, uint32_t event, uint32_t group, uint32_t binary,
                         struct err *err)
{
	uint32_t series = map_number(&cells->series, (uint64_t)event << 32 | group, err), number;

	if (series == MAP_NONE)
		return MAP_NONE;
	number = map_number(&cells->kind_of, (uint64_t)series << 32 | binary, err);
	if (number == MAP_NONE ||
	    !vec_room(&cells->kinds, number, &cells->kind_capacity, sizeof(*cells->kinds), err))
		return MAP_NONE;
	if (number == cells->kind_count)
		cells->kinds[cells->kind_count++] = (struct cell_kind){ event, group, binary };
	cells->cache[cells_cache_slot(event, group, binary)] = number;
	return number;
}

bool cells_count_waiting(struct cells *cells, struct err *err)
{
	size_t count = cells->waiting_count;

	if (!reserve_cells(cells, count, err))
		return false;
	cells->waiting_count = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t kind = cells->waiting[i].kind;
		uint64_t key = cells->waiting[i].key;
		struct cell *cell = find_cell(cells, kind, key, cells->waiting[i].hash);

		if (!cell->samples) {
			cell->key = key;
			cell->kind = kind;
			cells->count++;
		}
		cell->samples++;
		cell->period += cells->waiting[i].period;
	}
	return true;
}

bool cells_finish(struct cells *cells, struct err *err)
{
	struct cell *items;
	size_t used = 0;

	if (!cells_count_waiting(cells, err))
		return false;
	for (size_t i = 0; i < cells->capacity; i++)
		if (cells->items[i].samples)
			cells->items[used++] = cells->items[i];
	items = realloc(cells->items, (used + 1) * sizeof(*items));
	if (!items)
		return true;
	cells->items = items;
	cells->capacity = used + 1;
	return true;
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
