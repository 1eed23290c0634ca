#include "decode/naming/rows.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024

int rows_compare_texts(const struct strings *strings, uint32_t a, uint32_t b)
{
	return a == b ? 0 : strcmp(strings_get(strings, a), strings_get(strings, b));
}

int rows_compare_costs(uint64_t period, uint64_t samples, uint64_t other_period,
                       uint64_t other_samples)
{
	if (period != other_period)
		return period > other_period ? -1 : 1;
	return samples > other_samples ? -1 : samples < other_samples;
}

bool rows_sort(const struct strings *strings, void *rows, size_t count, size_t size,
               int (*compare)(const void *, const void *), struct err *err)
{
	struct row_ref *order = calloc(count ? count : 1, sizeof(*order));
	uint8_t *sorted = malloc(count ? count * size : 1);

	if (!order || !sorted) {
		free(order);
		free(sorted);
		return err_nomem(err, count * size);
	}
	for (size_t i = 0; i < count; i++)
		order[i] = (struct row_ref){ strings, (uint8_t *)rows + i * size };
	qsort(order, count, sizeof(*order), compare);
	for (size_t i = 0; i < count; i++)
		memcpy(sorted + i * size, order[i].row, size);
	if (count)
		memcpy(rows, sorted, count * size);
	free(order);
	free(sorted);
	return true;
}

/* The free slot for a hash. */
static struct row_slot *free_slot(struct row_slot *slots, size_t slot_count, uint32_t hash)
{
	size_t at = hash & (slot_count - 1);

	while (slots[at].row)
		at = (at + 1) & (slot_count - 1);
	return &slots[at];
}

static bool grow_row_index(struct row_index *index, struct err *err)
{
	size_t slot_count = index->slot_count ? 2 * index->slot_count : FIRST_SLOTS;
	struct row_slot *slots = calloc(slot_count, sizeof(*slots));

	if (!slots)
		return err_nomem(err, slot_count * sizeof(*slots));
	for (size_t i = 0; i < index->slot_count; i++)
		if (index->slots[i].row)
			*free_slot(slots, slot_count, index->slots[i].hash) = index->slots[i];
	free(index->slots);
	index->slots = slots;
	index->slot_count = slot_count;
	return true;
}

uint32_t row_index_put(struct row_index *index, uint64_t hash, uint32_t row, row_matcher *matches,
                       const void *context, struct err *err)
{
	const struct row_slot put = { (uint32_t)hash, row + 1 };
	struct row_slot *slot;

	if (index->count >= index->slot_count / 2 && !grow_row_index(index, err))
		return MAP_NONE;
	for (size_t at = put.hash;; at++) {
		slot = &index->slots[at & (index->slot_count - 1)];
		if (!slot->row)
			break;
		if (slot->hash == put.hash && matches(context, slot->row - 1))
			return slot->row - 1;
	}
	*slot = put;
	index->count++;
	return row;
}

void row_index_release(struct row_index *index)
{
	free(index->slots);
	memset(index, 0, sizeof(*index));
}
