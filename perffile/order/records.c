#include "perffile/order/records.h"

#include <stdlib.h>
#include <string.h>

void records_init(struct records *records)
{
	memset(records, 0, sizeof(*records));
	records->free = SPAN_NONE;
}

void records_release(struct records *records)
{
	free(records->tree.nodes);
	free(records->spans);
	records_init(records);
}

/* The number of a new span, or SPAN_NONE with err set. */
static uint32_t add_span(struct records *records, const struct waiting_span *added, struct err *err)
{
	uint32_t number = records->free;

	if (number != SPAN_NONE) {
		records->free = records->spans[number].next;
	} else {
		if (!vec_room(&records->spans, records->spans_used, &records->span_capacity,
		              sizeof(*added), err))
			return SPAN_NONE;
		number = (uint32_t)records->spans_used++;
	}
	records->spans[number] = (struct waiting_span){ added->time, added->nr, added->data,
		                                        added->count, SPAN_NONE };
	records->span_count++;
	return number;
}

static void free_span(struct records *records, uint32_t number)
{
	records->spans[number].next = records->free;
	records->free = number;
	records->span_count--;
}

/* Starts a new span, in the open sequence if the span can continue it. */
static bool start_span(struct records *records, const struct waiting_span *added, struct err *err)
{
	bool goes_on = records->open != TREE_NIL && added->time >= records->open_time;
	uint32_t number = add_span(records, added, err);

	if (number == SPAN_NONE)
		return false;
	if (goes_on) {
		records->spans[records->open_span].next = number;
	} else if (tree_insert(&records->tree, added->time, (uint32_t)added->nr, number, err)) {
		records->open = records->tree.inserted;
	} else {
		free_span(records, number);
		return false;
	}
	records->open_span = number;
	return true;
}

bool records_insert(struct records *records, const struct waiting_span *added, size_t size,
                    uint64_t last_time, bool *started, struct err *err)
{
	struct waiting_span *span = records->open != TREE_NIL ? &records->spans[records->open_span]
	                                                      : NULL;

	*started = !span || added->data != records->open_end || added->time < records->open_time ||
	           added->nr != span->nr + span->count;
	if (!*started)
		span->count += added->count;
	else if (!start_span(records, added, err))
		return false;
	records->open_end = added->data + size;
	records->open_time = last_time;
	records->count += added->count;
	return true;
}

/* The first sequence now begins with that span. */
static bool rekey_first_sequence(struct records *records, uint32_t number, struct err *err)
{
	const struct waiting_span *span = &records->spans[number];
	struct tree *tree = &records->tree;
	const bool open = records->open == tree->first;

	tree_take_first(tree);
	/* the node that was just taken out is reused, so no memory is needed */
	if (!tree_insert(tree, span->time, (uint32_t)span->nr, number, err))
		return false;
	if (open)
		records->open = tree->inserted;
	return true;
}

bool records_advance(struct records *records, uint32_t count, const uint8_t *next, uint64_t time,
                     struct err *err)
{
	struct tree *tree = &records->tree;
	uint32_t number = tree->nodes[tree->first].value, following;
	struct waiting_span *span = &records->spans[number];

	records->count -= count;
	span->count -= count;
	if (span->count) {
		span->time = time;
		span->nr += count;
		span->data = next;
		return rekey_first_sequence(records, number, err);
	}
	following = span->next;
	free_span(records, number);
	if (following != SPAN_NONE)
		return rekey_first_sequence(records, following, err);
	if (records->open == tree->first)
		records->open = TREE_NIL;
	tree_take_first(tree);
	return true;
}
