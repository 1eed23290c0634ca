#include "decode/dwarf/point.h"

#include <stdlib.h>

bool points_make(struct points *points, const struct source_query *query, struct err *err)
{
	struct source_points asked;

	*points = (struct points){ 0 };
	if (!source_points_make(&asked, query, err))
		return false;
	points->items = calloc(asked.count + 1, sizeof(*points->items));
	points->claimed = malloc((asked.count + 1) * sizeof(*points->claimed));
	if (points->items && points->claimed)
		points->count = asked.count;
	else
		err_nomem(err, asked.count * sizeof(*points->items));
	for (size_t i = 0; i < points->count; i++)
		points->items[i] = (struct point){ .addr = asked.items[i].addr,
			                           .function = asked.items[i].function,
			                           .source = asked.items[i].source,
			                           .node = POINT_NONE,
			                           .sequence = UINT64_MAX };
	free(asked.items);
	return err->code == ERR_NONE;
}

void points_release(struct points *points)
{
	free(points->items);
	free(points->claimed);
	*points = (struct points){ 0 };
}
