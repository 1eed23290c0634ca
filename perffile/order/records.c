#include "perffile/order/records.h"

#include <stdlib.h>
#include <string.h>

void records_release(struct records *records)
{
	free(records->tree.nodes);
	free(records->spans);
	memset(records, 0, sizeof(*records));
}

/* The number of a new span, or SPAN_NONE with err set. */
static uint32_t add_span(struct records *records, const struct waiting_span *added, struct err *err)
{
	uint32_t number = records->free;

	if (number != SPAN_NONE) {
		records->free = records->spans[number].next;
	} else {
		if (records->spans_used == 0)
			records->spans_used = 1;
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
	if (records->open == number)
		records->open = SPAN_NONE;
}

/* Starts a new span, in the open sequence if the span can continue it. */
static bool start_span(struct records *records, const struct waiting_span *added, struct err *err)
{
	uint32_t number = add_span(records, added, err);

	if (number == SPAN_NONE)
		return false;
	if (records->open != SPAN_NONE && added->time >= records->open_time) {
		records->spans[records->open].next = number;
	} else if (!tree_insert(&records->tree, added->time, (uint32_t)added->nr, number, err)) {
		free_span(records, number);
		return false;
	}
	records->open = number;
	return true;
}

bool records_insert(struct records *records, const struct waiting_span *added, size_t size,
                    uint64_t last_time, bool *started, struct err *err)
{
	struct waiting_span *span = records->open != SPAN_NONE ? &records->spans[records->open]
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

void records_advance(struct records *records, const struct waiting_span *rest)
{
	struct tree *tree = &records->tree;
	uint32_t number = tree_take_first(tree)->value;
	struct waiting_span *span = &records->spans[number];

	records->count -= span->count - rest->count;
	*span = *rest;
	if (!rest->count) {
		free_span(records, number);
		number = rest->next;
	}
	/* the node that was just taken out is used again, so this cannot fail */
	if (number != SPAN_NONE)
		tree_insert(tree, records->spans[number].time, (uint32_t)records->spans[number].nr,
		            number, NULL);
}
