#include "decode/intervals/opens.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 1024

void opens_init(struct opens *opens)
{
	*opens = (struct opens){ .free = OPEN_NONE, .oldest = OPEN_NONE, .newest = OPEN_NONE };
}

void opens_release(struct opens *opens)
{
	free(opens->items);
	free(opens->slots);
	opens_init(opens);
}

static uint32_t *slot_of(const struct opens *opens, uint64_t key)
{
	return &opens->slots[key & (opens->slot_count - 1)];
}

/* From the oldest one on, so that the newest of a slot is the first again. */
static bool grow(struct opens *opens, struct err *err)
{
	const size_t count = opens->slot_count ? 2 * opens->slot_count : SLOTS_FIRST;
	uint32_t *slots = vec_new(count, sizeof(*slots), err);

	if (!slots)
		return false;
	memset(slots, 0xff, count * sizeof(*slots));
	free(opens->slots);
	opens->slots = slots;
	opens->slot_count = count;
	for (uint32_t i = opens->oldest; i != OPEN_NONE; i = opens->items[i].newer) {
		uint32_t *slot = slot_of(opens, opens->items[i].key);

		opens->items[i].next = *slot;
		*slot = i;
	}
	return true;
}

/* Room for one more, or OPEN_NONE with err set. */
static uint32_t take_room(struct opens *opens, struct err *err)
{
	const uint32_t number = opens->free;

	if (number != OPEN_NONE) {
		opens->free = opens->items[number].next;
		return number;
	}
	if (!vec_room(&opens->items, opens->count, &opens->capacity, sizeof(*opens->items), err))
		return OPEN_NONE;
	return (uint32_t)opens->count++;
}

struct open_begin *opens_add(struct opens *opens, const struct open_begin *begin, struct err *err)
{
	struct open_begin *item;
	uint32_t number, *slot;

	if (opens->used >= opens->slot_count && !grow(opens, err))
		return NULL;
	number = take_room(opens, err);
	if (number == OPEN_NONE)
		return NULL;
	slot = slot_of(opens, begin->key);
	item = &opens->items[number];
	*item = *begin;
	item->next = *slot;
	item->older = opens->newest;
	item->newer = OPEN_NONE;
	*slot = number;
	if (opens->newest != OPEN_NONE)
		opens->items[opens->newest].newer = number;
	else
		opens->oldest = number;
	opens->newest = number;
	opens->used++;
	return item;
}

void opens_remove(struct opens *opens, uint32_t number)
{
	struct open_begin *item = &opens->items[number];
	uint32_t *link = slot_of(opens, item->key);

	while (*link != number)
		link = &opens->items[*link].next;
	*link = item->next;
	*(item->older != OPEN_NONE ? &opens->items[item->older].newer
	                           : &opens->oldest) = item->newer;
	*(item->newer != OPEN_NONE ? &opens->items[item->newer].older
	                           : &opens->newest) = item->older;
	item->next = opens->free;
	opens->free = number;
	opens->used--;
}
