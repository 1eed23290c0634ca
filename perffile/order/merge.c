#include "perffile/order/merge.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/*
 * Number of sequences that a span is compared with. If more CPUs alternate, the order is still
 * right, but merging takes longer.
 */
#define SEQUENCES_TRIED 64

void merge_release(struct merge *merge)
{
	free(merge->slots);
	memset(merge, 0, sizeof(*merge));
}

/* The sequence that the span can be appended to, or NULL. */
static struct sequence *find_sequence(const struct merge *merge, const struct record_span *span)
{
	size_t tried = merge->sequence_count < SEQUENCES_TRIED ? merge->sequence_count
	                                                       : SEQUENCES_TRIED;

	for (size_t i = 0; i < tried; i++)
		if (key_before(merge->slots[i].sequence.last_key, span->first))
			return &merge->slots[i].sequence;
	return NULL;
}

static void add_to_sequence(struct merge *merge, uint32_t number)
{
	const struct record_span *span = &merge->spans[number];
	struct sequence *sequence = find_sequence(merge, span);

	merge->slots[number].next = SEQUENCE_END;
	if (!sequence) {
		sequence = &merge->slots[merge->sequence_count++].sequence;
		sequence->left = *span;
		sequence->next = SEQUENCE_END;
	} else {
		if (sequence->next == SEQUENCE_END)
			sequence->next = number;
		merge->slots[sequence->last_span].next = number;
	}
	sequence->last_span = number;
	sequence->last_key = span_last(span);
}

/* Moves the sequence at this place behind those that now have an older record. */
static inline void move_back(const struct merge *merge, size_t at)
{
	struct merge_slot *slots = merge->slots;
	struct sequence *moved = slots[at].in_order;

	for (; at + 1 < merge->sequence_count; at++) {
		if (!key_before(slots[at + 1].in_order->left.first, moved->left.first))
			break;
		slots[at].in_order = slots[at + 1].in_order;
	}
	slots[at].in_order = moved;
}

bool merge_start(struct merge *merge, const struct record_span *spans, size_t count,
                 struct err *err)
{
	if (!vec_reserve(&merge->slots, count, &merge->capacity, sizeof(*merge->slots), err))
		return false;
	merge->spans = spans;
	merge->first = merge->sequence_count = 0;
	for (size_t i = 0; i < count; i++)
		add_to_sequence(merge, (uint32_t)i);
	for (size_t i = merge->sequence_count; i-- > 0;) {
		merge->slots[i].in_order = &merge->slots[i].sequence;
		move_back(merge, i);
	}
	return true;
}

/* Goes on to the next span of the sequence. False if there is none. */
static bool start_next_span(const struct merge *merge, struct sequence *sequence)
{
	if (sequence->next == SEQUENCE_END)
		return false;
	sequence->left = merge->spans[sequence->next];
	sequence->next = merge->slots[sequence->next].next;
	return true;
}

struct record_span *merge_next(struct merge *merge, struct order_key *end)
{
	const struct merge_slot *slots = merge->slots;
	struct sequence *last = slots[merge->first].in_order;

	if (last->left.count || start_next_span(merge, last))
		move_back(merge, merge->first);
	else if (++merge->first == merge->sequence_count)
		return NULL;
	if (merge->first + 1 < merge->sequence_count)
		*end = slots[merge->first + 1].in_order->left.first;
	else
		*end = (struct order_key){ UINT64_MAX, UINT64_MAX };
	return &slots[merge->first].in_order->left;
}
