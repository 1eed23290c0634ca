#include "perffile/order/merge.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

void merge_release(struct merge *merge)
{
	free(merge->slots);
	memset(merge, 0, sizeof(*merge));
}

static int compare_slots(const void *a, const void *b)
{
	const struct merge_slot *one = a, *other = b;

	return key_before(one->left.first, other->left.first)
	               ? -1
	               : key_before(other->left.first, one->left.first);
}

bool merge_start(struct merge *merge, const struct record_span *spans, size_t count,
                 struct err *err)
{
	bool sorted = true;

	if (!vec_reserve(&merge->slots, count, &merge->capacity, sizeof(*merge->slots), err))
		return false;
	merge->first = 0;
	merge->count = count;
	for (size_t i = 0; i < count; i++) {
		merge->slots[i].left = spans[i];
		sorted = sorted && (i == 0 || !key_before(spans[i].first, spans[i - 1].first));
	}
	/* nearly always they come in this order */
	if (!sorted)
		qsort(merge->slots, count, sizeof(*merge->slots), compare_slots);
	for (size_t i = 0; i < count; i++)
		merge->slots[i].in_order = &merge->slots[i].left;
	return true;
}

/* Moves the first span behind those that now have an older sample. */
static inline void move_back(const struct merge *merge)
{
	struct merge_slot *slots = merge->slots;
	struct record_span *moved = slots[merge->first].in_order;
	size_t at = merge->first;

	for (; at + 1 < merge->count && key_before(slots[at + 1].in_order->first, moved->first);
	     at++)
		slots[at].in_order = slots[at + 1].in_order;
	slots[at].in_order = moved;
}

struct record_span *merge_next(struct merge *merge, struct order_key *end)
{
	const struct merge_slot *slots = merge->slots;

	if (merge->first < merge->count && slots[merge->first].in_order->count)
		move_back(merge);
	else if (merge->first < merge->count)
		merge->first++;
	if (merge->first == merge->count)
		return NULL;
	*end = merge->first + 1 < merge->count ? slots[merge->first + 1].in_order->first
	                                       : (struct order_key){ UINT64_MAX, UINT64_MAX };
	return slots[merge->first].in_order;
}
