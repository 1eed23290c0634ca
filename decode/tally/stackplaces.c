/* The places of stacks, after the last record. */
#include "decode/tally/stackstat.h"

#include <stdlib.h>
#include <string.h>

bool stackstat_add_places(const struct stackstat *stacks, struct cells *cells, struct err *err)
{
	for (size_t i = 0; i < stacks->cells.count; i++) {
		const struct stack_cell *cell = &stacks->cells.items[i];
		const struct stack_group *group = stackstat_group(stacks, cell);
		const struct stack_frame *own = &stacks->tree.frames[cell->own];
		uint32_t number;

		if (stacks->files.mappings->binaries->items[own->binary].kind == BINARY_JIT)
			continue;
		number = cells_kind(cells, group->event, group->choice, own->binary, err);
		if (number == MAP_NONE ||
		    !cells_add_many(cells, number, own->addr, cell->samples, cell->period, err))
			return false;
	}
	return true;
}

/* The binaries that have samples; all, if every name was asked for. NULL with err set. */
static bool *find_named(const struct stackstat *stacks, const struct places *places,
                        struct err *err)
{
	size_t count = stacks->files.mappings->binaries->count;
	bool *named = malloc(count);

	if (!named) {
		err_nomem(err, count);
		return NULL;
	}
	memset(named, stacks->options.every_name, count);
	for (size_t i = 0; i < places->range_count; i++)
		named[places->ranges[i].binary] = true;
	/* in code that moves while it runs, the place of a sample differs from that in its stack */
	for (size_t i = 0; i < stacks->cells.count; i++)
		named[stacks->tree.frames[stacks->cells.items[i].own].binary] = true;
	return named;
}

/* Collects the frames in those binaries, which get places. The others get PLACE_NONE. */
static bool collect_frames(struct stackstat *stacks, struct places_addition *frames,
                           const bool *named, struct err *err)
{
	const size_t count = stacks->tree.frame_count;

	frames->items = malloc((count + 1) * sizeof(*frames->items));
	frames->place_of = stacks->places = malloc((count + 1) * sizeof(*stacks->places));
	if (!frames->items || !stacks->places)
		return err_nomem(err, count * sizeof(*frames->items));
	for (size_t i = 0; i < count; i++) {
		const struct stack_frame *frame = &stacks->tree.frames[i];

		stacks->places[i] = PLACE_NONE;
		if (named[frame->binary])
			frames->items[frames->count++] = (struct numbered_place){ frame->addr,
				                                                  frame->binary,
				                                                  (uint32_t)i };
	}
	return true;
}

bool stackstat_settle(struct stackstat *stacks, struct cells *cells, struct places *places,
                      struct err *err)
{
	struct places_addition frames = { .items = NULL };
	bool *named = find_named(stacks, places, err);
	uint32_t *moved = NULL;
	bool ok = named && collect_frames(stacks, &frames, named, err) &&
	          places_add(places, &frames, &moved, err);

	for (size_t i = 0; ok && i < cells->count; i++)
		cells->items[i].key = moved[cells->items[i].key];
	free(moved);
	free(frames.items);
	free(named);
	return ok;
}

void stackstat_keep(struct stackstat *stacks, const bool *keep)
{
	for (size_t i = 0; i < stacks->cells.count; i++) {
		struct stack_cell *cell = &stacks->cells.items[i];
		const uint32_t place = stacks->places[cell->own];

		if (place == PLACE_NONE || !keep[place])
			cell->samples = cell->period = 0;
	}
}
