#include "perffile/order/merge.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define NO_SPAN UINT32_MAX
#define CHAINS_TRIED \
	64 /* so many CPUs may take turns; with more, the order is the same, and costs more */

void merge_release(struct merge *merge)
{
	free(merge->slots);
	memset(merge, 0, sizeof(*merge));
}

/* Whether all of `first` comes before all of `second`. */
static bool ends_before(const struct record_span *first, const struct record_span *second)
{
	return first->last_time != second->time ? first->last_time < second->time
	                                        : first->nr + first->count <= second->nr;
}

/* The chain that the span can be linked to, or NULL. */
static struct chain *find_chain(const struct merge *merge, const struct record_span *span)
{
	size_t tried = merge->chain_count < CHAINS_TRIED ? merge->chain_count : CHAINS_TRIED;

	for (size_t i = 0; i < tried; i++)
		if (ends_before(&merge->spans[merge->slots[i].chain.last], span))
			return &merge->slots[i].chain;
	return NULL;
}

static void link_span(struct merge *merge, uint32_t number)
{
	const struct record_span *span = &merge->spans[number];
	struct chain *chain = find_chain(merge, span);

	merge->decoded &= span->decoded != NULL;
	merge->slots[number].next = NO_SPAN;
	if (!chain) {
		merge->slots[merge->chain_count++].chain = (struct chain){ *span, NO_SPAN, number };
		return;
	}
	if (chain->next == NO_SPAN)
		chain->next = number;
	merge->slots[chain->last].next = number;
	chain->last = number;
}

static void sift_down(struct merge *merge, size_t at)
{
	struct merge_slot *slots = merge->slots;
	struct chain *moved = slots[at].heap;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= merge->heap_count)
			break;
		if (child + 1 < merge->heap_count &&
		    span_before(&slots[child + 1].heap->left, &slots[child].heap->left))
			child++;
		if (!span_before(&slots[child].heap->left, &moved->left))
			break;
		slots[at].heap = slots[child].heap;
		at = child;
	}
	slots[at].heap = moved;
}

bool merge_start(struct merge *merge, const struct record_span *spans, size_t count,
                 struct err *err)
{
	while (merge->capacity < count) {
		struct merge_slot *slots = vec_grow(merge->slots, merge->capacity, &merge->capacity,
		                                    sizeof(*slots), err);

		if (!slots)
			return false;
		merge->slots = slots;
	}
	merge->spans = spans;
	merge->chain_count = 0;
	merge->decoded = true;
	for (size_t i = 0; i < count; i++)
		link_span(merge, (uint32_t)i);
	merge->heap_count = merge->chain_count;
	for (size_t i = 0; i < merge->heap_count; i++)
		merge->slots[i].heap = &merge->slots[i].chain;
	for (size_t i = merge->heap_count / 2; i-- > 0;)
		sift_down(merge, i);
	return true;
}

bool merge_go_on(const struct merge *merge, struct chain *chain)
{
	if (chain->next == NO_SPAN)
		return false;
	chain->left = merge->spans[chain->next];
	chain->next = merge->slots[chain->next].next;
	return true;
}

struct record_span *merge_first(struct merge *merge, const struct record_span **second)
{
	struct merge_slot *heap = merge->slots;
	size_t other = 1;

	if (!heap[0].heap->left.count && !merge_go_on(merge, heap[0].heap)) {
		if (--merge->heap_count == 0)
			return NULL;
		heap[0].heap = heap[merge->heap_count].heap;
	}
	sift_down(merge, 0);
	if (merge->heap_count > 2 && span_before(&heap[2].heap->left, &heap[1].heap->left))
		other = 2;
	*second = merge->heap_count > 1 ? &heap[other].heap->left : NULL;
	return &heap[0].heap->left;
}
