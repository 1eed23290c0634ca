#include "decode/naming/executed.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

static int compare_points(const void *a, const void *b)
{
	const struct executed_point *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->binary != y->binary)
		return x->binary < y->binary ? -1 : 1;
	return u64_order(x->addr, y->addr);
}

static void sum_up(struct executed_point *points, size_t count)
{
	qsort(points, count, sizeof(*points), compare_points);
	for (size_t i = 1; i < count; i++)
		points[i].sum += points[i - 1].sum;
}

bool executed_make(struct executed *executed, const struct branchstat *branches, struct err *err)
{
	const size_t count = branches->blocks.count;

	executed->starts = vec_new(count, sizeof(*executed->starts), err);
	executed->ends = vec_new(count, sizeof(*executed->ends), err);
	if (!executed->starts || !executed->ends)
		return false;
	executed->count = count;
	for (size_t i = 0; i < count; i++) {
		const struct block_key *key = tuples_get(&branches->blocks, i);
		struct executed_point point = { key->start, branches->block_sums[i].count,
			                        key->event, key->binary };

		executed->starts[i] = point;
		point.addr = key->end;
		executed->ends[i] = point;
	}
	sum_up(executed->starts, count);
	sum_up(executed->ends, count);
	return true;
}

void executed_release(struct executed *executed)
{
	free(executed->starts);
	free(executed->ends);
	memset(executed, 0, sizeof(*executed));
}

/* The sum of the counts of the points before this one; with_equal: and at it. */
static uint64_t sum_before(const struct executed_point *points, size_t count,
                           const struct executed_point *at, bool with_equal)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = compare_points(&points[middle], at);

		if (order < 0 || (with_equal && order == 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low ? points[low - 1].sum : 0;
}

bool executed_known(const struct executed *executed, uint32_t event)
{
	const struct executed_point first = { .event = event }, next = { .event = event + 1 };

	return sum_before(executed->starts, executed->count, &first, false) !=
	       sum_before(executed->starts, executed->count, &next, false);
}

uint64_t executed_at(const struct executed *executed, uint32_t event, uint32_t binary,
                     uint64_t addr)
{
	const struct executed_point at = { .addr = addr, .event = event, .binary = binary };

	/* each block that started at or before it, without those that ended before it */
	return sum_before(executed->starts, executed->count, &at, true) -
	       sum_before(executed->ends, executed->count, &at, false);
}
