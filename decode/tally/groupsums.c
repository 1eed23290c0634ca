#include "decode/tally/groupsums.h"

#include "decode/tally/groups.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define READ_TOGETHER ((size_t)64 << 10) /* bytes */

void group_sums_init(struct group_sums *sums, bool wanted, size_t limit, const char *dir)
{
	memset(sums, 0, sizeof(*sums));
	sums->wanted = wanted;
	sums->limit = wanted ? limit : SIZE_MAX;
	cells_init(&sums->cells);
	spill_init(&sums->spill, sizeof(struct group_sum), dir);
}

void group_sums_release(struct group_sums *sums)
{
	cells_release(&sums->cells);
	spill_close(&sums->spill);
	free(sums->items);
	free(sums->places);
	memset(sums, 0, sizeof(*sums));
}

bool group_sums_add(struct group_sums *sums, const struct group_sum *sum, struct err *err)
{
	if (sums->count >= sums->limit) {
		if (!spill_write(&sums->spill, sums->items, sums->count, err))
			return false;
		sums->count = 0;
	}
	return vec_append(&sums->items, &sums->count, &sums->capacity, sum, sizeof(*sum), err);
}

/* Adds a cell with a group to the one without, or to several if its counter becomes full. */
static bool fold_cell(struct group_sums *sums, const struct cell *cell,
                      const struct cell_kind *from, struct err *err)
{
	const uint32_t kind = cells_kind(&sums->cells, from->event, GROUP_ALL, from->binary, err);
	struct group_sum sum = { .period = cell->period, .group = from->group };

	for (uint32_t left = cell->samples; kind != MAP_NONE && left;
	     left -= (uint32_t)sum.samples, sum.period = 0) {
		uint32_t number;

		sum.samples = left;
		number = cells_put(&sums->cells, kind, cell->key, &sum.samples, sum.period, err);
		sum.cell = number;
		if (number == MAP_NONE || !group_sums_add(sums, &sum, err))
			return false;
	}
	return kind != MAP_NONE;
}

bool group_sums_fold(struct group_sums *sums, struct cells *cells, struct err *err)
{
	if (!cells_count_waiting(cells, err))
		return false;
	for (size_t i = 0; i < cells->count; i++)
		if (!fold_cell(sums, &cells->items[i], cells_kind_at(cells, cells->items[i].kind),
		               err))
			return false;
	cells_clear(cells);
	return true;
}

bool group_sums_finish(struct group_sums *sums, struct cells *cells, struct err *err)
{
	if (!group_sums_fold(sums, cells, err))
		return false;
	cells_release(cells);
	*cells = sums->cells;
	cells_init(&sums->cells);
	return true;
}

bool group_sums_settle(struct group_sums *sums, const struct cells *cells, struct err *err)
{
	sums->places = vec_new(cells->count, sizeof(*sums->places), err);
	if (!sums->places)
		return false;
	sums->place_count = cells->count;
	for (size_t i = 0; i < cells->count; i++)
		sums->places[i] = (struct group_place){
			cells_kind_at(cells, cells->items[i].kind)->event,
			cell_place(&cells->items[i])
		};
	return true;
}

bool group_sum_cursor_open(struct group_sum_cursor *cursor, const struct group_sums *sums,
                           struct err *err)
{
	*cursor = (struct group_sum_cursor){ .sums = sums };
	return spill_reader_open(&cursor->reader, &sums->spill, 0, sums->spill.block_count,
	                         READ_TOGETHER, err);
}

void group_sum_cursor_close(struct group_sum_cursor *cursor)
{
	spill_reader_close(&cursor->reader);
}

const struct group_sum *group_sum_next(struct group_sum_cursor *cursor, struct err *err)
{
	const struct group_sum *sum = spill_read(&cursor->reader, err);

	if (sum || err->code != ERR_NONE)
		return sum;
	return cursor->next < cursor->sums->count ? &cursor->sums->items[cursor->next++] : NULL;
}
