#include "decode/dwarf/point.h"

#include <stdlib.h>

bool points_make(struct points *points, const struct source_query *query, struct err *err)
{
	struct source_place place = { 0 };
	struct source_point point;
	size_t count = query->function_count + query->addr_count;
	struct point *items = calloc(count ? count : 1, sizeof(*items));

	*points = (struct points){ .items = items };
	points->claimed = malloc((count ? count : 1) * sizeof(*points->claimed));
	if (!items || !points->claimed)
		return err_nomem(err, count * sizeof(*items));
	while (source_point_next(query, &place, &point))
		items[points->count++] = (struct point){
			.addr = point.addr,
			.function = point.function,
			.source = point.source,
			.node = POINT_NONE,
			.sequence = UINT64_MAX,
		};
	return true;
}

void points_release(struct points *points)
{
	free(points->items);
	free(points->claimed);
	*points = (struct points){ 0 };
}
