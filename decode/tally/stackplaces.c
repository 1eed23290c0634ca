/* The places of stacks, after the last record. */
#include "decode/tally/stackstat.h"

#include <stdlib.h>
#include <string.h>

bool stackstat_add_places(const struct stackstat *stacks, struct cells *cells, struct err *err)
{
	/* sorted by their nodes, so that the nodes are read in their order */
	for (size_t i = 0; i < stacks->cells.count; i++) {
		const struct cell *cell = &stacks->cells.items[i];
		const struct cell_kind *kind = &stacks->cells.kinds[cell->kind];
		/* the innermost frame of a chain is the sample's own place, see chain.h */
		const struct stack_node *own = &stacks->tree.nodes[cell->key];
		uint32_t number;

		if (stacks->files.mappings->binaries->items[own->binary].kind == BINARY_JIT)
			continue;
		number = cells_kind(cells, kind->event, stackstat_group(stacks, cell)->choice,
		                    own->binary, err);
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
		named[stacks->tree.nodes[stacks->cells.items[i].key].binary] = true;
	return named;
}

/*
 * Collects the nodes of those binaries with their places. The others and the roots get PLACE_NONE.
 */
static bool collect_nodes(struct stackstat *stacks, struct places_addition *nodes,
                          const bool *named, struct err *err)
{
	const size_t count = stacks->tree.count;

	nodes->items = malloc(count * sizeof(*nodes->items));
	nodes->place_of = stacks->places = malloc(count * sizeof(*stacks->places));
	if (!nodes->items || !stacks->places)
		return err_nomem(err, count * sizeof(*nodes->items));
	for (size_t i = 0; i < count; i++) {
		const struct stack_node *node = &stacks->tree.nodes[i];

		stacks->places[i] = PLACE_NONE;
		if (i >= STACK_ENDS && named[node->binary])
			nodes->items[nodes->count++] = (struct numbered_place){ node->addr,
				                                                node->binary,
				                                                (uint32_t)i };
	}
	return true;
}

bool stackstat_settle(struct stackstat *stacks, struct cells *cells, struct places *places,
                      struct err *err)
{
	struct places_addition nodes = { .items = NULL };
	bool *named = find_named(stacks, places, err);
	uint32_t *moved = NULL;
	bool ok = named && collect_nodes(stacks, &nodes, named, err) &&
	          places_add(places, &nodes, &moved, err);

	for (size_t i = 0; ok && i < cells->count; i++)
		cells->items[i].key = moved[cells->items[i].key];
	free(moved);
	free(nodes.items);
	free(named);
	return ok;
}

void stackstat_keep(struct stackstat *stacks, const bool *keep)
{
	struct cells *cells = &stacks->cells;
	size_t kept = 0;

	for (size_t i = 0; i < cells->count; i++) {
		uint32_t place = stacks->places[cells->items[i].key];

		if (place != PLACE_NONE && keep[place])
			cells->items[kept++] = cells->items[i];
	}
	cells->count = kept;
}
