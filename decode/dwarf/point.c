#include "decode/dwarf/point.h"

#include "util/vec.h"

#include <stdlib.h>

bool points_make(struct points *points, const struct source_query *query, struct err *err)
{
	const size_t functions = query->function_count, addrs = query->addr_count;
	size_t function = 0, source = 0;

	*points = (struct points){ 0 };
	points->items = vec_new(functions + addrs, sizeof(*points->items), err);
	points->claimed = vec_new(functions + addrs, sizeof(*points->claimed), err);
	if (!points->items || !points->claimed)
		return false;
	while (function < functions || source < addrs) {
		struct point *point = &points->items[points->count++];
		uint64_t entry = function < functions ? query->functions[function].entry
		                                      : UINT64_MAX;
		uint64_t addr = source < addrs ? query->addrs[source].addr : UINT64_MAX;
		bool is_entry = function < functions && entry <= addr;
		bool is_addr = source < addrs && addr <= entry;

		*point = (struct point){ .addr = u64_min(entry, addr),
			                 .function = is_entry ? (uint32_t)function++ : POINT_NONE,
			                 .source = is_addr ? (uint32_t)source++ : POINT_NONE,
			                 .node = POINT_NONE,
			                 .sequence = UINT64_MAX };
	}
	return true;
}

void points_release(struct points *points)
{
	free(points->items);
	free(points->claimed);
	*points = (struct points){ 0 };
}
