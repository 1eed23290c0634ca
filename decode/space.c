#include "decode/space.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

struct space *space_new(struct err *err)
{
	struct space *space = calloc(1, sizeof(*space));

	if (!space)
		err_nomem(err, sizeof(*space));
	else
		space->users = 1;
	return space;
}

void space_put(struct space *space)
{
	if (!space || --space->users)
		return;
	free(space->maps);
	free(space);
}

/* Makes *space the caller's alone. */
static bool own(struct space **space, struct err *err)
{
	struct space *old = *space, *copy;

	if (old->users == 1)
		return true;
	copy = space_new(err);
	if (!copy)
		return false;
	copy->maps = malloc((old->count ? old->count : 1) * sizeof(*copy->maps));
	if (!copy->maps) {
		space_put(copy);
		return err_nomem(err, old->count * sizeof(*copy->maps));
	}
	if (old->count)
		memcpy(copy->maps, old->maps, old->count * sizeof(*copy->maps));
	copy->count = old->count;
	copy->capacity = old->count ? old->count : 1;
	space_put(old);
	*space = copy;
	return true;
}

/* The first mapping that ends behind addr. */
static size_t first_behind(const struct space *space, uint64_t addr)
{
	size_t low = 0, high = space->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (space->maps[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct space_map *space_find(struct space *space, uint64_t addr)
{
	size_t at = space->hint;

	if (at < space->count && addr - space->maps[at].start < space->maps[at].end - space->maps[at].start)
		return &space->maps[at];
	space->hint = at = first_behind(space, addr);
	return at < space->count && space->maps[at].start <= addr ? &space->maps[at] : NULL;
}

static bool put_at(struct space *space, size_t at, const struct space_map *map, struct err *err)
{
	struct space_map *maps = vec_grow(space->maps, space->count, &space->capacity, sizeof(*maps),
	                                  err);

	if (!maps)
		return false;
	space->maps = maps;
	memmove(maps + at + 1, maps + at, (space->count - at) * sizeof(*maps));
	maps[at] = *map;
	space->count++;
	return true;
}

bool space_remove(struct space **space, uint64_t start, uint64_t end, struct err *err)
{
	struct space_map *maps, rest;
	size_t at, gone;

	if (!own(space, err))
		return false;
	at = first_behind(*space, start);
	maps = (*space)->maps;
	if (at < (*space)->count && maps[at].start < start) {
		rest = maps[at];
		maps[at].end = start;
		at++;
		if (rest.end > end) {
			/* a hole in one mapping: its other side stays */
			rest.pgoff += end - rest.start;
			rest.start = end;
			return put_at(*space, at, &rest, err);
		}
	}
	for (gone = at; gone < (*space)->count && maps[gone].end <= end; gone++)
		;
	if (gone < (*space)->count && maps[gone].start < end) {
		maps[gone].pgoff += end - maps[gone].start;
		maps[gone].start = end;
	}
	if (gone != at) {
		memmove(maps + at, maps + gone, ((*space)->count - gone) * sizeof(*maps));
		(*space)->count -= gone - at;
	}
	return true;
}

bool space_insert(struct space **space, const struct space_map *map, struct err *err)
{
	if (map->start >= map->end)
		return true;
	if (!space_remove(space, map->start, map->end, err))
		return false;
	return put_at(*space, first_behind(*space, map->start), map, err);
}
