#include "perffile/order/merge.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

void merge_release(struct merge *merge)
{
	free(merge->spans);
	memset(merge, 0, sizeof(*merge));
}

static int compare_spans(const void *a, const void *b)
{
	const struct record_span *one = a, *other = b;

	return key_before(one->first, other->first) ? -1 : key_before(other->first, one->first);
}

bool merge_start(struct merge *merge, const struct record_span *spans, size_t count,
                 struct err *err)
{
	size_t sorted = 1;

	if (!vec_reserve(&merge->spans, count, &merge->capacity, sizeof(*spans), err))
		return false;
	memcpy(merge->spans, spans, count * sizeof(*spans));
	merge->first = 0;
	merge->count = count;
	while (sorted < count && !key_before(spans[sorted].first, spans[sorted - 1].first))
		sorted++;
	/* nearly always they come in this order */
	if (sorted < count)
		qsort(merge->spans, count, sizeof(*spans), compare_spans);
	return true;
}

/* Moves the first span behind those that now have an older sample. */
static void move_back(const struct merge *merge)
{
	struct record_span *spans = merge->spans;
	const struct record_span moved = spans[merge->first];
	size_t at = merge->first;

	for (; at + 1 < merge->count && key_before(spans[at + 1].first, moved.first); at++)
		spans[at] = spans[at + 1];
	spans[at] = moved;
}

struct record_span *merge_next(struct merge *merge, struct order_key *end)
{
	const struct record_span *spans = merge->spans;

	if (merge->first < merge->count && spans[merge->first].count)
		move_back(merge);
	else if (merge->first < merge->count)
		merge->first++;
	if (merge->first == merge->count)
		return NULL;
	*end = merge->first + 1 < merge->count ? spans[merge->first + 1].first
	                                       : (struct order_key){ UINT64_MAX, UINT64_MAX };
	return &merge->spans[merge->first];
}
