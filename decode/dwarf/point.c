#include "decode/dwarf/point.h"

#include <stdlib.h>

bool points_make(struct points *points, const struct source_query *query, struct err *err)
{
	size_t f = 0, a = 0, count = query->function_count + query->addr_count;
	struct point *items = calloc(count ? count : 1, sizeof(*items));

	if (!items)
		return err_nomem(err, count * sizeof(*items));
	points->items = items;
	points->count = 0;
	while (f < query->function_count || a < query->addr_count) {
		uint64_t entry = f < query->function_count ? query->functions[f].entry : UINT64_MAX;
		uint64_t addr = a < query->addr_count ? query->addrs[a].addr : UINT64_MAX;
		bool function = f < query->function_count && entry <= addr;
		bool source = a < query->addr_count && addr <= entry;

		items[points->count++] = (struct point){
			.addr = u64_min(entry, addr),
			.function = function ? (uint32_t)f++ : POINT_NONE,
			.source = source ? (uint32_t)a++ : POINT_NONE,
			.node = POINT_NONE,
			.sequence = UINT64_MAX,
		};
	}
	return true;
}
